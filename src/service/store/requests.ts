// The log of requests over a table: a line each, and sums of them over time. States and answers are not in it.
import { setImmediate } from 'node:timers/promises'
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { Database, Writes } from './database.ts'
import type { RequestLog, RequestRecord } from './store.ts'
import { storable, type Tables, time } from './tables.ts'

/** What a client calls a model is its own invention until a model answers. */
const MOST_MODEL_CHARACTERS = 200
const MOST_BUCKETS = 10_000
/** Lines that are summed at once: some milliseconds. */
const PAGE_LINES = 20_000

type LogQuery = SelectQueryBuilder<Tables, 'requests', object>
type LogPosition = Readonly<Pick<Selectable<Tables['requests']>, 'at' | 'id'>>
type Sums = Readonly<Record<'requests' | 'failed' | 'tokens' | 'spent', bigint>>

/** `usage` throws a RangeError for buckets that are no positive number of milliseconds, or more than 10 000. */
export function requestLog({ kind, queries, write }: Database): RequestLog {
  return {
    async failed(record) {
      await write((writes) => noteRequest(writes, record))
    },

    async list({ account, limit, before }) {
      let page = queries.selectFrom('requests').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
      if (account !== undefined) page = page.where('account', '=', storable(account))
      if (before !== undefined) {
        const last = await queries.selectFrom('requests').select(['at', 'id']).where('id', '=', storable(before)).executeTakeFirst()
        if (last === undefined) return []
        page = page.where((is) => is(is.refTuple('at', 'id'), '<', is.tuple(last.at, last.id)))
      }
      return (await page.execute()).map(recordOf)
    },

    async usage({ account, from, to, bucketMs }) {
      const count = Math.ceil((to - from) / bucketMs)
      if (!(Number.isInteger(bucketMs) && bucketMs > 0 && count <= MOST_BUCKETS)) {
        throw new RangeError(`Usage comes in at most ${MOST_BUCKETS} buckets of whole milliseconds, asked for ${count} of ${bucketMs} ms.`)
      }
      const first = time(from)
      // One plain bound on either side, so that the index is used: with more conditions, each page would scan all rows.
      const lines = (after: LogPosition | null, last: LogPosition | null) => {
        let some = queries.selectFrom('requests').where('at', '>=', after?.at ?? first)
        some = last === null ? some.where('at', '<', time(to)) : some.where('at', '<=', last.at)
        if (account !== undefined) some = some.where('account', '=', storable(account))
        if (after !== null) some = some.where((is) => is(is.refTuple('at', 'id'), '>', is.tuple(after.at, after.id)))
        return last === null ? some : some.where((is) => is(is.refTuple('at', 'id'), '<=', is.tuple(last.at, last.id)))
      }
      const found = new Map<number, Sums>()
      let after: LogPosition | null = null
      do {
        const last: LogPosition | null = kind === 'postgres' ? null : await lastOfPage(lines(after, null))
        for (const { bucket, ...more } of await sumsBy(lines(after, last), first, bucketMs)) add(found, Number(bucket), more)
        after = last
        // The embedded database answers at once, and nothing else is done meanwhile: now it is.
        if (after !== null) await setImmediate()
      } while (after !== null)
      return Array.from({ length: Math.max(0, count) }, (_, i) => {
        const row = found.get(i)
        return {
          at: Number(first) + i * bucketMs,
          requests: Number(row?.requests ?? 0n),
          failed: Number(row?.failed ?? 0n),
          inputTokens: Number(row?.tokens ?? 0n),
          cost: row?.spent ?? 0n,
        }
      })
    },
  }
}

function lastOfPage(lines: LogQuery): Promise<LogPosition | null> {
  const last = lines
    .select(['at', 'id'])
    .orderBy('at')
    .orderBy('id')
    .limit(1)
    .offset(PAGE_LINES - 1)
  return last.executeTakeFirst().then((line) => line ?? null)
}

function sumsBy(lines: LogQuery, first: bigint, bucketMs: number) {
  return lines
    .select([
      sql<bigint>`(at - ${first}) / ${BigInt(bucketMs)}`.as('bucket'),
      sql<bigint>`count(*)`.as('requests'),
      sql<bigint>`count(code)`.as('failed'),
      sql<bigint>`cast(sum(input_tokens) as bigint)`.as('tokens'),
      sql<bigint>`cast(sum(cost) as bigint)`.as('spent'),
    ])
    .groupBy('bucket')
    .execute()
}

function add(found: Map<number, Sums>, bucket: number, { requests, failed, tokens, spent }: Sums): void {
  const before = found.get(bucket) ?? { requests: 0n, failed: 0n, tokens: 0n, spent: 0n }
  found.set(bucket, {
    requests: before.requests + requests,
    failed: before.failed + failed,
    tokens: before.tokens + tokens,
    spent: before.spent + spent,
  })
}

/** Writes a line; one whose id is there already changes nothing. */
export async function noteRequest(writes: Writes, record: RequestRecord): Promise<void> {
  const row = {
    id: record.id,
    at: time(record.at),
    account: storable(record.account),
    key: record.key,
    model: record.model === null ? null : storable(record.model.slice(0, MOST_MODEL_CHARACTERS)),
    dialect: record.dialect,
    status: record.status,
    code: record.code,
    questions: record.questions,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    cost: record.cost,
    latency_ms: record.latencyMs,
  }
  await writes
    .insertInto('requests')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

function recordOf(row: Selectable<Tables['requests']>): RequestRecord {
  return {
    id: row.id,
    at: Number(row.at),
    account: row.account,
    key: row.key,
    model: row.model,
    dialect: row.dialect,
    status: Number(row.status),
    code: row.code,
    questions: Number(row.questions),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cost: row.cost,
    latencyMs: row.latency_ms,
  }
}
