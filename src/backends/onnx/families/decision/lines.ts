// What the text reader says of a picture, to the lines of text in it: runs of steps that lie on the middle of a line, their letters by the best path of CTC
// (Graves et al. 2006), and where each letter stands. Shapes: R rows of 8 pixels, S steps of 2 pixels, C classes; see training/vision/reader.py.

import type { Box } from '../../../backend.ts'
import { bestPath, ctcLogProbability, logProbabilitiesOf } from './ctc.ts'
import { corrected, type Lexicon } from './lexicon.ts'

/** A line of text in a picture, by fractions (0 to 1) of the picture. */
export interface ReadLine {
  readonly text: string
  /** Where its letters begin and end, from left to right: one more than `text` has UTF-16 units. */
  readonly edges: readonly number[]
  readonly top: number
  readonly bottom: number
}

/** The box of a line, or of its letters from `start` to `end`: left, top, right, bottom by fractions. */
export function lineBox({ edges, top, bottom }: ReadLine, start = 0, end = edges.length - 1): Box['edges'] {
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

/** Classes before those of the letters: 0 is the blank. What no class stands for is read as `UNKNOWN`. */
const SPACE = 1
const UNKNOWN = '\ufffd'
/** Steps of a letter that may be missed inside a line. */
const HOLE = 3
/** A line is found a little short of its first and last letter. */
const MARGIN = 2
const FEWEST_STEPS = 2
const STEPS_A_COLUMN = 2
/** Rows that a line goes up and down from the middle of its own at least. */
const LEAST_REACH = 0.25
/** A picture made to look like more lines than this costs no more time. */
const MOST_RUNS = 1000
/** Lines in rows beside each other whose boxes have this much in common are one. */
const SAME = 0.4
/** Mean log-probability of the letters below which a line is not read but guessed. */
const LEAST_SURE = Math.log(0.4)

interface Run {
  readonly row: number
  readonly first: number
  readonly end: number
  readonly weight: number
  /** In rows. */
  readonly top: number
  readonly bottom: number
}

/** Lines in reading order: from top to bottom, and from left to right where they stand beside each other. Words near those of the lexicon are taken for them. */
export function linesOf(logits: LineLogits, alphabet: string, lexicon: Lexicon): ReadLine[] {
  const runs = apart(runsOf(logits))
  const lines = runs.flatMap((run) => {
    const before = Math.max(0, ...runs.filter((other) => beside(other, run) && other.end <= run.first).map(({ end }) => end))
    const after = Math.min(logits.steps, ...runs.filter((other) => beside(other, run) && other.first >= run.end).map(({ first }) => first))
    const wide = { ...run, first: Math.max(before, run.first - MARGIN), end: Math.min(after, run.end + MARGIN) }
    const line = readRun(logits, wide, alphabet, lexicon)
    return line === null ? [] : [line]
  })
  return inReadingOrder(lines)
}

function runsOf({ lines, edges, rows, steps }: LineLogits): Run[] {
  const runs: Run[] = []
  for (let row = 0; row < rows; row++) {
    let first = -1
    let last = -1
    const close = (): void => {
      if (first >= 0 && last + 1 - first >= FEWEST_STEPS) runs.push(runOf(row, first, last + 1))
      first = -1
    }
    for (let step = 0; step < steps; step++) {
      if ((lines[row * steps + step] as number) <= 0) continue
      if (first >= 0 && step - last > HOLE + 1) close()
      if (first < 0) first = step
      last = step
    }
    close()
  }
  return runs

  function runOf(row: number, first: number, end: number): Run {
    let weight = 0
    for (let step = first; step < end; step++) weight += Math.max(0, lines[row * steps + step] as number)
    const columns = steps / STEPS_A_COLUMN
    const own = (side: 0 | 1): number[] =>
      Array.from({ length: end - first }, (_, i) => edges[(row * columns + Math.floor((first + i) / STEPS_A_COLUMN)) * 2 + side] as number)
    const [up, down] = [Math.max(LEAST_REACH, median(own(0))), Math.max(LEAST_REACH, median(own(1)))]
    return { row, first, end, weight, top: row + 0.5 - up, bottom: row + 0.5 + down }
  }
}

/** Of runs that are the same line, found in rows beside each other, the surest one. */
function apart(runs: readonly Run[]): Run[] {
  const kept: Run[] = []
  const surest = [...runs].sort((a, b) => b.weight - a.weight).slice(0, MOST_RUNS)
  for (const run of surest) {
    const isKnown = kept.some((other) => {
      const wide = Math.min(run.end, other.end) - Math.max(run.first, other.first)
      const high = Math.min(run.bottom, other.bottom) - Math.max(run.top, other.top)
      return wide > 0 && high > SAME * Math.min(run.bottom - run.top, other.bottom - other.top)
    })
    if (!isKnown) kept.push(run)
  }
  return kept
}

function beside(a: Run, b: Run): boolean {
  return a !== b && a.bottom > b.row + 0.5 && a.top < b.row + 0.5
}

/** A letter and the steps that say it. */
interface Letter {
  readonly letter: string
  readonly from: number
  readonly to: number
  readonly logProbability: number
}

function readRun(
  { letters, rows, steps }: LineLogits,
  { row, first, end, top, bottom }: Run,
  alphabet: string,
  lexicon: Lexicon,
): ReadLine | null {
  const classes = alphabet.length + 3
  const logs = logProbabilitiesOf(letters, (row * steps + first) * classes, (row * steps + end) * classes, classes)
  const found = bestPath(logs, classes).map(({ label, from, to, logProbability }): Letter => {
    return { letter: label === SPACE ? ' ' : (alphabet[label - 2] ?? UNKNOWN), from: first + from, to: first + to, logProbability }
  })
  while (found[0]?.letter === ' ') found.shift()
  while (found.at(-1)?.letter === ' ') found.pop()
  const sure = found.reduce((sum, { logProbability }) => sum + logProbability, 0) / found.length
  if (found.length === 0 || sure < LEAST_SURE || found.every(({ letter }) => letter === UNKNOWN)) return null
  const logOf = (from: number, to: number) => (word: string) =>
    ctcLogProbability(
      logs.subarray(Math.max(0, from - 1 - first) * classes, Math.min(end - first, to + 1 - first) * classes),
      classes,
      [...word].map((letter) => (letter === ' ' ? SPACE : alphabet.indexOf(letter) + 2)),
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

/** The letters with words that may be known ones put right; of a word with more or fewer letters they share its steps evenly. */
function knownWords(found: readonly Letter[], lexicon: Lexicon, logOf: (from: number, to: number) => (word: string) => number): Letter[] {
  const read: Letter[] = []
  for (let i = 0; i < found.length; ) {
    let end = i
    while (end < found.length && /\p{L}/u.test(found[end]?.letter as string)) end++
    if (end === i) {
      read.push(found[i++] as Letter)
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

function inReadingOrder(lines: readonly ReadLine[]): ReadLine[] {
  const ordered: ReadLine[] = []
  let level: ReadLine[] = []
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

const middle = ({ top, bottom }: ReadLine): number => (top + bottom) / 2

const fromLeft = (lines: readonly ReadLine[]): ReadLine[] => [...lines].sort((a, b) => (a.edges[0] as number) - (b.edges[0] as number))

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number
}
