// Clients for fault tests: one request and how it ended, and many clients that ask until they are told to stop.
import { setTimeout as sleep } from 'node:timers/promises'
import type { LedgerEntry, Store } from '../../../src/service/store/store.ts'

/** `status` is 0 when no reply came. */
export interface Asked {
  readonly status: number
  readonly id: string | null
  readonly code: string | null
  readonly isReplay: boolean
  readonly idempotencyKey: string
}

export interface AskOptions {
  readonly url: string
  readonly secret: string
  readonly idempotencyKey: string
  readonly state?: string
}

/** Asks one question. Never throws: a connection that breaks is a status of 0. */
export async function askOnce({ url, secret, idempotencyKey, state = 'Where is my parcel?' }: AskOptions): Promise<Asked> {
  try {
    const reply = await fetch(`${url}/v1/ask`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ state, questions: { late: { type: 'noul', instructions: 'The parcel is late.' } } }),
    })
    const body = (await reply.json()) as { id?: string; error?: { code: string } }
    return {
      status: reply.status,
      id: body.id ?? null,
      code: body.error?.code ?? null,
      isReplay: reply.headers.get('x-service-idempotent-replayed') === 'true',
      idempotencyKey,
    }
  } catch {
    return { status: 0, id: null, code: null, isReplay: false, idempotencyKey }
  }
}

/** Asks again while there is no reply, or one that says to come back. */
export async function askUntilAnswered(options: AskOptions, withinMs = 40_000): Promise<Asked> {
  const until = performance.now() + withinMs
  for (;;) {
    const asked = await askOnce(options)
    if (![0, 409, 429, 503].includes(asked.status) || performance.now() > until) return asked
    await sleep(100)
  }
}

/**
 * `clients` that ask one request after the other, each with a key of its own, until `isOver` of what came back so far.
 */
export async function askAll(
  clients: number,
  options: Omit<AskOptions, 'idempotencyKey'>,
  isOver: (asked: readonly Asked[]) => boolean,
): Promise<Asked[]> {
  const asked: Asked[] = []
  const client = async (name: number): Promise<void> => {
    for (let turn = 0; !isOver(asked); turn++) {
      const one = await askOnce({ ...options, idempotencyKey: `client-${name}-${turn}` })
      asked.push(one)
      if (one.status === 0 || one.status === 503) await sleep(5)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, name) => client(name)))
  return asked
}

/** Ids of the requests an account was charged for; one that was charged twice is there twice. */
export async function chargedIds(store: Store, account: string): Promise<string[]> {
  const ids: string[] = []
  let before: string | undefined
  for (;;) {
    const page: readonly LedgerEntry[] = await store.ledger.entries(account, { limit: 500, ...(before === undefined ? {} : { before }) })
    ids.push(...page.flatMap(({ kind, request }) => (kind === 'charge' ? [request ?? ''] : [])))
    if (page.length < 500) return ids
    before = page.at(-1)!.id
  }
}
