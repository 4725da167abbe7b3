// The calibration that is served and new evidence to the next one, and whether it may be served: only if it is not worse on states it did not see.
import { createHash } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import type { PassMode } from '../../questions/shared/decision.ts'
import { type CalibratedModel, type Calibration, calibratorOf, sealCalibration } from '../calibration.ts'
import { type DriftReference, driftReferenceOf, type Observation } from '../drift/reference.ts'
import { type FitOptions, fit as fitCalibration } from '../fit.ts'
import { learnHeads } from '../heads/learn.ts'
import { ENOUGH_LABELS, mergeCalibrations } from '../hierarchy/merge.ts'
import { pairedDifference } from '../metrics/resampling.ts'
import { type Evidence, samplesOf } from './evidence.ts'
import type { RecordedEvidence } from './outcomes.ts'

/** Log-loss in nats a decision, on held-out states, weighted as the evidence is. */
export interface HeldOutComparison {
  /** Decisions, and states they are about. */
  readonly labels: number
  readonly states: number
  /** Of what is served; of the candidate. */
  readonly current: number
  readonly candidate: number
  /** 95 % of candidate minus current, bootstrap by state. */
  readonly interval: readonly [number, number]
}

export interface RefitOptions {
  /** Share of states held out; default 0.2. */
  readonly heldOutShare?: number
  /** Held-out decisions below which nothing is decided; default 20. */
  readonly leastHeldOut?: number
  /** Labels after which one counts half, counted back from the newest; null (default) for all alike. 500 follows a drift. Evidence comes oldest first. */
  readonly halfLife?: number | null
  /** When what is served began to be, in milliseconds: decisions since then were not fitted on, and hold out by themselves when there are enough. */
  readonly servedSince?: number | null
  /** Evidence that is always fitted on and never held out: what the model's first calibration was fitted on. */
  readonly base?: readonly Evidence[]
  /** Recent decisions, labelled or not, that later ones are held against to see drift; default: the evidence. */
  readonly window?: Iterable<Observation>
  readonly fit?: FitOptions
  /** Of the bootstrap; default 1000 and 1. */
  readonly resamples?: number
  readonly seed?: number
}

export interface RefitResult {
  /** Fitted on all evidence when it is to be served; else on what was not held out. Null when there was too little to fit. */
  readonly candidate: Calibration | null
  readonly decision: 'serve' | 'keep'
  /** Null when too little was held out. */
  readonly heldOut: HeldOutComparison | null
  /** Why, with the numbers. */
  readonly reason: string
}

type Labelled = Evidence & Partial<Pick<RecordedEvidence, 'at' | 'hidden'>>

/**
 * Fits a candidate on four fifths of the states, holds it against `current` on the rest, and says whether to serve it. Deterministic.
 * `evidence` is of this model alone, oldest first; a `current` of another model counts as none. Without `base`, maps that the evidence says nothing
 * or less about are taken from `current`. A current calibration that was fitted on the held-out states is flattered, so the doubt is on the side of keeping.
 */
export function refit(
  current: Calibration | null,
  evidence: readonly Labelled[],
  model: CalibratedModel,
  options: RefitOptions = {},
): RefitResult {
  const { heldOutShare = 0.2, leastHeldOut = 20, halfLife = null, servedSince = null, base = [], resamples = 1000, seed = 1 } = options
  if (!(heldOutShare > 0 && heldOutShare < 1)) {
    throw new EngineError('invalid_request', `heldOutShare lies between 0 and 1, received ${heldOutShare}.`)
  }
  const before = calibratorOf(current, model).isMismatch ? null : current
  const weighted = halfLife === null ? evidence : forgetting(evidence, halfLife)
  const isOut = (item: Labelled): boolean => shareOf(item.state) < heldOutShare
  const rest = weighted.filter((item) => !isOut(item))
  const unseen = weighted.filter((item) => isOut(item) && servedSince !== null && (item.at ?? -Infinity) >= servedSince)
  const judged = unseen.length >= leastHeldOut ? unseen : weighted.filter(isOut)
  if (judged.length < leastHeldOut || rest.length === 0) {
    const needed = Math.ceil(leastHeldOut / heldOutShare)
    const reason = `${evidence.length} labels leave ${judged.length} held out, ${leastHeldOut} are needed; record outcomes until there are about ${needed}.`
    return { candidate: null, decision: 'keep', heldOut: null, reason }
  }

  // Who forgets does not let old maps outweigh what is left of new labels.
  const enough = Math.min(ENOUGH_LABELS, (halfLife ?? Infinity) / 2)
  const make = (items: readonly Labelled[]): Calibration => {
    const fitted = fitCalibration([...base, ...items.map(bare)], model, options.fit)
    return withHeads(base.length > 0 || before === null ? fitted : mergeCalibrations(before, fitted, enough), before, items)
  }
  const trial = make(rest)
  const states = judged.map(({ state }) => state)
  const weights = judged.map(({ weight = 1 }) => weight)
  const losses = [trial, before].map((calibration) => judged.map((item) => lossOf(item, calibration, model)))
  const [ofTrial, ofCurrent] = losses as [number[], number[]]
  const { mean: difference, interval } = pairedDifference(ofTrial, ofCurrent, states, { weights, resamples, seed })
  const heldOut: HeldOutComparison = {
    labels: judged.length,
    states: new Set(states).size,
    current: weightedMean(ofCurrent, weights),
    candidate: weightedMean(ofTrial, weights),
    interval,
  }
  const isServed = difference <= 0
  const reference = driftReferenceOf(options.window ?? evidence)
  const numbers = `held-out log-loss ${heldOut.candidate.toFixed(4)} against ${heldOut.current.toFixed(4)} (difference ${range(difference, interval)}, ${heldOut.labels} labels)`
  return {
    candidate: withReference(isServed ? make(weighted) : trial, reference),
    decision: isServed ? 'serve' : 'keep',
    heldOut,
    reason: isServed ? `Not worse: ${numbers}.` : `Worse: ${numbers}; what is served stays.`,
  }
}

