// Every calibration map, a line each. A read-out is fitted with the first map that names it; the last one is that of
// files that name none.
import { affine } from './affine.ts'
import type { CalibrationMap } from './map.ts'
import { temperature } from './temperature.ts'
import { tilt } from './tilt.ts'

export const MAPS: readonly CalibrationMap[] = [temperature, affine, tilt]
