// A selection among the rows of a table or a list by what they compare like: the value of each row is read, and counts
// where it is certain that it stands in that row, and in one field of them all.
import { describe, expect, it } from 'vitest'
import type { Branch, Generated } from '../../src/backends/backend.ts'
import { parse } from '../../src/constraint/grammar.ts'
import { questionContext } from '../../src/pipeline/asking/question-context.ts'
import { runCoroutines } from '../../src/pipeline/executor.ts'
import type { SelectAnswer } from '../../src/questions/index.ts'
import { claimOfRow, fieldOfRow } from '../../src/questions/logic/compared-rows.ts'
import { checkOne, NO_TEXTS, UNCALIBRATED } from './ask.ts'

describe('a question about rows', () => {
  it.each([
    ['Which orders cost more than 100 EUR?', 'A-1 cost more than 100 EUR.'],
    ['Which of them are older than 40?', 'A-1 are older than 40.'],
    ['which of the parcels weighs at most 2 kg?', 'A-1 weighs at most 2 kg.'],
    ['What tasks take longer than 3 days', 'A-1 take longer than 3 days'],
    ['Who is older than 40?', 'A-1 is older than 40.'],
  ])('%s is %s', (question, claim) => {
    expect(claimOfRow(question, 'A-1')).toBe(claim)
  })

  it.each([
    // More is said of them than the comparison.
    'Which open orders cost more than 100 EUR?',
    'Which orders of Berg cost more than 100 EUR?',
    'Which orders that are open cost more than 100 EUR?',
    'Orders over 100 EUR',
  ])('is not %s', (question) => {
    expect(claimOfRow(question, 'A-1')).toBeNull()
  })
})

describe('the field of a row', () => {
  const whole =
    '| order | total |\n| A-1 | 59.90 EUR |\n| A-12 | 3 EUR |\nA-2; 5; 7\nA-1 and A-2 cost 9 EUR\n| B-1 | 1 EUR |\n| B-1 | 2 EUR |'
  const orders = [
    { order: 'A-1', customer: 'Berg', total: 59.9 },
    { order: 'A-2', customer: 'Berg', total: 240 },
  ]
  const state = { jsonValues: [{ orders, servers: { demo: { size: { cpu: 2 } } } }], textOf: () => whole }
  const field = (path: string | null, option: string, start = 0) =>
    fieldOfRow({ source: { part: 0, path }, start, end: start + 1 }, option, ['A-2'], state)

  it('is the member of an object that the option names, by a member or by its key', () => {
    expect(field('/orders/0/total', 'A-1')).toMatchObject({ row: '/orders/0' })
    expect(field('/orders/0/total', 'A-1')!.field).toBe(field('/orders/1/total', 'A-2')!.field)
    expect(field('/orders/0/items', 'A-1')!.field).not.toBe(field('/orders/0/total', 'A-1')!.field)
    expect(field('/servers/demo/size/cpu', 'demo')).toMatchObject({ row: '/servers/demo' })
  })

  it('is none of another object, of one of several that the option names, and of what it names alone', () => {
    expect(field('/orders/1/total', 'A-1')).toBeNull()
    expect(field('/orders/1/total', 'Berg')).toBeNull()
    expect(field('/demo', 'demo')).toBeNull()
  })

  it('is the column of a line that has the name of the option, and of no other', () => {
    const at = (text: string) => whole.indexOf(text)
    const [cell, other, listed, twice] = [at('59.90'), at('3 EUR'), at('9 EUR'), at('2 EUR |')]
    expect(field(null, 'A-1', cell)).toMatchObject({ row: String(whole.indexOf('| A-1 ')) })
    expect(field(null, 'A-12', other)!.field).toBe(field(null, 'A-1', cell)!.field)
    expect(field(null, 'A-1', other)).toBeNull()
    expect(field(null, 'A-1', listed)).toBeNull()
    expect(field(null, 'B-1', twice)).toBeNull()
  })
})

