// Holds a calibration against the labels that came with the model, as if their questions were new: so the maps that
// answer questions without labels are judged, which labels of other questions could spoil.
import { mean } from '../../core/math.ts'
import { DECISION_READOUTS, type DecisionReadout } from '../../questions/shared/readouts.ts'
import { type Calibration, calibratorOf } from '../calibration.ts'
import { type Evidence, keyOf, samplesOf } from '../evidence/evidence.ts'
import { crossEntropy } from '../metrics/scores.ts'

/** The labels that came with a model, and the calibration that was fitted on them. */
export interface ShippedLabels {
  readonly evidence: readonly Evidence[]
  readonly calibration: Calibration
}

/** How much log-loss may rise on labels that came with the model, in nats a decision, in any read-out. */
export const MOST_SHIPPED_RISE = 0.01
/** Labels of a read-out that are looked at: enough to see such a rise, and soon done. */
const SAMPLE = 400

export interface ShippedRise {
  /** The read-out that loses most. */
  readonly readout: DecisionReadout
  /** Log-loss of the calibration minus that of the one that came with the model. */
  readonly rise: number
}

/** What a calibration loses on the labels that came with the model; null without any. */
export function shippedRise(calibration: Calibration, { evidence, calibration: shipped }: ShippedLabels): ShippedRise | null {
  const rises = DECISION_READOUTS.flatMap((readout): ShippedRise[] => {
    const own = evidence.filter((item) => item.readout === readout)
    if (own.length === 0) return []
    const step = Math.max(1, own.length / SAMPLE)
    const sample = Array.from({ length: Math.min(own.length, SAMPLE) }, (_, i) => own[Math.floor(i * step)]!)
    return [{ readout, rise: lossAsNew(sample, calibration) - lossAsNew(sample, shipped) }]
  })
  return rises.length === 0 ? null : rises.reduce((worst, one) => (one.rise > worst.rise ? one : worst))
}

/** Mean log-loss of first passes under the maps of their kinds: as if neither wording nor question were known. */
function lossAsNew(evidence: readonly Evidence[], calibration: Calibration): number {
  const calibrator = calibratorOf(calibration, calibration.model)
  const losses = evidence.map((item) => {
    const samples = samplesOf(item, 'single')
    const rows = samples.map(({ logProbabilities }) => logProbabilities)
    const { probabilities } = calibrator.calibrate({ ...keyOf(item), wording: '', question: '' }, 'single', rows, null)
    return mean(samples.map(({ target }, row) => crossEntropy(probabilities[row]!, target)))
  })
  return mean(losses)
}
