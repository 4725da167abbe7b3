import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../../src/core/errors.ts'
import { decisions } from '../../../src/service/dialects/decisions.ts'
import { decisionsBody } from './bodies.ts'
import { through } from './through.ts'

const PREDICATE = { type: 'predicate', instructions: 'Is the customer angry?' }
const PNG = `data:image/png;base64,${(
  await sharp({ create: { width: 6, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
).toString('base64')}`

/** The text of the state as the model was shown it; a picture is `<picture>`. */
async function shown(input: unknown): Promise<string> {
  const { ask, backend } = await through(decisions)
  await ask({ input, questions: [PREDICATE] })
  const call = backend.calls.find((made) => made.type === 'open')
  return call?.type === 'open' ? call.prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : '<picture>')).join('') : ''
}

describe('the decisions wire', () => {
  it('answers in the order of the questions, each in its own shape', async () => {
    const { ask } = await through(decisions)
    const body = await ask({
      model: 'service-1-pro',
      input: 'It arrived broken!',
      questions: [
        { ...PREDICATE, name: 'angry' },
        {
          type: 'choice',
          instructions: 'What is it?',
          choices: [{ value: 'praise' }, { value: 'complaint', description: 'something is wrong' }],
        },
        { type: 'score', name: '0', instructions: 'How loud?', levels: [{ label: 'quiet' }, { label: 'loud', description: 'shouts' }] },
      ],
    })
    const p = expect.any(Number)
    expect(body.answers).toEqual([
      { type: 'predicate', name: 'angry', probability: p },
      {
        type: 'choice',
        name: null,
        choice: expect.stringMatching(/praise|complaint/),
        confidence: p,
        probabilities: [
          { value: 'praise', probability: p },
          { value: 'complaint', probability: p },
        ],
      },
      {
        type: 'score',
        name: '0',
        score: p,
        confidence: p,
        probabilities: [
          { label: 'quiet', value: 0, probability: p },
          { label: 'loud', value: 1, probability: p },
        ],
      },
    ])
  })

  it('keeps strings and booleans with the same text apart', async () => {
    const score = () => [[0, 9, 0]]
    const { ask } = await through(decisions, { score })
    const choices = [{ value: 'true' }, { value: true }, { value: false }]
    const { answers } = await ask({ input: 'x', questions: [{ type: 'choice', instructions: 'Which?', choices }] })
    expect(answers[0].choice).toBe(true)
    expect(answers[0].probabilities.map(({ value }: { value: unknown }) => value)).toEqual(['true', true, false])
    expect(answers[0].probabilities[1].probability).toBeGreaterThan(0.9)
  })

  it('says usage with its details and their total', async () => {
    const { ask } = await through(decisions)
    const { usage, id } = await ask({ input: 'one two three', questions: [PREDICATE] })
    expect(usage.input_tokens).toBeGreaterThan(3)
    expect(usage).toEqual({
      input_tokens: usage.input_tokens,
      input_tokens_details: { cached_tokens: expect.any(Number), cache_write_tokens: 0 },
      output_tokens: usage.output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input_tokens + usage.output_tokens,
      cost: 0,
    })
    expect(id).toMatch(/^evt_/)
  })

  it('has the names as ids for outcomes, and places where there is no name to use', async () => {
    const { ask } = await through(decisions)
    const names = ['angry', undefined, 'angry', '', 'question_3', '__proto__', 'n'.repeat(129)]
    const { simo, answers } = await ask({
      input: 'x',
      questions: names.map((name) => ({ ...PREDICATE, ...(name === undefined ? {} : { name }) })),
    })
    expect(Object.keys(simo.questions)).toEqual([
      'angry',
      'question_2',
      '_question_3',
      'question_4',
      'question_3',
      '__proto__',
      'question_7',
    ])
    expect(answers.map(({ name }: { name: unknown }) => name)).toEqual(names.map((name) => name ?? null))
  })

  it('reads one user message as a plain text', async () => {
    expect(await shown('Where is it?')).toBe('Where is it?')
    expect(await shown([{ role: 'user', content: 'Where is it?' }])).toBe('Where is it?')
    expect(await shown([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Where is it?' }] }])).toBe('Where is it?')
  })

  it('says who speaks when there are several messages, and what was called', async () => {
    const text = await shown([
      { role: 'system', content: 'You sell shoes.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Size 43?' },
          { type: 'input_json', data: { cart: ['boots'] } },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'stock', arguments: '{"size":43}' },
      { type: 'function_call_output', call_id: 'c1', output: '2 left' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'note', namespace: 'crm', input: 'asked for 43' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'noted' }] },
      {
        role: 'assistant',
        phase: 'final_answer',
        content: [
          { type: 'output_text', text: 'Yes.' },
          { type: 'refusal', refusal: 'No more.' },
        ],
      },
    ])
    expect(text).toBe(
      [
        'System: You sell shoes.',
        'User:',
        'Size 43?',
        'cart:',
        '  - boots',
        'Call of stock (c1): {"size":43}',
        'Output of c1: 2 left',
        'Call of crm.note (c2): asked for 43',
        'Output of c2:',
        'noted',
        'Assistant:',
        'Yes.',
        'No more.',
      ].join('\n'),
    )
  })

  it('shows pictures of messages', async () => {
    const content = [
      { type: 'input_text', text: 'Look:' },
      { type: 'input_image', image_url: PNG, detail: 'high', prompt_cache_breakpoint: { mode: 'explicit' } },
    ]
    expect(await shown([{ role: 'user', content }])).toBe('Look:\n<picture>')
  })

  it('joins instructions of several parts, JSON as JSON', async () => {
    const { ask, backend } = await through(decisions)
    const instructions = [
      { type: 'input_text', text: 'Does it follow these rules?' },
      { type: 'input_json', data: { rules: ['be kind'] } },
    ]
    await ask({ input: 'x', questions: [{ type: 'predicate', instructions }] })
    const call = backend.calls.find((made) => made.type === 'score')
    expect(call?.type === 'score' ? call.branches[0]?.instructions : '').toBe('Does it follow these rules?\n{"rules":["be kind"]}')
  })

  it('asks without instructions where options or levels say what is asked', async () => {
    const { ask, backend } = await through(decisions)
    const choices = [{ value: 'a' }, { value: 'b' }]
    const levels = [{ label: 'low' }, { label: 'high' }]
    const questions = [
      { type: 'choice', name: 'which', choices },
      { type: 'score', name: 'much', instructions: null, levels },
    ]
    const { answers } = await ask({ input: 'x', questions })
    expect(answers.map(({ type }: { type: string }) => type)).toEqual(['choice', 'score'])
    const call = backend.calls.find(({ type }) => type === 'score')
    expect(call?.type === 'score' ? call.branches.map(({ instructions }) => instructions) : []).toEqual(['which', 'much'])
  })

  it('refuses pictures inside instructions with what to do instead', async () => {
    const { fault } = await through(decisions)
    const instructions = [
      { type: 'input_text', text: 'Is it this one?' },
      { type: 'input_image', image_url: PNG },
    ]
    const error = await fault({ input: 'x', questions: [{ type: 'predicate', instructions }] })
    expect([error.code, error.param]).toEqual(['capability_not_supported', '/questions/0/instructions/1'])
    expect(error.message).toContain('Put the picture into input')
  })

  it('accepts what belongs to caches and users, and names what it does not know', async () => {
    const { ask } = await through(decisions)
    const rest = { prompt_cache_key: 'k', prompt_cache_options: { mode: 'implicit' }, safety_identifier: 'u' }
    const quiet = await ask({ input: 'x', questions: [PREDICATE], ...rest })
    expect(quiet.simo.warnings).toEqual([])
    const { simo } = await ask({ input: 'x', questions: [PREDICATE], state: 'not ours here', derive: {} })
    expect(simo.warnings.map((warning: string) => /"(\w+)"/.exec(warning)?.[1])).toEqual(['state', 'derive'])
  })

  it('repeats no more than the beginning of a name it does not know', async () => {
    const { ask } = await through(decisions)
    const { simo } = await ask({ input: 'x', questions: [PREDICATE], ['x'.repeat(10_000)]: 1 })
    expect(simo.warnings).toEqual([`The field "${'x'.repeat(80)}" is not known and was ignored.`])
  })

  it('sends names of a thousand characters back, and refuses longer ones', async () => {
    const { ask, fault } = await through(decisions)
    const name = 'x'.repeat(1000)
    expect((await ask({ input: 'x', questions: [{ ...PREDICATE, name }] })).answers[0].name).toBe(name)
    const error = await fault({ input: 'x', questions: [PREDICATE, { ...PREDICATE, name: `${name}x` }] })
    expect([error.code, error.param]).toEqual(['invalid_question', '/questions/1/name'])
    expect(error.message).toContain('name has 1001 characters, at most 1000')
  })

  it('finds every fault of its shape at once', async () => {
    const { fault } = await through(decisions)
    const error = await fault({
      model: 7,
      input: [
        'text',
        { role: 'User', content: 'x', extra: 1 },
        { role: 'user', content: [{ type: 'input_text' }, { type: 'input_audio' }] },
        { type: 'reasoning' },
        { type: 'function_call_output', call_id: 'c9', output: 5 },
      ],
      questions: [
        { type: 'predicate' },
        { type: 'noul', instructions: 'x' },
        { type: 'choice', instructions: 'x', choices: [{ value: 1 }, 'b', { value: 'c', descripton: 'typo' }] },
        { type: 'score', instructions: ' ', levels: [{ label: null }], name: 5, criteria: [] },
        null,
      ],
    })
    expect(error.problems.map(({ param }) => param)).toEqual([
      '/model',
      '/input/0',
      '/input/1/extra',
      '/input/1/role',
      '/input/2/content/0/text',
      '/input/2/content/1',
      '/input/3/type',
      '/input/4/call_id',
      '/input/4/output',
      '/questions/0/instructions',
      '/questions/1/type',
      '/questions/2/choices/0/value',
      '/questions/2/choices/1',
      '/questions/2/choices/2/descripton',
      '/questions/3/name',
      '/questions/3/instructions',
      '/questions/3/criteria',
      '/questions/3/levels/0/label',
      '/questions/4',
    ])
    expect(error.problems.find(({ param }) => param.endsWith('descripton'))?.message).toContain('Did you mean "description"?')
  })

  it('points what the engine finds into the body as sent', async () => {
    const { fault } = await through(decisions)
    const question = (more: object) => ({ input: 'x', questions: [PREDICATE, { name: 'a/b', instructions: 'x', ...more }] })
    const twice = await fault(question({ type: 'choice', choices: [{ value: 'a' }, { value: 'a' }] }))
    expect(twice.param).toBe('/questions/1/choices/1/value')
    const few = await fault(question({ type: 'score', levels: [{ label: 'one' }] }))
    expect(few.param).toBe('/questions/1/levels')
    const message = {
      role: 'user',
      content: [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
      ],
    }
    const picture = await fault({ input: [{ role: 'system', content: 'hi' }, message], questions: [PREDICATE] })
    expect([picture.code, picture.param]).toEqual(['unsupported_media_type', '/input/1/content/1/image_url'])
    let data: unknown = 'end'
    for (let i = 0; i < 70; i++) data = { a: data }
    const deep = await fault({ input: [{ role: 'user', content: [{ type: 'input_json', data }] }], questions: [PREDICATE] })
    expect(deep.param).toMatch(/^\/input\/0\/content\/0\/data\/a\/a/)
    const many = await fault({ input: 'x', questions: Array.from({ length: 257 }, () => PREDICATE) })
    expect([many.code, many.param]).toEqual(['too_many_questions', '/questions'])
  })

  it('stops at a hundred faults, however large the body', async () => {
    const { fault } = await through(decisions)
    const error = await fault({ input: Array.from({ length: 4000 }, () => ({ role: 'usr' })), questions: [] })
    expect(error.problems).toHaveLength(100)
  })

  it('does not read more than anyone could be answered about', async () => {
    const { fault } = await through(decisions)
    const many = <T>(value: T): T[] => Array.from({ length: 5000 }, () => value)
    const cases: readonly [object, string, string][] = [
      [{ input: many({ role: 'user', content: 'x' }) }, 'request_too_large', '/input'],
      [{ input: [{ role: 'user', content: many({ type: 'input_text', text: 'x' }) }] }, 'request_too_large', '/input'],
      [{ questions: many(PREDICATE) }, 'too_many_questions', '/questions'],
      [{ questions: [{ type: 'choice', instructions: 'x', choices: many({ value: 'a' }) }] }, 'invalid_question', '/questions/0/choices'],
    ]
    for (const [more, code, param] of cases) {
      const error = await fault({ input: 'x', questions: [PREDICATE], ...more })
      expect([error.code, error.param]).toEqual([code, param])
    }
  })

  it('refuses whatever else comes with an EngineError, pointing into it, and answers the rest', async () => {
    const { ask } = await through(decisions)
    let answered = 0
    await fc.assert(
      fc.asyncProperty(decisionsBody, async (body) => {
        const said = await ask(body).catch((error: Error) => error)
        if (!(said instanceof Error)) {
          answered++
          expect(said.answers).toHaveLength((body as { questions: unknown[] }).questions.length)
        } else {
          expect(said).toBeInstanceOf(EngineError)
          expect((said as EngineError).param ?? '').toMatch(/^$|^\/(model|input|questions)/)
        }
      }),
      { seed: 5, numRuns: 500 },
    )
    expect(answered).toBeGreaterThan(20)
  })
})
