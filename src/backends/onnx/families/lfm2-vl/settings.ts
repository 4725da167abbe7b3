// The configuration files of an LFM2-VL folder to how its pictures are cut and how many tokens they take.
import { EngineError } from '../../../../core/errors.ts'
import type { Json } from '../../../../core/types.ts'
import { normalisationOf, positive } from '../../decoder/configuration.ts'
import type { Normalisation } from '../../images/patches.ts'
import { longestEdgeOf, type OnnxOptions } from '../../options.ts'
import type { JsonObject, ModelFolder } from '../../runtime/layout.ts'

/** How pictures are read. All lengths are pixels. */
export interface CutRule extends Normalisation {
  readonly patch: number
  /** Patches of a token, on a side. */
  readonly downsample: number
  /** The side of a tile. */
  readonly tileSize: number
  /** How many tiles a cut has. */
  readonly minTiles: number
  readonly maxTiles: number
  /** Tokens of a picture that is read whole. */
  readonly minTokens: number
  readonly maxTokens: number
  /** A picture is cut when it has this many times the pixels of one that is read whole. */
  readonly tolerance: number
  readonly thumbnail: boolean
  readonly split: boolean
  /** The longest side that a picture is taken at; larger ones are read as if they were smaller. Null: any. */
  readonly longestEdge: number | null
}

/** Pillow's number of the filter. */
const BILINEAR = 2
const MOST_PATCH_PIXELS = 64
const MOST_TILE_PIXELS = 4096
const MOST_TILES = 100
const MOST_TOKENS = 65_536

/** Some folders keep these settings in config.json. */
export function cutRuleOf({ config }: ModelFolder, preprocessor: JsonObject, options: OnnxOptions): CutRule {
  const file = 'preprocessor_config.json'
  const refuse = (what: string): never => {
    throw new EngineError('model_not_available', `${file} ${what}; download the folder again`)
  }
  if (preprocessor.resample !== undefined && preprocessor.resample !== BILINEAR) {
    refuse(`has resample ${preprocessor.resample}; this family knows ${BILINEAR} (bilinear) only`)
  }
  const said = (name: string): Json | undefined => preprocessor[name] ?? config[name]
  const whole = (name: string, most: number): number => positive(said(name), `${name} of ${file}`, most)
  const truth = (name: string): boolean => {
    const value = said(name)
    return typeof value === 'boolean' ? value : refuse(`says ${name} is ${JSON.stringify(value) ?? 'missing'}, true or false was expected`)
  }
  const tolerance = said('max_pixels_tolerance')
  if (typeof tolerance !== 'number' || !(tolerance > 0)) refuse(`says max_pixels_tolerance is ${JSON.stringify(tolerance) ?? 'missing'}`)
  const rule: CutRule = {
    ...normalisationOf(preprocessor),
    patch: whole('encoder_patch_size', MOST_PATCH_PIXELS),
    downsample: whole('downsample_factor', 16),
    tileSize: whole('tile_size', MOST_TILE_PIXELS),
    minTiles: whole('min_tiles', MOST_TILES),
    maxTiles: whole('max_tiles', MOST_TILES),
    minTokens: whole('min_image_tokens', MOST_TOKENS),
    maxTokens: whole('max_image_tokens', MOST_TOKENS),
    tolerance: tolerance as number,
    thumbnail: truth('use_thumbnail'),
    split: options.pictures?.split ?? truth('do_image_splitting'),
    longestEdge: longestEdgeOf(options),
  }
  if (rule.minTiles > rule.maxTiles) refuse(`asks for at least ${rule.minTiles} and at most ${rule.maxTiles} tiles`)
  if (rule.minTokens > rule.maxTokens) refuse(`asks for at least ${rule.minTokens} and at most ${rule.maxTokens} tokens`)
  if (rule.tileSize % (rule.patch * rule.downsample) !== 0) {
    refuse(`has tiles of ${rule.tileSize} pixels, which are not whole tokens of ${rule.patch * rule.downsample}`)
  }
  return rule
}
