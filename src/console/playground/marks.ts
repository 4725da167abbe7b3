// Finds what answers point at in the state: spans of its texts, and boxes on its pictures. It is pure.

import { pointerTokens } from '../../core/pointer.ts'
import { ownField } from '../../core/untrusted.ts'
import type { BoxAnswer, BoxManyAnswer, ExtractAnswer, ExtractManyAnswer } from '../../questions/index.ts'
import { isParts } from '../../wire/part-types.ts'
import type { Answer, Coordinates, SpanAnswer } from '../../wire/types.ts'

/** A stretch of one of the state's texts. `label`: the question; arguments as `question/argument`. */
export interface MarkedSpan {
  readonly label: string
  readonly at: SpanAnswer
  readonly confidence: number
}

/** A text of the state that has marks in it. `where` says which, for a person; empty when there is only one. */
export interface MarkedText {
  readonly where: string
  readonly segments: readonly Segment[]
}

/** A stretch with the same labels all through. */
export interface Segment {
  readonly text: string
  readonly labels: readonly string[]
}

export interface MarkedBox {
  readonly label: string
  /** Id of the image; null when the question named none. */
  readonly image: string | null
  readonly coordinates: Coordinates
  readonly size: readonly [number, number]
  readonly confidence: number
}

type Answers = Readonly<Record<string, Answer>>

/** Every answer with its name, arguments included. */
export function allAnswers(answers: Answers, within = ''): (readonly [string, Answer])[] {
  return Object.entries(answers).flatMap(([id, answer]) => {
    const name = `${within}${id}`
    const args = answer.type === 'choice' && answer.args !== undefined ? allAnswers(answer.args, `${name}/`) : []
    return [[name, answer] as const, ...args]
  })
}

export function spansOf(answers: Answers): MarkedSpan[] {
  return allAnswers(answers).flatMap(([label, answer]) => {
    if (answer.type !== 'extract') return []
    const { span, confidence } = answer as ExtractAnswer
    if (span !== undefined) return [{ label, at: span, confidence }]
    const { items = [] } = answer as Partial<ExtractManyAnswer>
    return items.flatMap(({ span: at, confidence: own }) => (at === undefined ? [] : [{ label, at, confidence: own }]))
  })
}

/** `imageOf`: the image a question names. */
export function boxesOf(answers: Answers, imageOf: (name: string) => string | null): MarkedBox[] {
  return allAnswers(answers).flatMap(([label, answer]): MarkedBox[] => {
    if (answer.type !== 'extract') return []
    if (!('image_size' in answer)) return seenIn(answer).map((box) => ({ label, ...box }))
    const { boxes, image_size: size } = answer as BoxManyAnswer
    const shared = { label, image: imageOf(label), size }
    if (boxes !== undefined) return boxes.map(({ coordinates, confidence }) => ({ ...shared, coordinates, confidence }))
    const { coordinates, confidence } = answer as BoxAnswer
    return coordinates === null ? [] : [{ ...shared, coordinates, confidence }]
  })
}

/** Values that were read in an image. */
function seenIn(answer: ExtractAnswer | ExtractManyAnswer): Omit<MarkedBox, 'label'>[] {
  const values = 'items' in answer ? answer.items : [answer]
  return values.flatMap(({ seen, confidence }) =>
    seen === undefined ? [] : [{ image: seen.image, coordinates: seen.coordinates, size: seen.image_size, confidence }],
  )
}

/**
 * The texts of a state that spans point into, in order, cut at the edges of the spans. Spans that point nowhere are
 * left out.
 */
export function markedTexts(state: unknown, spans: readonly MarkedSpan[]): MarkedText[] {
  const sources = new Map<string, { readonly where: string; readonly text: string; readonly spans: MarkedSpan[] }>()
  for (const span of spans) {
    const { part = 0, path } = span.at
    const text = textAt(state, part, path ?? null)
    if (text === null || span.at.start < 0 || span.at.end > text.length || span.at.start >= span.at.end) continue
    const key = `${part} ${path ?? ''}`
    const known = sources.get(key) ?? { where: whereOf(state, part, path ?? null), text, spans: [] }
    known.spans.push(span)
    sources.set(key, known)
  }
  return [...sources].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { where, text, spans: own }]) => ({ where, segments: cut(text, own) }))
}

function cut(text: string, spans: readonly MarkedSpan[]): Segment[] {
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ at }) => [at.start, at.end])])].sort((a, b) => a - b)
  return edges.slice(1).map((end, i) => {
    const start = edges[i]!
    const labels = spans.filter(({ at }) => at.start <= start && at.end >= end).map(({ label }) => label)
    return { text: text.slice(start, end), labels: [...new Set(labels)] }
  })
}

function whereOf(state: unknown, part: number, path: string | null): string {
  return [isParts(state) && state.length > 1 ? `part ${part + 1}` : '', path ?? ''].filter((word) => word !== '').join(' ')
}

/** The text of a part, or the string (or number) at a pointer in it; null when there is none. */
function textAt(state: unknown, part: number, path: string | null): string | null {
  const held = isParts(state) ? state[part] : undefined
  const content = isParts(state) ? (held?.type === 'text' ? held.text : held?.value) : part === 0 ? state : undefined
  let value: unknown = content
  for (const name of pointerTokens(path ?? '')) value = ownField(value, name)
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null
}
