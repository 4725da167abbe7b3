// extract: what to look for, to the words as they stand in the state, or a box in an image, or the answer that it is not there.
import { z } from 'zod'
import type { Box, Branch, Span, SpanFormat } from '../backends/backend.ts'
import { pointer } from '../core/errors.ts'
import { PROBABILITY_FLOOR, readConfidence } from '../core/math.ts'
import type {
  BoxAnswer,
  BoxItem,
  BoxManyAnswer,
  Coordinates,
  ExtractAnswer,
  ExtractItem,
  ExtractManyAnswer,
  Point,
  SeenAnswer,
  SpanAnswer,
} from '../wire/types.ts'
import { check } from './shared/check.ts'
import type { QuestionContext, QuestionKind, QuestionResult, SentImage } from './shared/checked-question.ts'
import { type QuestionCoroutine, read } from './shared/coroutine.ts'
import type { Decided } from './shared/decide.ts'
import { asked, base, checked, instructionsOf, strict } from './shared/fields.ts'

const FORMATS = ['text', 'int', 'number', 'date', 'email', 'url', 'money'] as const

const schema = strict('an extract question', {
  ...base,
  kind: z.enum([...FORMATS, 'coordinates']).nullish(),
  many: z.boolean().nullish(),
  self_check: z.boolean().nullish(),
})

interface Asking {
  readonly branch: Branch
  readonly format: SpanFormat
  readonly isMany: boolean
  readonly isChecked: boolean
}

/** Where a span stands, as an answer says it: in a text, where what is not said is part 0, or the text itself; or in an image. */
function placeOf({ start, end, source, seen }: Span, context: QuestionContext): { span: SpanAnswer } | { seen: SeenAnswer } {
  const image = seen === undefined ? null : context.image(seen.image)
  if (seen === undefined || image === null) {
    return {
      span: { start, end, ...(source.part === 0 ? {} : { part: source.part }), ...(source.path === null ? {} : { path: source.path }) },
    }
  }
  const coordinates = image.toSentPixels(seen.edges)
  return { seen: { image: image.id, coordinates, center: centerOf(coordinates), image_size: image.size } }
}

type Words = ExtractAnswer | ExtractManyAnswer

function* runWords({ branch, format, isMany, isChecked }: Asking, context: QuestionContext): QuestionCoroutine<QuestionResult<Words>> {
  let confirmed: Decided | null = null
  const finding = (answer: Words): QuestionResult<Words> => ({
    answer,
    report: confirmed?.report ?? null,
    decisions: confirmed === null ? {} : { '': confirmed.decision },
  })
  const reply = yield* read(branch, { type: 'span', many: isMany, format })
  if (reply.type === 'failed') {
    const failed = { type: 'extract', valid: false, error: reply.error.message, confidence: PROBABILITY_FLOOR } as const
    return finding(isMany ? { ...failed, values: [], items: [] } : { ...failed, value: null })
  }
  if (reply.type !== 'spans') throw new TypeError(`A span read gave ${reply.type}.`)
  const { spans } = reply
  const found = spans.length === 0 ? null : isMany ? spans.map(({ text }) => text).join('; ') : spans[0]!.text
  if (isChecked) confirmed = yield* check(branch.instructions, found, branch.image, context)
  const shared = {
    valid: true,
    confidence: readConfidence(reply.logProbability),
    ...(confirmed === null ? {} : { check: confirmed.probabilities[0]![0]! }),
  }
  if (!isMany) {
    const [span] = spans
    return finding({ type: 'extract', value: span?.text ?? null, ...(span ? placeOf(span, context) : {}), ...shared })
  }
  const items = spans.map((span): ExtractItem => {
    return { value: span.text, ...placeOf(span, context), confidence: readConfidence(span.logProbability) }
  })
  return finding({ type: 'extract', values: items.map(({ value }) => value), items, ...shared })
}

/** To a ten-thousandth: edges are in thousandths of a pixel, and half of one is not to come out as 0.49999999. */
function middle(from: number, to: number): number {
  return Math.round((from + to) * 5000) / 10_000
}

function centerOf([left, top, right, bottom]: Coordinates): Point {
  return [middle(left, right), middle(top, bottom)]
}

function boxItem(box: Box, image: SentImage): BoxItem {
  const coordinates = image.toSentPixels(box.edges)
  return { coordinates, center: centerOf(coordinates), confidence: readConfidence(box.logProbability) }
}

function* runBox({ branch, isMany }: Asking, context: QuestionContext): QuestionCoroutine<QuestionResult<BoxAnswer | BoxManyAnswer>> {
  const finding = (answer: BoxAnswer | BoxManyAnswer) => ({ answer, report: null, decisions: {} })
  const image = context.image(branch.image)
  if (image === null) throw new TypeError('Coordinates were asked of no image; the plan must refuse that.')
  const shared = { type: 'extract', image_size: image.size } as const
  // The model is told which image, also when there is only one.
  const reply = yield* read({ ...branch, image: image.id }, { type: 'box', many: isMany })
  if (reply.type === 'failed') {
    const failed = { ...shared, valid: false, error: reply.error.message, confidence: PROBABILITY_FLOOR }
    return finding(isMany ? { ...failed, boxes: [] } : { ...failed, coordinates: null, center: null })
  }
  if (reply.type !== 'boxes') throw new TypeError(`A box read gave ${reply.type}.`)
  const boxes = reply.boxes.map((box) => boxItem(box, image))
  const confidence = readConfidence(reply.logProbability)
  if (isMany) return finding({ ...shared, boxes, valid: true, confidence })
  const [box] = boxes
  return finding({ ...shared, coordinates: box?.coordinates ?? null, center: box?.center ?? null, valid: true, confidence })
}

export const extract: QuestionKind = {
  type: 'extract',
  check(input, checker) {
    const question = checked(schema, input, checker)
    if (question === null) return null
    const kind = question.kind ?? 'text'
    const isChecked = question.self_check ?? false
    if (kind === 'coordinates' && isChecked) {
      const message = 'self_check of a box is not in this version; leave it out, or ask a noul about what the box should show.'
      checker.report({ code: 'capability_not_supported', param: pointer(checker.param, 'self_check'), message })
      return null
    }
    const branch: Branch = {
      readout: 'read',
      instructions: instructionsOf(question.instructions, checker),
      candidates: [],
      image: question.image ?? null,
    }
    const format = kind === 'coordinates' ? 'text' : kind
    const asking: Asking = { branch, format, isMany: question.many ?? false, isChecked }
    return kind === 'coordinates'
      ? asked('extract', question.image, checker, (context) => runBox(asking, context), { needsBoxes: true })
      : asked('extract', question.image, checker, (context) => runWords(asking, context))
  },
}
