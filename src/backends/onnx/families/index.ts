// The architectures this backend knows: `model_type` of config.json to the code that turns a folder of it into a backend.
// A new one is a folder here and a line below.

import { EngineError } from '../../../errors.ts'
import type { Backend } from '../../backend.ts'
import { type ModelFolder, openFolder } from '../layout.ts'
import type { OnnxOptions } from '../options.ts'

export type FamilyLoader = (folder: ModelFolder, options: OnnxOptions) => Promise<Backend>

const FAMILIES: Readonly<Record<string, () => Promise<FamilyLoader>>> = {
  'assay-decision': async () => (await import('./decision/index.ts')).loadDecision,
  idefics3: async () => (await import('./idefics3/index.ts')).loadIdefics3,
  smolvlm: async () => (await import('./idefics3/index.ts')).loadIdefics3,
}

/** Loads a folder on the calling thread. Throws `model_not_found` or `model_not_available`. */
export async function loadFamily(path: string, options: OnnxOptions): Promise<Backend> {
  const folder = await openFolder(path)
  const loader = Object.hasOwn(FAMILIES, folder.modelType) ? FAMILIES[folder.modelType] : undefined
  if (loader === undefined) {
    throw new EngineError(
      'model_not_available',
      `models of type '${folder.modelType}' are not supported; supported: ${Object.keys(FAMILIES).join(', ')}`,
    )
  }
  return (await loader())(folder, options)
}
