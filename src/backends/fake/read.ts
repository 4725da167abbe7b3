// What the fake reads: real substrings of the state, texts that fit their grammar, boxes inside their image. Which
// ones, a random stream decides.
import { EngineError } from '../../core/errors.ts'
import type { Piece, Prompt } from '../../core/types.ts'
import type { Box, Constraint, Grammar, Span, SpanFormat, UncountedGenerated } from '../backend.ts'
import type { Random } from './random.ts'

/** What a script says was read: the counts are the fake's. */
export type FakeRead = UncountedGenerated

/** The spans of each format that the fake finds; a real backend finds these and more. */
const FORMATS: Readonly<Record<SpanFormat, RegExp>> = {
  text: /\S+(?:[ \t]\S+){0,2}/g,
  int: /(?<![\d.,])\d{1,9}(?![\d.,]*\d)/g,
  number: /(?<![\d.,])\d{1,9}(?:\.\d{1,4})?(?![\d.,]*\d)/g,
  date: /(?<!\d)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?!\d)/g,
  email: /(?<![\w.@])[a-z]+@[a-z]+\.[a-z]{2,6}(?![\w@])/g,
  url: /https?:\/\/[a-z.]+(?:\/[a-z]+)*/g,
  money: /(?<![\d.,$€£])[$€£]\d{1,6}(?:\.\d{2})?(?![\d.,]*\d)/g,
}

/** How often the answer is "nothing there". */
const ABSENT_SHARE = 1 / 8

function logProbability(random: Random): number {
  return Math.log(0.05 + 0.94 * random.next())
}

function quotable(piece: Piece): piece is Extract<Piece, { type: 'text' }> & { source: Span['source'] } {
  return piece.type === 'text' && piece.source !== null
}

export function readSpans({ pieces }: Prompt, { many, format }: Extract<Constraint, { type: 'span' }>, random: Random): FakeRead {
  const found = pieces.filter(quotable).flatMap(({ text, source }) =>
    [...text.matchAll(FORMATS[format])].map((match): Span => {
      return { text: match[0], source, start: match.index, end: match.index + match[0].length, logProbability: 0 }
    }),
  )
  const wanted = found.length === 0 || random.next() < ABSENT_SHARE ? 0 : many ? 1 + random.below(Math.min(3, found.length)) : 1
  const picked = new Set<number>()
  while (picked.size < wanted) picked.add(random.below(found.length))
  // In reading order, which is the order they were found in.
  const spans = [...picked].sort((a, b) => a - b).map((i): Span => ({ ...found[i]!, logProbability: logProbability(random) }))
  const whole = spans.reduce((sum, span) => sum + span.logProbability, 0)
  return { type: 'spans', spans, logProbability: spans.length === 0 ? logProbability(random) : whole }
}

/** Throws `invalid_question` when the prompt does not hold the image. */
export function readBoxes({ pieces }: Prompt, asked: string | null, many: boolean, random: Random): FakeRead {
  const images = pieces.filter((piece) => piece.type === 'image').map(({ id }) => id)
  const image = asked ?? (images.length === 1 ? images[0]! : null)
  if (image === null || !images.includes(image)) {
    throw new EngineError(
      'invalid_question',
      `A box lies in one image, and ${JSON.stringify(asked)} of ${images.length} does not say which.`,
    )
  }
  const wanted = random.next() < ABSENT_SHARE ? 0 : many ? 1 + random.below(3) : 1
  const boxes = Array.from({ length: wanted }, (): Box => {
    const [left, top] = [random.next() * 0.8, random.next() * 0.8]
    const edges = [left, top, left + 0.05 + random.next() * 0.15, top + 0.05 + random.next() * 0.15] as const
    return { image, edges, logProbability: logProbability(random) }
  })
  const whole = boxes.reduce((sum, box) => sum + box.logProbability, 0)
  return { type: 'boxes', boxes, logProbability: boxes.length === 0 ? logProbability(random) : whole }
}

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'harbour']

function write(grammar: Grammar, random: Random): string {
  const digits = (count: number) => String(random.below(10 ** count)).padStart(count, '0')
  switch (grammar.type) {
    case 'text':
      return Array.from({ length: 1 + random.below(3) }, () => WORDS[random.below(WORDS.length)]!).join(' ')
    case 'int':
      return String(random.below(2001) - 1000)
    case 'number':
      return `${random.below(1000)}.${digits(2)}`
    case 'date':
      return `20${digits(2)}-0${1 + random.below(9)}-${10 + random.below(19)}`
    case 'enum':
      return grammar.values[random.below(grammar.values.length)] ?? ''
    case 'list': {
      const count = random.below(Math.min(4, grammar.maxItems + 1))
      return Array.from({ length: count }, () => write(grammar.item, random)).join('; ')
    }
  }
}

/** A token is a word. A text longer than the budget is cut, and marked as incomplete. */
export function writeGrammar(grammar: Grammar, maxTokens: number, random: Random): FakeRead {
  const text = write(grammar, random)
  const words = text.split(' ')
  const complete = words.length <= maxTokens
  return { type: 'text', text: complete ? text : words.slice(0, maxTokens).join(' '), complete, logProbability: logProbability(random) }
}
