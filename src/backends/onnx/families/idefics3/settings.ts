// The configuration files of an Idefics3 folder to the few numbers the family needs. What is missing or unusual is an error, not a guess.
import { EngineError } from '../../../../core/errors.ts'
import type { Json } from '../../../../core/types.ts'
import type { TileRule } from '../../images/tiles.ts'
import type { OnnxOptions } from '../../options.ts'
import { type JsonObject, type ModelFolder, readJson } from '../../runtime/layout.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'

function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key]
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as JsonObject) : {}
}

function positive(value: Json | undefined, what: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value
  throw new EngineError(
    'model_not_available',
    `${what} is ${JSON.stringify(value) ?? 'missing'}, a positive whole number was expected; download the folder again`,
  )
}

const has = (folder: ModelFolder, file: string): boolean => folder.files.includes(file)

/** Pillow's number of the filter. */
const LANCZOS = 1

/** preprocessor_config.json: how pictures are cut. Only the normalisation that all models of the family use is known. */
export function tileRuleOf(preprocessor: JsonObject, { pictures }: OnnxOptions): TileRule {
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
  )
  const longestEdge =
    pictures?.longestEdge ?? positive(objectAt(preprocessor, 'size').longest_edge, 'size.longest_edge of preprocessor_config.json')
  if (!(Number.isInteger(longestEdge) && longestEdge >= 1)) {
    throw new EngineError(
      'invalid_request',
      `pictures.longestEdge is ${longestEdge}, a positive whole number was expected; a multiple of ${tileSize} wastes nothing`,
    )
  }
  return { longestEdge, tileSize, split: pictures?.split ?? preprocessor.do_image_splitting !== false, upscale: true }
}

/** Image tokens of one tile. */
export async function tokensPerTileOf(folder: ModelFolder): Promise<number> {
  if (has(folder, 'processor_config.json')) {
    const { image_seq_len } = await readJson(folder, 'processor_config.json')
    if (image_seq_len !== undefined) return positive(image_seq_len, 'image_seq_len of processor_config.json')
  }
  const vision = objectAt(folder.config, 'vision_config')
  const side = positive(vision.image_size, 'vision_config.image_size') / positive(vision.patch_size, 'vision_config.patch_size')
  return positive(Math.floor(side) ** 2 / positive(folder.config.scale_factor, 'scale_factor') ** 2, 'the number of tokens of a tile')
}

export function contextLengthOf({ config }: ModelFolder): number {
  return positive(
    objectAt(config, 'text_config').max_position_embeddings ?? config.max_position_embeddings,
    'max_position_embeddings of config.json',
  )
}

/** Ids that end an answer. generation_config.json comes first: config.json of SmolVLM names another token. */
export async function endTokensOf(folder: ModelFolder, tokenizer: TextTokenizer, tokenizerConfig: JsonObject): Promise<readonly number[]> {
  const generation = has(folder, 'generation_config.json') ? await readJson(folder, 'generation_config.json') : {}
  const eos = generation.eos_token_id
  const named = [tokenizerConfig.eos_token, '<end_of_utterance>'].map((token) => tokenizer.control(nameOf(token)))
  const ids = [...(Array.isArray(eos) ? eos : [eos]), ...named].filter((id): id is number => typeof id === 'number')
  if (ids.length === 0) throw new EngineError('model_not_available', 'no token ends an answer; generation_config.json needs eos_token_id')
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** Tokens in tokenizer_config.json are strings, or objects with their content. */
function nameOf(token: Json | undefined): string {
  if (typeof token === 'string') return token
  return typeof token === 'object' && token !== null && 'content' in token ? String(token.content) : ''
}

/** Names that a chat template may use. */
export function variablesOf(tokenizerConfig: JsonObject): { readonly [name: string]: string } {
  return Object.fromEntries(['bos_token', 'eos_token', 'pad_token', 'unk_token'].map((name) => [name, nameOf(tokenizerConfig[name])]))
}
