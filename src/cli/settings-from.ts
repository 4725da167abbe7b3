// Flags of a command and this process's environment to settings; what is wrong with them is wrong usage, all of it in one line.
import { readSettings, SettingsError } from '../service/read-settings.ts'
import type { ServiceSettings } from '../service/settings.ts'
import { UsageError } from './exit-codes.ts'

/** With `fields`, only those are read. Throws `UsageError`. */
export function settingsFrom(
  flags: Readonly<Record<string, string | undefined>>,
  fields?: readonly (keyof ServiceSettings)[],
): ServiceSettings {
  try {
    return readSettings(flags, process.env, fields)
  } catch (error) {
    if (error instanceof SettingsError) throw new UsageError(error.problems.join('; '))
    throw error
  }
}
