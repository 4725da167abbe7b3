// The logits of the text reader to the lines of text in a picture: runs of steps that lie on the middle of a line,
// their letters by the best path of CTC (Graves et al. 2006), and where each letter stands. Shapes: R rows of 8 pixels,
// S steps of 2 pixels, C classes; see training/reading/reader.py.
import { mean } from '../../../../core/math.ts'
import type { Box } from '../../../backend.ts'
import { bestPath, ctcLogProbability, logProbabilitiesOf } from './ctc.ts'
import { corrected, type Lexicon } from './lexicon.ts'

/** A line of text in a picture, in fractions (0 to 1) of the picture. */
export interface TextLine {
  readonly text: string
  /** Where its letters begin and end, from left to right: one number more than `text` has UTF-16 units. */
  readonly edges: readonly number[]
  readonly top: number
  readonly bottom: number
}

/** The box of a line, or of its letters from `start` to `end`: left, top, right, bottom in fractions. */
export function lineBox({ edges, top, bottom }: TextLine, start = 0, end = edges.length - 1): Box['edges'] {
  return [edges[start] as number, top, edges[end] as number, bottom]
}

/** Logits of one picture. */
export interface LineLogits {
  /** [R][S][C]: class 0 is the blank, 1 a space, then the letters in their order, last any other one. */
  readonly letters: Float32Array
  /** [R][S]: whether the row is the middle of a line of text there. */
  readonly lines: Float32Array
  /** [R][S / 2][2]: from the middle of the row up to the top of the line and down to its bottom, in rows. */
  readonly edges: Float32Array
  readonly rows: number
  readonly steps: number
}

/** The classes beside those of the letters: the blank, a space, and any letter that has no class. */
export const CLASSES_BESIDE_LETTERS = 3
const SPACE_CLASS = 1
const FIRST_LETTER_CLASS = 2
/** Stands for a letter that has no class. */
const UNKNOWN_LETTER = '\ufffd'
/** Steps inside a line that may be missing from it. */
const LARGEST_GAP_STEPS = 3
/** Steps added to both ends of a line, which is found a little short of its first and last letter. */
const MARGIN_STEPS = 2
const FEWEST_STEPS = 2
const STEPS_PER_COLUMN = 2
/** The least height of a line above and below the middle of its row, in rows. */
const LEAST_REACH_ROWS = 0.25
/** The most runs that are looked at, so that a picture made to look like many lines costs no more time. */
const MOST_RUNS = 1000
/** Lines in neighbouring rows whose heights overlap by more than this share of the lower one are the same line. */
const LEAST_SHARED_HEIGHT = 0.4
/**
 * The least mean log-probability of the letters of a line; a line below it is guessed rather than read, and is left
 * out.
 */
const LEAST_MEAN_LOG_PROBABILITY = Math.log(0.4)

interface LineRun {
  readonly row: number
  readonly first: number
  readonly end: number
  readonly weight: number
  /** In rows. */
  readonly top: number
  readonly bottom: number
}

/**
 * Lines in reading order: from top to bottom, and from left to right where they stand beside each other. Words near
 * those of the lexicon are corrected.
 */
export function linesOf(logits: LineLogits, alphabet: string, lexicon: Lexicon): TextLine[] {
  const runs = withoutDuplicates(runsOf(logits))
  const lines = runs.flatMap((run) => {
    const before = Math.max(0, ...runs.filter((other) => beside(other, run) && other.end <= run.first).map(({ end }) => end))
    const after = Math.min(logits.steps, ...runs.filter((other) => beside(other, run) && other.first >= run.end).map(({ first }) => first))
    const wide = { ...run, first: Math.max(before, run.first - MARGIN_STEPS), end: Math.min(after, run.end + MARGIN_STEPS) }
    const line = readRun(logits, wide, alphabet, lexicon)
    return line === null ? [] : [line]
  })
  return inReadingOrder(lines)
}

function runsOf({ lines, edges, rows, steps }: LineLogits): LineRun[] {
  const runs: LineRun[] = []
  for (let row = 0; row < rows; row++) {
    let first = -1
    let last = -1
    const close = (): void => {
      if (first >= 0 && last + 1 - first >= FEWEST_STEPS) runs.push(runOf(row, first, last + 1))
      first = -1
    }
    for (let step = 0; step < steps; step++) {
      if ((lines[row * steps + step] as number) <= 0) continue
      if (first >= 0 && step - last > LARGEST_GAP_STEPS + 1) close()
      if (first < 0) first = step
      last = step
    }
    close()
  }
  return runs

  function runOf(row: number, first: number, end: number): LineRun {
    let weight = 0
    for (let step = first; step < end; step++) weight += Math.max(0, lines[row * steps + step] as number)
    const columns = steps / STEPS_PER_COLUMN
    const own = (side: 0 | 1): number[] =>
      Array.from(
        { length: end - first },
        (_, i) => edges[(row * columns + Math.floor((first + i) / STEPS_PER_COLUMN)) * 2 + side] as number,
      )
    const [up, down] = [Math.max(LEAST_REACH_ROWS, median(own(0))), Math.max(LEAST_REACH_ROWS, median(own(1)))]
    return { row, first, end, weight, top: row + 0.5 - up, bottom: row + 0.5 + down }
  }
}

