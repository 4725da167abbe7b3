// Measures how a model is to be read (scoring.ts), by a few dozen short questions that need no state. There are two
// kinds, so that the prior is not estimated on the questions that are then counted:
//
//   binding   Which option equals "blue"?
//             One option is right; asked with the right one at every position.
//   prior     Which option was drawn from the hat?
//             No option is right, so the answer is the model's habit; asked with every option at every position.
//
// For yes and no there are statements that nobody can know, each with its denial. Nothing is random: the same model
// gives the same result.
import { createHash } from 'node:crypto'
import { logSoftmax, mean } from '../../core/math.ts'
import type { Branch, ScoreRow } from '../backend.ts'
import {
  BINDING_SIZES,
  divideOut,
  estimateLogPrior,
  LARGEST_PRIOR_SIZE,
  type ListScoring,
  readsSymbols,
  type Scoring,
  type SymbolBinding,
  type SymbolMeasurement,
  type SymbolReading,
  symbolsUpTo,
} from './scoring.ts'

/** Rows of a branch read by symbols as the model gives them; null when its symbols are not single tokens. */
export type AskSymbols = (branch: Branch) => Promise<readonly ScoreRow[] | null>

/** Called after each question with how many of `total` are done; a model that fails early ends early. */
export type ProbeProgress = (done: number, total: number) => void

const WORDS = ['blue', 'dog', 'seven', 'house', 'apple', 'river', 'green', 'chair', 'bread', 'cloud', 'horse', 'paper'] as const

/**
 * Binding items by number of candidates. Each is asked once per position of the right option: 8 + 16 + 16 questions.
 */
const BINDING_ITEMS: Readonly<Record<number, number>> = { 2: 4, 4: 4, 8: 2 }
/** Prior items for every number of candidates: their differences are treated as noise (`estimateLogPrior`). */
const DRAWN_ITEMS = 2
const SIZES: readonly number[] = Array.from({ length: LARGEST_PRIOR_SIZE - 1 }, (_, i) => i + 2)
const DRAWS = ['was drawn from the hat', 'is behind the closed door'] as const

const UNKNOWABLE = [
  ['The parcel is blue.', 'The parcel is not blue.'],
  ['The meeting is on Tuesday.', 'The meeting is not on Tuesday.'],
  ['The answer was given.', 'The answer was not given.'],
  ['There is a key in the drawer.', 'There is no key in the drawer.'],
] as const
const UNKNOWABLE_OPTIONS = [
  ['Which of these are in the parcel?', 'Which of these are not in the parcel?', 'lamp'],
  ['What did they talk about?', 'What did they not talk about?', 'price'],
  ['Which of these are open?', 'Which of these are closed?', 'shop'],
  ['Which of these were sold?', 'Which of these were not sold?', 'table'],
] as const

type Listed = 'exclusive' | 'ordinal'
const NOUNS: Readonly<Record<Listed, string>> = { exclusive: 'option', ordinal: 'level' }

const named = (name: string) => ({ name, description: null })

/**
 * One item as branches, [rotation]. Rotation r has word (i + r) mod count at position i, so the first word is at (count
 * - r) mod count.
 */
function rotationsOf(readout: Listed, instructions: string, words: readonly string[]): Branch[] {
  return words.map((_, r) => ({ readout, instructions, candidates: [...words.slice(r), ...words.slice(0, r)].map(named), image: null }))
}

/** Words for item `index`, in a cycle: items differ in their right option and in the options beside it. */
const wordsOf = (index: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => WORDS[(index * 5 + i) % WORDS.length] as string)

function bindingItems(readout: Listed, count: number): Branch[][] {
  return Array.from({ length: BINDING_ITEMS[count] as number }, (_, item) => {
    const words = wordsOf(item, count)
    return rotationsOf(readout, `Which ${NOUNS[readout]} equals "${words[0]}"?`, words)
  })
}

function drawnItems(readout: Listed, count: number): Branch[][] {
  return Array.from({ length: DRAWN_ITEMS }, (_, item) =>
    rotationsOf(readout, `Which ${NOUNS[readout]} ${DRAWS[item]}?`, wordsOf(item + 1, count)),
  )
}

const statementItems: readonly (readonly Branch[])[] = UNKNOWABLE.map((pair) =>
  pair.map((instructions) => ({ readout: 'binary', instructions, candidates: ['true', 'false'].map(named), image: null })),
)
const optionItems: readonly (readonly Branch[])[] = UNKNOWABLE_OPTIONS.map(([is, isNot, option]) =>
  [is, isNot].map((instructions) => ({ readout: 'independent', instructions, candidates: [named(option)], image: null })),
)

const LISTED = ['exclusive', 'ordinal'] as const
const drawn = (counts: readonly number[]): Branch[] =>
  LISTED.flatMap((readout) => counts.flatMap((count) => drawnItems(readout, count).flat()))
