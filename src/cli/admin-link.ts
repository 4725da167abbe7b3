// `assay admin link`: a link that opens the console once, for whoever can reach the database.
import type { Store } from '../server/store/store.ts'
import type { AddCommand } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { asJson } from './option-values.ts'
import type { Output } from './say-error.ts'
import { settingsFrom } from './settings-from.ts'
import type { Terminal } from './terminal.ts'

/** How long a link can be used. */
export const ADMIN_LINK_MS = 15 * 60_000

/** A link that opens the console once. Its token stands after the #, so that neither servers nor their logs get to see it. */
export async function adminLink({ admin }: Pick<Store, 'admin'>, url: string): Promise<string> {
  return `${url}/console#token=${await admin.issueLink(ADMIN_LINK_MS)}`
}

/** A URL to be opened on this machine: an address that stands for all of them is none to open. */
export function browserUrl(url: string): string {
  return url.replace(/^(https?:\/\/)(0\.0\.0\.0|\[::\])(?=[:/]|$)/, '$1localhost')
}

interface LinkFlags {
  readonly database?: string
  readonly url?: string
  readonly json?: true
}

export const addAdmin: AddCommand = (program, { terminal, attempt }) => {
  program
    .command('admin')
    .description('get into the console of a service')
    .command('link')
    .description(`make a link that opens the console once, within ${ADMIN_LINK_MS / 60_000} minutes`)
    .option('--database <url>', 'the database of the service (default as for assay serve: DATABASE_URL, or assay.db here)')
    .option('--url <url>', 'where the service is reached (default: what --host and --port of assay serve would be here)')
    .addOption(asJson())
    .action((flags: LinkFlags) => {
      const output: Output = flags.json !== true && terminal.isInteractive ? 'person' : 'json'
      return attempt(output, () => link(flags, output, terminal))
    })
}

async function link(flags: LinkFlags, output: Output, terminal: Terminal): Promise<void> {
  const { databaseUrl, host, port } = settingsFrom({ database: flags.database }, ['databaseUrl', 'host', 'port'])
  const url = flags.url === undefined ? browserUrl(`http://${host.includes(':') ? `[${host}]` : host}:${port}`) : serviceUrl(flags.url)
  // Loaded here so that --help and wrong flags answer at once.
  const { openStore } = await import('../server/store/open.ts')
  const store = await openStore(databaseUrl)
  try {
    const said = { console: await adminLink(store, url), consoleMs: ADMIN_LINK_MS }
    terminal.print(output === 'person' ? `${said.console}\n` : `${JSON.stringify(said, null, 2)}\n`)
  } finally {
    await store.close()
  }
}

function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') {
    return url.href.replace(/\/+$/, '')
  }
  throw new UsageError('--url takes where the service is reached, such as https://assay.example.com')
}