/** Of runs that are the same line, found in neighbouring rows, the one with the largest weight. */
function withoutDuplicates(runs: readonly LineRun[]): LineRun[] {
  const kept: LineRun[] = []
  const heaviest = [...runs].sort((a, b) => b.weight - a.weight).slice(0, MOST_RUNS)
  for (const run of heaviest) {
    const isKnown = kept.some((other) => {
      const wide = Math.min(run.end, other.end) - Math.max(run.first, other.first)
      const high = Math.min(run.bottom, other.bottom) - Math.max(run.top, other.top)
      return wide > 0 && high > LEAST_SHARED_HEIGHT * Math.min(run.bottom - run.top, other.bottom - other.top)
    })
    if (!isKnown) kept.push(run)
  }
  return kept
}

function beside(a: LineRun, b: LineRun): boolean {
  return a !== b && a.bottom > b.row + 0.5 && a.top < b.row + 0.5
}

/** A letter and the steps in which it was read. */
interface ReadLetter {
  readonly letter: string
  readonly from: number
  readonly to: number
  readonly logProbability: number
}

function readRun(
  { letters, rows, steps }: LineLogits,
  { row, first, end, top, bottom }: LineRun,
  alphabet: string,
  lexicon: Lexicon,
): TextLine | null {
  const classes = alphabet.length + CLASSES_BESIDE_LETTERS
  const logs = logProbabilitiesOf(letters, (row * steps + first) * classes, (row * steps + end) * classes, classes)
  const found = bestPath(logs, classes).map(({ label, from, to, logProbability }): ReadLetter => {
    return {
      letter: label === SPACE_CLASS ? ' ' : (alphabet[label - FIRST_LETTER_CLASS] ?? UNKNOWN_LETTER),
      from: first + from,
      to: first + to,
      logProbability,
    }
  })
  while (found[0]?.letter === ' ') found.shift()
  while (found.at(-1)?.letter === ' ') found.pop()
  const meanLogProbability = mean(found.map(({ logProbability }) => logProbability))
  if (found.length === 0 || meanLogProbability < LEAST_MEAN_LOG_PROBABILITY || found.every(({ letter }) => letter === UNKNOWN_LETTER))
    return null
  const logOf = (from: number, to: number) => (word: string) =>
    ctcLogProbability(
      logs.subarray(Math.max(0, from - 1 - first) * classes, Math.min(end - first, to + 1 - first) * classes),
      classes,
      [...word].map((letter) => (letter === ' ' ? SPACE_CLASS : alphabet.indexOf(letter) + FIRST_LETTER_CLASS)),
    )
  const read = knownWords(found, lexicon, logOf)
  const between = read.slice(1).map(({ from }, i) => ((read[i]?.to as number) + from) / 2)
  return {
    text: read.map(({ letter }) => letter).join(''),
    edges: [first, ...between, end].map((step) => step / steps),
    top: Math.max(0, top / rows),
    bottom: Math.min(1, bottom / rows),
  }
}

/**
 * The letters with words corrected by the lexicon. Where a word then has more or fewer letters, they share its steps
 * evenly.
 */
function knownWords(
  found: readonly ReadLetter[],
  lexicon: Lexicon,
  logOf: (from: number, to: number) => (word: string) => number,
): ReadLetter[] {
  const read: ReadLetter[] = []
  for (let i = 0; i < found.length; ) {
    let end = i
    while (end < found.length && /\p{L}/u.test(found[end]?.letter as string)) end++
    if (end === i) {
      read.push(found[i++] as ReadLetter)
      continue
    }
    const own = found.slice(i, end)
    const [from, to] = [own[0]?.from as number, own.at(-1)?.to as number]
    const word = own.map(({ letter }) => letter).join('')
    const better = corrected(word, lexicon, logOf(from, to))
    if (better === word) read.push(...own)
    else {
      const width = (to - from) / better.length
      read.push(...[...better].map((letter, k) => ({ letter, from: from + k * width, to: from + (k + 1) * width, logProbability: 0 })))
    }
    i = end
  }
  return read
}

function inReadingOrder(lines: readonly TextLine[]): TextLine[] {
  const ordered: TextLine[] = []
  let level: TextLine[] = []
  for (const line of [...lines].sort((a, b) => middle(a) - middle(b))) {
    const [head] = level
    if (head !== undefined && middle(line) > head.bottom - 0.25 * (head.bottom - head.top)) {
      ordered.push(...fromLeft(level))
      level = []
    }
    level.push(line)
  }
  return [...ordered, ...fromLeft(level)]
}

const middle = ({ top, bottom }: TextLine): number => (top + bottom) / 2

const fromLeft = (lines: readonly TextLine[]): TextLine[] => [...lines].sort((a, b) => (a.edges[0] as number) - (b.edges[0] as number))

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number
}
