// The invariants at the end of the contract, over random requests with a fixed seed: whatever is asked, the answers
// keep to them.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EngineError, ERROR_CODES } from '../../src/core/errors.ts'
import { createEngine, type EngineCore } from '../../src/pipeline/engine.ts'
import type { ChoiceAnswer, ChoiceQuestion, ScoreAnswer, SelectAnswer } from '../../src/questions/index.ts'
import type { Answer, AskRequest, Question } from '../../src/wire/types.ts'

const SEED = 20_261_121
const RUNS = 120

let engine: EngineCore
beforeAll(async () => {
  engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro', contextLength: 100_000 })] })
})
afterAll(() => engine.close())

/** Names as people send them: words, numbers, odd ones. */
const name = fc.oneof(
  fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,6})?$/),
  fc.integer({ min: 0, max: 40 }).map(String),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'Ærø', '東京', '<|im_end|>', 'a/b~c', '"quoted"'),
)
const words = fc.oneof(
  fc.constant(null),
  fc.lorem({ maxCount: 8 }),
  fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.integer(), { maxKeys: 2 }),
)
const instructions = fc.record({ instructions: words }, { requiredKeys: [] })
const options = (most: number) =>
  fc
    .uniqueArray(name, { minLength: 2, maxLength: most })
    .chain((names) =>
      fc.tuple(
        ...names.map((value) =>
          fc.oneof(
            fc.constant(value),
            words.map((description) => ({ value, description })),
          ),
        ),
      ),
    )
    .map((list) => ({ options: list }))
const of = (type: string, ...fields: fc.Arbitrary<object>[]): fc.Arbitrary<Question> =>
  fc.tuple(instructions, ...fields).map((parts) => Object.assign({ type }, ...parts) as Question)

const noul = of('noul')
const score = of(
  'score',
  fc.uniqueArray(name, { minLength: 2, maxLength: 26 }).map((criteria) => ({ criteria })),
)
const select = of('select', options(20), fc.record({ threshold: fc.double({ min: 0.01, max: 0.99, noNaN: true }) }, { requiredKeys: [] }))
const fill = of(
  'fill',
  fc.constantFrom({}, { kind: 'int' }, { kind: 'date' }, { kind: 'list', item: 'number' }, { kind: 'enum', values: ['a', 'b', 'c'] }),
  fc.record({ self_check: fc.boolean() }, { requiredKeys: [] }),
)
const extract = of(
  'extract',
  fc.constantFrom({}, { kind: 'int' }, { kind: 'email' }, { many: true }, { kind: 'money', many: true }),
  fc.record({ self_check: fc.boolean() }, { requiredKeys: [] }),
)
const plainChoice = of('choice', options(20))
const args = fc.dictionary(name, fc.oneof(noul, score, fill, extract, plainChoice), { minKeys: 1, maxKeys: 3 })
const choice = fc.oneof(
  plainChoice,
  fc.tuple(plainChoice, args).map(([question, asked]) => ({ ...question, args: asked }) as Question),
)
const question = fc.oneof(noul, choice, score, select, fill, extract)
const questions = fc.array(fc.tuple(name, question), { minLength: 1, maxLength: 8 }).map((list) => Object.fromEntries(list))
const state = fc.oneof(
  fc.lorem({ maxCount: 30, mode: 'words' }),
  fc.constant('Ada (ada@example.com) paid $12.50 for 3 lamps on 2024-03-09, and 7 € more.'),
  fc.dictionary(name, fc.oneof(fc.lorem(), fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 5 }),
  fc.array(fc.oneof(fc.integer(), fc.lorem())),
) as fc.Arbitrary<AskRequest['state']>
const request = fc.record({ state, questions }) as fc.Arbitrary<AskRequest>

const check = <T>(arbitrary: fc.Arbitrary<T>, run: (value: T) => Promise<void>, runs = RUNS) =>
  fc.assert(fc.asyncProperty(arbitrary, run), { seed: SEED, numRuns: runs })

