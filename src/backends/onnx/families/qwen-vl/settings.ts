// The configuration files of a Qwen-VL folder to how pictures and videos become patches.
import { EngineError } from '../../../../core/errors.ts'
import { normalisationOf, objectAt, positive } from '../../decoder/configuration.ts'
import type { BlockPatches, Normalisation } from '../../images/patches.ts'
import type { SizeRule } from '../../images/smart-size.ts'
import { longestEdgeOf, type OnnxOptions } from '../../options.ts'
import type { JsonObject, ModelFolder } from '../../runtime/layout.ts'

/** How pictures become patches. */
export interface PatchRule extends BlockPatches, Normalisation, SizeRule {
  /** The longest side that a picture is taken at, pixels; larger ones are read smaller. Null: as the area allows. */
  readonly longestEdge: number | null
}

/** How videos become patches, and how the model is told when their frames are shown. */
export interface VideoRule extends PatchRule {
  /** Whether the bounds of the area hold for all frames together, or for each. */
  readonly sharesBounds: boolean
  /**
   * `text`: seconds are written before each step of frames. `positions`: steps stand apart by their time, so many
   * positions a second. `order`: each step stands one position behind the one before it.
   */
  readonly time: { readonly by: 'text' | 'order' } | { readonly by: 'positions'; readonly perSecond: number }
}

/** What transformers takes where config.json of a Qwen2.5-VL says nothing. */
const TOKENS_PER_SECOND = 4
/** What is more is no model's. */
const MOST_PATCH_PIXELS = 64
const MOST_PIXELS = 2 ** 28
const MOST_TOKENS_PER_SECOND = 1024
/** Pillow's number of the filter. */
const BICUBIC = 3

export function patchRuleOf(folder: ModelFolder, preprocessor: JsonObject, options: OnnxOptions): PatchRule {
  const file = 'preprocessor_config.json'
  if (preprocessor.resample !== undefined && preprocessor.resample !== BICUBIC) {
    throw new EngineError(
      'model_not_available',
      `${file} has resample ${preprocessor.resample}; this family knows ${BICUBIC} (bicubic) only`,
    )
  }
  const whole = (name: string, most: number): number => positive(preprocessor[name], `${name} of ${file}`, most)
  const size = objectAt(preprocessor, 'size')
  const area = (name: string, edge: string): number =>
    positive(size[edge] ?? size[name] ?? preprocessor[name], `${name} (or size.${edge}) of ${file}`, MOST_PIXELS)
  const [patch, merge, frames] = [whole('patch_size', MOST_PATCH_PIXELS), whole('merge_size', 16), whole('temporal_patch_size', 16)]
  const vision = objectAt(folder.config, 'vision_config')
  for (const [name, own] of [
    ['patch_size', patch],
    ['spatial_merge_size', merge],
    ['temporal_patch_size', frames],
  ] as const) {
    if (vision[name] === undefined || vision[name] === own) continue
    throw new EngineError(
      'model_not_available',
      `config.json has vision_config.${name} ${vision[name]}, ${file} has ${own}; take both files from the same model`,
    )
  }
  const [minPixels, maxPixels] = [area('min_pixels', 'shortest_edge'), area('max_pixels', 'longest_edge')]
  if (minPixels > maxPixels) {
    throw new EngineError(
      'model_not_available',
      `${file} asks for at least ${minPixels} and at most ${maxPixels} pixels; download it again`,
    )
  }
  if (options.pictures?.split !== undefined) {
    throw new EngineError('invalid_request', 'pictures.split is set, but this model reads each picture whole; set pictures.longestEdge')
  }
  const longestEdge = longestEdgeOf(options)
  return { patch, merge, frames, ...normalisationOf(preprocessor), factor: patch * merge, leastSide: 0, minPixels, maxPixels, longestEdge }
}

/** `preprocessor`: of videos. Throws `model_not_available` where their patches are others than those of `pictures`. */
export function videoRuleOf(folder: ModelFolder, preprocessor: JsonObject, options: OnnxOptions, pictures: PatchRule): VideoRule {
  const rule = patchRuleOf(folder, preprocessor, options)
  for (const name of ['patch', 'merge', 'frames', 'mean', 'deviation'] as const) {
    if (String(rule[name]) === String(pictures[name])) continue
    const message = `${folder.name} makes other patches of videos (${name} ${rule[name]}) than of pictures (${pictures[name]})`
    throw new EngineError('model_not_available', `${message}; load it with pictures: { videos: 'frames' }`)
  }
  if (folder.modelType === 'qwen2_vl') return { ...rule, sharesBounds: false, time: { by: 'order' } }
  if (folder.modelType !== 'qwen2_5_vl') return { ...rule, sharesBounds: true, time: { by: 'text' } }
  const perSecond = objectAt(folder.config, 'vision_config').tokens_per_second ?? TOKENS_PER_SECOND
  const name = 'vision_config.tokens_per_second of config.json'
  return { ...rule, sharesBounds: false, time: { by: 'positions', perSecond: positive(perSecond, name, MOST_TOKENS_PER_SECOND) } }
}
