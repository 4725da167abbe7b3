// How a family points into a picture: what it is asked for, the form of its answer, and the numbers of the answer as
// boxes. Each family was trained on a way of its own: pixels of the picture as the encoder saw it, thousandths, bins.
import {
  type Automaton,
  anyNumber,
  type ByteExpression,
  bytes,
  compileExpression,
  either,
  literal,
  optional,
  sequence,
} from '../../../constraint/automaton.ts'
import type { Decoded } from '../../../constraint/decode.ts'
import { constrainTokens, type TokenConstraint, type TokenTrie } from '../../../constraint/token-trie.ts'
import { EngineError } from '../../../core/errors.ts'
import type { Picture, Prompt } from '../../../core/types.ts'
import type { Box } from '../../backend.ts'

export interface BoxFormat {
  /** The last lines of the question: how to answer. */
  ask(many: boolean): string
  /** What the answer may be. `opensWithSpace` is that of the prompt. */
  constraint(trie: TokenTrie, size: PictureSize, many: boolean, opensWithSpace: boolean): TokenConstraint
  /** A box in the answer: its four numbers (left, top, right, bottom) are the groups. Global. */
  readonly pattern: RegExp
  /** Which numbers mean the right and the bottom edge of the picture. */
  scale(size: PictureSize): readonly [number, number]
}

type PictureSize = Pick<Picture, 'width' | 'height'>

/** Tokens that one box, or many, may take: numbers may be written digit by digit. */
const BOX_TOKENS = 64
const MANY_BOXES_TOKENS = 512
export const tokensOfBoxes = (many: boolean): number => (many ? MANY_BOXES_TOKENS : BOX_TOKENS)

/** The picture that a box is asked for in. Throws `invalid_question` where none is named and there is not just one. */
export function pictureAsked({ pieces }: Prompt, image: string | null): { readonly id: string; readonly picture: Picture } {
  const pictures = pieces.flatMap((piece) => (piece.type === 'image' ? [piece] : []))
  const found = image === null && pictures.length === 1 ? pictures[0] : pictures.find(({ id }) => id === image)
  if (found !== undefined) return found
  throw new EngineError(
    'invalid_question',
    `a box is asked for in ${image ?? 'no picture'}; name one of ${pictures.map(({ id }) => id).join(', ') || 'none'}`,
  )
}

/**
 * The boxes of an answer in fractions of the picture, the surest first. Edges that the model put in the wrong order
 * change places.
 */
export function readBoxes(
  format: BoxFormat,
  { id, picture }: ReturnType<typeof pictureAsked>,
  decoded: Decoded,
  bytesOf: TokenConstraint['bytesOf'],
): Box[] {
  const [right, bottom] = format.scale(picture)
  const fraction = (value: string | undefined, of: number): number => Math.min(1, Math.max(0, Number(value) / of))
  const starts = startsOf(decoded, bytesOf)
  const boxes = [...decoded.text.matchAll(format.pattern)].map((match): Box => {
    const [x1, y1, x2, y2] = [1, 2, 3, 4].map((group) => fraction(match[group], group % 2 === 1 ? right : bottom)) as [
      number,
      number,
      number,
      number,
    ]
    const [from, to] = [match.index, match.index + match[0].length]
    const logProbability = decoded.steps.reduce(
      (sum, step, i) => ((starts[i] ?? Infinity) >= from && (starts[i] as number) < to ? sum + step.constrainedLogProbability : sum),
      0,
    )
    return { image: id, edges: [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)], logProbability }
  })
  return boxes.sort((a, b) => b.logProbability - a.logProbability)
}

/** Where each token begins in the text, which is plain ASCII here. */
function startsOf({ tokens }: Decoded, bytesOf: TokenConstraint['bytesOf']): number[] {
  let at = 0
  return tokens.map((token) => {
    const start = at
    at += bytesOf(token).length
    return start
  })
}

const DIGIT = bytes([0x30, 0x39])

/** Whole numbers from 0 to `most`, without zeros in front. */
export function wholeUpTo(most: number): ByteExpression {
  const digits = String(most)
  const repeated = (count: number): ByteExpression[] => new Array<ByteExpression>(count).fill(DIGIT)
  const ways: ByteExpression[] = []
  // Shorter numbers, then those that are smaller from some digit on, then the number itself.
  for (let length = 1; length < digits.length; length++)
    ways.push(length === 1 ? DIGIT : sequence(bytes([0x31, 0x39]), ...repeated(length - 1)))
  for (let at = 0; at < digits.length; at++) {
    const [least, below] = [at === 0 && digits.length > 1 ? 0x31 : 0x30, digits.charCodeAt(at) - 1]
    if (below >= least) ways.push(sequence(literal(digits.slice(0, at)), bytes([least, below]), ...repeated(digits.length - at - 1)))
  }
  return either(...ways, literal(digits))
}

/** Forms that are kept, by the numbers that may stand in them. */
const MOST_COMPILED = 64

/** How JSON says a box: its key, and its numbers. */
export interface JsonBoxes {
  readonly key: string
  /** Words that say what the numbers are. */
  readonly units: string
  readonly number: (most: number) => ByteExpression
  scale(size: PictureSize): readonly [number, number]
}

/** Boxes as a list in JSON, `[{"bbox_2d": [10, 20, 30, 40]}]`; an empty list where there is none. */
export function jsonBoxes({ key, units, number, scale }: JsonBoxes): BoxFormat {
  const compiled = new Map<string, Automaton>()
  const automatonOf = (size: PictureSize, many: boolean, opensWithSpace: boolean): Automaton => {
    const [right, bottom] = scale(size)
    const name = `${right} ${bottom} ${many} ${opensWithSpace}`
    let found = compiled.get(name)
    if (found === undefined) {
      const [x, y] = [number(right), number(bottom)]
      const comma = literal(', ')
      const box = sequence(literal(`{"${key}": [`), x, comma, y, comma, x, comma, y, literal(']}'))
      const list = many ? sequence(box, anyNumber(sequence(comma, box))) : box
      const space = opensWithSpace ? sequence() : optional(literal(' '))
      found = compileExpression(sequence(space, literal('['), optional(list), literal(']')))
      if (compiled.size >= MOST_COMPILED) compiled.clear()
      compiled.set(name, found)
    }
    return found
  }
  return {
    ask: (many) =>
      `${many ? 'Locate each of them' : 'Locate it'} in the picture. Answer in JSON: [{"${key}": [x1, y1, x2, y2]}]${units}. If it is not there, answer: []`,
    constraint: (trie, size, many, opensWithSpace) => constrainTokens(trie, automatonOf(size, many, opensWithSpace)),
    pattern: new RegExp(`\\{"${key}": \\[([\\d.]+), ([\\d.]+), ([\\d.]+), ([\\d.]+)\\]\\}`, 'g'),
    scale,
  }
}