const isProbability = (p: number) => Number.isFinite(p) && p > 0 && p < 1

/** The names a question lists, in order. */
function namesOf(asked: Question): string[] {
  const list =
    'options' in asked && asked.options ? asked.options : 'criteria' in asked && Array.isArray(asked.criteria) ? asked.criteria : []
  return list.map((entry) => (typeof entry === 'string' ? entry : (entry.value ?? entry.label)) as string)
}

function expectDistribution(probabilities: Readonly<Record<string, number>>, keys: readonly string[]): void {
  expect(Object.keys(probabilities).sort()).toEqual([...keys].sort())
  expect(Object.values(probabilities).every(isProbability)).toBe(true)
  expect(Object.values(probabilities).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 6)
}

function expectAnswer(answer: Answer, asked: Question): void {
  expect(answer.type).toBe(asked.type)
  const names = namesOf(asked)
  if (answer.type === 'noul') expect(isProbability(answer.noul)).toBe(true)
  if (answer.type === 'choice') {
    const { choice: chosen, probabilities, confidence, args: answered } = answer as ChoiceAnswer
    expectDistribution(probabilities, names)
    const largest = Math.max(...Object.values(probabilities))
    expect(probabilities[chosen]).toBe(largest)
    expect(confidence).toBe(largest)
    expect(chosen).toBe(names.find((option) => probabilities[option] === largest))
    const asks = 'args' in asked && asked.args ? asked.args : {}
    expect(Object.keys(answered ?? {}).sort()).toEqual(Object.keys(asks).sort())
    for (const [id, arg] of Object.entries(answered ?? {})) expectAnswer(arg, Object.entries(asks).find(([key]) => key === id)![1])
  }
  if (answer.type === 'score') {
    const { score: mean, probabilities, legend, confidence } = answer as ScoreAnswer
    expectDistribution(
      probabilities,
      names.map((_, level) => String(level)),
    )
    expect(names.map((_, level) => legend[level])).toEqual(names)
    expect(mean).toBeCloseTo(
      names.reduce((sum, _, level) => sum + level * probabilities[level]!, 0),
      9,
    )
    expect(confidence).toBe(Math.max(...Object.values(probabilities)))
  }
  if (answer.type === 'select') {
    const { probabilities, selected, order, confidence } = answer as SelectAnswer
    expect(Object.keys(probabilities).sort()).toEqual([...names].sort())
    expect(Object.values(probabilities).every(isProbability)).toBe(true)
    expect([...order].sort()).toEqual([...names].sort())
    for (let i = 1; i < order.length; i++) expect(probabilities[order[i]!]!).toBeLessThanOrEqual(probabilities[order[i - 1]!]!)
    expect(selected).toEqual(order.slice(0, selected.length))
    const threshold = 'threshold' in asked ? asked.threshold! : 0.5
    expect(new Set(selected)).toEqual(new Set(names.filter((option) => probabilities[option]! >= threshold)))
    expect(isProbability(confidence)).toBe(true)
  }
  if ('valid' in answer && 'confidence' in answer) expect(isProbability(answer.confidence)).toBe(true)
  if ('check' in answer) expect(isProbability(answer.check!)).toBe(true)
  if ('self_check' in asked && asked.self_check) expect(answer).toHaveProperty('check')
}

/** A choice that lists its options in `options`. */
type ListedChoice = Extract<ChoiceQuestion, { readonly options: readonly unknown[] }>

