import { describe, expect, it } from 'vitest'
import type { Box, Branch, Constraint, Generated, Span } from '../../src/backends/backend.ts'
import type { Json } from '../../src/core/types.ts'
import {
  type BoxAnswer,
  type BoxManyAnswer,
  type ExtractAnswer,
  type ExtractManyAnswer,
  type FillAnswer,
  kindOf,
} from '../../src/questions/index.ts'
import { checkStatement } from '../../src/questions/shared/check.ts'
import { askOne, checkOne, written } from './ask.ts'

const near = (value: number) => expect.closeTo(value, 4)
const counts = { inputTokens: 1, outputTokens: 1 }
const spans = (list: Span[], probability = 0.8): Generated => ({
  type: 'spans',
  spans: list,
  logProbability: Math.log(probability),
  ...counts,
})
const span = (text: string, start: number, source = { part: 0, path: null as string | null }): Span => {
  return { text, source, start, end: start + text.length, logProbability: Math.log(0.9) }
}
const boxes = (list: Box[]): Generated => ({ type: 'boxes', boxes: list, logProbability: Math.log(0.4), ...counts })

describe('fill', () => {
  it.each([
    ['text', 'two lamps', undefined],
    ['int', '-42', -42],
    ['number', '12.5', 12.5],
    ['date', '2024-02-29', undefined],
    ['list', 'a; b', ['a', 'b']],
  ])('of kind %s gives the value, and parsed where the kind calls for it', async (kind, text, parsed) => {
    const { answer } = await askOne<FillAnswer>({ type: 'fill', kind }, { read: () => written(text, 0.5) })
    expect(answer).toEqual({ type: 'fill', value: text, valid: true, confidence: near(0.5), ...(parsed === undefined ? {} : { parsed }) })
  })

  it('hands the grammar on', async () => {
    const seen: Constraint[] = []
    const read = (_: unknown, constraint: Constraint) => {
      seen.push(constraint)
      return written('1; 2')
    }
    await askOne({ type: 'fill', kind: 'list', item: 'int' }, { read })
    await askOne({ type: 'fill', kind: 'list', item: { kind: 'enum', values: ['1', '2'] } }, { read })
    expect(seen).toEqual([
      { type: 'grammar', grammar: { type: 'list', item: { type: 'int' }, maxItems: 32 }, maxTokens: 256 },
      { type: 'grammar', grammar: { type: 'list', item: { type: 'enum', values: ['1', '2'] }, maxItems: 32 }, maxTokens: 256 },
    ])
  })

  it('is not valid when the budget ran out, or the text does not parse', async () => {
    const cut = await askOne<FillAnswer>({ type: 'fill', kind: 'int' }, { read: () => written('12', 0.5, false) })
    expect(cut.answer).toMatchObject({ value: '12', valid: false })
    expect(cut.answer).not.toHaveProperty('parsed')
    const wrong = await askOne<FillAnswer>({ type: 'fill', kind: 'date' }, { read: () => written('2023-02-30') })
    expect(wrong.answer).toMatchObject({ valid: false })
  })

  it.each([
    ['text', 'The note', { note: 'Line one\nLine two' }, 'Line one', 'Line one'],
    ['number', 'What is the total?', { total: 0.30000000000000004 }, '0.3', 0.3],
    ['number', 'What is the rate?', { rate: 1e-7 }, '0.0000001', 1e-7],
  ])('of kind %s reads what a field says where it may not be written so: %s', async (kind, instructions, state, text, value) => {
    const { answer } = await askOne<FillAnswer>({ type: 'fill', kind, instructions }, { read: () => written(text), jsonValues: [state] })
    expect(answer).toMatchObject({ value: text, valid: true, confidence: near(0.5) })
    expect(answer.parsed ?? answer.value).toBe(value)
  })

  it('scores the values of an enum', async () => {
    const { answer, rounds, finding } = await askOne<FillAnswer>(
      { type: 'fill', kind: 'enum', values: ['red', 'green'], instructions: 'Colour?' },
      { score: () => [[0.1, 0.4]] },
    )
    expect(answer).toEqual({ type: 'fill', value: 'green', valid: true, confidence: near(0.8) })
    expect(rounds[0]![0]).toMatchObject({ readout: 'exclusive', instructions: 'Colour?', candidates: [{ name: 'red' }, { name: 'green' }] })
    expect(finding.report?.mass).toBeCloseTo(0.5)
  })

  it('checks itself behind the read', async () => {
    const { answer, rounds, passes } = await askOne<FillAnswer>(
      { type: 'fill', instructions: 'How many lamps?', kind: 'int', self_check: true },
      { read: () => written('3'), score: () => [[0.9, 0.1]] },
    )
    expect(answer.check).toBeCloseTo(0.9, 4)
    expect(passes).toBe(2)
    expect(rounds[1]![0]).toMatchObject({ readout: 'binary', instructions: checkStatement('How many lamps?', '3') })
  })

  it('counts how probable the read was beside the answer, where the model judges its reads', async () => {
    const script = { read: () => written('3', 0.8), score: () => [[0.9, 0.1]], countsReads: true }
    const { answer, finding } = await askOne<FillAnswer>({ type: 'fill', kind: 'int', self_check: true }, script)
    // Odds of 4, times the root of odds of 9.
    expect(answer.check).toBeCloseTo(12 / 13, 4)
    expect(finding.decisions['']!.readout).toBe('check_written')
    expect(Math.exp(finding.decisions['']!.single[0]![0]!)).toBeCloseTo(12 / 13, 4)
    const values = { type: 'fill', kind: 'enum', values: ['red', 'green'], self_check: true }
    const score = ({ readout }: Branch) => (readout === 'exclusive' ? [[0.2, 0.8]] : [[0.9, 0.1]])
    expect((await askOne<FillAnswer>(values, { score, countsReads: true })).answer.check).toBeCloseTo(12 / 13, 4)
    expect((await askOne<FillAnswer>(values, { score })).answer.check).toBeCloseTo(0.9, 4)
  })

  it('says why nothing was written, where the model knows', async () => {
    const cut = { ...written(''), complete: false, reason: '"12 May" stands in the state, without a year' } as Generated
    const { answer } = await askOne<FillAnswer>({ type: 'fill', kind: 'date' }, { read: () => cut })
    expect(answer).toMatchObject({ value: '', valid: false, error: '"12 May" stands in the state, without a year' })
  })

  it('says that the model failed, in its own answer', async () => {
    const { answer } = await askOne<FillAnswer>({ type: 'fill', self_check: true }, {})
    expect(answer).toMatchObject({ type: 'fill', value: '', valid: false, error: expect.stringContaining('failed') })
    expect(answer.confidence).toBeGreaterThan(0)
  })

  it.each(['json', 'pattern'])('of kind %s is refused as not supported', (kind) => {
    const { faults } = checkOne({ type: 'fill', kind, schema: {}, pattern: 'a+' })
    expect(faults).toMatchObject([{ code: 'capability_not_supported', param: '/questions/q/kind' }])
  })
})

