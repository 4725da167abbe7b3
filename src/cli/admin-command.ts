// `assay admin link` and `sign-out`: a link that opens the console once, and an end to all who are in, for those who
// can reach the database.
import type { ServiceSettings } from '../service/settings.ts'
import type { Store } from '../service/store/store.ts'
import type { AddCommand } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { type DatabaseFlags, databaseOption, onServiceStore } from './open-service-store.ts'
import { asJson } from './option-values.ts'
import { servingAt } from './serving-note.ts'
import { settingsFrom } from './settings-from.ts'

/** How long a link can be used. */
export const ADMIN_LINK_MS = 15 * 60_000

/** A link that opens the console once. Its token stands after the #, so that no server sees or logs it. */
export async function adminLink({ admin }: Pick<Store, 'admin'>, url: string): Promise<string> {
  return `${url}/console#token=${await admin.issueLink(ADMIN_LINK_MS)}`
}

/**
 * Whether a service that starts prints a link. Not where a log keeps it for others to read, and not beside a standing
 * token, which is the way in that was chosen.
 */
export function hasStartLink({ console, adminToken }: Pick<ServiceSettings, 'console' | 'adminToken'>, isTerminal: boolean): boolean {
  return console && isTerminal && adminToken === null
}

/** A URL to be opened on this machine: an address that stands for all of them is none to open. */
export function browserUrl(url: string): string {
  return url.replace(/^(https?:\/\/)(0\.0\.0\.0|\[::\])(?=[:/]|$)/, '$1localhost')
}

interface LinkFlags extends DatabaseFlags {
  /** Without a slash at its end. */
  readonly url?: string
}

export const addAdmin: AddCommand = (program, context) => {
  const { terminal } = context
  const admin = program.command('admin').description('get into the console of a service, or end the sessions of all who are')
  admin
    .command('link')
    .description(`make a link that opens the console once, within ${ADMIN_LINK_MS / 60_000} minutes`)
    .addOption(databaseOption())
    .option('--url <url>', 'where the service is reached (default: where the one on this database listens, else HOST and PORT)', serviceUrl)
    .addOption(asJson())
    .action((flags: LinkFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, place, say }) => {
        const { file } = place
        const url = flags.url ?? (file === null ? null : await servingAt(file)) ?? urlHere()
        if (flags.url === undefined && url.startsWith('http:') && !(await answers(url)))
          terminal.warn(`warning: no service answers at ${url}; start it, or say with --url where it is reached\n`)
        const link = await adminLink(store, url)
        say({ console: link, consoleMs: ADMIN_LINK_MS }, () => `${link}\n`)
      })
    })
  admin
    .command('sign-out')
    .description('end all sessions of the console, and links that were not used yet: after a change of ASSAY_ADMIN_TOKEN, say')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((flags: DatabaseFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const ended = await store.admin.endAll()
        say({ ended }, () => `${ended} ${ended === 1 ? 'session has' : 'sessions have'} ended\n`)
      })
    })
}

/** How long to wait for a service on this machine. */
const HEALTH_MS = 2000

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) }).then(
    async (reply) => {
      await reply.body?.cancel()
      return true
    },
    () => false,
  )
}

/** Where a service that is started here with the same environment is reached. */
function urlHere(): string {
  const { host, port, tlsCert } = settingsFrom({}, ['host', 'port', 'tlsCert'])
  return browserUrl(`${tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '') {
    return url.href.replace(/\/+$/, '')
  }
  throw new UsageError('--url takes where the service is reached, such as https://assay.example.com')
}
