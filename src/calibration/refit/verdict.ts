// Whether a new fit is served: it is held against what is served, on states that it did not see, and against the labels
// that came with the model. Says why, with the numbers.
import { argmax, mean } from '../../core/math.ts'
import type { CalibratedModel, PassMode } from '../../questions/shared/decision.ts'
import { nearestCandidate } from '../../questions/shared/truth.ts'
import { type Calibration, calibratorOf } from '../calibration.ts'
import { keyOf, samplesOf } from '../evidence/evidence.ts'
import { pairedDifference } from '../metrics/resampling.ts'
import { crossEntropy } from '../metrics/scores.ts'
import { weightedMean } from '../numerics/aligned.ts'
import type { HeldOutComparison } from '../outcomes/versions.ts'
import { MOST_SHIPPED_RISE } from './shipped-labels.ts'
import type { LabelledEvidence, Trial } from './trials.ts'

/**
 * Why the new fit is not served; null where it is not worse on states that it did not see. `areSeen`: what is served
 * may have been fitted on them.
 */
export function whyWorse(heldOut: HeldOutComparison, areSeen: boolean): string | null {
  if (heldOut.candidate <= heldOut.current) return null
  const seen = areSeen ? ' What is served was fitted on most of these labels, so it looks better than it is: label later answers.' : ''
  return `Worse: ${numbersOf(heldOut)}; what is served stays.${seen}`
}

/** Why the new fit is not served, by what it loses on labels that came with the model; null where that is allowed. */
export function whySpoiled(rise: number): string | null {
  return rise > MOST_SHIPPED_RISE ? `Worse on labels that came with the model (${nats(rise)}); what is served stays.` : null
}

/** Why it is served. `refusedRise`: what new maps of whole kinds would have lost there, where they were not taken. */
export function whyServed(heldOut: HeldOutComparison, refusedRise: number | null): string {
  const kept =
    refusedRise === null
      ? ''
      : ` Maps of whole kinds stay as they were: new ones would lose ${nats(refusedRise)} on labels that came with the model.`
  return `Not worse: ${numbersOf(heldOut)}.${kept}`
}

function numbersOf({ candidate, current, interval, labels }: HeldOutComparison): string {
  const difference = range(candidate - current, interval)
  return `held-out log-loss ${candidate.toFixed(4)} against ${current.toFixed(4)} (difference ${difference}, ${labels} labels)`
}

function nats(rise: number): string {
  return `${rise.toFixed(4)} nats a decision, ${MOST_SHIPPED_RISE} are allowed`
}

function range(difference: number, [low, high]: readonly [number, number]): string {
  const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`
  return `${signed(difference)}, 95 % ${signed(low)} to ${signed(high)}`
}

/** What each trial made, on what it did not see, beside what is served. */
export function compareHeldOut(
  judged: readonly (Pick<Trial, 'tested'> & { readonly made: Calibration })[],
  current: Calibration | null,
  model: CalibratedModel,
  bootstrap: { readonly resamples: number; readonly seed: number },
): HeldOutComparison {
  const tested = judged.flatMap(({ tested, made }) => tested.map((item) => ({ item, made })))
  const states = tested.map(({ item }) => item.state)
  const weights = tested.map(({ item }) => item.weight ?? 1)
  const ofCandidate = tested.map(({ item, made }) => scoreOf(item, made, model))
  const ofCurrent = tested.map(({ item }) => scoreOf(item, current, model))
  const losses = (scores: readonly Score[]): number[] => scores.map(({ loss }) => loss)
  const rights = (scores: readonly Score[]): number[] => scores.map(({ right }) => right)
  const { interval } = pairedDifference(losses(ofCandidate), losses(ofCurrent), states, { weights, ...bootstrap })
  return {
    labels: tested.length,
    states: new Set(states).size,
    current: weightedMean(losses(ofCurrent), weights),
    candidate: weightedMean(losses(ofCandidate), weights),
    interval,
    right: { current: weightedMean(rights(ofCurrent), weights), candidate: weightedMean(rights(ofCandidate), weights) },
  }
}

interface Score {
  /** Cross-entropy of the calibrated distributions of a decision, mean over its rows and pass modes. */
  readonly loss: number
  /** The share of them whose likeliest candidate is the true one. */
  readonly right: number
}

function scoreOf(item: LabelledEvidence, calibration: Calibration | null, model: CalibratedModel): Score {
  const calibrator = calibratorOf(calibration, model)
  const passModes: readonly PassMode[] = item.deliberated === null ? ['single'] : ['single', 'deliberated']
  const scores = passModes.flatMap((passMode) => {
    const samples = samplesOf(item, passMode)
    const rows = samples.map(({ logProbabilities }) => logProbabilities)
    const { probabilities } = calibrator.calibrate(keyOf(item), passMode, rows, item.features ?? null)
    return samples.map(({ target }, row) => ({
      loss: crossEntropy(probabilities[row]!, target),
      right: Number(argmax(probabilities[row]!) === nearestCandidate(item.truth[row]!)),
    }))
  })
  return { loss: mean(scores.map(({ loss }) => loss)), right: mean(scores.map(({ right }) => right)) }
}
