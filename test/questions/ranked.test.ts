// Questions for the first or last of several JSON objects: told by one of their fields, or left to the model.
import { describe, expect, it } from 'vitest'
import type { ChoiceAnswer } from '../../src/questions/choice.ts'
import { rankedOption } from '../../src/questions/logic/objects/ranked.ts'
import { askOne } from './ask.ts'

const flats = {
  city: 'Bremen',
  flats: [
    { id: 'f1', street: 'Kade', rent: 1100, m2: 61, rooms: 2, listedOn: '2026-03-02', floor: 3 },
    { id: 'f2', street: 'Singel', rent: 990, m2: 38, rooms: 3, listedOn: '2026-03-09', floor: 3 },
    { id: 'f3', street: 'Molen', rent: 1190, m2: 74, rooms: 4, listedOn: '2026-02-11', floor: 1 },
  ],
}
const STREETS = ['Kade', 'Singel', 'Molen']
const first = (question: string, options: readonly string[] = STREETS, state: unknown = flats): string | null => {
  const at = rankedOption(question, options, [state as never])
  return at === null ? null : options[at]!
}

describe('a question for the first of several objects', () => {
  it.each([
    ['Which flat is the cheapest?', 'Singel'],
    ['Which flat is cheapest?', 'Singel'],
    ['Which one is the most expensive?', 'Molen'],
    ['Which is the dearest flat?', 'Molen'],
    ['Cheapest flat', 'Singel'],
    ['Which of these costs the most?', 'Molen'],
    ['Which flat costs least?', 'Singel'],
    ['Which flat has the most rooms?', 'Molen'],
    ['Which flat has the fewest rooms?', 'Kade'],
    ['The flat with the smallest rent', 'Singel'],
    ['Which flat is the newest?', 'Singel'],
    ['Which flat is the earliest?', 'Molen'],
  ])('%s → %s', (question, street) => expect(first(question)).toBe(street))

  it.each([
    ['which of them are meant is said', 'Which flat on the third floor is the cheapest?'],
    ['two words say what they are', 'Which furnished flat is the cheapest?'],
    ['two are alike', 'Which flat has the highest floor?'],
    ['no field is named', 'Which flat has the highest deposit?'],
    ['it ranks by what no field says', 'Which flat is the nicest?'],
  ])('is left to the model where %s', (_why, question) => expect(first(question)).toBeNull())

  it('is one of the options, which name objects of one list', () => {
    expect(first('Which flat is the cheapest?', ['f1', 'f2'])).toBe('f2')
    expect(first('Which flat is the cheapest?', ['Kade', 'Molen'])).toBeNull()
    expect(first('Which flat is the cheapest?', ['Kade', 'Singel', 'none of them'])).toBeNull()
    expect(first('Which flat is the cheapest?', ['Kade', 'Singel'], 'Kade 1100, Singel 990')).toBeNull()
  })

  it('may be called by its key', () => {
    const servers = { eu: { load: 4 }, us: { load: 9 } }
    expect(first('Which server has the highest load?', ['eu', 'us'], servers)).toBe('us')
  })

  it.each([
    [
      'fields of two currencies',
      [
        { n: 'a', price: 3, currency: 'EUR' },
        { n: 'b', price: 4, currency: 'USD' },
      ],
    ],
    [
      'two prices each',
      [
        { n: 'a', price: 3, old_price: 9 },
        { n: 'b', price: 4, old_price: 5 },
      ],
    ],
    [
      'one without a price',
      [
        { n: 'a', price: 3 },
        { n: 'b', price: null },
      ],
    ],
    ['a single object', [{ n: 'a', price: 3 }]],
  ])('is left to the model for %s', (_why, state) => {
    expect(
      first(
        'Which one is the cheapest?',
        state.map(({ n }) => n),
        state,
      ),
    ).toBeNull()
  })

  it('is told as far as the fields are sure to be what is meant', async () => {
    const question = { type: 'choice', instructions: 'Which flat is the cheapest?', criteria: STREETS }
    const model = { score: () => [[0.5, 0.25, 0.25]] }
    const { answer } = await askOne<ChoiceAnswer>(question, { ...model, jsonValues: [flats] })
    expect(answer.choice).toBe('Singel')
    expect(Object.values(answer.probabilities)).toEqual([0.01, 0.98 + 0.005, 0.005].map((p) => expect.closeTo(p, 4)))
    const described = { ...question, criteria: { Kade: 'by the river', Singel: 'downtown', Molen: 'by the mill' } }
    expect((await askOne<ChoiceAnswer>(described, { ...model, jsonValues: [flats] })).answer.choice).toBe('Kade')
    expect((await askOne<ChoiceAnswer>(question, model)).answer.choice).toBe('Kade')
  })
})
