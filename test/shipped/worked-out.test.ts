// Statements that the engine works out from what the shipped model reads: numbers are compared, parts are put together.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, noul } from '../../src/index.ts'

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

  it('gives a statement and its denial chances that add up to one', async () => {
    const claim = 'The order has been shipped.'
    const [plain, denied] = await Promise.all([probabilityOf(ORDER, claim), probabilityOf(ORDER, `It is not the case that ${claim}`)])
    expect(plain + denied).toBeCloseTo(1, 5)
  })
})
