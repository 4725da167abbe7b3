// Prediction sets and abstention: what can be promised of a decision beyond its probabilities, from held-out decisions.
// A promise holds on average over decisions like the held-out ones, not for each question by itself.
import { EngineError } from '../../core/errors.ts'
import type { DecisionKey, PredictionSets } from '../../questions/shared/decision.ts'
import { type DecisionReadout, isOfValue } from '../../questions/shared/readouts.ts'
import type { Calibration, HeldOut } from '../calibration.ts'
import { abstentionThreshold, conformalSet, conformalThreshold, requireShare } from './conformal.ts'

/** Asks for the set of candidates that cannot be ruled out. */
export interface CoverageOptions {
  /** Share of decisions whose set holds the true candidate, strictly between 0 and 1, for example 0.9. */
  readonly coverage: number
}

/** Asks to withhold answers, so that those given are wrong no more often than stated. */
export interface RiskOptions {
  /** Share of given answers that may be wrong, strictly between 0 and 1. */
  readonly maxRisk: number
  /** Probability that the promise fails; default 0.1. */
  readonly delta?: number
}

export interface PredictionSetOptions {
  readonly sets?: CoverageOptions
  readonly abstain?: RiskOptions
}

/** Decisions by their read-outs, in the words of the documents. */
const WORDS: Readonly<Partial<Record<DecisionReadout, string>>> = {
  binary: 'claims',
  composed: 'statements put together from others',
  compared: 'statements that compare a number or a day, or say what a field says',
  exclusive: 'choices',
  ordinal: 'scores',
  independent: 'selections',
}

/**
 * Makes the set and the abstention of each decision; reads and their checks get none. Throws `invalid_request` for
 * options out of range, and the result does so for a decision with too little data behind it.
 */
export function predictionSetsOf(calibration: Calibration | null, { sets, abstain }: PredictionSetOptions): PredictionSets {
  if (sets === undefined && abstain === undefined) return () => ({})
  if (sets !== undefined) requireShare('sets.coverage', sets.coverage)
  if (abstain !== undefined) {
    requireShare('abstain.maxRisk', abstain.maxRisk)
    if (abstain.delta !== undefined) requireShare('abstain.delta', abstain.delta)
  }
  // Each threshold is found once a read-out, since a request may have hundreds of decisions.
  const thresholds = new Map<string, number>()
  const once = (name: string, find: () => number): number => {
    const known = thresholds.get(name)
    if (known !== undefined) return known
    const found = find()
    thresholds.set(name, found)
    return found
  }
  return (key, probabilities, names) => {
    if (isOfValue(key.readout)) return {}
    const heldOut = heldOutOf(calibration, key)
    const set =
      sets &&
      namesInSet(
        key,
        probabilities,
        names,
        once(`set ${key.readout}`, () => setThreshold(heldOut, sets, key)),
      )
    const least = abstain && once(`abstain ${key.readout}`, () => riskThreshold(heldOut, abstain, key))
    return {
      ...(set === undefined ? {} : { set }),
      ...(least === undefined ? {} : { abstained: lowestConfidence(probabilities) < least }),
    }
  }
}

function heldOutOf(calibration: Calibration | null, { readout }: DecisionKey): HeldOut {
  const heldOut = calibration?.heldOut[readout]
  if (heldOut !== undefined) return heldOut
  const why = calibration === null ? 'no calibration of this model is loaded' : `the calibration has no labelled ${WORDS[readout]}`
  throw new EngineError('invalid_request', `Sets and abstention rest on labelled decisions, and ${why}; fit one with assay calibrate fit.`)
}

function setThreshold({ truth, count }: HeldOut, { coverage }: CoverageOptions, { readout }: DecisionKey): number {
  const threshold = conformalThreshold(truth, 1 - coverage)
  if (threshold !== null) return threshold
  const needed = Math.ceil(coverage / (1 - coverage) - 1e-6)
  // A calibration keeps a part of many held-out decisions; more labels would not help then.
  const there = truth.length < count ? `a calibration keeps ${truth.length}; ask` : `there are ${count}; record more, or ask`
  const message = `A coverage of ${coverage} needs ${needed} labelled ${WORDS[readout]}, ${there} for less.`
  throw new EngineError('invalid_request', message)
}

function riskThreshold({ pairs, count }: HeldOut, { maxRisk, delta = 0.1 }: RiskOptions, { readout }: DecisionKey): number {
  const threshold = abstentionThreshold(
    pairs.map(([confidence]) => confidence),
    pairs.map(([, isRight]) => isRight === 1),
    { maxRisk, delta },
  )
  if (threshold !== null) return threshold.threshold
  const message =
    `With ${count} labelled ${WORDS[readout]}, no confidence keeps the risk at ${maxRisk} with probability ${1 - delta}; ` +
    'record more, or allow more risk.'
  throw new EngineError('invalid_request', message)
}

/** Of independent options the set holds those whose yes cannot be ruled out. */
function namesInSet(
  { readout }: DecisionKey,
  probabilities: readonly (readonly number[])[],
  names: readonly string[],
  threshold: number,
): string[] {
  if (readout === 'independent') return names.filter((_, row) => conformalSet(probabilities[row]!, threshold).includes(0))
  return conformalSet(probabilities[0]!, threshold).map((candidate) => names[candidate]!)
}

/** The confidence of the least confident row. */
function lowestConfidence(probabilities: readonly (readonly number[])[]): number {
  return Math.min(...probabilities.map((row) => Math.max(...row)))
}
