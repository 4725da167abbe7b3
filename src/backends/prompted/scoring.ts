// How a model that answers by symbols is to be read: up to how many candidates it tells apart by symbol, and its prior
// over the symbols before it has read anything, which is divided out. Plain data from probe.ts, kept as `scoring.json`
// in a model folder, bound to the model and its prompts.
//
// Source of the prior: PriDe (Zheng et al. 2024, arXiv 2309.03882): P(symbol) ∝ prior(symbol) · P(candidate
// behind it). Over all rotations of the candidates every symbol stands for every candidate once, so the mean
// log-probability of a symbol is its log prior and a constant.
import { EngineError } from '../../core/errors.ts'
import { logSoftmax, logSumExp, mean, sum } from '../../core/math.ts'
import type { UntrustedObject } from '../../core/untrusted.ts'
import type { Branch, ScoreRow } from '../backend.ts'

export const SCORING_FILE = 'scoring.json'
const FORMAT = 'assay-scoring/1'

/**
 * Share of right answers from which on symbols are read: below it, a wrong symbol would be a large part of the model's
 * errors.
 */
const LEAST_BINDING_SHARE = 0.98
/** Numbers of candidates at which binding is measured. A model that passes the largest is taken to pass any number. */
export const BINDING_SIZES: readonly number[] = [2, 4, 8]
const LARGEST_BINDING_SIZE = BINDING_SIZES[BINDING_SIZES.length - 1] as number
/**
 * The largest number of candidates whose prior is measured. For more, which would take many more questions, no prior is
 * divided out.
 */
export const LARGEST_PRIOR_SIZE = 10

/** How a backend that was probed reads candidates. */
export interface SymbolReading {
  /**
   * Whether a branch is read by symbols (if it has any), rather than by the texts of its candidates. Yes and no always
   * are.
   */
  readsSymbols(branch: Branch): boolean
  /**
   * The log prior over the symbols of one row of a branch; null when there is none to divide out. May ask the model.
   */
  logPriorOf(branch: Branch): Promise<readonly number[] | null>
}

/** How well the model binds symbols to candidates, measured on trivial questions with one number of candidates. */
export interface SymbolBinding {
  readonly count: number
  /**
   * Questions asked, the right candidate at every position equally often, and how many were right once the prior was
   * divided out.
   */
  readonly asked: number
  readonly right: number
  /** Mean probability of all symbols together over these questions. */
  readonly mass: number
}

/** How lists of candidates are read. */
export interface ListScoring {
  /**
   * Ascending by count; ends at the first number that the model does not tell apart. Empty: its symbols are not single
   * tokens.
   */
  readonly binding: readonly SymbolBinding[]
  /**
   * By number of candidates, as far as it was measured: natural logarithms of probabilities that sum to one, by symbol.
   */
  readonly logPriors: { readonly [count: string]: readonly number[] }
}

export interface SymbolMeasurement {
  /** Hash over the questions that were asked. */
  readonly probe: string
  /** Letters. */
  readonly exclusive: ListScoring
  /** Digits. */
  readonly ordinal: ListScoring
  /** Log prior of [yes, no]; null when these are not single tokens. */
  readonly binary: readonly number[] | null
  readonly independent: readonly number[] | null
}

/**
 * A measurement and the model it was made on: `revision` and `templateHash` are those of the model before any scoring
 * is applied.
 */
export interface Scoring extends SymbolMeasurement {
  readonly format: typeof FORMAT
  readonly revision: string
  readonly templateHash: string
}

export type ScoredModel = Pick<Scoring, 'revision' | 'templateHash'>

export function scoringOf({ revision, templateHash }: ScoredModel, measured: SymbolMeasurement): Scoring {
  return { format: FORMAT, revision, templateHash, ...measured }
}

/** Whether symbols are told apart with this many candidates. */
export const binds = ({ asked, right }: SymbolBinding): boolean => right >= LEAST_BINDING_SHARE * asked

/**
 * The largest number of candidates that is read by symbols: 0 for none, Infinity where the largest that was tried is
 * told apart.
 */
export function symbolsUpTo({ binding }: Pick<ListScoring, 'binding'>): number {
  let most = 0
  for (const size of binding) {
    if (!binds(size)) break
    most = size.count === LARGEST_BINDING_SIZE ? Number.POSITIVE_INFINITY : size.count
  }
  return most
}

export function readsSymbols(scoring: Scoring, { readout, candidates }: Branch): boolean {
  return (readout !== 'exclusive' && readout !== 'ordinal') || candidates.length <= symbolsUpTo(scoring[readout])
}

/**
 * Divides a prior out of a row. The mass of all candidates together stays as it was: it shows how well the model kept
 * to the form.
 */
export function divideOut({ logProbabilities, mass }: ScoreRow, logPrior: readonly number[]): ScoreRow {
  const total = logSumExp(logProbabilities)
  const shares = logSoftmax(logProbabilities.map((logP, i) => logP - (logPrior[i] as number)))
  return { logProbabilities: shares.map((share) => share + total), mass }
}

