// The shipped model end to end, through the engine: every type of question on a text and a JSON state, held to the
// contract's invariants. What the answers are is the bench's business; that they are answers is this file's.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, localModel } from '../../src/index.ts'
import type {
  ChoiceAnswer,
  ExtractAnswer,
  ExtractManyAnswer,
  FillAnswer,
  NoulAnswer,
  ScoreAnswer,
  SelectAnswer,
} from '../../src/questions/index.ts'
import type { AskRequest, AskResponse, Questions, SpanAnswer, State } from '../../src/wire/types.ts'
import { expectChoice, expectClose, expectFill, expectScore, isProbability } from '../shared/answers.ts'

const model = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))

const TEXT =
  'Order 4711 was placed on 2024-03-09 by ada@example.com. The total is $128.50 for 3 chairs and 12 cups. ' +
  'The customer wrote: "It arrived broken, and nobody answers!" See https://example.com/orders or call +1 555 0199.'
const JSON_STATE: State = {
  order: 'A-1042',
  status: 'delayed',
  placed: '2026-02-11',
  total: 59.9,
  lines: [
    { article: 'desk chair', count: 1 },
    { article: 'coffee cup', count: 4 },
  ],
  contact: { mail: 'ada@example.com' },
  note: 'Please leave the parcel with the neighbour.\nThank you!',
}

/** How far an answer in company may be from the answer alone: the heads add some numbers in another order. */
const IN_COMPANY = 1e-6

/** Every type, kind and switch. */
const QUESTIONS: Questions = {
  broken: { type: 'noul', instructions: 'Something arrived broken.' },
  told: { type: 'noul', instructions: 'The order is late.', criteria: { true: 'it is delayed', false: 'it is on time' } },
  bare: { type: 'noul' },
  intent: {
    type: 'choice',
    instructions: 'What does the customer want?',
    options: ['refund', { value: 'repair', description: 'have it mended' }, { value: 'praise', args: { about: { type: 'noul' } } }],
    args: {
      amount: { type: 'extract', kind: 'money', instructions: 'The amount of money' },
      urgency: { type: 'score', instructions: 'How urgent is it?', criteria: ['low', 'high'] },
      pieces: { type: 'fill', kind: 'int', instructions: 'How many pieces?' },
    },
  },
  urgency: {
    type: 'score',
    instructions: 'How urgent is it?',
    criteria: ['low', { label: 'medium', description: 'this week' }, 'high', 'critical'],
  },
  topics: { type: 'select', instructions: 'What is it about?', options: ['price', 'delivery', 'weather'], min: 1, max: 2, threshold: 0.4 },
  summary: { type: 'fill', instructions: 'What arrived?', self_check: true },
  count: { type: 'fill', kind: 'int', instructions: 'How many lines are there?', self_check: true },
  total: { type: 'fill', kind: 'number', instructions: 'The total' },
  day: { type: 'fill', kind: 'date', instructions: 'The day of the order' },
  mood: { type: 'fill', kind: 'enum', values: ['calm', 'angry'], instructions: 'The mood', self_check: true },
  articles: { type: 'fill', kind: 'list', instructions: 'The articles' },
  numbers: { type: 'fill', kind: 'list', item: 'int', instructions: 'The counts' },
  colors: { type: 'fill', kind: 'list', item: { kind: 'enum', values: ['Red', 'Blue'] }, instructions: 'The colors' },
  who: { type: 'extract', instructions: 'Who ordered?', self_check: true },
  all_articles: { type: 'extract', many: true, instructions: 'The articles', self_check: true },
  ints: { type: 'extract', kind: 'int', many: true, instructions: 'All whole numbers' },
  number: { type: 'extract', kind: 'number', instructions: 'The total' },
  date: { type: 'extract', kind: 'date', instructions: 'The day of the order' },
  mail: { type: 'extract', kind: 'email', instructions: 'The mail address' },
  link: { type: 'extract', kind: 'url', instructions: 'The link' },
  money: { type: 'extract', kind: 'money', instructions: 'The amount' },
}
const DERIVE = {
  act: 'broken > 0.5 or urgency >= 1',
  route: 'intent == "refund" ? "billing" : "support"',
  reachable: 'has(mail)',
  refund: 'p(intent, "refund")',
  fails: 'urgency / 0',
}

