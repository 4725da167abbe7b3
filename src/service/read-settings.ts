// Flags and the environment to settings: flags go first, then ASSAY_… variables, then plain ones such as DATABASE_URL, then the defaults.
import type { SettingKind } from './setting-kinds.ts'
import { SETTING_TABLE, type SettingEntry } from './setting-table.ts'
import { DEFAULT_SETTINGS, type ServiceSettings } from './settings.ts'

/** Everything that is wrong with the settings, one line each. */
export class SettingsError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'SettingsError'
    this.problems = problems
  }
}

/**
 * Settings from `flags` (texts by the name of the flag, without dashes) and `env`; an empty variable counts as not set. Throws `SettingsError` that
 * names every wrong value and what it takes; values of secrets (the database, the admin token) are not repeated. With `fields`, only those are read.
 */
export function readSettings(
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
  fields?: readonly (keyof ServiceSettings)[],
): ServiceSettings {
  const problems: string[] = []
  const found: Partial<Record<keyof ServiceSettings, unknown>> = {}
  for (const entry of SETTING_TABLE) {
    const given = fields === undefined || fields.includes(entry.field) ? givenFor(entry, flags, env) : null
    if (given === null) continue
    const value = (entry.kind as SettingKind<unknown>).read(given.text)
    if (value === null)
      problems.push(`${given.name} takes ${entry.kind.takes}${entry.isSecret ? '' : `, not ${JSON.stringify(given.text)}`}`)
    else found[entry.field] = value
  }
  if (problems.length > 0) throw new SettingsError(problems)
  return { ...DEFAULT_SETTINGS, ...found } as ServiceSettings
}

function givenFor(
  { flag, env: names }: SettingEntry,
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly name: string; readonly text: string } | null {
  const text = flag === null ? undefined : flags[flag]
  if (text !== undefined) return { name: `--${flag}`, text }
  const name = names.find((candidate) => isSet(candidate, env[candidate]))
  return name === undefined ? null : { name, text: env[name]! }
}

function isSet(name: string, text: string | undefined): boolean {
  if (text === undefined || text.trim() === '') return false
  // Kubernetes writes this beside a service that is called assay; it is about that service and not meant for us.
  return !(name === 'ASSAY_PORT' && text.startsWith('tcp://'))
}
