// The calibrations that come with the package, `calibration-data/<model>/calibration.json`, and the labels that they
// were fitted on. Each is bound to the weights of its model.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CalibratedModel } from '../questions/shared/decision.ts'
import { type Calibration, calibratorOf, parseCalibration } from './calibration.ts'
import { readEvidence } from './evidence/evidence-file.ts'
import type { ShippedLabels } from './refit/shipped-labels.ts'

/** Parsing one takes tens of milliseconds, and the files of a package do not change. */
const parsed = new Map<string, Promise<Calibration | null>>()

/** The calibration shipped for a model; null when there is none. Throws `invalid_request` when the file was changed. */
export function shippedCalibration(modelId: string): Promise<Calibration | null> {
  const known = parsed.get(modelId)
  if (known !== undefined) return known
  const read = readShipped(modelId)
  parsed.set(modelId, read)
  read.catch(() => parsed.delete(modelId))
  return read
}

async function readShipped(modelId: string): Promise<Calibration | null> {
  const text = await readFile(shippedPath(modelId, 'calibration.json'), 'utf8').catch(() => null)
  return text === null ? null : parseCalibration(JSON.parse(text))
}

/** That of a model as a list, for an engine: empty when there is none. */
export async function shippedCalibrations(modelId: string): Promise<readonly Calibration[]> {
  const calibration = await shippedCalibration(modelId)
  return calibration === null ? [] : [calibration]
}

/** The calibration that comes with this revision and template of a model; null when there is none. */
export async function shippedFor(model: CalibratedModel): Promise<Calibration | null> {
  const calibration = await shippedCalibration(model.id)
  return calibratorOf(calibration, model).isMismatch ? null : calibration
}

/** The labels that came with this revision of a model, and the calibration of it; null when there are none. */
export async function shippedLabels(model: CalibratedModel): Promise<ShippedLabels | null> {
  const calibration = await shippedFor(model)
  if (calibration === null) return null
  const { evidence } = await readEvidence(shippedPath(model.id, 'evidence.jsonl.gz'))
  return { evidence, calibration }
}

function shippedPath(modelId: string, name: string): string {
  // An id may hold a slash, which file URLs do not allow, not even encoded.
  return join(fileURLToPath(new URL('../../calibration-data', import.meta.url)), encodeURIComponent(modelId), name)
}