/**
 * The log prior of symbols from log-probabilities [item][rotation][symbol], any normalisation; each item with all
 * rotations of its candidates. Differences between items are noise, and dividing noise out would add it to every
 * answer: with two items or more the prior is shrunk towards equal shares by the part of its spread that the spread
 * between items explains (James and Stein 1961, positive part).
 */
export function estimateLogPrior(items: readonly (readonly (readonly number[])[])[]): number[] {
  const ofItem = items.map((rotations) => {
    const means = (rotations[0] ?? []).map((_, symbol) => mean(rotations.map((row) => row[symbol] as number)))
    const middle = mean(means)
    return means.map((value) => value - middle)
  })
  const prior = (ofItem[0] ?? []).map((_, symbol) => mean(ofItem.map((one) => one[symbol] as number)))
  let keep = 1
  if (items.length > 1) {
    const squares = ofItem.flatMap((one) => one.map((value, symbol) => (value - (prior[symbol] as number)) ** 2))
    const noise = sum(squares) / (items.length - 1) / items.length
    const spread = sum(prior.map((value) => value ** 2))
    keep = spread === 0 ? 0 : Math.max(0, 1 - noise / spread)
  }
  // Rounded, so that a fresh measurement and one read from a file are the same numbers (adding zero turns -0 into 0).
  return logSoftmax(prior.map((value) => value * keep)).map((value) => Number(value.toFixed(4)) + 0)
}

/** Checks every field of a `scoring.json`. Throws `model_not_available`. */
export function parseScoring(json: UntrustedObject): Scoring {
  const wrong = (what: string): never => {
    throw new EngineError('model_not_available', `${SCORING_FILE} ${what}; write it again with \`assay models probe\`, or delete it`)
  }
  const text = (key: string): string => {
    const value = json[key]
    return typeof value === 'string' ? value : wrong(`has no ${key}`)
  }
  const logPrior = (value: unknown, count: number, what: string): number[] => {
    const isLogs = Array.isArray(value) && value.length === count && value.every((one) => typeof one === 'number' && one <= 0)
    return isLogs && Math.abs(logSumExp(value as number[])) < 1e-2
      ? (value as number[])
      : wrong(`has a log prior of ${what} that is not ${count} log-probabilities`)
  }
  const binding = (value: unknown, at: number, key: string): SymbolBinding => {
    const { asked, right, mass, count: found } = (value ?? {}) as { readonly [name: string]: unknown }
    const count = BINDING_SIZES[at] as number
    const isCount = (one: unknown): one is number => typeof one === 'number' && Number.isInteger(one) && one >= 0
    if (found !== count) return wrong(`has ${found} candidates at place ${at} of ${key}, ${count} were expected`)
    if (!isCount(asked) || !isCount(right) || asked === 0 || right > asked) return wrong(`has ${right} right of ${asked} asked in ${key}`)
    if (typeof mass !== 'number' || !(mass >= 0 && mass <= 1)) return wrong(`has the mass ${mass} in ${key}, 0 to 1 was expected`)
    return { count, asked, right, mass }
  }
  const list = (key: 'exclusive' | 'ordinal'): ListScoring => {
    const { binding: tried, logPriors } = (json[key] ?? {}) as { readonly [name: string]: unknown }
    if (!Array.isArray(tried) || tried.length > BINDING_SIZES.length) return wrong(`has no list ${key}.binding`)
    const sizes = tried.map((value, i) => binding(value, i, `${key}.binding`))
    const most = Math.min(LARGEST_PRIOR_SIZE, symbolsUpTo({ binding: sizes }))
    if (typeof logPriors !== 'object' || logPriors === null) return wrong(`has no ${key}.logPriors`)
    const priors = Object.entries(logPriors).map(([count, value]): [string, number[]] => {
      const isRead = Number.isInteger(Number(count)) && Number(count) >= 2 && Number(count) <= most
      if (!isRead) return wrong(`has a log prior of ${key} with ${count} candidates, of which at most ${most} are read by symbols`)
      return [count, logPrior(value, Number(count), `${key} with ${count} candidates`)]
    })
    return { binding: sizes, logPriors: Object.fromEntries(priors) }
  }
  const yesNo = (key: 'binary' | 'independent') => (json[key] === null ? null : logPrior(json[key], 2, key))
  if (json.format !== FORMAT) wrong(`has the format ${JSON.stringify(json.format) ?? 'none'}, ${FORMAT} was expected`)
  return scoringOf(
    { revision: text('revision'), templateHash: text('templateHash') },
    {
      probe: text('probe'),
      exclusive: list('exclusive'),
      ordinal: list('ordinal'),
      binary: yesNo('binary'),
      independent: yesNo('independent'),
    },
  )
}
