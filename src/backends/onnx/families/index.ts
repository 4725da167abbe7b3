// The model families of this backend: `model_type` of config.json to the code that turns such a folder into a backend.
// A new family is a folder here and a line in `FAMILIES`.
import { EngineError } from '../../../core/errors.ts'
import type { Backend } from '../../backend.ts'
import type { ProbeProgress } from '../../prompted/probe.ts'
import type { Scoring } from '../../prompted/scoring.ts'
import { loadOnDevice } from '../device.ts'
import type { ModelFamily } from '../family.ts'
import type { OnnxOptions } from '../options.ts'
import { type ModelFolder, openFolder } from '../runtime/layout.ts'
import type { Opening } from '../runtime/opening.ts'
import { isJevhome, isLaya } from './option-markers/told-apart.ts'

type FamilyImport = () => Promise<ModelFamily>

const entailment: FamilyImport = async () => (await import('./entailment/index.ts')).entailment
const gemma: FamilyImport = async () => (await import('./gemma/index.ts')).gemma
const lfm2Vl: FamilyImport = async () => (await import('./lfm2-vl/index.ts')).lfm2Vl
const qwenVl: FamilyImport = async () => (await import('./qwen-vl/index.ts')).qwenVl
const textDecoder: FamilyImport = async () => (await import('./text-decoder/index.ts')).textDecoder

const FAMILIES = new Map<string, FamilyImport>([
  ['assay-decision', async () => (await import('./decision/index.ts')).decision],
  ['assay-encoder', async () => (await import('./encoder/index.ts')).encoder],
  ['assay-pair', async () => (await import('./pair/index.ts')).pairFamily(loadOn)],
  ['idefics3', async () => (await import('./idefics3/index.ts')).idefics3],
  ['smolvlm', async () => (await import('./idefics3/index.ts')).idefics3],
  ['lfm2_vl', lfm2Vl],
  ['gemma3', gemma],
  ['gemma3n', gemma],
  ['gemma4', gemma],
  ['qwen2_vl', qwenVl],
  ['qwen2_5_vl', qwenVl],
  ['qwen3_vl', qwenVl],
  ['qwen3_5', qwenVl],
  ['bert', entailment],
  ['deberta-v2', entailment],
  ['modernbert', entailment],
  ['roberta', entailment],
  ['gemma3_text', textDecoder],
  ['granite', textDecoder],
  ['lfm2', textDecoder],
  ['llama', textDecoder],
  ['qwen2', textDecoder],
  ['qwen3', textDecoder],
  ['qwen3_5_text', textDecoder],
  ['smollm3', textDecoder],
])

/** The text half alone of a model that sees, in one graph that takes ids. */
const isTextOfQwen35 = ({ modelType, files }: FolderFacts): boolean =>
  modelType === 'qwen3_5' &&
  files.some((file) => /^onnx\/model[_.]/.test(file)) &&
  !files.some((file) => /^onnx\/(vision_encoder|embed_tokens)[_.]/.test(file))

/**
 * Families that `model_type` alone does not tell: it names the encoder below their heads only, or the whole of which
 * they are a half. They go first.
 */
const TOLD_BY_FILES: readonly { readonly is: (facts: FolderFacts) => boolean; readonly load: FamilyImport }[] = [
  { is: isLaya, load: async () => (await import('./option-markers/index.ts')).laya },
  { is: isJevhome, load: async () => (await import('./option-markers/index.ts')).jevhome },
  { is: isTextOfQwen35, load: textDecoder },
]

/**
 * Adds a family for folders whose config.json has this `model_type`, on this thread only: such models are loaded with
 * `inProcess`. Throws when the type has a family already.
 */
export function registerFamily(modelType: string, family: FamilyImport): void {
  if (FAMILIES.has(modelType)) throw new Error(`models of type '${modelType}' have a family already`)
  FAMILIES.set(modelType, family)
}

/**
 * Loads a folder on the calling thread, on the device of the options if it gives the same answers there as on the CPU.
 * Throws `model_not_found` or `model_not_available`.
 */
export async function loadFamily(path: string, options: OnnxOptions): Promise<Backend> {
  return loadOnDevice(options.device ?? 'cpu', (device) => loadOn(path, { ...options, device }))
}

async function loadOn(path: string, options: OnnxOptions, opening?: Opening): Promise<Backend> {
  const folder = await openFolder(path)
  return (await familyFor(folder)).load(folder, options, opening)
}

/**
 * Probes a folder on the calling thread. Throws as `loadFamily` does, and `capability_not_supported` where there is
 * nothing to measure.
 */
export async function probeFamily(path: string, options: OnnxOptions, onProgress?: ProbeProgress): Promise<Scoring> {
  const folder = await openFolder(path)
  const { probe } = await familyFor(folder)
  if (probe === null) {
    throw new EngineError(
      'capability_not_supported',
      `models of type '${folder.modelType}' read each candidate on its own; there is nothing to probe`,
    )
  }
  return probe(folder, options, onProgress)
}

/** What tells the family of a folder, or of a repository before its files are here. */
export type FolderFacts = Pick<ModelFolder, 'modelType' | 'config' | 'files'>

/** The family of a folder: by its `model_type` mostly. Throws `model_not_available` when there is none. */
export async function familyFor(facts: FolderFacts): Promise<ModelFamily> {
  const { modelType } = facts
  const load = TOLD_BY_FILES.find(({ is }) => is(facts))?.load ?? FAMILIES.get(modelType)
  if (load !== undefined) return load()
  throw new EngineError(
    'model_not_available',
    `models of type '${modelType}' are not supported; supported: ${[...FAMILIES.keys()].join(', ')}`,
  )
}