describe('extract', () => {
  it('is a verbatim value and its span', async () => {
    const { answer } = await askOne<ExtractAnswer>({ type: 'extract' }, { read: () => spans([span('Lima', 7)]) })
    expect(answer).toEqual({ type: 'extract', value: 'Lima', span: { start: 7, end: 11 }, valid: true, confidence: near(0.8) })
  })

  it('says which part and which string a span counts from', async () => {
    const { answer } = await askOne<ExtractAnswer>(
      { type: 'extract' },
      { read: () => spans([span('Lima', 7, { part: 2, path: '/city' })]) },
    )
    expect(answer.span).toEqual({ start: 7, end: 11, part: 2, path: '/city' })
  })

  it('is null and valid when it is not there', async () => {
    const { answer } = await askOne<ExtractAnswer>({ type: 'extract' }, { read: () => spans([]) })
    expect(answer).toEqual({ type: 'extract', value: null, valid: true, confidence: near(0.8) })
    const many = await askOne<ExtractManyAnswer>({ type: 'extract', many: true }, { read: () => spans([]) })
    expect(many.answer).toEqual({ type: 'extract', values: [], items: [], valid: true, confidence: near(0.8) })
  })

  it('gives every value with many', async () => {
    const { answer } = await askOne<ExtractManyAnswer>(
      { type: 'extract', many: true, kind: 'int' },
      { read: () => spans([span('3', 0), span('5', 4)]) },
    )
    expect(answer.values).toEqual(['3', '5'])
    expect(answer.items).toEqual([
      { value: '3', span: { start: 0, end: 1 }, confidence: near(0.9) },
      { value: '5', span: { start: 4, end: 5 }, confidence: near(0.9) },
    ])
  })

  it('is right with many where what is accepted besides is the list', async () => {
    const { answer } = await askOne<ExtractManyAnswer>(
      { type: 'extract', many: true },
      { read: () => spans([span('Lima', 0), span('Oslo', 6)]) },
    )
    const grade = (truth: Json, accept: readonly Json[]) => kindOf(answer).grade(answer, truth, accept, null)?.right
    expect(grade(['Lima'], [])).toBe(0)
    expect(grade(['Lima'], [['oslo', 'lima']])).toBe(1)
    expect(grade(['Lima'], ['Oslo', null])).toBe(0)
    expect(grade(null, [['Oslo', 'Lima']])).toBe(1)
  })

  it('checks a value, several values, and that nothing is there', async () => {
    const asked: string[] = []
    const score = (branch: { instructions: string }) => {
      asked.push(branch.instructions)
      return [[0.25, 0.75]]
    }
    const question = { type: 'extract', instructions: 'Cities?', self_check: true }
    const one = await askOne<ExtractAnswer>(question, { score, read: () => spans([span('Lima', 0)]) })
    expect(one.answer.check).toBeCloseTo(0.25, 4)
    await askOne({ ...question, many: true }, { score, read: () => spans([span('Lima', 0), span('Oslo', 6)]) })
    await askOne(question, { score, read: () => spans([]) })
    expect(asked).toEqual([checkStatement('Cities?', 'Lima'), checkStatement('Cities?', 'Lima; Oslo'), checkStatement('Cities?', null)])
    expect(new Set(asked).size).toBe(3)
  })
})

