// The architectures this backend knows: `model_type` of config.json to the code that turns a folder of it into a backend.
// A new one is a folder here and a line below.

import { EngineError } from '../../../core/errors.ts'
import type { Backend } from '../../backend.ts'
import type { ProbeProgress } from '../../prompted/probe.ts'
import type { Scoring } from '../../prompted/scoring.ts'
import type { OnnxOptions } from '../options.ts'
import { type ModelFolder, openFolder } from '../runtime/layout.ts'

export type FamilyLoader = (folder: ModelFolder, options: OnnxOptions) => Promise<Backend>
export type FamilyProbe = (folder: ModelFolder, options: OnnxOptions, onProgress?: ProbeProgress) => Promise<Scoring>

interface Family {
  readonly load: FamilyLoader
  /** Finds out how candidates are to be read; null where there is only one way. */
  readonly probe: FamilyProbe | null
}

const idefics3 = async (): Promise<Family> => {
  const { loadIdefics3, probeIdefics3 } = await import('./idefics3/index.ts')
  return { load: loadIdefics3, probe: probeIdefics3 }
}
const FAMILIES: Readonly<Record<string, () => Promise<Family>>> = {
  'assay-decision': async () => ({ load: (await import('./decision/index.ts')).loadDecision, probe: null }),
  idefics3,
  smolvlm: idefics3,
}

/** Loads a folder on the calling thread. Throws `model_not_found` or `model_not_available`. */
export async function loadFamily(path: string, options: OnnxOptions): Promise<Backend> {
  const folder = await openFolder(path)
  return (await familyOf(folder)).load(folder, options)
}

/** Probes a folder on the calling thread. Throws as `loadFamily` does, and `capability_not_supported` where there is nothing to find out. */
export async function probeFamily(path: string, options: OnnxOptions, onProgress?: ProbeProgress): Promise<Scoring> {
  const folder = await openFolder(path)
  const { probe } = await familyOf(folder)
  if (probe === null) {
    throw new EngineError(
      'capability_not_supported',
      `models of type '${folder.modelType}' read each candidate on its own; there is nothing to probe`,
    )
  }
  return probe(folder, options, onProgress)
}

async function familyOf(folder: ModelFolder): Promise<Family> {
  const loader = Object.hasOwn(FAMILIES, folder.modelType) ? FAMILIES[folder.modelType] : undefined
  if (loader === undefined) {
    throw new EngineError(
      'model_not_available',
      `models of type '${folder.modelType}' are not supported; supported: ${Object.keys(FAMILIES).join(', ')}`,
    )
  }
  return loader()
}
