// Sets and abstention: what can be promised of a decision beyond its probabilities, from calibrated decisions that no map had seen.
// A promise holds on average over decisions like those it was drawn from, not for each question by itself.
import { EngineError } from '../../core/errors.ts'
import type { DecisionKey, PredictionSets } from '../../questions/shared/decision.ts'
import type { Calibration, HeldOut } from '../calibration.ts'
import { abstentionThreshold, conformalSet, conformalThreshold } from './conformal.ts'

/** Each decision gets the set of candidates that cannot be ruled out; the true one is in it in this share of decisions. */
export interface SetOptions {
  /** Strictly between 0 and 1, for example .9. */
  readonly coverage: number
}

/** A decision is withheld when the answers that are given would otherwise be wrong more often than this. */
export interface AbstainOptions {
  /** Share of given answers that may be wrong, strictly between 0 and 1. */
  readonly maxRisk: number
  /** Probability that the promise fails; default .1. */
  readonly delta?: number
}

export interface CautionOptions {
  readonly sets?: SetOptions
  readonly abstain?: AbstainOptions
}

const NOTHING = {}

/** Throws `invalid_request` where the options make no sense, and later where a decision has too little data behind it. */
export function cautious(calibration: Calibration | null, { sets, abstain }: CautionOptions): PredictionSets {
  if (sets === undefined && abstain === undefined) return () => NOTHING
  if (sets !== undefined) requireShare('sets.coverage', sets.coverage)
  if (abstain !== undefined) {
    requireShare('abstain.maxRisk', abstain.maxRisk)
    if (abstain.delta !== undefined) requireShare('abstain.delta', abstain.delta)
  }
  const thresholds = new Map<string, number>()
  /** Once a read-out: a request may have hundreds of decisions. */
  const once = (name: string, find: () => number): number => {
    const known = thresholds.get(name)
    if (known !== undefined) return known
    const found = find()
    thresholds.set(name, found)
    return found
  }
  return (key, probabilities, names) => {
    const heldOut = heldOutOf(calibration, key)
    return {
      ...(sets === undefined
        ? {}
        : {
            set: namesInSet(
              key,
              probabilities,
              names,
              once(`set ${key.readout}`, () => setThreshold(heldOut, sets, key)),
            ),
          }),
      ...(abstain === undefined
        ? {}
        : { abstained: leastSure(probabilities) < once(`abstain ${key.readout}`, () => riskThreshold(heldOut, abstain, key)) }),
    }
  }
}

function requireShare(name: string, value: number): void {
  if (!(value > 0 && value < 1)) throw new EngineError('invalid_request', `${name} lies strictly between 0 and 1, received ${value}.`)
}

function heldOutOf(calibration: Calibration | null, { readout }: DecisionKey): HeldOut {
  const heldOut = calibration?.heldOut[readout]
  if (heldOut !== undefined) return heldOut
  const why =
    calibration === null ? 'no calibration of this model is loaded' : `the calibration has no labelled decisions of kind ${readout}`
  throw new EngineError('invalid_request', `Sets and abstention rest on labelled decisions, and ${why}; fit one with assay calibrate fit.`)
}

function setThreshold({ truth, count }: HeldOut, { coverage }: SetOptions, { readout }: DecisionKey): number {
  const threshold = conformalThreshold(truth, 1 - coverage)
  if (threshold !== null) return threshold
  const needed = Math.ceil(coverage / (1 - coverage) - 1e-6)
  // Of many, a calibration keeps some: then more labels would not help.
  const there = truth.length < count ? `a calibration keeps ${truth.length}; ask` : `there are ${count}; record more, or ask`
  const message = `A coverage of ${coverage} needs ${needed} labelled decisions of kind ${readout}, ${there} for less.`
  throw new EngineError('invalid_request', message)
}

function riskThreshold({ pairs, count }: HeldOut, { maxRisk, delta = 0.1 }: AbstainOptions, { readout }: DecisionKey): number {
  const threshold = abstentionThreshold(
    pairs.map(([confidence]) => confidence),
    pairs.map(([, isRight]) => isRight === 1),
    { maxRisk, delta },
  )
  if (threshold !== null) return threshold.threshold
  const message =
    `With ${count} labelled decisions of kind ${readout}, no confidence keeps the risk at ${maxRisk} with probability ${1 - delta}; ` +
    'record more, or allow more risk.'
  throw new EngineError('invalid_request', message)
}

/** Of independent options, those whose yes cannot be ruled out. */
function namesInSet(
  { readout }: DecisionKey,
  probabilities: readonly (readonly number[])[],
  names: readonly string[],
  threshold: number,
): string[] {
  if (readout === 'independent') return names.filter((_, row) => conformalSet(probabilities[row]!, threshold).includes(0))
  return conformalSet(probabilities[0]!, threshold).map((candidate) => names[candidate]!)
}

/** The confidence of the least sure row. */
function leastSure(probabilities: readonly (readonly number[])[]): number {
  return Math.min(...probabilities.map((row) => Math.max(...row)))
}
