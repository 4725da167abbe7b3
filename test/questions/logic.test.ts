import { describe, expect, it } from 'vitest'
import type { NoulAnswer } from '../../src/questions/index.ts'
import { allOf, anyOf, type Formula, not, probabilityOf } from '../../src/questions/logic/formula.ts'
import { formulaOf } from '../../src/questions/logic/parse.ts'
import { truthOf } from '../../src/questions/shared/truth.ts'
import { askOne } from './ask.ts'

const [A, B, C] = ['The customer is angry.', 'The parcel is late.', 'A refund was paid.'] as const
const atLeast = (least: number, of: readonly Formula[]): Formula => ({ least, most: of.length, of })
const bare = (claim: string): string => claim.slice(0, -1)

describe('a statement put together from others', () => {
  it.each<[string, Formula]>([
    [`It is not the case that the customer is angry.`, not(A)],
    [`It isn’t true that ${A}`, not(A)],
    [`Is it false that the customer is angry?`, not(A)],
    [`Is the following statement untrue? ${A}`, not(A)],
    [`The statement "${A}" is false.`, not(A)],
    [`Is the answer to 'Is the customer angry?' no?`, not('Is the customer angry?')],
    [`${A} Is that false?`, not(A)],
    [`NOT (${A})`, not(A)],
    [`It is not false that the customer is angry.`, A],
    [`True or false: ${A}`, A],
    [`Yes or no: is the customer angry?`, 'is the customer angry?'],
    [`Both of these are true: ${A} ${B}`, allOf([A, B])],
    [`Are all of the following true? (1) ${A} (2) ${B} and (3) ${C}`, allOf([A, B, C])],
    [`Both hold:\n- ${A}\n- ${B}`, allOf([A, B])],
    [`Each of these holds: the customer is angry; the parcel is late`, allOf(['the customer is angry', 'the parcel is late'])],
    [`"${A}" and "${B}"`, allOf([A, B])],
    [`${bare(A)} AND ${bare(B)}`, allOf([bare(A), bare(B)])],
    [`${bare(A)} AND NOT (${bare(B)} OR ${bare(C)})`, allOf([bare(A), not(anyOf([bare(B), bare(C)]))])],
    [`NOT (${bare(A)} OR (${bare(B)} AND ${bare(C)}))`, not(anyOf([bare(A), allOf([bare(B), bare(C)])]))],
    [`Is the parcel late, and does the customer ask for it?`, allOf(['Is the parcel late?', 'Does the customer ask for it?'])],
    [`At least one of these is true: ${A} ${B}`, anyOf([A, B])],
    [`Either "${A}" or "${B}", or both.`, anyOf([A, B])],
    [`${A} ${B} Is either of these true?`, anyOf([A, B])],
    [`At least two of these three are true: ${A} ${B} ${C}`, atLeast(2, [A, B, C])],
    [`Exactly one of the following holds: ${A} ${B}`, { least: 1, most: 1, of: [A, B] }],
    [`At most 1 of these is so: ${A} ${B}`, { least: 0, most: 1, of: [A, B] }],
    [`None of these is true: ${A} ${B}`, { least: 0, most: 0, of: [A, B] }],
    [`Not both are true: ${A} ${B}`, not(allOf([A, B]))],
    [`Both of these are false: ${A} ${B}`, allOf([not(A), not(B)])],
    [`It is not true that both of these hold: "${A}" and "${B}".`, not(allOf([A, B]))],
  ])('%s', (statement, formula) => {
    expect(formulaOf(statement)).toEqual(formula)
  })

  it.each([
    'The customer is angry.',
    'The customer is not angry.',
    'All of the items are correct: yes',
    'The shirt is red AND blue',
    'THE CUSTOMER IS ANGRY AND THE PARCEL IS LATE',
    'Neither the carrier nor the shop has answered.',
    'The customer says that the dog is not theirs.',
    'It does not say that it is advertising.',
    'Is he tall and is ill?',
    'Is the following sentence correct? Their going home.',
    'None of the following applies to the order: it is late; it is lost',
    'Case: the charger is broken',
    'Do the products come in a box? No.',
    'At least three of these are true: The parcel is late. A refund was paid.',
    'The customer is angry AND (the parcel is late',
    `Both are true: ${'The parcel is late. '.repeat(200)}`,
    `All of these hold: ${Array.from({ length: 12 }, (_, i) => `The parcel ${i} is late.`).join(' ')}`,
    `${'NOT ('.repeat(50)}The parcel is late.${')'.repeat(50)}`,
  ])('is not %s', (statement) => {
    expect(formulaOf(statement)).toBe(statement)
  })

  it('takes time that grows with its length alone', () => {
    const hostile = [`${'a '.repeat(1000)}`, '"'.repeat(2000), '('.repeat(2000), `it ${'that '.repeat(399)}`, `Both: ${'1. '.repeat(600)}`]
    const began = performance.now()
    for (const statement of hostile) formulaOf(statement)
    expect(performance.now() - began).toBeLessThan(2000)
  })
})

