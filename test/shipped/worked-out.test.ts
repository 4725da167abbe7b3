// Statements that the engine works out from what the shipped model reads: numbers are compared, parts are put together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choice, createEngine, type Engine, extract, fill, noul, select } from '../../src/index.ts'

const ORDER = { order: { id: 'A-1042', status: 'shipped', total: 59.9, currency: 'EUR' }, customer: { name: 'Maria Lopez', age: 34 } }
const PARCEL = 'Hi, my parcel has been on its way for 9 days now. I paid 45 dollars for it and I have called you 3 times.'

describe('with the shipped model', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine()
  })
  afterAll(() => engine.close())

  async function probabilityOf(state: typeof ORDER | string, claim: string): Promise<number> {
    const { answers } = await engine.ask({ state, questions: { claim: noul(claim) } })
    return answers.claim.noul
  }

  it.each([
    [ORDER, 'The total is more than 50.', true],
    [ORDER, 'The total is more than 100 EUR.', false],
    [ORDER, 'Is the total at most 60?', true],
    [ORDER, "The customer's age is over 40.", false],
    [PARCEL, 'The parcel has been on its way for more than a week.', true],
    [PARCEL, 'The customer has called at least 5 times.', false],
    [PARCEL, 'The customer has called at least three times.', true],
  ])('%j: %s', async (state, claim, isTrue) => {
    expect((await probabilityOf(state, claim)) > 0.5).toBe(isTrue)
  })

  it('falls as more is asked for', async () => {
    const limits = [10, 50, 59, 60, 100, 1000]
    const chances = await Promise.all(limits.map((limit) => probabilityOf(ORDER, `The total is more than ${limit}.`)))
    for (const [i, chance] of chances.entries()) if (i > 0) expect(chance).toBeLessThan(chances[i - 1]! + 0.02)
    expect(chances[2]! - chances[3]!).toBeGreaterThan(0.5)
  })

  it.each([
    ['The parcel weighs 2.5 kg and was sent on Monday.', 'How many grams does the parcel weigh?', 2500],
    ['The parcel weighs 2.5 kg and was sent on Monday.', 'How many kilograms does the parcel weigh?', 2.5],
    ['The flight takes 1 h 30 min.', 'How many minutes does the flight take?', 90],
    ['The ticket is 59.90 EUR.', 'Price in cents', 5990],
    [{ weight_kg: 2.5, height_cm: 40 }, 'How many grams does it weigh?', 2500],
  ])('%j: %s %d', async (state, question, number) => {
    const { answers } = await engine.ask({ state, questions: { asked: fill(question, { kind: 'number' }) } })
    expect(answers.asked.parsed).toBe(number)
  })

  it.each([
    [
      {
        motions: [
          { title: 'New roof', result: 'carried' },
          { title: 'Night bus', result: 'rejected' },
        ],
      },
      'Quote the title of the rejected motion.',
      'Night bus',
      '/motions/1/title',
    ],
    [
      { visit: { reason: 'limping since Sunday, eats normally' } },
      'The reason of the visit, word for word',
      'limping since Sunday, eats normally',
      '/visit/reason',
    ],
    ['Ticket: HD-7\nStatus: open\nAssigned to: Devraj Kanth', 'Who is it assigned to?', 'Devraj Kanth', undefined],
  ])('%j: %s is %s, as it stands there', async (state, question, value, path) => {
    const { answers } = await engine.ask({ state, questions: { asked: extract(question) } })
    expect(answers.asked.value).toBe(value)
    expect(answers.asked.span?.path).toBe(path)
    const { start = 0, end = 0 } = answers.asked.span ?? {}
    expect(end - start).toBe(value.length)
    if (typeof state === 'string') expect(state.slice(start, end)).toBe(value)
    expect(answers.asked.confidence).toBeGreaterThan(0.8)
  })

  it('reads a quote that stands in two places', async () => {
    const state = { a: { name: 'Ben', town: 'Leeds' }, b: { name: 'Ida', town: 'Leeds' } }
    const { answers } = await engine.ask({ state, questions: { asked: extract("Ida's town") } })
    expect(answers.asked.value).toBe('Leeds')
  })

  it('gives no number of another unit', async () => {
    const { answers } = await engine.ask({
      state: 'The ticket is 59.90 EUR.',
      questions: { asked: fill('Price in dollars', { kind: 'number' }) },
    })
    expect(answers.asked).toMatchObject({ value: '', valid: false })
  })

  it('gives no whole number of what is none in the unit that is asked for', async () => {
    const state = 'We waited 18 months for 2 visits.'
    const { answers } = await engine.ask({ state, questions: { asked: fill('How many years did they wait?', { kind: 'int' }) } })
    expect(answers.asked).toMatchObject({ value: '', valid: false, error: '"1.5" is no value of kind int' })
  })

  it('lists numbers with their scales, and in the unit that is asked for', async () => {
    const numbers = (question: string) => fill(question, { kind: 'list', item: 'number' })
    const [sales, weights] = await Promise.all([
      engine.ask({ state: 'Sales: 3 million, 2 million, 1.5 million.', questions: { asked: numbers('All sales') } }),
      engine.ask({ state: 'Bags of 3 kg and 500 g.', questions: { asked: numbers('All weights in grams') } }),
    ])
    expect(sales.answers.asked.parsed).toEqual([3_000_000, 2_000_000, 1_500_000])
    expect(weights.answers.asked.parsed).toEqual([3000, 500])
  })

  it.each([
    ['Which orders have a total of at least 99.5?', ['A-2', 'A-3']],
    ['Which orders have more than 2 items?', ['A-1', 'A-2']],
    ['Which orders are due before 10 March 2026?', ['A-1']],
  ])('selects the rows of a table and of a list: %s', async (question, rows) => {
    const lines = [
      { order: 'A-1', total: 59.9, items: 3, due: '2026-03-01' },
      { order: 'A-2', total: 240, items: 12, due: '2026-04-12' },
      { order: 'A-3', total: 99.5, items: 1, due: '2026-05-03' },
    ]
    const table = `| order | total | items | due |\n|---|---|---|---|\n${lines.map((line) => `| ${Object.values(line).join(' | ')} |`).join('\n')}`
    for (const state of [table, { orders: lines.map(({ order, ...rest }) => ({ id: order, ...rest })) }]) {
      const { answers } = await engine.ask({ state, questions: { rows: select(question, ['A-1', 'A-2', 'A-3']) } })
      expect([...answers.rows.selected].sort()).toEqual(rows)
    }
  })

  it('tells which objects of a list are meant, and how many', async () => {
    const state = {
      services: [
        { name: 'search', status: 'up', latency_ms: 90 },
        { name: 'auth', status: 'down', latency_ms: null },
        { name: 'billing', status: 'degraded', latency_ms: 910 },
      ],
    }
    const names = ['search', 'auth', 'billing']
    const { answers } = await engine.ask({
      state,
      questions: {
        down: choice('Which service is down?', names),
        slowest: choice('Which service is the slowest?', names),
        up: select('Which services are up?', names),
        fine: fill('How many services are up?', { kind: 'int' }),
        auth: noul('Auth is down.'),
        search: noul('The search service is down.'),
      },
    })
    expect([answers.down.choice, answers.slowest.choice, answers.up.selected, answers.fine.parsed]).toEqual([
      'auth',
      'billing',
      ['search'],
      1,
    ])
    for (const { confidence } of [answers.down, answers.slowest, answers.fine]) expect(confidence).toBeGreaterThan(0.9)
    expect([answers.auth.noul > 0.9, answers.search.noul < 0.1]).toEqual([true, true])
  })

  it('gives a statement and its denial chances that add up to one', async () => {
    const claim = 'The order has been shipped.'
    const [plain, denied] = await Promise.all([probabilityOf(ORDER, claim), probabilityOf(ORDER, `It is not the case that ${claim}`)])
    expect(plain + denied).toBeCloseTo(1, 5)
  })

  it.each([
    [
      'Name: Faro\nAge: 6\nStatus: reserved\n\nName: Minka\nAge: 11\nStatus: free',
      "What is Faro's status?",
      ['free', 'adopted', 'reserved'],
      'reserved',
    ],
    ['sku;article;stock\n17;lamp;0\n18;chair;4\n19;shelf;9', 'Which article has the highest stock?', ['lamp', 'shelf', 'chair'], 'shelf'],
    [
      'Please ship today:\n\n| order | customer | due |\n|---|---|---|\n| A-1 | Ann | 2026-03-01 |\n| A-2 | Bo | 2026-03-09 |',
      'When is A-2 due?',
      ['1 March 2026', '9 March 2026'],
      '9 March 2026',
    ],
  ])('looks at the rows and lines of %j', async (state, question, options, right) => {
    const { answers } = await engine.ask({ state, questions: { asked: choice(question, options) } })
    expect(answers.asked.choice).toBe(right)
    expect(answers.asked.probabilities[right as string]).toBeGreaterThan(0.9)
  })

  it('does not look at what people say as lines of names and values', async () => {
    const state = 'Anna: I have paid the order on Monday.\nBen: Thanks. Nobody has shipped it so far, though.'
    const { answers } = await engine.ask({ state, questions: { paid: noul('The order has been paid.') } })
    expect(answers.paid.noul).toBeGreaterThan(0.5)
    expect(answers.paid.noul).toBeLessThan(0.98)
  })
})
