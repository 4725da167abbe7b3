// Makes reliability diagrams of labelled decisions, by read-out, with the calibration and without, as small plain JSON.
// Each decision is one event: the first of two candidates is true, or the most probable of several is right.
import { type Calibration, calibratorOf, type ModelCalibrator } from '../../calibration/calibration.ts'
import { type ScoredDistribution, scoredDistributions } from '../../calibration/compare.ts'
import type { Evidence, RecordedEvidence } from '../../calibration/evidence/evidence.ts'
import { wilson } from '../../calibration/metrics/intervals.ts'
import { calibrationBins } from '../../calibration/metrics/scores.ts'
import { smoothCalibrationError } from '../../calibration/metrics/smooth-ece.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import { DECISION_READOUTS } from '../../questions/shared/readouts.ts'
import type { ReadoutDiagrams, ReliabilityDiagram } from './replies.ts'

const POINTS = 10
/** Labels of one read-out below which points would be noise. */
const LEAST_LABELS = 20

type Labelled = Evidence & Partial<Pick<RecordedEvidence, 'features'>>

/** The diagrams of each read-out that has 20 labels. Weighted labels count once: a diagram shows what was seen. */
export function diagramsOf(evidence: readonly Labelled[], calibration: Calibration | null, model: CalibratedModel): ReadoutDiagrams[] {
  return DECISION_READOUTS.flatMap((readout) => {
    const items = evidence.filter((item) => item.readout === readout)
    if (items.length < LEAST_LABELS) return []
    const [before, after] = [null, calibration].map((one) => diagramOf(asAnswered(items, calibratorOf(one, model))))
    return [{ readout, labels: items.length, before: before!, after: after! }]
  })
}

/** Decisions as they were answered: after a second look where there was one. */
function asAnswered(items: readonly Labelled[], calibrator: ModelCalibrator): ScoredDistribution[] {
  const isOnce = (item: Labelled): boolean => item.deliberated === null
  const again = items.filter((item) => !isOnce(item))
  return [...scoredDistributions(items.filter(isOnce), calibrator, 'single'), ...scoredDistributions(again, calibrator, 'deliberated')]
}

function diagramOf(scored: readonly ScoredDistribution[]): ReliabilityDiagram {
  const p = scored.map(({ probability }) => probability)
  const y = scored.map(({ outcome }) => outcome)
  const points = calibrationBins(p, y, { bins: POINTS, by: 'mass' }).map(({ count, probability, frequency }) => {
    const [low, high] = wilson(frequency * count, count)
    return { predicted: probability, observed: frequency, count, low, high }
  })
  return {
    points,
    smooth_ece: smoothCalibrationError(p, y).value,
    log_loss: scored.reduce((sum, { logLoss }) => sum + logLoss, 0) / scored.length,
  }
}
