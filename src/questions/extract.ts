// extract: quotes words as they stand in the state, finds a box in an image, or says that it is not there.
import { z } from 'zod'
import type { Box, Branch, Span, SpanFormat } from '../backends/backend.ts'
import { ExpressionError } from '../core/expression-values.ts'
import { PROBABILITY_FLOOR, readConfidence } from '../core/math.ts'
import { pointer } from '../core/pointer.ts'
import type { Json } from '../core/types.ts'
import type { Coordinates, KindTypes, Point, SeenAnswer, SpanAnswer } from '../wire/types.ts'
import { defineKind } from './kind.ts'
import { box, center, checkSchema, confidence, error, imageSize, seen, span, valid } from './shared/answer-schemas.ts'
import { gradeBox, gradeBoxes } from './shared/boxes.ts'
import { check } from './shared/check.ts'
import type { PlainForm, QuestionContext, QuestionImage, QuestionResult } from './shared/checked-question.ts'
import { type QuestionCoroutine, read } from './shared/coroutine.ts'
import { decideRead } from './shared/decide-read.ts'
import { noPlainValue, noProbability, PLAIN_BOX, PLAIN_READ, plainList, plainQuote } from './shared/expressions.ts'
import { base, checked, checkedQuestion, instructionsOf, selfCheck, strict } from './shared/fields.ts'
import { gradeOfRead, isRightRead, isSameValue } from './shared/grade.ts'
import type { FieldOf } from './shared/options.ts'
import type { Checked, OneOrMany } from './shared/read-types.ts'
import type { ReadReadout } from './shared/readouts.ts'
import { quotesToldByFields } from './shared/told-by-fields.ts'

const FORMATS = ['text', 'int', 'number', 'date', 'email', 'url', 'money'] as const
const KINDS = [...FORMATS, 'coordinates'] as const

const question = strict('an extract question', {
  type: z.literal('extract'),
  ...base,
  kind: z
    .enum(KINDS)
    .nullish()
    .describe('Default `text`. Values are verbatim spans of the state. `coordinates`: a box, in pixels of the picture as sent.'),
  many: z.boolean().nullish().describe('Every one of them instead of one; default false.'),
  self_check: selfCheck.describe('As for fill; not with `coordinates`.'),
}).meta({ id: 'ExtractQuestion', description: 'Point at words of the state, or at a place in a picture, or say that it is not there.' })

export type ExtractTextKind = (typeof FORMATS)[number]
export type ExtractKind = (typeof KINDS)[number]

/** Point at the words (or the box) in the state, or say that they are not there. */
export type ExtractQuestion = z.input<typeof question>

/**
 * `value` is verbatim, with a `span` where it stands in a text and `seen` where it was read in an image; null when it
 * is not there.
 */
export interface ExtractAnswer {
  readonly type: 'extract'
  readonly value: string | null
  readonly span?: SpanAnswer
  readonly seen?: SeenAnswer
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
  readonly check?: number
}

export interface ExtractItem {
  readonly value: string
  readonly span?: SpanAnswer
  readonly seen?: SeenAnswer
  readonly confidence: number
}

/** `values` in reading order; empty when there are none. */
export interface ExtractManyAnswer {
  readonly type: 'extract'
  readonly values: readonly string[]
  readonly items: readonly ExtractItem[]
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
  readonly check?: number
}

export interface BoxAnswer {
  readonly type: 'extract'
  readonly coordinates: Coordinates | null
  readonly center: Point | null
  /** width, height of the image as sent. */
  readonly image_size: Point
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
}

export interface BoxItem {
  readonly coordinates: Coordinates
  readonly center: Point
  readonly confidence: number
}

export interface BoxManyAnswer {
  readonly type: 'extract'
  readonly boxes: readonly BoxItem[]
  readonly image_size: Point
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
}

type AnyExtractAnswer = ExtractAnswer | ExtractManyAnswer | BoxAnswer | BoxManyAnswer

const type = z.literal('extract')
const where = { span: span.optional(), seen: seen.optional() }

const extractAnswer: z.ZodType<ExtractAnswer> = z
  .object({
    type,
    value: z.string().nullable().describe('Verbatim. Null when it is not there, which is valid.'),
    ...where,
    valid,
    error,
    confidence,
    check: checkSchema,
  })
  .meta({ id: 'ExtractAnswer', description: 'Words as they stand in the state.' })

const extractManyAnswer: z.ZodType<ExtractManyAnswer> = z
  .object({
    type,
    values: z.array(z.string()).readonly().describe('Verbatim, in reading order; empty when there are none.'),
    items: z
      .array(z.object({ value: z.string(), ...where, confidence }).describe('One of them.'))
      .readonly()
      .describe('The same with their places.'),
    valid,
    error,
    confidence,
    check: checkSchema,
  })
  .meta({ id: 'ExtractManyAnswer', description: 'With `many`: all of them.' })

