// A service that has started to lines for a person: where it is, how to get in, and what is missing to use it.
import { ENGINE_VERSION } from '../pipeline/response.ts'
import { DEFAULT_SETTINGS } from '../service/settings.ts'
import { painter, type Terminal } from './terminal.ts'

export interface Started {
  readonly url: string
  /** Opens the console once; null without a console, with a standing token, and where no terminal reads it. */
  readonly console: string | null
  /** The console without a token; null when it is not served. */
  readonly consolePage: string | null
  /** How long the link can be used. */
  readonly consoleMs: number
  readonly database: 'libsql' | 'postgres'
  /** Of the embedded database; null for PostgreSQL, whose URL holds a password, and in memory. */
  readonly file: string | null
  readonly models: readonly string[]
  /** Those that stand for a model that is not served, as they were written. */
  readonly deadAliases: readonly string[]
  /** Whether no model has a price. */
  readonly isFree: boolean
  readonly hasKeys: boolean
  /** Since the process began. */
  readonly readyMs: number
}

/** Ends with a newline. */
export function showStarted(started: Started, { hasColor }: Pick<Terminal, 'hasColor'>): string {
  const paint = painter(hasColor)
  const { url, console, consolePage, consoleMs, models, deadAliases, isFree, hasKeys, readyMs } = started
  const rows: (readonly [string, string])[] = [
    ...(console === null ? [] : ([['console', `${console}  (opens once, within ${consoleMs / 60_000} minutes)`]] as const)),
    ...(console !== null || consolePage === null ? [] : ([['console', `${consolePage}  (sign in with the admin token)`]] as const)),
    ['models', models.join(', ')],
    ...(deadAliases.length === 0 ? [] : ([['aliases', `${deadAliases.join(', ')}: no such model is served`]] as const)),
    ['database', databaseText(started)],
    ...(isFree ? ([['prices', 'none: answers cost nothing (--prices sets them)']] as const) : []),
    ...(hasKeys ? [] : ([['keys', `none yet: make one ${waysToMakeKeys(started).join(', or ')}`]] as const)),
  ]
  const lines = rows.map(([name, text]) => `  ${paint('dim', name.padEnd(8))}  ${text}`)
  return `${paint('bold', url)}  assay ${ENGINE_VERSION}, ready in ${(readyMs / 1000).toFixed(1)} s\n${lines.join('\n')}\n`
}

function databaseText({ database, file }: Started): string {
  if (database === 'postgres') return 'PostgreSQL'
  return file === null ? 'in memory: gone when the service ends' : `${file} (libsql, for one replica)`
}

function waysToMakeKeys({ consolePage, database, file }: Started): readonly string[] {
  const command = 'with assay keys create --account default --name first'
  const isReached = database === 'postgres' || file !== null
  return [
    ...(consolePage === null ? [] : ['in the console']),
    ...(isReached ? [file === null || file === DEFAULT_SETTINGS.databaseUrl ? command : `${command} --database ${file}`] : []),
  ]
}