describe('the probability of a formula', () => {
  const chances = new Map([
    [A, 0.9],
    [B, 0.6],
    [C, 0.2],
  ])
  const of = (formula: Formula) => probabilityOf(formula, chances)

  it('is that of independent claims', () => {
    expect(of(allOf([A, B]))).toBeCloseTo(0.54, 12)
    expect(of(anyOf([A, B]))).toBeCloseTo(0.96, 12)
    expect(of(not(A))).toBeCloseTo(0.1, 12)
    // 0.9·0.6·0.8 + 0.9·0.4·0.2 + 0.1·0.6·0.2 + 0.9·0.6·0.2
    expect(of(atLeast(2, [A, B, C]))).toBeCloseTo(0.624, 12)
    expect(of({ least: 1, most: 1, of: [A, B] })).toBeCloseTo(0.9 * 0.4 + 0.1 * 0.6, 12)
  })

  it('knows that a claim is one, however often it stands there', () => {
    expect(of(allOf([A, not(A)]))).toBe(0)
    expect(of(anyOf([A, not(A)]))).toBeCloseTo(1, 12)
    expect(of(allOf([A, A]))).toBeCloseTo(0.9, 12)
  })

  it('keeps the laws of De Morgan, and of inclusion and exclusion', () => {
    expect(of(not(allOf([A, B])))).toBeCloseTo(of(anyOf([not(A), not(B)])), 12)
    expect(of(allOf([A, B])) + of(anyOf([A, B]))).toBeCloseTo(0.9 + 0.6, 12)
  })
})

describe('a noul of it', () => {
  const score = ({ instructions }: { readonly instructions: string }) => [instructions === A ? [0.9, 0.1] : [0.3, 0.3]]
  const ask = (question: object) => askOne<NoulAnswer>({ type: 'noul', ...question }, { score })

  it('asks for its parts in one round, each once', async () => {
    const { answer, rounds, finding } = await ask({ instructions: `Both of these are true: ${A} ${B}` })
    expect(rounds.map((round) => round.map(({ instructions }) => instructions))).toEqual([[A, B]])
    expect(answer.noul).toBeCloseTo(0.45, 6)
    expect(finding.report).toMatchObject({ mass: expect.closeTo(0.6, 6), isDeliberated: false, calibration: { applied: 'identity' } })
  })

  it('keeps one decision, of a read-out of its own', async () => {
    const { finding } = await ask({ instructions: `NOT (${A})` })
    const { '': decision } = finding.decisions
    expect(decision).toMatchObject({ readout: 'composed', names: ['true', 'false'], candidates: 2, features: null })
    expect(decision!.single[0]!.map(Math.exp)).toEqual([expect.closeTo(0.1, 4), expect.closeTo(0.9, 4)])
    expect(truthOf(decision!, true)).toEqual([0])
  })

  it('is the same as a choice between yes and no, and as a scale', async () => {
    const instructions = `It is not the case that the customer is angry.`
    const { answer } = await ask({ instructions })
    const choice = await askOne({ type: 'choice', instructions, criteria: { no: null, yes: null } }, { score })
    expect(choice.answer).toMatchObject({ choice: 'no', probabilities: { yes: answer.noul, no: expect.closeTo(1 - answer.noul, 9) } })
    expect(choice.finding.decisions['']).toMatchObject({ readout: 'composed', names: ['yes', 'no'] })
  })

  it('is read as it is written where true and false are described', async () => {
    const instructions = `It is not the case that the customer is angry.`
    const { rounds } = await ask({ instructions, criteria: { true: 'calm words' } })
    expect(rounds[0]!.map((branch) => branch.instructions)).toEqual([instructions])
  })

  it.each([
    ['The customer is angry!!!', 'The customer is angry.'],
    ['The customer is angry! ', 'The customer is angry.'],
    ['The customer is angry...', 'The customer is angry.'],
    ['Is the customer angry?!', 'Is the customer angry?'],
    ['Is the customer angry???', 'Is the customer angry?'],
    ['The customer is angry.', 'The customer is angry.'],
    ['The customer is angry', 'The customer is angry'],
    ['The customer says "Help!"', 'The customer says "Help!"'],
  ])('is closed as plainly as it can be: %j', async (instructions, read) => {
    const { rounds } = await ask({ instructions })
    expect(rounds[0]!.map((branch) => branch.instructions)).toEqual([read])
  })

  it('is its only claim, where that is all it says', async () => {
    const { rounds, finding } = await ask({ instructions: `Is it true that the customer is angry?` })
    expect(rounds[0]!.map((branch) => branch.instructions)).toEqual([A])
    expect(finding.decisions['']).toMatchObject({ readout: 'binary' })
  })
})
