// What several values come to: each is asked for by itself, and the rest is arithmetic.
import { describe, expect, it } from 'vitest'
import type { Branch } from '../../src/backends/backend.ts'
import type { Json } from '../../src/core/types.ts'
import type { FillAnswer } from '../../src/questions/index.ts'
import { severalValuesOf } from '../../src/questions/logic/several-values.ts'
import { askOne, written } from './ask.ts'

describe('a question for what several values come to', () => {
  it.each([
    [
      'How many minutes do preparation and cooking take together?',
      ['How many minutes does preparation take?', 'How many minutes does cooking take?'],
    ],
    [
      'What do full colour and blow-dry cost together for long hair?',
      ['What does full colour cost for long hair?', 'What does blow-dry cost for long hair?'],
    ],
    ['What is the sum of the rent and the deposit?', ['What is the rent?', 'What is the deposit?']],
    ['Price of soup, starter and dessert in total', ['Price of soup?', 'Price of starter?', 'Price of dessert?']],
    ['How long is it in minutes (elapsed plus remaining)?', ['elapsed?', 'remaining?']],
    ['Revenue minus spend', ['Revenue?', 'spend?']],
    ['What is the difference between the limit and the use?', ['What is the limit?', 'What is the use?']],
    ['How many more followers than leaders are there?', ['How many followers are there?', 'How many leaders are there?']],
    ['How much more does the oak cost than the pine?', ['How much does the oak cost?', 'How much does the pine cost?']],
    ['How many days lie between the visit and the follow-up?', ['What is the date of the visit?', 'What is the date of the follow-up?']],
    ['nights from arrival to departure', ['What is the date of arrival?', 'What is the date of departure?']],
  ])('%s', (question, asked) => expect(severalValuesOf(question)?.asked).toEqual(asked))

  it.each([
    'How many seats and tables are there?',
    'What do the two tickets cost together?',
    'What do both cost together?',
    'How many are there in all?',
    'What is the difference between the two offers?',
    'Which is more, salt or sugar?',
    'Price plus one',
    'Price plus 12 percent',
    'Bread, cheese and soap together',
    'How much more is asked for than was paid?',
    'days from today to the event',
    'days between his leave and the day before',
    `${'very '.repeat(80)} much, a minus b`,
  ])('is not: %s', (question) => expect(severalValuesOf(question)).toBeNull())

  it.each([
    ['Sum of fee, tip and tax', ['1.1', '2.2', '0.3'], 3.6],
    ['Limit minus use', ['5', '8'], -3],
    ['Limit minus use (0 if over)', ['5', '8'], 0],
    ['Limit minus use (negative if over)', ['5', '8'], -3],
    ['difference between plan and cost, as a positive number', ['5', '8'], 3],
    ['Goods plus carriage', ['0.1', '0.2'], 0.3],
    ['days between order and delivery', ['2026-03-28', '2026-04-02'], 5],
    ['weeks between order and delivery', ['2026-03-01', '2026-03-15'], 2],
    ['weeks between order and delivery', ['2026-03-01', '2026-03-10'], null],
    ['Goods plus carriage', ['', 'x'], null],
  ])('%s of %j', (question, values, made) => expect(severalValuesOf(question)?.combined(values)).toBe(made))
})

describe('fill', () => {
  const QUESTION = 'How many minutes do preparation and cooking take together?'

  async function ask(values: Readonly<Record<string, readonly [text: string, probability: number]>>, state: Json = null, kind = 'int') {
    const read = ({ instructions }: Branch) => written(...(values[instructions] ?? (['7', 0.1] as const)))
    const { answer, rounds } = await askOne<FillAnswer>({ type: 'fill', kind, instructions: QUESTION }, { read, jsonValues: [state] })
    return { parsed: answer.parsed, confidence: answer.confidence, asked: rounds.flat().map(({ instructions }) => instructions) }
  }

  const [PREPARING, COOKING] = ['How many minutes does preparation take?', 'How many minutes does cooking take?'] as const

  it('works a number out of those that it reads, and says how sure both are', async () => {
    const { parsed, confidence, asked } = await ask({ [PREPARING]: ['45', 0.8], [COOKING]: ['50', 0.5] })
    expect({ parsed, asked }).toEqual({ parsed: 95, asked: [QUESTION, PREPARING, COOKING] })
    expect(confidence).toBeCloseTo(0.4, 4)
  })

  it.each([
    ['the whole is surer', { [PREPARING]: ['45', 0.3], [COOKING]: ['50', 0.3] }],
    ['both may be the same place', { [PREPARING]: ['45', 0.9], [COOKING]: ['45', 0.9] }],
    ['one was not found', { [PREPARING]: ['45', 0.9], [COOKING]: ['no', 0.9] }],
  ] as const)('keeps to what it reads of the whole where %s', async (_why, values) => {
    expect(await ask(values)).toMatchObject({ parsed: 7 })
  })

  it('takes what fields say', async () => {
    const { parsed, asked } = await ask({}, { preparation_minutes: 20, cooking_minutes: 20 })
    expect({ parsed, asked }).toEqual({ parsed: 40, asked: [QUESTION] })
  })
})