const boxAnswer: z.ZodType<BoxAnswer> = z
  .object({ type, coordinates: box.nullable(), center: center.nullable(), image_size: imageSize, valid, error, confidence })
  .meta({ id: 'BoxAnswer', description: 'Kind `coordinates`: a place in a picture.' })

const boxManyAnswer: z.ZodType<BoxManyAnswer> = z
  .object({
    type,
    boxes: z
      .array(z.object({ coordinates: box, center, confidence }).describe('A place.'))
      .readonly()
      .describe('Best first.'),
    image_size: imageSize,
    valid,
    error,
    confidence,
  })
  .meta({ id: 'BoxManyAnswer', description: 'Kind `coordinates` with `many`: all places.' })

type ExtractAnswerOf<Q> = [FieldOf<Q, 'kind'>] extends ['coordinates']
  ? OneOrMany<Q, BoxAnswer, BoxManyAnswer>
  : 'coordinates' extends FieldOf<Q, 'kind'>
    ? OneOrMany<Q, Checked<ExtractAnswer, Q> | BoxAnswer, Checked<ExtractManyAnswer, Q> | BoxManyAnswer>
    : OneOrMany<Q, Checked<ExtractAnswer, Q>, Checked<ExtractManyAnswer, Q>>

interface ExtractTypes extends KindTypes {
  readonly question: ExtractQuestion
  readonly answer: AnyExtractAnswer
  readonly typed: ExtractAnswerOf<this['asked']>
}

declare module '../wire/types.ts' {
  interface QuestionKinds {
    readonly extract: ExtractTypes
  }
}

interface ExtractRead {
  readonly branch: Branch
  readonly format: SpanFormat
  readonly isMany: boolean
  readonly isChecked: boolean
}

/**
 * Where a span stands, as an answer says it: in a text (without `part` for part 0, without `path` for the text itself),
 * or in an image.
 */
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

function readoutOf(isFound: boolean): ReadReadout {
  return isFound ? 'quote' : 'not_there'
}