describe('extract of coordinates', () => {
  const image = {
    id: 'shop',
    size: [200, 100] as const,
    toSentPixels: ([l, t, r, b]: readonly [number, number, number, number]) => [l * 200, t * 100, r * 200, b * 100] as const,
  }
  const box: Box = { image: 'shop', edges: [0.1, 0.2, 0.3, 0.4], logProbability: Math.log(0.7) }

  it('is a box in pixels, its centre, and the size of the image', async () => {
    const { answer, rounds } = await askOne<BoxAnswer>(
      { type: 'extract', kind: 'coordinates' },
      { images: [image], read: () => boxes([box]) },
    )
    expect(answer).toEqual({
      type: 'extract',
      coordinates: [20, 20, 60, 40],
      center: [40, 30],
      image_size: [200, 100],
      valid: true,
      confidence: near(0.4),
    })
    expect(rounds[0]![0]!.image).toBe('shop')
  })

  it('is null when it is not there', async () => {
    const { answer } = await askOne<BoxAnswer>({ type: 'extract', kind: 'coordinates' }, { images: [image], read: () => boxes([]) })
    expect(answer).toMatchObject({ coordinates: null, center: null, image_size: [200, 100], valid: true })
  })

  it('gives every box with many', async () => {
    const { answer } = await askOne<BoxManyAnswer>(
      { type: 'extract', kind: 'coordinates', many: true },
      { images: [image], read: () => boxes([box, box]) },
    )
    expect(answer.boxes).toHaveLength(2)
    expect(answer.boxes[0]).toEqual({ coordinates: [20, 20, 60, 40], center: [40, 30], confidence: near(0.7) })
  })

  it('does not check itself', () => {
    const { faults } = checkOne({ type: 'extract', kind: 'coordinates', self_check: true })
    expect(faults).toMatchObject([{ code: 'capability_not_supported', param: '/questions/q/self_check' }])
  })
})
