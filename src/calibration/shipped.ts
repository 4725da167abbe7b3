// The calibrations that come with the package, `calibration-data/<model>/calibration.json`. Each is bound to the
// weights it was fitted on.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Calibration, parseCalibration } from './calibration.ts'

/** The calibration shipped for a model; null when there is none. Throws `invalid_request` when the file was changed. */
export async function shippedCalibration(modelId: string): Promise<Calibration | null> {
  // An id may hold a slash, which file URLs do not allow, not even encoded.
  const path = join(fileURLToPath(new URL('../../calibration-data', import.meta.url)), encodeURIComponent(modelId), 'calibration.json')
  const text = await readFile(path, 'utf8').catch(() => null)
  return text === null ? null : parseCalibration(JSON.parse(text))
}
