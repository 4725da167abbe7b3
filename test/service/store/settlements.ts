// What tests of the store settle with: requests, claims and keys, and a clock. Needs no runner, so that processes of
// their own can use it.
import type { ApiKey, RequestRecord, Settlement, Store } from '../../../src/service/store/store.ts'

/** A wall clock that stands still until it is told otherwise. */
export function fakeClock(at = 1_700_000_000_000): { now: () => number; pass(ms: number): void } {
  let current = at
  return {
    now: () => current,
    pass: (ms) => {
      current += ms
    },
  }
}

let count = 0

/** A request that was answered, for 5 nano-dollars unless said otherwise. */
export function record(given: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: `evt_${String(count++).padStart(8, '0')}`,
    at: 1_700_000_000_000,
    account: 'acme',
    key: null,
    model: 'service-1-pro',
    dialect: 'ask',
    status: 200,
    code: null,
    questions: 2,
    inputTokens: 100,
    outputTokens: 3,
    cost: 5n,
    latencyMs: 12.25,
    ...given,
  }
}

/** A settlement without decisions and without a claim; its reply is the balance. */
export function settlement(given: Partial<RequestRecord> = {}, more: Partial<Settlement> = {}): Settlement {
  const reply: Settlement['reply'] = (balance) => ({ status: 200, headers: { 'x-balance': String(balance) }, body: '{"ok":true}' })
  return { record: record(given), event: null, token: null, reply, ...more }
}

/** Begins a claim that must be free. */
export async function begun(store: Store, claim: Partial<Parameters<Store['idempotency']['begin']>[0]> = {}): Promise<string> {
  const state = await store.idempotency.begin({ key: 'key_1', idempotencyKey: 'once', bodyHash: 'aa', leaseMs: 60_000, ...claim })
  if (state.state !== 'begun') throw new Error(`The claim is ${state.state}.`)
  return state.token
}

export async function makeKey(store: Store, account = 'acme'): Promise<{ readonly key: ApiKey; readonly secret: string }> {
  return store.keys.create({ account, name: 'a key', scopes: ['ask'] })
}
