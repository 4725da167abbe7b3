// What follows from the registry: the map of a read-out, the names that reports use, and the columns of a table of
// maps.
import type { DecisionReadout } from '../../questions/shared/decision.ts'
import type { CalibrationMap } from './map.ts'
import { MAPS } from './registry.ts'

/** The map of a read-out. Throws when the registry has none, which a test rules out. */
export function mapFor(readout: DecisionReadout): CalibrationMap {
  const map = MAPS.find(({ readouts }) => readouts.includes(readout))
  if (map === undefined) throw new Error(`no calibration map names the read-out ${readout}`)
  return map
}

/**
 * What `applied` of a calibration report may be. `identity`: no map. `blend`: a map with an isotonic mixture.
 * `learned`: a head learned from labels of the question.
 */
export const MAP_NAMES: readonly string[] = ['identity', ...MAPS.map(({ name }) => name), 'blend', 'learned']

/** A heading for each parameter of the map with the most, [parameter]. Headings of several maps are joined by "or". */
export const PARAMETER_HEADINGS: readonly string[] = Array.from(
  { length: Math.max(...MAPS.map(({ parameters }) => parameters.length)) },
  (_, i) => [...new Set(MAPS.flatMap(({ parameters }) => parameters[i]?.heading ?? []))].join(' or '),
)