/** The model on this thread. Texts are cut short, so that the file stays quick. */
const open = (): Promise<Engine> =>
  createEngine({
    models: [localModel(model, { inProcess: true, id: 'service-1-pro' })],
    limits: { fillTokens: 24 },
    pricePerMillionInputTokens: 0.1,
  })

let engine: Engine
beforeAll(async () => {
  engine = await open()
})
afterAll(() => engine?.close())

/** Untyped: what is held here is what arrives, whatever the types say. */
const ask = (request: AskRequest): Promise<AskResponse> => engine.ask(request) as Promise<AskResponse>

/** Asks a fresh copy of the model, so that nothing is warm. */
async function askCold(request: AskRequest): Promise<AskResponse> {
  const cold = await open()
  try {
    return (await cold.ask(request)) as AskResponse
  } finally {
    await cold.close()
  }
}

/** The string of the state that a span names. */
function stringAt(state: State, { path }: SpanAnswer): string {
  let at: unknown = state
  for (const token of path === undefined ? [] : path.slice(1).split('/')) at = (at as Record<string, unknown>)[token]
  return String(at)
}

function expectSpan(value: string | null, span: SpanAnswer | undefined, state: State): void {
  if (value === null) expect(span).toBeUndefined()
  else expect(stringAt(state, span!).slice(span!.start, span!.end)).toBe(value)
}

/** What is true of the answers to QUESTIONS on any state. */
function expectAnswers({ answers, simo, usage, model: id }: AskResponse, state: State): void {
  expect(Object.keys(answers).sort()).toEqual([...Object.keys(QUESTIONS), ...Object.keys(DERIVE)].sort())
  expect(id).toBe('service-1-pro')
  for (const [name, question] of Object.entries(QUESTIONS)) expect(answers[name]!.type, name).toBe(question.type)

  for (const name of ['broken', 'told', 'bare']) expect(isProbability((answers[name] as NoulAnswer).noul)).toBe(true)
  const intent = answers.intent as ChoiceAnswer
  expectChoice(intent, ['refund', 'repair', 'praise'])
  const args = ['amount', 'urgency', 'pieces', ...(intent.choice === 'praise' ? ['about'] : [])]
  expect(Object.keys(intent.args ?? {}).sort()).toEqual(args.sort())
  expectScore(intent.args!.urgency as ScoreAnswer, ['low', 'high'])
  expectFill(intent.args!.pieces as FillAnswer, { type: 'int' })
  const amount = intent.args!.amount as ExtractAnswer
  expectSpan(amount.value, amount.span, state)
  expectScore(answers.urgency as ScoreAnswer, ['low', 'medium', 'high', 'critical'])

  const topics = answers.topics as SelectAnswer
  expect(Object.values<number>(topics.probabilities).every(isProbability)).toBe(true)
  expect(topics.selected.length).toBeGreaterThanOrEqual(1)
  expect(topics.selected.length).toBeLessThanOrEqual(2)
  expect(topics.order).toEqual([...topics.order].sort((a, b) => topics.probabilities[b]! - topics.probabilities[a]!))

  expectFill(answers.summary as FillAnswer, { type: 'text' })
  expectFill(answers.count as FillAnswer, { type: 'int' })
  expectFill(answers.total as FillAnswer, { type: 'number' })
  expectFill(answers.day as FillAnswer, { type: 'date' })
  expect((answers.day as FillAnswer).valid).toBe(true)
  expect(['calm', 'angry']).toContain((answers.mood as FillAnswer).value)
  expectFill(answers.articles as FillAnswer, { type: 'list', item: { type: 'text' }, maxItems: 32 })
  expectFill(answers.numbers as FillAnswer, { type: 'list', item: { type: 'int' }, maxItems: 32 })
  expectFill(answers.colors as FillAnswer, { type: 'list', item: { type: 'enum', values: ['Red', 'Blue'] }, maxItems: 32 })

  for (const name of ['who', 'number', 'date', 'mail', 'link', 'money']) {
    const { value, span, valid, confidence } = answers[name] as ExtractAnswer
    expect(valid, name).toBe(true)
    expect(isProbability(confidence), name).toBe(true)
    expectSpan(value, span, state)
  }
  for (const name of ['all_articles', 'ints']) {
    const { values, items, valid } = answers[name] as ExtractManyAnswer
    expect(valid, name).toBe(true)
    expect(items.map(({ value }) => value)).toEqual(values)
    for (const { value, span } of items) expectSpan(value, span, state)
  }
  for (const name of ['summary', 'count', 'mood', 'who', 'all_articles']) {
    expect(isProbability((answers[name] as FillAnswer).check), name).toBe(true)
  }

  expect(answers.act).toMatchObject({ type: 'derive', valid: true, value: expect.any(Boolean) })
  expect(answers.route).toMatchObject({ valid: true, value: intent.choice === 'refund' ? 'billing' : 'support' })
  expect(answers.reachable).toMatchObject({ valid: true, value: (answers.mail as ExtractAnswer).value !== null })
  expect(answers.refund).toMatchObject({ valid: true, value: intent.probabilities.refund })
  expect(answers.fails).toMatchObject({ value: null, valid: false })

  const unasked = (what: string) => `The ${what} has no instructions, so its id alone is asked; say in instructions what is asked.`
  expect(simo.warnings).toEqual([unasked('question "bare"'), unasked('argument "about"')])
  expect(Object.keys(simo.questions).sort()).toEqual(Object.keys(QUESTIONS).sort())
  for (const { mass } of Object.values(simo.questions)) expect(mass === null || Math.abs(mass - 1) < 1e-6).toBe(true)
  expect(usage.input_tokens).toBeGreaterThan(50)
  expect(usage.cost).toBeCloseTo((usage.input_tokens * 0.1) / 1e6, 15)
}

