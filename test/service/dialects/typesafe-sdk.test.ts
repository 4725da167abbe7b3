// The published client of the System One wire against a running service: nothing of it is changed but the base URL.
import {
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  choice,
  InternalServerError,
  NotFoundError,
  noul,
  PermissionDeniedError,
  RateLimitError,
  type RetryPolicy,
  score,
  TypeSafeClient,
  UnprocessableEntityError,
} from '@typesafe-ai/sdk'
import { afterEach, describe, expect, it } from 'vitest'
import { type Running, type RunningOptions, startRunning } from '../running.ts'
import { givenUp, MANY, PNG } from './clients.ts'

const STATE = 'I was charged twice. Please help.'
const ASKED = { state: STATE, questions: { billing: noul('Is this about billing?') } }

let running: Running
afterEach(() => running.end())

async function clientOf(options: RunningOptions = {}, retry: Partial<RetryPolicy> = { maxRetries: 0 }): Promise<TypeSafeClient> {
  running = await startRunning(options)
  return new TypeSafeClient({ apiKey: running.secret, baseURL: running.url, logLevel: 'off', retry })
}

async function refusal(work: PromiseLike<unknown>): Promise<APIError> {
  const error = await Promise.resolve(work).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof APIError) return error
  throw new TypeError(`Expected an APIError, got ${String(error)}.`)
}

