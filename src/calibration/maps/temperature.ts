// Temperature scaling, softmax(z / T), for one of several options. It keeps their order.
import { type CalibrationMap, INVERSE_TEMPERATURE } from './map.ts'

export const temperature: CalibrationMap = {
  name: 'temperature',
  readouts: ['exclusive'],
  parameters: [INVERSE_TEMPERATURE],
  fittedByDefault: 1,
  nameWithBiases: 'affine',
  columns: () => [],
  logOddsVariance: ([ofTemperature = 0], logOdds) => ofTemperature * logOdds ** 2,
}