describe('the shipped model', () => {
  it('answers every type of question on a text', async () => {
    expectAnswers(await ask({ state: TEXT, questions: QUESTIONS, derive: DERIVE }), TEXT)
  })

  it.each(['All dates', 'All dates.', 'All dates?', 'Find all the dates:'])(
    'finds all of a kind however it is asked: %s',
    async (instructions) => {
      const state = 'We met on 3 March 2024. The invoice of 2024-04-01 is due on May 5, 2024. Write to ann@example.com.'
      const { answers } = await engine.ask({ state, questions: { dates: { type: 'extract', kind: 'date', many: true, instructions } } })
      expect((answers.dates as ExtractManyAnswer).values).toEqual(['3 March 2024', '2024-04-01', 'May 5, 2024'])
    },
  )

  it('answers every type of question on a JSON state', async () => {
    expectAnswers(await ask({ state: JSON_STATE, questions: QUESTIONS, derive: DERIVE }), JSON_STATE)
  })

  it('quotes everything of a kind where that is asked for, and not where the question narrows it', async () => {
    const all = { type: 'extract', kind: 'email', many: true } as const
    const { answers } = await ask({
      state: 'Contact Anna (anna@example.com) or Ben (ben@example.org) for help.',
      questions: { all: { ...all, instructions: 'All email addresses' }, one: { ...all, instructions: "Ben's address" } },
    })
    expect((answers.all as ExtractManyAnswer).values).toEqual(['anna@example.com', 'ben@example.org'])
    expect((answers.one as ExtractManyAnswer).values).toHaveLength(1)
  })

  it('answers on states that say nothing', async () => {
    for (const state of ['', {}, [], ' \n '] as State[]) {
      const { answers } = await ask({ state, questions: { broken: QUESTIONS.broken!, intent: QUESTIONS.urgency!, mail: QUESTIONS.mail! } })
      expect(isProbability((answers.broken as NoulAnswer).noul)).toBe(true)
      expect(answers.mail).toMatchObject({ value: null, valid: true })
    }
  })

  it('takes options in any order, with exactly the same answer', async () => {
    const names = ['refund', 'repair', 'praise', 'nothing', 'a new one']
    const options = names.map((value, i) => (i % 2 === 0 ? value : { value, description: `the customer wants ${value}` }))
    for (const type of ['choice', 'select'] as const) {
      const of = (list: typeof options) => ask({ state: TEXT, questions: { q: { type, instructions: 'What is wanted?', options: list } } })
      const straight = (await of(options)).answers.q as ChoiceAnswer
      for (const turned of [[...options].reverse(), [...options.slice(2), ...options.slice(0, 2)]]) {
        const { probabilities, ...rest } = (await of(turned)).answers.q as ChoiceAnswer
        for (const name of names) expect(probabilities[name]).toBe(straight.probabilities[name])
        if (type === 'choice') expect(rest.choice).toBe(straight.choice)
      }
    }
  })

  it('answers a question the same alone, among others, warm and cold', async () => {
    const together = await ask({ state: TEXT, questions: QUESTIONS })
    const warm = await ask({ state: TEXT, questions: QUESTIONS })
    expect(warm.simo.cached_tokens).toBeGreaterThan(0)
    expectClose(together.answers, warm.answers, IN_COMPANY)
    const cold = await askCold({ state: TEXT, questions: QUESTIONS })
    expect(cold.simo.cached_tokens).toBe(0)
    expectClose(together.answers, cold.answers, IN_COMPANY)
    for (const [id, question] of Object.entries(QUESTIONS)) {
      if (id === 'bare') continue
      expectClose(together.answers[id], (await ask({ state: TEXT, questions: { [id]: question } })).answers[id], IN_COMPANY, id)
    }
  })

  it('answers requests side by side as one by one', async () => {
    const states = [TEXT, JSON_STATE, 'A calm day at the lake.']
    const questions = { broken: QUESTIONS.broken!, urgency: QUESTIONS.urgency!, mail: QUESTIONS.mail! }
    const alone: AskResponse[] = []
    for (const state of states) alone.push(await ask({ state, questions }))
    const together = await Promise.all(states.map((state) => ask({ state, questions })))
    together.forEach(({ answers }, i) => {
      expectClose(alone[i]!.answers, answers, IN_COMPANY)
    })
  })

  it('reads strings that look like control tokens as text, and quotes them', async () => {
    const hostile = '<image> <|im_end|> <|endoftext|> </s> [MASK]'
    const state = `Note: ${hostile} mail root@example.com`
    const { answers, usage } = await ask({
      state,
      questions: {
        '<image>': { type: 'noul', instructions: `It says ${hostile}` },
        choice: { type: 'choice', instructions: '<|im_end|>', options: ['<image>', '</s>', { value: '[MASK]', description: hostile }] },
        mail: { type: 'extract', kind: 'email', instructions: 'The mail address <image>' },
      },
    })
    expect(isProbability((answers['<image>'] as NoulAnswer).noul)).toBe(true)
    expectChoice(answers.choice as ChoiceAnswer, ['<image>', '</s>', '[MASK]'])
    const { value, span } = answers.mail as ExtractAnswer
    expectSpan(value, span, state)
    expect(usage.input_tokens).toBeGreaterThan(40)
  })

  it('refuses a state that is too long, with the numbers', async () => {
    for (const state of ['red '.repeat(20_000), 'A lamp. '.repeat(120_000), { notes: 'red '.repeat(20_000) }]) {
      const error = await ask({ state, questions: { broken: QUESTIONS.broken! } }).catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'context_length_exceeded', param: '/state' })
      const { message } = error as Error
      const [, taken, most] = /(\d+) (?:tokens|characters), the model service-1-pro takes (?:at most )?(\d+).*; shorten/.exec(message)!
      expect(Number(taken)).toBeGreaterThan(Number(most))
    }
  })

  it('reads what depends on the state', async () => {
    const read = async (state: string) => (await ask({ state, questions: { broken: QUESTIONS.broken! } })).answers.broken as NoulAnswer
    expect((await read('The cup arrived broken.')).noul).not.toBe((await read('The sun is shining.')).noul)
  })
})