describe('the published System One client', () => {
  it('gets every answer in the types it infers, with the default model of its own vendor', async () => {
    const client = await clientOf()
    const { answers, model, usage } = await client.systemOne({
      state: { ticket: 81, text: STATE },
      questions: {
        billing: noul('Is this about billing?'),
        bare: noul(),
        described: noul({ ask: 'angry' }, { true: 'insults', false: null }),
        next: choice('What next?', { refund: 'give it back', explain: null, escalate: { to: ['a', 'person'] } }),
        tone: score(null, ['calm', null, { words: ['angry', 'furious'] }, ['a', 'list']]),
      },
    })
    expect(model).toBe('service-1-pro')
    expect(usage.input_tokens).toBeGreaterThan(0)
    expect(answers.billing.noul + answers.bare.noul + answers.described.noul).toBeGreaterThan(0)
    expect(['refund', 'explain', 'escalate']).toContain(answers.next.choice)
    expect(answers.next.probabilities[answers.next.choice]).toBe(answers.next.confidence)
    expect(answers.tone.legend).toEqual({ 0: 'calm', 1: null, 2: { words: ['angry', 'furious'] }, 3: ['a', 'list'] })
    const mean = Object.entries(answers.tone.probabilities).reduce((sum, [level, p]) => sum + Number(level) * p, 0)
    expect(answers.tone.score).toBeCloseTo(mean, 9)
  })

  it('gets answers about a state of null, a list and a text, and may send fields of its own', async () => {
    const client = await clientOf()
    for (const state of [null, ['a', { b: 1 }], { deep: [null] }, '']) {
      const request = { ...ASKED, state, trace: null, tags: ['x'] }
      expect((await client.systemOne(request)).answers.billing.noul).toBeGreaterThan(0)
    }
  })

  it('finds the id of a request with its answer, and with its refusal', async () => {
    const client = await clientOf()
    const { requestId, data } = await client.systemOne(ASKED).withResponse()
    expect(requestId).toBe((data as unknown as { id: string }).id)
    expect((await refusal(client.systemOne({ ...ASKED, model: 'other' }))).requestId).toMatch(/^evt_/)
  })

  it('lists the models', async () => {
    const client = await clientOf()
    const models = await client.models.list()
    expect(models.map((model) => (model as unknown as { id: string }).id)).toEqual(['service-1-pro', 'service-1'])
    for (const { name, description, release_date } of models) {
      expect([name, description, release_date]).toEqual([
        expect.any(String),
        expect.any(String),
        expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      ])
    }
  })

  it('may send pictures, beside its own fields and as parts of the state', async () => {
    const client = await clientOf()
    const assets = { photo: { type: 'image', format: 'png', data_base64: PNG } }
    const parts = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }]
    for (const request of [
      { ...ASKED, state: 'Product: photo', assets },
      { ...ASKED, state: { product: 'photo' }, assets },
      { ...ASKED, state: parts },
    ]) {
      const { answers, usage } = await client.systemOne(request)
      expect(answers.billing.noul).toBeGreaterThan(0)
      expect(usage.input_tokens).toBeGreaterThan((await client.systemOne({ ...ASKED, state: 'Product' })).usage.input_tokens)
    }
  })

  it('may ask for one of very many', async () => {
    const client = await clientOf()
    const criteria = Object.fromEntries(MANY.map((option) => [option, null]))
    const { answers } = await client.systemOne({ state: STATE, questions: { many: choice('Which?', criteria) } })
    expect(Object.keys(answers.many.probabilities)).toEqual(MANY)
  })

  it('gives up when it is told to, and nothing is charged', async () => {
    await clientOf()
    const error = await givenUp((held, signal) => {
      const other = new TypeSafeClient({ apiKey: held.secret, baseURL: held.url, logLevel: 'off', retry: { maxRetries: 0 } })
      return other.systemOne(ASKED, { signal })
    })
    expect(error).toBeInstanceOf(APIUserAbortError)
  })

  it('tells what went wrong by its own classes of errors, in our words', async () => {
    const client = await clientOf()
    const wrong = await refusal(client.systemOne({ state: STATE, questions: { q: { type: 'noul', instruction: 'typo' } as never } }))
    expect(wrong).toBeInstanceOf(BadRequestError)
    expect(wrong.message).toContain('Did you mean "instructions"?')
    expect(await refusal(client.systemOne({ ...ASKED, model: 'other' }))).toBeInstanceOf(NotFoundError)
    const unable = { state: STATE, questions: { q: { type: 'fill', kind: 'json' } as never } }
    expect(await refusal(client.systemOne(unable))).toBeInstanceOf(UnprocessableEntityError)
    const { secret } = await running.newKey({ scopes: ['outcomes'] })
    const other = (apiKey: string) => new TypeSafeClient({ apiKey, baseURL: running.url, logLevel: 'off' }).systemOne(ASKED)
    expect(await refusal(other(secret))).toBeInstanceOf(PermissionDeniedError)
    const stranger = await refusal(other('service_sk_stranger'))
    expect(stranger).toBeInstanceOf(AuthenticationError)
    expect(stranger.requestId).toMatch(/^evt_/)
  })

  it('is told when to come back, and gives up after its own number of tries', async () => {
    const client = await clientOf({ settings: { requestsPerMinute: 1 } }, { maxRetries: 2, backoffInitialMs: 1, respectRetryAfter: false })
    await client.systemOne(ASKED)
    const error = await refusal(client.systemOne(ASKED))
    expect(error).toBeInstanceOf(RateLimitError)
    expect((error as RateLimitError).retryAfterMs).toBeGreaterThan(0)
    expect(running.finished.map(({ status }) => status)).toEqual([200, 429, 429, 429])
  })

  it('comes back after a 503 as Retry-After says, and is answered', async () => {
    let free = () => {}
    const blocked = new Promise<null>((resolve) => {
      free = () => resolve(null)
    })
    const client = await clientOf({ settings: { concurrency: 1, queue: 1 }, fake: { score: () => blocked } }, { maxRetries: 3 })
    const first = [running.ask(ASKED), running.ask(ASKED)]
    // Both have their places before the third comes.
    await expect.poll(() => running.service.context.answerer.load).toEqual({ running: 1, waiting: 1 })
    const third = client.systemOne(ASKED)
    await expect.poll(() => running.finished.map(({ status }) => status)).toContain(503)
    free()
    expect((await third).answers.billing.noul).toBeGreaterThan(0)
    await Promise.all(first)
  })

  it('takes a service on its way out for one that failed', async () => {
    const client = await clientOf()
    const ended = running.service.drain()
    const error = await client.systemOne(ASKED).catch((reason: unknown) => reason)
    await ended
    // Its connection may be refused already.
    expect(error instanceof InternalServerError || (error as Error).name === 'APIConnectionError').toBe(true)
  })
})
