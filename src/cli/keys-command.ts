// `assay keys`: API keys of a service, made, listed and revoked in its database, whether it runs or not.
import { type Command, Option } from 'commander'
import { EngineError } from '../core/errors.ts'
import { type ApiKey, SCOPES, type Scope } from '../service/store/store.ts'
import type { AddCommand, CommandContext } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { type DatabaseFlags, type DatabasePlace, databaseOption, onServiceStore } from './open-service-store.ts'
import { asJson, count } from './option-values.ts'
import { servingAt } from './serving-note.ts'
import { plain, timeText } from './terminal.ts'

const HELP = `
Examples:
  $ assay keys create --account acme --name backend
  $ assay keys create --account acme --name learner --scope ask,outcomes,calibration --rate 120
  $ assay keys list --account acme
  $ assay keys revoke key_5f0c…

Keys of one account share its credits (assay credits). A secret is shown once: the database keeps only its hash.`

const DEFAULT_SCOPES: readonly Scope[] = ['ask', 'outcomes']

export const addKeys: AddCommand = (program, context) => {
  const keys = program.command('keys').description('make, list and revoke API keys of a service').addHelpText('after', HELP)
  addCreate(keys, context)
  addList(keys, context)
  addRevoke(keys, context)
}

interface CreateFlags extends DatabaseFlags {
  readonly account: string
  readonly name: string
  readonly scope: readonly Scope[]
  readonly rate?: number
}

function addCreate(keys: Command, context: CommandContext): void {
  keys
    .command('create')
    .description('make a key; its secret is printed once')
    .option('--account <account>', 'who pays', 'default')
    .requiredOption('--name <name>', 'to tell keys apart')
    .addOption(
      new Option('--scope <scopes>', `what it may do, with commas between: ${SCOPES.join(', ')}`)
        .default(DEFAULT_SCOPES, DEFAULT_SCOPES.join(','))
        .argParser(scopes),
    )
    .option('--rate <requests>', "requests a minute (default: the service's own limit)", count('rate', 1))
    .addOption(databaseOption())
    .addOption(asJson())
    .action((flags: CreateFlags) => {
      return onServiceStore(flags, context, { isNew: true }, async ({ store, place, say }) => {
        const { account, name, scope, rate = null } = flags
        const { key, secret } = await store.keys.create({ account, name, scopes: scope, requestsPerMinute: rate })
        const service = place.file === null ? null : await servingAt(place.file)
        const said = { secret, ...key, database: place.name, isNewDatabase: place.isMade, service }
        say(said, () => showCreated(key, secret, place, service))
      })
    })
}

function addList(keys: Command, context: CommandContext): void {
  keys
    .command('list')
    .description('all keys, newest first, revoked ones too; never their secrets')
    .option('--account <account>', 'only of this account')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((flags: DatabaseFlags & { readonly account?: string }) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const found = await store.keys.list(flags.account)
        say(found, () => showKeys(found))
      })
    })
}

function addRevoke(keys: Command, context: CommandContext): void {
  keys
    .command('revoke')
    .description('end a key at once, on every replica')
    .argument('<id>', 'key_…, as assay keys list shows it')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((id: string, flags: DatabaseFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const key = await store.keys.revoke(id)
        if (key === null) {
          // A secret given by mistake is not repeated.
          const known = id.startsWith('key_') ? `There is no key ${JSON.stringify(id.slice(0, 80))}` : 'A key is named by its id, key_…'
          throw new EngineError('invalid_request', `${known}; assay keys list shows them.`)
        }
        say(key, () => `${key.id} (${plain(key.name)}) is revoked since ${minuteOf(key.revokedAt!)}\n`)
      })
    })
}

function scopes(text: string): readonly Scope[] {
  const named = text.split(',').map((scope) => scope.trim())
  const stranger = named.find((scope) => !SCOPES.includes(scope as Scope))
  if (stranger === undefined) return named as Scope[]
  throw new UsageError(`--scope takes ${SCOPES.join(', ')}, with commas between, not "${stranger}"`)
}

function showCreated(key: ApiKey, secret: string, place: DatabasePlace, service: string | null): string {
  return `${secret}\n\n${showKey(key)}\n${placeText(place, service)}\nStore the secret now: only its hash is kept, and it is not shown again.\n`
}

/** Which services take the key: those on its database, and a newcomer may have made another one than is served. */
function placeText({ name, file, isMade }: DatabasePlace, service: string | null): string {
  const where = isMade ? `in the database ${name}, which this command has made` : `in the database ${name}`
  if (service !== null) return `${where}; the service at ${service} takes it now`
  return file === null ? `${where}; services on it take it now` : `${where}; no service runs on it: assay serve --database ${file} does`
}

function showKeys(keys: readonly ApiKey[]): string {
  return keys.length === 0 ? 'no keys yet; assay keys create makes one\n' : keys.map((key) => `${showKey(key)}\n`).join('')
}

function showKey({ id, account, name, prefix, scopes, requestsPerMinute, createdAt, lastUsedAt, revokedAt }: ApiKey): string {
  const facts = [
    scopes.join(', '),
    ...(requestsPerMinute === null ? [] : [`${requestsPerMinute} requests a minute`]),
    `made ${minuteOf(createdAt)}`,
    lastUsedAt === null ? 'never used' : `last used ${minuteOf(lastUsedAt)}`,
    ...(revokedAt === null ? [] : [`REVOKED ${minuteOf(revokedAt)}`]),
  ]
  return `${id}  ${prefix}…  ${plain(account)}  ${plain(name)}\n  ${facts.join(' · ')}`
}

function minuteOf(at: number): string {
  return timeText(at).slice(0, -':00'.length)
}
