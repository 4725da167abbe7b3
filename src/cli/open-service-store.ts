// The database of a service, opened for the time of a command, beside services that run on it.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Option } from 'commander'
import { EngineError } from '../core/errors.ts'
import { importOptional } from '../core/optional-packages.ts'
import { fileOf, schemeOf } from '../service/store/database-url.ts'
import type { Store } from '../service/store/store.ts'
import { UsageError } from './exit-codes.ts'
import type { Output } from './say-error.ts'
import { settingsFrom } from './settings-from.ts'
import type { Terminal } from './terminal.ts'

export interface DatabaseFlags {
  readonly database?: string
  readonly json?: true
}

export function databaseOption(): Option {
  return new Option('--database <url>', 'the database of the service (default as for assay serve: DATABASE_URL, or assay.db here)')
}

/** `isNew`: makes a database file that is not there yet; otherwise a name mistyped is an error. */
export async function withServiceStore(
  flags: DatabaseFlags,
  terminal: Terminal,
  { isNew }: { readonly isNew: boolean },
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const { databaseUrl } = settingsFrom({ database: flags.database }, ['databaseUrl'])
  const scheme = schemeOf(databaseUrl)
  const named = scheme === 'file' ? fileOf(databaseUrl) : scheme === null && databaseUrl !== ':memory:' ? databaseUrl : null
  const file = named === null ? null : resolve(terminal.folder, named)
  if (file !== null && !isNew && !(await isThere(file))) {
    throw new UsageError(`there is no database ${databaseUrl} yet; assay serve makes it, and so does assay keys create`)
  }
  // Loaded here so that --help and wrong flags answer at once.
  const { openStore } = await importOptional('The database of a service', 'service', () => import('../service/store/open.ts'))
  const store = await openStore(file ?? databaseUrl).catch((error: unknown) => {
    throw error instanceof EngineError && error.code === 'invalid_request' ? new UsageError(`--database: ${error.message}`) : error
  })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}

export function outputFor(flags: DatabaseFlags, terminal: Terminal): Output {
  return flags.json !== true && terminal.isInteractive ? 'person' : 'json'
}

/** Lines for a person, or the value as JSON. */
export function say(terminal: Terminal, output: Output, value: unknown, shown: () => string): void {
  terminal.print(output === 'person' ? shown() : `${JSON.stringify(value, null, 2)}\n`)
}
