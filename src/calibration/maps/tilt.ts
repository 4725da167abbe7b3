// A temperature for an ordered scale, and a shift and a spread of its levels where the likeliest level may change.
import { type CalibrationMap, INVERSE_TEMPERATURE, LOGIT_BOUNDS, type MapParameter, shownAsIs } from './map.ts'

/** Of the level: above 0, higher levels become more probable. */
const SHIFT: MapParameter = {
  heading: 'shift',
  shown: shownAsIs,
  bounds: LOGIT_BOUNDS,
  prior: { mean: 0, variance: 0.25 ** 2 },
  passModeVariance: 0.3 ** 2,
  usualVariance: { kind: 0.3 ** 2, task: 0.5 ** 2, wording: 0.3 ** 2, question: 0.3 ** 2 },
  largestDeviation: 1,
}

/** Of the square of the level: above 0, levels at both ends become more probable. */
const SPREAD: MapParameter = {
  heading: 'spread',
  shown: shownAsIs,
  bounds: LOGIT_BOUNDS,
  prior: { mean: 0, variance: 0.1 ** 2 },
  passModeVariance: 0.1 ** 2,
  usualVariance: { kind: 0.1 ** 2, task: 0.2 ** 2, wording: 0.1 ** 2, question: 0.1 ** 2 },
  largestDeviation: 0.4,
}

export const tilt: CalibrationMap = {
  name: 'tilt',
  readouts: ['ordinal'],
  parameters: [INVERSE_TEMPERATURE, SHIFT, SPREAD],
  fittedByDefault: 1,
  /** The level and its square, the scale stretched to [-2, 2], where five levels are one apart. */
  columns(candidates) {
    const levels = Array.from({ length: candidates }, (_, k) => (candidates === 1 ? 0 : (4 * k) / (candidates - 1) - 2))
    return [levels, levels.map((x) => x * x)]
  },
  logOddsVariance: ([ofTemperature = 0], logOdds) => ofTemperature * logOdds ** 2,
}
