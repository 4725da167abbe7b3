// The published client of the decisions wire against a running service: nothing of it is changed but the base URL.
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, startRunning } from '../running.ts'
import { givenUp, MANY, PNG } from './clients.ts'

const PICTURE = `data:image/png;base64,${PNG}`

let running: Running
let client: OpenAI
beforeAll(async () => {
  running = await startRunning()
  client = new OpenAI({ apiKey: running.secret, baseURL: `${running.url}/v1`, maxRetries: 0 })
})
afterAll(() => running.end())

async function refusal(work: PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await Promise.resolve(work).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error instanceof OpenAI.APIError) return error
  throw new TypeError(`Expected an APIError, got ${String(error)}.`)
}

describe('the published client of the decisions wire', () => {
  it('gets an answer to each question, in order and typed as sent', async () => {
    const { answers, model, usage } = await client.decisions.create({
      model: 'gpt-6-luna',
      input: 'It arrived broken! I want my money back.',
      questions: [
        { type: 'predicate', name: 'angry', instructions: 'The customer is angry.' },
        {
          type: 'choice',
          instructions: 'Is a refund due?',
          choices: [{ value: true }, { value: false, description: 'no reason to' }, { value: 'true' }],
        },
        {
          type: 'score',
          name: 'haste',
          instructions: 'How urgent is it?',
          levels: [{ label: 'low' }, { label: 'high', description: 'today' }],
        },
      ],
    })
    expect(model).toBe('service-1-pro')
    expect(answers.map(({ type, name }) => [type, name])).toEqual([
      ['predicate', 'angry'],
      ['choice', null],
      ['score', 'haste'],
    ])
    const [predicate, choice, score] = answers
    expect(predicate?.type === 'predicate' && predicate.probability).toBeGreaterThan(0)
    if (choice?.type !== 'choice' || score?.type !== 'score') throw new TypeError('The order is not that of the questions.')
    expect(choice.probabilities.map(({ value }) => value)).toEqual([true, false, 'true'])
    expect(choice.probabilities.find(({ value }) => value === choice.choice)?.probability).toBe(choice.confidence)
    expect(choice.probabilities.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 6)
    expect(score.probabilities.map(({ label, value }) => [label, value])).toEqual([
      ['low', 0],
      ['high', 1],
    ])
    expect(usage.total_tokens).toBe(usage.input_tokens + usage.output_tokens)
    expect(usage.input_tokens_details.cached_tokens).toBeLessThanOrEqual(usage.input_tokens)
  })

  it('may send messages of every kind, pictures, tools, and hints to caches', async () => {
    const cached = { prompt_cache_breakpoint: { mode: 'explicit' } } as const
    const { answers } = await client.decisions.create({
      model: 'gpt-6-luna',
      input: [
        { role: 'system', content: 'You help the customers of a shop.' },
        { role: 'developer', content: [{ type: 'input_text', text: 'Be brief.', ...cached }] },
        {
          role: 'user',
          type: 'message',
          content: [
            { type: 'input_text', text: 'See:' },
            { type: 'input_image', image_url: PICTURE, detail: 'auto', ...cached },
            { type: 'input_json', data: { order: 81 } },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'stock', arguments: '{}', status: 'completed' },
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'none left' }] },
        { type: 'custom_tool_call', call_id: 'c2', name: 'note', input: 'text' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
        {
          role: 'assistant',
          phase: 'final_answer',
          content: [
            { type: 'output_text', text: 'Sorry.' },
            { type: 'refusal', refusal: 'I cannot.' },
          ],
        },
      ],
      questions: [
        {
          type: 'predicate',
          instructions: [
            { type: 'input_text', text: 'Is it so?' },
            { type: 'input_json', data: [{ rule: 1 }] },
          ],
        },
      ],
      prompt_cache_key: 'shop',
      prompt_cache_options: { mode: 'explicit', ttl: '30m' },
      safety_identifier: 'user-1',
    })
    expect(answers).toHaveLength(1)
  })

  it('lists the models', async () => {
    const models = await client.models.list()
    expect(models.data.map(({ id, object, owned_by }) => [id, object, owned_by])).toEqual([
      ['service-1-pro', 'model', 'assay'],
      ['service-1', 'model', 'assay'],
    ])
    expect(models.data.every(({ created }) => Number.isInteger(created))).toBe(true)
  })

  it('may ask for one of very many', async () => {
    const choices = MANY.map((value) => ({ value }))
    const questions = [{ type: 'choice', name: 'many', instructions: 'Which?', choices } as const]
    const { answers } = await client.decisions.create({ model: 'gpt-6-luna', input: 'x', questions })
    const [many] = answers
    if (many?.type !== 'choice') throw new TypeError('No choice came.')
    expect(many.probabilities.map(({ value }) => value)).toEqual(MANY)
  })

  it('gives up when it is told to, and nothing is charged', async () => {
    const error = await givenUp((held, signal) => {
      const other = new OpenAI({ apiKey: held.secret, baseURL: `${held.url}/v1`, maxRetries: 0 })
      const questions = [{ type: 'predicate', instructions: 'Angry?' } as const]
      return other.decisions.create({ model: 'gpt-6-luna', input: 'x', questions }, { signal })
    })
    expect(error).toBeInstanceOf(OpenAI.APIUserAbortError)
  })

  it('is told what is wrong, where, and by which request', async () => {
    const ask = (more: object) =>
      client.decisions.create({ model: 'gpt-6-luna', input: 'x', questions: [{ type: 'predicate', instructions: 'x', ...more }] })
    const wrong = await refusal(ask({ instruction: 'typo' }))
    expect(wrong).toBeInstanceOf(OpenAI.BadRequestError)
    expect([wrong.code, wrong.param]).toEqual(['invalid_question', '/questions/0/instruction'])
    expect(wrong.requestID).toMatch(/^evt_/)
    const picture = await refusal(ask({ instructions: [{ type: 'input_image', image_url: PICTURE }] }))
    expect(picture).toBeInstanceOf(OpenAI.UnprocessableEntityError)
    expect(picture.param).toBe('/questions/0/instructions/0')
    const far = await refusal(
      client.decisions.create({
        model: 'gpt-6-luna',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://images.example/a.png' }] }],
        questions: [{ type: 'predicate', instructions: 'x' }],
      }),
    )
    expect([far.status, far.param]).toEqual([400, '/input/0/content/0/image_url'])
    const stranger = new OpenAI({ apiKey: 'sk-none', baseURL: `${running.url}/v1`, maxRetries: 0 })
    expect(await refusal(stranger.decisions.create({ model: 'x', input: 'x', questions: [] }))).toBeInstanceOf(OpenAI.AuthenticationError)
  })

  it('may record what was true under the names it gave', async () => {
    const decision = await client.decisions.create({
      model: 'gpt-6-luna',
      input: 'x',
      questions: [{ type: 'predicate', name: 'angry', instructions: 'Angry?' }],
    })
    const { id } = decision as unknown as { id: string }
    const reply = await running.post('/v1/outcomes', { event: id, outcomes: { angry: true } })
    expect(await reply.json()).toEqual({ event: id, recorded: ['angry'], replaced: [], quarantined: [] })
  })
})
