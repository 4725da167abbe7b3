// The configuration files of an Idefics3 folder to how images are cut, and how many tokens they take.
import { EngineError } from '../../../../core/errors.ts'
import type { Json } from '../../../../core/types.ts'
import { objectAt, positive } from '../../decoder/configuration.ts'
import type { TileRule } from '../../images/tiles.ts'
import { longestEdgeOf, type OnnxOptions } from '../../options.ts'
import { type JsonObject, type ModelFolder, readJson } from '../../runtime/layout.ts'

/** What is more is no model's: sides of tiles and of pictures in pixels, and tokens of a tile. */
const MOST_TILE_PIXELS = 4096
const MOST_EDGE_PIXELS = 65_535
const MOST_TILE_TOKENS = 65_536

/** Pillow's number of the filter. */
const LANCZOS = 1

/**
 * Reads preprocessor_config.json. Refuses any normalisation and resampling other than those all models of the family
 * use.
 */
export function tileRuleOf(preprocessor: JsonObject, options: OnnxOptions): TileRule {
  const halves = (value: Json | undefined): boolean => value === undefined || (Array.isArray(value) && value.every((one) => one === 0.5))
  if (!halves(preprocessor.image_mean) || !halves(preprocessor.image_std)) {
    throw new EngineError(
      'model_not_available',
      'preprocessor_config.json has image_mean or image_std other than 0.5; this family knows 0.5 only',
    )
  }
  if (preprocessor.resample !== undefined && preprocessor.resample !== LANCZOS) {
    throw new EngineError(
      'model_not_available',
      `preprocessor_config.json has resample ${preprocessor.resample}; this family knows ${LANCZOS} (Lanczos) only`,
    )
  }
  const tileSize = positive(
    objectAt(preprocessor, 'max_image_size').longest_edge,
    'max_image_size.longest_edge of preprocessor_config.json',
    MOST_TILE_PIXELS,
  )
  const longestEdge =
    longestEdgeOf(options, `; a multiple of ${tileSize} wastes nothing`) ??
    positive(objectAt(preprocessor, 'size').longest_edge, 'size.longest_edge of preprocessor_config.json', MOST_EDGE_PIXELS)
  return { longestEdge, tileSize, split: options.pictures?.split ?? preprocessor.do_image_splitting !== false, upscale: true }
}

/** Image tokens of one tile. */
export async function tokensPerTileOf(folder: ModelFolder): Promise<number> {
  if (folder.files.includes('processor_config.json')) {
    const { image_seq_len } = await readJson(folder, 'processor_config.json')
    if (image_seq_len !== undefined) return positive(image_seq_len, 'image_seq_len of processor_config.json', MOST_TILE_TOKENS)
  }
  const vision = objectAt(folder.config, 'vision_config')
  const side = positive(vision.image_size, 'vision_config.image_size') / positive(vision.patch_size, 'vision_config.patch_size')
  return positive(
    Math.floor(side) ** 2 / positive(folder.config.scale_factor, 'scale_factor') ** 2,
    'the number of tokens of a tile',
    MOST_TILE_TOKENS,
  )
}

/**
 * How frames of a video are read, each as one tile; null where the model has no form for videos: of this family,
 * SmolVLM2 alone has. `preprocessor`: of videos.
 */
export function frameRuleOf({ modelType }: ModelFolder, preprocessor: JsonObject, { pictures }: OnnxOptions): TileRule | null {
  if (modelType !== 'smolvlm' || pictures?.videos === 'frames') return null
  const edge = objectAt(objectAt(preprocessor, 'video_sampling'), 'video_size').longest_edge
  const sized = edge === undefined ? preprocessor : { ...preprocessor, size: { longest_edge: edge } }
  return { ...tileRuleOf(sized, {}), split: false }
}
