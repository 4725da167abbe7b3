// Platt scaling for two candidates: the log-odds s become w s + c.
import { CHECK_READOUTS, READ_READOUTS } from '../../questions/shared/readouts.ts'
import { type CalibrationMap, INVERSE_TEMPERATURE, LOGIT_BOUNDS, type MapParameter, shownAsIs } from './map.ts'

/** Added to the log-odds. It differs more between tasks than the temperature does, since base rates differ. */
const BIAS: MapParameter = {
  heading: 'bias',
  shown: shownAsIs,
  bounds: LOGIT_BOUNDS,
  prior: { mean: 0, variance: 0.25 ** 2 },
  passModeVariance: 0.3 ** 2,
  usualVariance: { kind: 0.3 ** 2, task: 0.6 ** 2, wording: 0.3 ** 2, question: 0.3 ** 2 },
  largestDeviation: 1.2,
}

export const affine: CalibrationMap = {
  name: 'affine',
  readouts: ['binary', 'composed', 'compared', 'independent', ...CHECK_READOUTS, ...READ_READOUTS],
  parameters: [INVERSE_TEMPERATURE, BIAS],
  fittedByDefault: 2,
  columns: () => [[1, 0]],
  logOddsVariance: ([ofTemperature = 0, ofBias = 0], logOdds) => ofTemperature * logOdds ** 2 + ofBias,
}
