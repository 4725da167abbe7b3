// The shipped model on a screenshot, end to end: answers in range and boxes inside the picture. Which boxes they are is
// the bench's business.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type Engine, localModel } from '../../src/index.ts'
import type {
  BoxAnswer,
  BoxManyAnswer,
  ChoiceAnswer,
  ExtractAnswer,
  FillAnswer,
  NoulAnswer,
  ScoreAnswer,
  SelectAnswer,
} from '../../src/questions/index.ts'
import type { AskRequest, AskResponse, Questions, State } from '../../src/wire/types.ts'
import { expectChoice, expectClose, expectFill, expectScore, isProbability } from '../shared/answers.ts'

const model = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))
const seesImages = existsSync(`${model}/pictures/onnx/vision_encoder_int8.onnx`)
const shop = readFileSync(fileURLToPath(new URL('../../examples/shop.png', import.meta.url)))
const reason = 'models/service-1-pro has no vision encoder'

describe.skipIf(!seesImages)(`the shipped model on a screenshot${seesImages ? '' : ` (skipped: ${reason})`}`, () => {
  const [WIDTH, HEIGHT] = [shop.readUInt32BE(16), shop.readUInt32BE(20)]
  const state: State = [
    { type: 'image', id: 'page', source: { type: 'base64', media_type: 'image/png', data: shop.toString('base64') } },
    { type: 'text', text: 'The user wants to store the changes.' },
  ]
  const questions: Questions = {
    error: { type: 'noul', instructions: 'There is an error message.', image: 'page' },
    tab: { type: 'choice', instructions: 'Which tab is open?', options: ['Home', 'Orders', 'Help'] },
    busy: { type: 'score', instructions: 'How busy is the page?', criteria: ['empty', 'some', 'full'] },
    parts: { type: 'select', instructions: 'What is on the page?', options: ['a button', 'a video'] },
    save: { type: 'extract', kind: 'coordinates', instructions: 'The Save button' },
    buttons: { type: 'extract', kind: 'coordinates', many: true, instructions: 'All buttons' },
    title: { type: 'fill', instructions: 'The title of the page' },
    wish: { type: 'extract', instructions: 'What the user wants' },
  }

  let engine: Engine
  beforeAll(async () => {
    engine = await createEngine({ models: [localModel(model, { inProcess: true, id: 'service-1-pro' })], limits: { fillTokens: 24 } })
  })
  afterAll(() => engine?.close())

  /** Untyped: what is held here is what arrives, whatever the types say. */
  const ask = (request: AskRequest): Promise<AskResponse> => engine.ask(request) as Promise<AskResponse>

  function expectInside(coordinates: readonly number[], center: readonly number[]): void {
    const [left, top, right, bottom] = coordinates as [number, number, number, number]
    expect(left).toBeGreaterThanOrEqual(0)
    expect(top).toBeGreaterThanOrEqual(0)
    expect(right).toBeLessThanOrEqual(WIDTH)
    expect(bottom).toBeLessThanOrEqual(HEIGHT)
    expect(left).toBeLessThanOrEqual(right)
    expect(top).toBeLessThanOrEqual(bottom)
    expect(center[0]).toBeCloseTo((left + right) / 2, 3)
    expect(center[1]).toBeCloseTo((top + bottom) / 2, 3)
  }

  it('looks at a picture once: only texts are read again', async () => {
    const { error, tab, busy, parts } = questions
    const asked = { state, questions: { error, tab, busy, parts } } as AskRequest
    const [once, always] = await Promise.all([engine.ask(asked, { deliberation: 'never' }), engine.ask(asked, { deliberation: 'always' })])
    expectClose(always.answers, once.answers)
    expect(always.simo.passes).toBe(once.simo.passes)
  })

  it('answers every type of question, with boxes inside the picture', async () => {
    const { answers, usage } = await ask({ state, questions })
    expect(isProbability((answers.error as NoulAnswer).noul)).toBe(true)
    expectChoice(answers.tab as ChoiceAnswer, ['Home', 'Orders', 'Help'])
    expectScore(answers.busy as ScoreAnswer, ['empty', 'some', 'full'])
    expect(Object.values<number>((answers.parts as SelectAnswer).probabilities).every(isProbability)).toBe(true)
    expectFill(answers.title as FillAnswer, { type: 'text' })
    // It stands in the text, or is read in the picture; the answer says where.
    const { value, span, seen } = answers.wish as ExtractAnswer
    if (span !== undefined) expect(['The user wants to store the changes.'.slice(span.start, span.end), span.part]).toEqual([value, 1])
    else if (value !== null) expectInside(seen!.coordinates, seen!.center)

    const save = answers.save as BoxAnswer
    expect(save).toMatchObject({ valid: true, image_size: [WIDTH, HEIGHT] })
    if (save.coordinates === null) expect(save.center).toBeNull()
    else expectInside(save.coordinates, save.center!)
    const buttons = answers.buttons as BoxManyAnswer
    expect(buttons).toMatchObject({ valid: true, image_size: [WIDTH, HEIGHT] })
    for (const { coordinates, center, confidence } of buttons.boxes) {
      expectInside(coordinates, center)
      expect(isProbability(confidence)).toBe(true)
    }
    // The cells of a page are tokens.
    expect(usage.input_tokens).toBeGreaterThan(100)
  })

  it('reads what is written in the picture, and says where', async () => {
    const { answers } = await ask({
      state: state.slice(0, 1) as State,
      questions: {
        status: { type: 'extract', instructions: 'What is the status of Desk lamp?' },
        main: { type: 'fill', instructions: 'What does the main button say?' },
      },
    })
    const { value, span, seen } = answers.status as ExtractAnswer
    expect([value, span]).toEqual(['Delayed', undefined])
    expect(seen).toMatchObject({ image: 'page', image_size: [WIDTH, HEIGHT] })
    expectInside(seen!.coordinates, seen!.center)
    // The word stands around (723, 284).
    expect(Math.abs(seen!.center[0] - 723)).toBeLessThan(20)
    expect(Math.abs(seen!.center[1] - 284)).toBeLessThan(12)
    expect(answers.main).toMatchObject({ value: 'Save', valid: true })
  })

  it('chooses what stands in the row of what is named', async () => {
    const statusOf = (article: string) =>
      ({ type: 'choice', instructions: `What is the status of ${article}?`, options: ['Delayed', 'Delivered', 'Cancelled'] }) as const
    const { answers } = await ask({
      state: state.slice(0, 1) as State,
      questions: { lamp: statusOf('Desk lamp'), book: statusOf('Notebook') },
    })
    expect((answers.lamp as ChoiceAnswer).choice).toBe('Delayed')
    expect((answers.book as ChoiceAnswer).choice).toBe('Delivered')
  })

  it('still answers, without the words of the picture, where they do not fit the context', async () => {
    const page = state.slice(0, 1) as State
    const status: Questions = { status: { type: 'extract', instructions: 'What is the status of Desk lamp?' } }
    const long = async (words: number): Promise<AskResponse> =>
      ask({ state: [...(page as object[]), { type: 'text', text: 'cat '.repeat(words) }] as State, questions: status })
    const short = await long(100)
    expect((short.answers.status as ExtractAnswer).seen).toBeDefined()
    // The page with its words, and the question.
    const others = short.usage.input_tokens - 100
    // The context is 4,096 tokens, of which 512 are left to questions; the question is less than 40, the words of the
    // page are more.
    const { answers } = await long(4096 - 512 - others + 40)
    expect(answers.status).toMatchObject({ valid: true })
    expect((answers.status as ExtractAnswer).seen).toBeUndefined()
  })

  it('answers the same warm and alone', async () => {
    const together = await ask({ state, questions })
    for (const id of ['error', 'tab', 'save', 'buttons']) {
      const alone = await ask({ state, questions: { [id]: questions[id]! } })
      expect(alone.simo.cached_tokens).toBeGreaterThan(0)
      expectClose(together.answers[id], alone.answers[id], 1e-6, id)
    }
  })

  it('finds nothing in a page of one colour', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII='
    const white: State = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }]
    const { answers } = await ask({ state: white, questions: { save: questions.save!, buttons: questions.buttons! } })
    expect(answers.save).toMatchObject({ coordinates: null, center: null, image_size: [1, 1], valid: true })
    expect(answers.buttons).toMatchObject({ boxes: [], valid: true })
  })
})