/** Weights that halve every `halfLife` labels, the newest as it was. */
function forgetting(evidence: readonly Labelled[], halfLife: number): Labelled[] {
  if (!(halfLife > 0)) throw new EngineError('invalid_request', `halfLife is a number of labels above 0, received ${halfLife}.`)
  return evidence.map((item, i) => ({ ...item, weight: (item.weight ?? 1) * 0.5 ** ((evidence.length - 1 - i) / halfLife) }))
}

/** Where a state falls between 0 and 1: always the same, and independent of the folds of `fit`, which hash the state alone. */
function shareOf(state: string): number {
  return createHash('sha256').update(`held-out ${state}`).digest().readUInt32BE(0) / 2 ** 32
}

/** Evidence as `fit` knows it, without where it came from. */
function bare({ task, state, readout, hasImage, wording, question, single, deliberated, mass, truth, weight = 1 }: Evidence): Evidence {
  return { task, state, readout, hasImage, wording, question, single, deliberated, mass, truth, weight }
}

/** Cross-entropy of the calibrated distributions of a decision, mean over its rows and the regimes it has. */
function lossOf(item: Labelled, calibration: Calibration | null, model: CalibratedModel): number {
  const judge = calibratorOf(calibration, model)
  const regimes: readonly PassMode[] = item.deliberated === null ? ['single'] : ['single', 'deliberated']
  const losses = regimes.flatMap((regime) => {
    const samples = samplesOf(item, regime)
    const rows = samples.map(({ logProbabilities }) => logProbabilities)
    const key = { ...item, candidates: item.readout === 'independent' ? rows.length : (rows[0]?.length ?? 0) }
    const { probabilities } = judge.calibrate(key, regime, rows, item.hidden ?? null)
    return samples.map(({ target }, row) => target.reduce((sum, t, i) => (t > 0 ? sum - t * Math.log(probabilities[row]![i]!) : sum), 0))
  })
  return losses.reduce((a, b) => a + b, 0) / losses.length
}

/** The calibration with heads of the questions that have labels and features enough, and with those of before for the others. */
function withHeads(calibration: Calibration, before: Calibration | null, items: readonly Labelled[]): Calibration {
  const judge = calibratorOf(calibration, calibration.model)
  const { heads, tried } = learnHeads(
    items.map((item) => ({ evidence: bare(item), features: item.hidden ?? null })),
    {
      served(evidence) {
        const candidates = evidence.readout === 'independent' ? evidence.single.length : (evidence.single[0]?.length ?? 0)
        return judge.calibrate({ ...evidence, candidates }, 'single', evidence.single, null).probabilities
      },
    },
  )
  const isTried = new Set(tried.map(({ question }) => question))
  const kept = Object.entries(before?.heads ?? {}).filter(([question]) => !isTried.has(question))
  const all = { ...Object.fromEntries(kept), ...heads }
  const { heads: _, ...maps } = calibration
  return sealCalibration(Object.keys(all).length === 0 ? maps : { ...maps, heads: all })
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return values.reduce((sum, value, i) => sum + value * weights[i]!, 0) / weights.reduce((a, b) => a + b, 0)
}

function withReference(calibration: Calibration, reference: DriftReference): Calibration {
  return Object.keys(reference).length === 0 ? calibration : sealCalibration({ ...calibration, reference })
}

function range(difference: number, [low, high]: readonly [number, number]): string {
  const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`
  return `${signed(difference)}, 95 % ${signed(low)} to ${signed(high)}`
}