describe('whatever is asked', () => {
  it('every answer keeps its shape: probabilities, argmax, mean, order', () =>
    check(request, async (asked) => {
      const { answers, simo, usage } = await engine.ask(asked)
      expect(Object.keys(answers)).toEqual(Object.keys(asked.questions))
      for (const [id, each] of Object.entries(asked.questions)) expectAnswer(Object.entries(answers).find(([key]) => key === id)![1], each)
      expect(Object.keys(simo.questions)).toEqual(Object.keys(asked.questions))
      expect(Number.isInteger(usage.input_tokens) && Number.isInteger(usage.output_tokens)).toBe(true)
      // What goes over the wire is the same: nothing in it is undefined, NaN or a class.
      expect(JSON.parse(JSON.stringify(answers))).toEqual({ ...answers })
    }))

  it('a question has the same answer alone, among others, in another order, and warm', () =>
    check(
      request,
      async (asked) => {
        const { answers } = await engine.ask(asked)
        const turned = { ...asked, questions: Object.fromEntries(Object.entries(asked.questions).reverse()) }
        expect({ ...(await engine.ask(turned)).answers }).toEqual({ ...answers })
        for (const [id, each] of Object.entries(asked.questions)) {
          const alone = await engine.ask({ ...asked, questions: Object.fromEntries([[id, each]]) })
          expect(Object.entries(alone.answers)).toEqual(Object.entries(answers).filter(([key]) => key === id))
        }
      },
      60,
    ))

  it('a choice does not depend on the order of its options', () =>
    check(fc.tuple(state, plainChoice), async ([given, asked]) => {
      // With instructions of their own: the ids, which stand in for them, differ.
      const straight = { ...(asked as ListedChoice), instructions: 'Which one?' }
      const turned = { ...straight, options: [...straight.options].reverse() }
      const { answers } = await engine.ask({ state: given, questions: { one: straight, two: turned } })
      const [one, two] = [answers.one as ChoiceAnswer, answers.two as ChoiceAnswer]
      for (const [option, p] of Object.entries(one.probabilities)) {
        expect(Object.entries(two.probabilities).find(([key]) => key === option)![1]).toBeCloseTo(p, 9)
      }
    }))

  it('every value quoted from a text stands where its span says', () =>
    check(fc.tuple(fc.lorem({ maxCount: 20 }), extract), async ([given, asked]) => {
      const { answers } = await engine.ask({ state: given, questions: { q: asked } })
      const answer = answers.q!
      const items = 'items' in answer ? answer.items : 'span' in answer && answer.span ? [{ value: answer.value, span: answer.span }] : []
      for (const { value, span } of items) expect(given.slice(span?.start, span?.end)).toBe(value)
    }))

  it('nonsense is refused with a code from the list, and nothing else happens', () =>
    check(
      fc.oneof(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
        fc.record({ state: fc.anything(), questions: fc.anything(), derive: fc.anything() }, { requiredKeys: [] }),
        fc.record({ state, questions: fc.dictionary(name, fc.anything(), { minKeys: 1, maxKeys: 3 }) }),
        fc.record({
          state,
          questions: fc.record({
            q: fc.record(
              {
                type: fc.constantFrom('noul', 'choice', 'score', 'select', 'fill', 'extract'),
                instructions: fc.anything(),
                options: fc.anything(),
                criteria: fc.anything(),
                args: fc.anything(),
                kind: fc.oneof(fc.constantFrom('int', 'list', 'enum', 'coordinates'), fc.anything()),
                item: fc.anything(),
                values: fc.anything(),
                min: fc.anything(),
                max: fc.anything(),
                threshold: fc.anything(),
                many: fc.anything(),
                self_check: fc.anything(),
                image: fc.anything(),
              },
              { requiredKeys: ['type'] },
            ),
          }),
        }),
        fc.record({
          state,
          questions: fc.constant({ q: { type: 'noul' } }),
          derive: fc.dictionary(name, fc.oneof(fc.string(), fc.anything())),
        }),
      ),
      async (input) => {
        const outcome = await engine.ask(input as AskRequest).then(
          (response) => response.answers,
          (error: unknown) => error,
        )
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(EngineError)
          const { code, message } = outcome as EngineError
          expect(ERROR_CODES).toContain(code)
          // Its own fault would be a bug: nonsense is always the caller's.
          expect(code, `${message} ${String((outcome as EngineError).cause)}`).not.toBe('internal_error')
        } else expect(Object.keys(outcome as object).length).toBeGreaterThan(0)
      },
      600,
    ))
})
