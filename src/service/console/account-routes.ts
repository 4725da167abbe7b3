// Keys, balances, the ledger and usage, for any session: the console is the operator's, so it sees every account.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { EngineError } from '../../core/errors.ts'
import type { ServiceContext } from '../context.ts'
import { ServiceRefusal } from '../errors.ts'
import { fromStore } from '../from-store.ts'
import { parseDollars } from '../money.ts'
import { MOST_NAME_CHARACTERS, SCOPES } from '../store/store.ts'
import { encodeAccount, encodeBucket, encodeEntry, encodeKey } from './encode.ts'
import { fields, text, textOrNone, wholeNumber } from './fields.ts'
import type { AccountsReply, CreatedKeyReply, CreditReply, KeyReply, KeysReply, LedgerReply, UsageReply } from './replies.ts'

const LONGEST_NOTE = 200
const MOST_LINES = 200
const MOST_BUCKETS = 400
const LATEST = 8.64e15

const newKey = fields({
  account: text(MOST_NAME_CHARACTERS),
  name: text(MOST_NAME_CHARACTERS),
  scopes: z.array(z.enum(SCOPES as readonly [string, ...string[]])).min(1, 'A key that may do nothing is of no use; tick something.'),
  requests_per_minute: z
    .number('This is a whole number from 1 to 1000000, or empty.')
    .int('This is a whole number.')
    .min(1, 'This is 1 or more; leave it empty for the limit of the service.')
    .max(1_000_000, 'This is at most 1000000.')
    .nullable(),
})
const revocation = fields({ id: text(MOST_NAME_CHARACTERS) })
const credit = fields({ account: text(MOST_NAME_CHARACTERS), dollars: text(40), note: textOrNone(LONGEST_NOTE) })
const ledgerPage = fields({ account: z.string(), before: z.string().optional(), limit: wholeNumber(1, MOST_LINES).default(50) })
const usageRange = fields({
  account: z.string().optional(),
  from: wholeNumber(0, LATEST),
  to: wholeNumber(0, LATEST),
  bucket_ms: wholeNumber(60_000, 31 * 86_400_000),
})

export function accountRoutes(app: FastifyInstance, { store }: ServiceContext): void {
  app.get('/console/api/keys', async (): Promise<KeysReply> => ({ keys: (await fromStore(store.keys.list())).map(encodeKey) }))

  app.post('/console/api/keys', async ({ body }): Promise<CreatedKeyReply> => {
    const { account, name, scopes, requests_per_minute: requestsPerMinute } = newKey(body)
    const granted = SCOPES.filter((scope) => scopes.includes(scope))
    const { key, secret } = await fromStore(store.keys.create({ account, name, scopes: granted, requestsPerMinute }))
    return { key: encodeKey(key), secret }
  })

  app.post('/console/api/keys/revoke', async ({ body }): Promise<KeyReply> => {
    const key = await fromStore(store.keys.revoke(revocation(body).id))
    if (key === null) throw new ServiceRefusal('not_found', 'There is no such key.', { param: '/id' })
    return encodeKey(key)
  })

  app.get(
    '/console/api/accounts',
    async (): Promise<AccountsReply> => ({ accounts: (await fromStore(store.ledger.accounts())).map(encodeAccount) }),
  )

  app.get('/console/api/ledger', async ({ query }): Promise<LedgerReply> => {
    const { account, before, limit } = ledgerPage(query)
    const entries = await fromStore(store.ledger.entries(account, { limit: limit + 1, ...(before === undefined ? {} : { before }) }))
    const page = entries.slice(0, limit)
    return { entries: page.map(encodeEntry), next: entries.length > limit ? page.at(-1)!.id : null }
  })

  app.post('/console/api/credits', async ({ body }): Promise<CreditReply> => {
    const { account, dollars, note } = credit(body)
    const amount = parseDollars(dollars)
    if (amount === null || amount === 0n) {
      const message = 'This is an amount of US dollars, such as 25 or 0.50, with at most nine digits after the point; not 0.'
      throw new EngineError('invalid_request', message, { param: '/dollars', problems: [{ param: '/dollars', message }] })
    }
    if ((await fromStore(store.ledger.account(account))) === null) {
      throw new ServiceRefusal('not_found', `There is no account ${JSON.stringify(account)}.`, { param: '/account' })
    }
    const entry = await fromStore(store.ledger.credit(account, amount, note))
    if (entry !== null) return { entry: encodeEntry(entry) }
    const message = 'The account does not have so much; a balance never falls below zero.'
    throw new EngineError('invalid_request', message, { param: '/dollars', problems: [{ param: '/dollars', message }] })
  })

  app.get('/console/api/usage', async ({ query }): Promise<UsageReply> => {
    const { account, from, to, bucket_ms: bucketMs } = usageRange(query)
    if (!(to > from) || (to - from) / bucketMs > MOST_BUCKETS) {
      throw new EngineError('invalid_request', `Usage is from one time to a later one, in at most ${MOST_BUCKETS} buckets.`, {
        param: '/to',
      })
    }
    const buckets = await fromStore(store.requests.usage({ ...(account === undefined ? {} : { account }), from, to, bucketMs }))
    return { bucket_ms: bucketMs, buckets: buckets.map(encodeBucket) }
  })
}
