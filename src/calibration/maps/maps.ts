// What follows from the registry: the map of a read-out, the names that reports use, and the columns of a table of
// maps.
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import type { CalibrationMap } from './map.ts'
import { MAPS } from './registry.ts'

/** The map that a read-out is fitted with. Throws when the registry has none, which a test rules out. */
export function mapFor(readout: DecisionReadout): CalibrationMap {
  const [map] = mapsFor(readout)
  if (map === undefined) throw new Error(`no calibration map names the read-out ${readout}`)
  return map
}

/** Maps of a read-out by falling precedence. */
function mapsFor(readout: DecisionReadout): readonly CalibrationMap[] {
  return MAPS.filter(({ readouts }) => readouts.includes(readout))
}

/**
 * The map that a tree of this read-out was fitted with, by the name that the tree keeps; undefined when there is none.
 * A tree without a name was fitted with the last one of the registry, so that files stay valid when a map is added.
 */
export function findMapOf(readout: DecisionReadout, name: string | undefined): CalibrationMap | undefined {
  const maps = mapsFor(readout)
  return name === undefined ? maps.at(-1) : maps.find((map) => map.name === name)
}

/** As `findMapOf`. Throws where there is none, which the reader of calibration files rules out. */
export function mapOf(readout: DecisionReadout, name: string | undefined): CalibrationMap {
  const map = findMapOf(readout, name)
  if (map === undefined) throw new Error(`no calibration map ${name} names the read-out ${readout}`)
  return map
}

/** The name that a tree fitted with this map keeps. */
export function keptName({ name }: CalibrationMap, readout: DecisionReadout): { readonly map?: string } {
  return mapsFor(readout).at(-1)?.name === name ? {} : { map: name }
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
