// The AI SDK against a running service, through its published providers of both wires: nothing of it is changed but the
// base URL. The SDK checks each answer itself: every option is there, and the probabilities sum to one.
import { createOpenAI } from '@ai-sdk/openai'
import { createTypeSafeAi } from '@ai-sdk/typesafe-ai'
import { APICallError, experimental_decide as decide, type Experimental_DecisionModel } from 'ai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, startRunning } from '../running.ts'
import { givenUp, MANY, PNG } from './clients.ts'

const PROVIDERS: readonly (readonly [
  wire: string,
  model: (running: Pick<Running, 'url'>, apiKey: string) => Experimental_DecisionModel,
])[] = [
  ['decisions', ({ url }, apiKey) => createOpenAI({ apiKey, baseURL: `${url}/v1` }).decisionModel('gpt-6-luna')],
  ['System One', ({ url }, apiKey) => typeSafeModel(url, apiKey)],
]

/** This provider was published for an older SDK, which typed states as JSON; the SDK takes it as it is. */
function typeSafeModel(url: string, apiKey: string): Experimental_DecisionModel {
  const model: unknown = createTypeSafeAi({ apiKey, baseURL: `${url}/v1` }).evaluationModel('jev-latest')
  return model as Experimental_DecisionModel
}

const QUESTIONS = {
  angry: { type: 'boolean', instructions: 'The customer is angry.', criteria: { true: 'insults', false: null } },
  next: { type: 'choice', instructions: 'What next?', criteria: { refund: 'give it back', explain: null } },
  haste: { type: 'score', instructions: 'How urgent is it?', criteria: ['low', { more: 'than that' }, null] },
} as const

let running: Running
beforeAll(async () => {
  running = await startRunning()
})
afterAll(() => running.end())

async function refusal(work: Promise<unknown>): Promise<APICallError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (APICallError.isInstance(error)) return error
  throw new TypeError(`Expected an APICallError, got ${String(error)}.`)
}

describe.each(PROVIDERS)('the AI SDK on the %s wire', (wire, modelOf) => {
  it.each<[string, Parameters<typeof decide>[0]['state']]>([
    ['a text', 'It arrived broken! I want my money back.'],
    ['JSON', { order: 81, note: 'It arrived broken!', items: [{ sku: 'x', sizes: [1, 2] }] }],
    [
      'parts',
      [
        { type: 'text', text: 'See:' },
        { type: 'json', value: ['a', null] },
      ],
    ],
  ])('decides about %s', async (_what, state) => {
    const { answers, response, usage } = await decide({
      model: modelOf(running, running.secret),
      state,
      questions: QUESTIONS,
      maxRetries: 0,
    })
    expect(answers.angry.probability).toBeGreaterThan(0)
    expect(Object.keys(answers.next.probabilities ?? {})).toEqual(['refund', 'explain'])
    expect(answers.next.probabilities?.[answers.next.choice]).toBeGreaterThanOrEqual(0.5)
    const mean = Object.entries(answers.haste.probabilities ?? {}).reduce((sum, [level, p]) => sum + Number(level) * p, 0)
    expect(answers.haste.score).toBeCloseTo(mean, 6)
    expect(response.modelId).toBe('service-1-pro')
    expect(usage.inputTokens).toBeGreaterThan(0)
  })

  it.each<[string, string | Uint8Array]>([
    ['base64', PNG],
    ['bytes', new Uint8Array(Buffer.from(PNG, 'base64'))],
  ])('decides about pictures, given as %s', async (form, data) => {
    const state = [{ type: 'text', text: 'A photo:' } as const, { type: 'file', mediaType: 'image/png', data } as const]
    const work = decide({ model: modelOf(running, running.secret), state, questions: QUESTIONS, maxRetries: 0 })
    // The provider of that wire turns bytes into an object of numbers.
    if (wire === 'System One' && form === 'bytes') expect((await refusal(work)).message).toContain('base64')
    else expect((await work).answers.angry.probability).toBeGreaterThan(0)
  })

  it('decides among very many options', async () => {
    const criteria = Object.fromEntries(MANY.map((option) => [option, null]))
    const { answers } = await decide({
      model: modelOf(running, running.secret),
      state: 'x',
      questions: { many: { type: 'choice', criteria } },
      maxRetries: 0,
    })
    expect(Object.keys(answers.many.probabilities ?? {})).toEqual(MANY)
  })

  it('is told what is wrong, in our words, and whether to try again', async () => {
    const ask = (apiKey: string, criteria: Record<string, null>) =>
      decide({ model: modelOf(running, apiKey), state: 'x', questions: { q: { type: 'choice', criteria } }, maxRetries: 0 })
    const wrong = await refusal(ask(running.secret, { one: null }))
    expect([wrong.statusCode, wrong.isRetryable]).toEqual([400, false])
    expect(wrong.message).toMatch(/2/)
    expect(JSON.parse(wrong.responseBody ?? '').error.code).toBe('invalid_question')
    expect((await refusal(ask('service_sk_none', { a: null, b: null }))).statusCode).toBe(401)
    const { secret } = await running.newKey({ requestsPerMinute: 1 })
    await ask(secret, { a: null, b: null })
    const limited = await refusal(ask(secret, { a: null, b: null }))
    expect([limited.statusCode, limited.isRetryable]).toEqual([429, true])
  })

  it('gives up when it is told to, and nothing is charged', async () => {
    const error = await givenUp((held, abortSignal) =>
      decide({ model: modelOf(held, held.secret), state: 'x', questions: QUESTIONS, abortSignal, maxRetries: 0 }),
    )
    expect((error as Error).name).toBe('AbortError')
  })
})
