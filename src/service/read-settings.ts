// Flags, the environment and a settings file to settings. Flags count first, then ASSAY_… variables, then plain ones
// such as DATABASE_URL, then the file, then the defaults.
import { didYouMean } from '../core/suggest.ts'
import { isObject } from '../core/untrusted.ts'
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

/** A settings file that was read: its name for messages, and its JSON. */
export interface SettingsFile {
  readonly name: string
  readonly json: unknown
}

/**
 * Settings from `flags` (texts by the name of the flag, without dashes), `env` and a file; an empty variable counts as
 * not set. Throws `SettingsError` that names every wrong value and what it takes; values of secrets (the database, the
 * admin token) are not repeated. With `fields`, only those are read.
 */
export function readSettings(
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
  fields?: readonly (keyof ServiceSettings)[],
  file: SettingsFile | null = null,
): ServiceSettings {
  const { texts, problems } = textsOf(file)
  const found: Partial<Record<keyof ServiceSettings, unknown>> = {}
  for (const entry of SETTING_TABLE) {
    const given = fields === undefined || fields.includes(entry.field) ? givenFor(entry, flags, env, texts, file) : null
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
  { flag, env: names, name }: SettingEntry,
  flags: Readonly<Record<string, string | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
  texts: ReadonlyMap<string, string>,
  file: SettingsFile | null,
): { readonly name: string; readonly text: string } | null {
  const text = flag === null ? undefined : flags[flag]
  if (text !== undefined) return { name: `--${flag}`, text }
  const variable = names.find((candidate) => isSet(candidate, env[candidate]))
  if (variable !== undefined) return { name: variable, text: env[variable]! }
  const written = texts.get(name)
  return written === undefined ? null : { name: `"${name}" in ${file!.name}`, text: written }
}

/** The values of a file as flags would have them, by name, and what is wrong with its shape. */
function textsOf(file: SettingsFile | null): { readonly texts: ReadonlyMap<string, string>; readonly problems: string[] } {
  const texts = new Map<string, string>()
  const problems: string[] = []
  if (file === null) return { texts, problems }
  if (!isObject(file.json)) return { texts, problems: [`${file.name} holds no JSON object of settings by name`] }
  const known = SETTING_TABLE.map(({ name }) => name)
  for (const [name, value] of Object.entries(file.json)) {
    const text = textOf(value)
    if (!known.includes(name)) problems.push(`${file.name} names no setting with ${JSON.stringify(name)}.${didYouMean(name, known)}`)
    else if (text === null)
      problems.push(`"${name}" in ${file.name} is a text, a number, true or false, a list, or an object of names and values`)
    else texts.set(name, text)
  }
  return { texts, problems }
}

/** `["a", "b"]` to `a,b` and `{"a": 1}` to `a=1`, as flags write them; null for what no setting is. */
function textOf(value: unknown): string | null {
  const plain = (one: unknown) => typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean'
  if (plain(value)) return String(value)
  if (Array.isArray(value)) return value.every(plain) ? value.join(',') || 'none' : null
  if (!isObject(value) || !Object.values(value).every(plain)) return null
  const pairs = Object.entries(value).map(([name, one]) => `${name}=${one}`)
  return pairs.join(',') || 'none'
}

function isSet(name: string, text: string | undefined): boolean {
  if (text === undefined || text.trim() === '') return false
  // Kubernetes writes this beside a service that is called assay; it is about that service and not meant for us.
  return !(name === 'ASSAY_PORT' && text.startsWith('tcp://'))
}