function* runWords({ branch, format, isMany, isChecked }: ExtractRead, context: QuestionContext): QuestionCoroutine<QuestionResult<Words>> {
  const told = context.usesLogic && format === 'text' ? quotesToldByFields(branch.instructions, isMany, context) : null
  const reply = told ?? (yield* read(branch, { type: 'span', many: isMany, format }))
  if (reply.type === 'failed') {
    const failed = { type: 'extract', valid: false, error: reply.error.message, confidence: PROBABILITY_FLOOR } as const
    return { answer: isMany ? { ...failed, values: [], items: [] } : { ...failed, value: null }, report: null, decisions: {} }
  }
  if (reply.type !== 'spans') throw new TypeError(`A span read gave ${reply.type}.`)
  const { spans } = reply
  const found = spans.length === 0 ? null : isMany ? spans.map(({ text }) => text).join('; ') : spans[0]!.text
  const readout = readoutOf(found !== null)
  const own = decideRead(branch, readout, found, reply.logProbability, context)
  const confirmed = isChecked ? yield* check(branch, { value: found, readout, row: own.decision.single[0]! }, context) : null
  const { report, decision } = confirmed ?? own
  const finding = (answer: Words): QuestionResult<Words> => ({ answer, report, decisions: { '': decision } })
  const shared = {
    valid: true,
    confidence: own.confidence,
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

/** Rounds to a ten-thousandth: edges are in thousandths of a pixel, and half of one must not become 0.49999999. */
function middle(from: number, to: number): number {
  return Math.round((from + to) * 5000) / 10_000
}

function centerOf([left, top, right, bottom]: Coordinates): Point {
  return [middle(left, right), middle(top, bottom)]
}

function boxItem(box: Box, image: QuestionImage): BoxItem {
  const coordinates = image.toSentPixels(box.edges)
  return { coordinates, center: centerOf(coordinates), confidence: readConfidence(box.logProbability) }
}

function* runBox({ branch, isMany }: ExtractRead, context: QuestionContext): QuestionCoroutine<QuestionResult<BoxAnswer | BoxManyAnswer>> {
  const finding = (answer: BoxAnswer | BoxManyAnswer) => ({ answer, report: null, decisions: {} })
  const image = context.image(branch.image)
  if (image === null) throw new TypeError('Coordinates were asked of no image; requirementFaults must refuse that.')
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

/** What is never a number by itself. */
const PLAIN_QUOTES: ReadonlyMap<string, PlainForm> = new Map(
  Object.entries({ money: 'an amount with its currency, a text', email: 'an address, a text', url: 'an address, a text' }).map(
    ([kind, is]) => [kind, plainQuote(is)],
  ),
)

defineKind<AnyExtractAnswer>({
  type: 'extract',
  title: 'Point at it',
  summary: 'quote words from the state, or find a box in a picture',
  question,
  answers: [extractAnswer, extractManyAnswer, boxAnswer, boxManyAnswer],
  isRead: true,
  flags: [
    { name: 'extract', placeholder: '<words>', description: 'quote it from the state', takes: 'words', example: 'The order number' },
    {
      name: 'box',
      placeholder: '<words>',
      description: 'where in the picture, in pixels?',
      takes: 'words',
      example: 'The order number',
      fields: { kind: 'coordinates' },
    },
  ],
  form: {
    placeholder: 'What to look for in the state',
    fields: [
      { field: 'kind', control: 'select', label: 'Kind', values: KINDS },
      { field: 'many', control: 'tick', label: 'every one of them' },
      { field: 'self_check', control: 'tick', label: 'check itself', unless: ['kind', 'coordinates'] },
    ],
  },
  check(input, checker) {
    const given = checked(question, input, checker)
    if (given === null) return null
    const kind = given.kind ?? 'text'
    const isChecked = given.self_check ?? false
    if (kind === 'coordinates' && isChecked) {
      const message = 'self_check of a box is not in this version; leave it out, or ask a noul about what the box should show.'
      checker.report({ code: 'capability_not_supported', param: pointer(checker.param, 'self_check'), message })
      return null
    }
    const branch: Branch = {
      readout: 'read',
      instructions: instructionsOf(given.instructions, checker),
      candidates: [],
      image: given.image ?? null,
    }
    const format = kind === 'coordinates' ? 'text' : kind
    const wanted: ExtractRead = { branch, format, isMany: given.many ?? false, isChecked }
    return kind === 'coordinates'
      ? checkedQuestion('extract', given.image, checker, (context) => runBox(wanted, context), {
          needsBoxes: true,
          plain: wanted.isMany ? plainList(false) : PLAIN_BOX,
        })
      : checkedQuestion('extract', given.image, checker, (context) => runWords(wanted, context), {
          plain: wanted.isMany ? plainList(false) : (PLAIN_QUOTES.get(kind) ?? PLAIN_READ),
        })
  },
  truth: 'the value; a box as [left, top, right, bottom] in pixels',
  truthFields: ['value', 'values', 'coordinates', 'boxes', 'extract'],
  /** A null says "not there". */
  readTruth: (truth) => truth,
  grade(given, truth, accept) {
    if ('boxes' in given)
      return gradeBoxes(
        given,
        given.boxes.map(({ coordinates }) => coordinates),
        truth,
      )
    if ('coordinates' in given) return gradeBox(given, given.coordinates, truth)
    if ('values' in given) {
      const isRight = [truth, ...accept].some((one) => one === true || isSameValue(sorted(listed(one)), sorted(given.values)))
      return gradeOfRead(given, readoutOf(given.values.length > 0), given.values, Number(isRight))
    }
    if (typeof truth === 'object' && truth !== null) return null
    return gradeOfRead(given, readoutOf(given.value !== null), given.value, Number(isRightRead(given.value, [truth, ...accept])))
  },
  valueOf(given, id) {
    if (listOf(given) !== null) return noPlainValue(id)
    if ('coordinates' in given) throw new ExpressionError(`"${id}" is a box; use has(${id})`)
    return 'value' in given && given.valid ? given.value : null
  },
  probabilityOf: (_answer, id) => noProbability(id),
  listOf,
  confidenceOf: ({ confidence }) => confidence,
  isThere(given) {
    if (!given.valid) return false
    const list = listOf(given)
    if (list !== null) return list.length > 0
    return 'coordinates' in given ? given.coordinates !== null : 'value' in given && given.value !== null
  },
  view(given) {
    const values =
      'boxes' in given
        ? given.boxes.map(({ coordinates }) => inBrackets(coordinates))
        : 'coordinates' in given
          ? boxWords(given)
          : 'values' in given
            ? given.values
            : given.value === null || given.value === ''
              ? []
              : [given.value]
    return { bars: [], values, notes: 'image_size' in given ? [`in an image of ${given.image_size.join(' x ')} pixels`] : [], args: {} }
  },
  takesSelfCheck: ({ kind }) => kind !== 'coordinates',
})

/** Found values or boxes; null for one. */
function listOf(given: AnyExtractAnswer): readonly unknown[] | null {
  return 'values' in given ? given.values : 'boxes' in given ? given.boxes : null
}

/** The values that a truth names; none where nothing is there. */
function listed(truth: Json): readonly Json[] {
  return truth === null ? [] : Array.isArray(truth) ? truth : [truth]
}

function sorted(values: readonly unknown[]): string[] {
  return values.map((value) => String(value).trim().toLowerCase()).sort()
}

/** Pixels to a tenth. */
function inBrackets(edges: readonly number[]): string {
  return `[${edges.map((edge) => Math.round(edge * 10) / 10).join(', ')}]`
}

function boxWords({ coordinates, center }: BoxAnswer): readonly string[] {
  if (coordinates === null) return []
  return [`${inBrackets(coordinates)}${center === null ? '' : `, center ${inBrackets(center)}`}`]
}