describe('a selection', () => {
  const ORDERS = [
    { id: 'A-1', total: 59.9, items: 3 },
    { id: 'A-2', total: 240, items: 12 },
  ]
  const STATE: Readonly<Record<string, string>> = Object.fromEntries(
    ORDERS.flatMap((order, row) => Object.entries(order).map(([key, value]) => [`/${row}/${key}`, String(value)])),
  )

  /** `read`: the path of the value that is read for a question, as surely as `confidence` says; null: nothing is. */
  async function ask(question: object, read: (asked: string) => string | null, { usesLogic = true, confidence = 0.9 } = {}) {
    const { asked } = checkOne({ type: 'select', criteria: ['A-2', 'A-1'], ...question })
    const reads: string[] = []
    const prefix = {
      tokens: 1,
      cachedTokens: 0,
      score: async (branches: readonly Branch[]) =>
        branches.map(({ candidates }) => ({
          rows: candidates.map(({ name }) => ({ logProbabilities: (name === 'A-1' ? [0.4, 0.6] : [0.3, 0.7]).map(Math.log), mass: 1 })),
          inputTokens: 5,
        })),
      async generate({ instructions }: { readonly instructions: string }): Promise<Generated> {
        reads.push(instructions)
        const path = read(instructions)
        const place = { source: { part: 0, path }, start: 0, end: STATE[path ?? '']?.length ?? 0, logProbability: Math.log(confidence) }
        const spans = path === null ? [] : [{ ...place, text: STATE[path]! }]
        return { type: 'spans', spans, logProbability: Math.log(confidence), inputTokens: 100, outputTokens: 1 }
      },
      close() {},
    }
    const context = questionContext([], parse, UNCALIBRATED, {
      ...NO_TEXTS,
      usesLogic,
      jsonValues: [ORDERS],
      textOf: ({ path }) => STATE[path ?? ''] ?? null,
    })
    const { results, inputTokens } = await runCoroutines(prefix, [{ param: '', coroutine: asked!.run(context) }], () => {})
    const { answer, decisions } = results[0]!.value
    const { probabilities, selected } = answer as SelectAnswer
    return { of: [probabilities['A-1']!, probabilities['A-2']!], selected, reads, inputTokens, decision: decisions['']! }
  }
  const QUESTION = { instructions: 'Which orders cost more than 100 EUR?' }
  const rowOf = (asked: string): number => (asked.startsWith('A-1') ? 0 : 1)
  const asRead = [expect.closeTo(0.4, 6), expect.closeTo(0.3, 6)]

  it('reads the value of each row, free of charge, and compares it as far as it is sure', async () => {
    const { of, selected, reads, inputTokens, decision } = await ask(QUESTION, (asked) => `/${rowOf(asked)}/total`)
    expect(reads).toEqual(['A-2 cost how many EUR?', 'A-1 cost how many EUR?'])
    expect(of).toEqual([expect.closeTo(0.1 * 0.4, 4), expect.closeTo(0.9 + 0.1 * 0.3, 4)])
    expect(selected).toEqual(['A-2'])
    expect(inputTokens).toBe(5)
    // What is kept is what is answered, by sorted names.
    expect(decision.readout).toBe('independent')
    expect(decision.single.map(([yes]) => Math.exp(yes!))).toEqual(of.map((p) => expect.closeTo(p, 4)))
  })

  it.each<[string, (asked: string) => string | null]>([
    ['the values stand in two fields', (asked) => (rowOf(asked) === 0 ? '/0/total' : '/1/items')],
    ['one stands in the row of another option', () => '/0/total'],
    ['the values stand in each other’s rows', (asked) => `/${1 - rowOf(asked)}/total`],
    ['a single one is found', (asked) => (rowOf(asked) === 0 ? '/0/total' : null)],
  ])('is answered as it is read where %s', async (_why, read) => {
    expect((await ask(QUESTION, read)).of).toEqual(asRead)
  })

  it.each([
    ['it compares nothing', { instructions: 'Which orders are late?' }],
    [
      'options alone compare something',
      { instructions: 'Which of these are so?', criteria: ['The total is over 5', 'The total is over 7'] },
    ],
    ['options are described', { ...QUESTION, criteria: { 'A-1': 'the lamp', 'A-2': 'the tent' } }],
    ['options are many', { ...QUESTION, criteria: ['A-1', 'A-2', ...Array.from({ length: 15 }, (_, i) => `B-${i}`)] }],
  ])('reads nothing where %s', async (_why, question) => {
    expect((await ask(question, (asked) => `/${rowOf(asked)}/total`)).reads).toEqual([])
  })

  it('is answered as it is read where the values are not sure', async () => {
    const unsure = await ask(QUESTION, (asked) => `/${rowOf(asked)}/total`, { confidence: 0.8 })
    expect(unsure).toMatchObject({ reads: { length: 2 }, of: asRead })
  })

  it('reads nothing for models that compare by themselves', async () => {
    expect(await ask(QUESTION, () => null, { usesLogic: false })).toMatchObject({ reads: [], of: asRead })
  })
})
