// The database of a service, opened for the time of a command, beside services that run on it.
import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Option } from 'commander'
import { EngineError } from '../core/errors.ts'
import { importOptional } from '../core/optional-packages.ts'
import { fileOf, schemeOf } from '../service/store/database-url.ts'
import type { Store } from '../service/store/store.ts'
import { type CommandContext, outputOf, say } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { settingsFrom } from './settings-from.ts'
import type { Terminal } from './terminal.ts'

export interface DatabaseFlags {
  readonly database?: string
  readonly json?: true
}

export function databaseOption(): Option {
  return new Option('--database <url>', 'the database of the service (default as for assay serve: DATABASE_URL, or assay.db here)')
}

/** The database that a command has opened. */
export interface DatabasePlace {
  /** The full path of a file; of PostgreSQL the URL without its user. */
  readonly name: string
  /** Full path; null for PostgreSQL. */
  readonly file: string | null
  /** Whether this command has made the file. */
  readonly isMade: boolean
}

/** Full path of the file that a database URL names; null for PostgreSQL and for a database in memory. */
export function databaseFile(databaseUrl: string, terminal: Pick<Terminal, 'folder'>): string | null {
  const scheme = schemeOf(databaseUrl)
  const named = scheme === 'file' ? fileOf(databaseUrl) : scheme === null && databaseUrl !== ':memory:' ? databaseUrl : null
  return named === null ? null : resolve(terminal.folder, named)
}

/** What the work of a command on the database of a service is given. */
export interface OpenedService {
  readonly store: Store
  readonly place: DatabasePlace
  /** Lines for a person, or the value as JSON. */
  readonly say: (value: unknown, shown: () => string) => void
}

/** `isNew`: makes a database file that is not there yet; otherwise a name mistyped is an error. */
export function onServiceStore(
  flags: DatabaseFlags,
  { terminal, attempt }: CommandContext,
  { isNew }: { readonly isNew: boolean },
  work: (service: OpenedService) => Promise<void>,
): Promise<void> {
  const output = outputOf(flags, terminal)
  return attempt(output, async () => {
    const { store, place } = await openServiceStore(flags, terminal, isNew)
    try {
      await work({ store, place, say: (value, shown) => say(terminal, output, value, shown) })
    } finally {
      await store.close()
    }
  })
}

async function openServiceStore(
  flags: DatabaseFlags,
  terminal: Terminal,
  isNew: boolean,
): Promise<{ readonly store: Store; readonly place: DatabasePlace }> {
  const { databaseUrl } = settingsFrom({ database: flags.database }, ['databaseUrl'])
  if (databaseUrl === ':memory:')
    throw new UsageError('a database in memory ends with this command; name a file, or give a URL of PostgreSQL')
  const file = databaseFile(databaseUrl, terminal)
  const isMade = file !== null && !(await isThere(file))
  if (file !== null && isMade && !isNew) {
    throw new UsageError(
      `there is no database ${databaseUrl} yet in ${dirname(file)}; assay serve makes it, and so does assay keys create. If the service runs in another folder, give its --database`,
    )
  }
  // Loaded here so that --help and wrong flags answer at once.
  const { openStore } = await importOptional('The database of a service', 'service', () => import('../service/store/open.ts'))
  const store = await openStore(file ?? databaseUrl).catch(aboutDatabase)
  return { store, place: { name: file ?? withoutUser(databaseUrl), file, isMade } }
}

/** A database that cannot be used is a wrong setting, not a wrong request. */
export function aboutDatabase(error: unknown): never {
  throw error instanceof EngineError && error.code === 'invalid_request' ? new UsageError(`--database: ${error.message}`) : error
}

/** The user and the password are nobody's business; what cannot be read is not shown. */
function withoutUser(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return 'PostgreSQL'
  const { protocol, host, pathname } = new URL(databaseUrl)
  return `${protocol}//${host}${pathname}`
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
