// Flags of a command, this process's environment and a settings file to settings. What is wrong with them is wrong
// usage, all of it in one line.
import { readFileSync } from 'node:fs'
import { fileFault } from '../core/file-fault.ts'
import { readSettings, SettingsError, type SettingsFile } from '../service/read-settings.ts'
import type { ServiceSettings } from '../service/settings.ts'
import { UsageError } from './exit-codes.ts'

/**
 * The file is that of the flag `settings`, or of ASSAY_SETTINGS. With `fields`, only those are read. Throws
 * `UsageError`.
 */
export function settingsFrom(
  flags: Readonly<Record<string, string | undefined>>,
  fields?: readonly (keyof ServiceSettings)[],
): ServiceSettings {
  const file = flags.settings ?? process.env.ASSAY_SETTINGS ?? ''
  try {
    return readSettings(flags, process.env, fields, file.trim() === '' ? null : readSettingsFile(file))
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.problems.join('; '))
    throw error
  }
}

function readSettingsFile(name: string): SettingsFile {
  let text: string
  try {
    text = readFileSync(name, 'utf8')
  } catch (error) {
    throw new UsageError(`--settings: ${name} cannot be read: ${fileFault(error)}`)
  }
  try {
    return { name, json: JSON.parse(text) }
  } catch {
    throw new UsageError(`--settings: ${name} is not JSON`)
  }
}