const later = drawn(SIZES.filter((count) => !BINDING_SIZES.includes(count)))
const everything = [
  ...drawn(BINDING_SIZES),
  ...LISTED.flatMap((readout) => BINDING_SIZES.flatMap((count) => bindingItems(readout, count).flat())),
  ...statementItems.flat(),
  ...optionItems.flat(),
  ...later,
]

/** Hash over all questions: another probe may find another way to read the same model. */
export const PROBE_HASH: string = createHash('sha256').update(JSON.stringify(everything)).digest('hex').slice(0, 16)

export interface ProbeOptions {
  /**
   * Also measure priors at sizes where binding is not measured. Default false: `readingOf` measures them when they are
   * first needed.
   */
  readonly everyPrior?: boolean
  readonly onProgress?: ProbeProgress
}

/** Asks one question after the other. What `ask` throws comes out. */
export async function probe(ask: AskSymbols, { everyPrior = false, onProgress = () => {} }: ProbeOptions = {}): Promise<SymbolMeasurement> {
  let done = 0
  const total = everyPrior ? everything.length : everything.length - later.length
  const counted: AskSymbols = async (branch) => {
    const rows = await ask(branch)
    if (rows !== null) onProgress(++done, total)
    return rows
  }
  const bindingOf = async (readout: Listed, count: number, logPrior: readonly number[]): Promise<SymbolBinding | null> => {
    const items = await firstRows(counted, bindingItems(readout, count))
    if (items === null) return null
    const rights = items.flatMap((rows) => rows.map((row, r) => isTop(divideOut(row, logPrior).logProbabilities, (count - r) % count)))
    const masses = items.flatMap((rows) => rows.map(({ mass }) => mass))
    const mass = Number(mean(masses).toFixed(4))
    return { count, asked: rights.length, right: rights.filter(Boolean).length, mass }
  }
  const listOf = async (readout: Listed): Promise<ListScoring> => {
    const found = new Map<number, readonly number[]>()
    const binding: SymbolBinding[] = []
    for (const count of BINDING_SIZES) {
      const logPrior = await priorOf(counted, drawnItems(readout, count))
      const size = logPrior === null ? null : await bindingOf(readout, count, logPrior)
      if (logPrior === null || size === null) break
      binding.push(size)
      // A model that cannot tell few apart will not tell more apart.
      if (symbolsUpTo({ binding }) < count) break
      found.set(count, logPrior)
    }
    const most = symbolsUpTo({ binding })
    for (const count of everyPrior ? SIZES.filter((size) => size <= most && !found.has(size)) : []) {
      const logPrior = await priorOf(counted, drawnItems(readout, count))
      if (logPrior !== null) found.set(count, logPrior)
    }
    return { binding, logPriors: Object.fromEntries(found) }
  }

  const exclusive = await listOf('exclusive')
  const ordinal = await listOf('ordinal')
  const binary = await priorOf(counted, statementItems)
  const independent = await priorOf(counted, optionItems)
  return { probe: PROBE_HASH, exclusive, ordinal, binary, independent }
}

/** Reads as measured. A prior that was not measured is measured when it is first needed, with the same result. */
export function readingOf(scoring: Scoring, ask: AskSymbols): SymbolReading {
  const asked = new Map<string, Promise<readonly number[] | null>>()
  return {
    readsSymbols: (branch) => readsSymbols(scoring, branch),
    async logPriorOf(branch) {
      const { readout, candidates } = branch
      if (readout === 'read') return null
      if (readout === 'binary' || readout === 'independent') return scoring[readout]
      const count = candidates.length
      const kept = scoring[readout].logPriors[count]
      if (kept !== undefined) return kept
      if (count < 2 || count > LARGEST_PRIOR_SIZE || !readsSymbols(scoring, branch)) return null
      const key = `${readout} ${count}`
      const asking = asked.get(key) ?? priorOf(ask, drawnItems(readout, count))
      asked.set(key, asking)
      // Not kept when it failed: the next question tries again.
      asking.catch(() => asked.delete(key))
      return asking
    },
  }
}

/** The first row of each answer, [item][rotation]; null as soon as symbols are not single tokens. */
async function firstRows(ask: AskSymbols, items: readonly (readonly Branch[])[]): Promise<ScoreRow[][] | null> {
  const all: ScoreRow[][] = []
  for (const rotations of items) {
    const rows: ScoreRow[] = []
    for (const branch of rotations) {
      const [row] = (await ask(branch)) ?? []
      if (row === undefined) return null
      rows.push(row)
    }
    all.push(rows)
  }
  return all
}

async function priorOf(ask: AskSymbols, items: readonly (readonly Branch[])[]): Promise<number[] | null> {
  const answers = await firstRows(ask, items)
  return answers === null ? null : estimateLogPrior(answers.map((rows) => rows.map(({ logProbabilities }) => logSoftmax(logProbabilities))))
}

const isTop = (values: readonly number[], at: number): boolean => values.every((value, i) => i === at || value < (values[at] as number))
