// The configuration files of a Gemma folder to how pictures are read, and the tokens that they take.
import { EngineError } from '../../../../core/errors.ts'
import { normalisationOf, objectAt, positive, tokenName } from '../../decoder/configuration.ts'
import { imageTokenOf } from '../../decoder/text-files.ts'
import type { Normalisation } from '../../images/patches.ts'
import type { OnnxOptions } from '../../options.ts'
import { type JsonObject, type ModelFolder, readJson } from '../../runtime/layout.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'
import { type GemmaKind, kindOf } from './kinds.ts'

/** Every picture is squeezed into one square, whatever its shape, and takes as many tokens as any other. */
export interface SquareRule extends Normalisation {
  /** Pixels. */
  readonly side: number
  /** Tokens of a picture. */
  readonly tokens: number
}

/** What is more is no model's. */
const MOST_PIXELS = 4096
const MOST_TOKENS = 65_536
const MOST_PATCH_PIXELS = 64
/** Pillow's numbers of the filters. */
const [BILINEAR, BICUBIC] = [2, 3]
const PREPROCESSOR = 'preprocessor_config.json'

const refuse = (what: string): never => {
  throw new EngineError('model_not_available', what)
}

/** Throws `invalid_request` where a caller wants pictures to be read in another way than the one there is. */
function refuseWishes({ pictures }: OnnxOptions, how: string): void {
  const wish = (['longestEdge', 'split'] as const).find((name) => pictures?.[name] !== undefined)
  if (wish === undefined) return
  throw new EngineError('invalid_request', `pictures.${wish} is set, but this model reads each picture whole, ${how}; leave it out`)
}

export async function squareRuleOf(folder: ModelFolder, preprocessor: JsonObject, options: OnnxOptions): Promise<SquareRule> {
  if (preprocessor.resample !== undefined && preprocessor.resample !== BILINEAR) {
    refuse(`${PREPROCESSOR} has resample ${preprocessor.resample}; this family knows ${BILINEAR} (bilinear) only`)
  }
  if (preprocessor.do_pan_and_scan === true) {
    refuse(`${PREPROCESSOR} has do_pan_and_scan true, which cuts pictures; this engine reads them whole, so set it to false`)
  }
  const size = objectAt(preprocessor, 'size')
  const side = positive(size.height, `size.height of ${PREPROCESSOR}`, MOST_PIXELS)
  if (size.width !== side) refuse(`${PREPROCESSOR} has pictures of ${size.width} x ${side} pixels; this family knows squares only`)
  const { image_size } = objectAt(folder.config, 'vision_config')
  if (image_size !== undefined && image_size !== side) {
    refuse(`config.json has vision_config.image_size ${image_size}, ${PREPROCESSOR} has ${side}; take both files from the same model`)
  }
  refuseWishes(options, `squeezed into ${side} x ${side} pixels`)
  return { side, tokens: await tokensOf(folder, preprocessor, kindOf(folder)), ...normalisationOf(preprocessor) }
}

/** A picture keeps its shape, and takes as many patches as there is room for; a block of them is one token. */
export interface PatchBudget extends Normalisation {
  /** Sides of a patch, pixels. */
  readonly patch: number
  /** Sides of a block, patches. */
  readonly pool: number
  /** The most tokens of a picture. */
  readonly tokens: number
}

export function patchBudgetOf(folder: ModelFolder, preprocessor: JsonObject, options: OnnxOptions): PatchBudget {
  if (preprocessor.resample !== undefined && preprocessor.resample !== BICUBIC) {
    refuse(`the image processor has resample ${preprocessor.resample}; this family knows ${BICUBIC} (bicubic) only`)
  }
  const whole = (name: string, most: number): number => positive(preprocessor[name], `${name} of the image processor`, most)
  const vision = objectAt(folder.config, 'vision_config')
  for (const name of ['patch_size', 'pooling_kernel_size']) {
    if (vision[name] === undefined || vision[name] === preprocessor[name]) continue
    const found = `config.json has vision_config.${name} ${vision[name]}, the image processor has ${preprocessor[name]}`
    refuse(`${found}; take both files from the same model`)
  }
  const tokens = whole('max_soft_tokens', MOST_TOKENS)
  refuseWishes(options, `with at most ${tokens} tokens`)
  const [patch, pool] = [whole('patch_size', MOST_PATCH_PIXELS), whole('pooling_kernel_size', MOST_PATCH_PIXELS)]
  return { patch, pool, tokens, ...normalisationOf(preprocessor) }
}

/** Tokens of a square: several files say so, and they must agree. */
async function tokensOf(folder: ModelFolder, preprocessor: JsonObject, { countField }: GemmaKind): Promise<number> {
  const processor = folder.files.includes('processor_config.json') ? await readJson(folder, 'processor_config.json') : {}
  const said = (
    [
      [`${countField} of config.json`, folder.config[countField ?? '']],
      ['image_seq_length of processor_config.json', processor.image_seq_length],
      [`image_seq_length of ${PREPROCESSOR}`, preprocessor.image_seq_length],
    ] as const
  ).filter(([, value]) => value !== undefined && value !== null)
  const [first] = said
  if (first === undefined) return refuse(`config.json has no ${countField}; download the folder again`)
  const other = said.find(([, value]) => value !== first[1])
  if (other !== undefined) refuse(`${first[0]} is ${first[1]}, ${other[0]} is ${other[1]}; take both files from the same model`)
  return positive(first[1], first[0], MOST_TOKENS)
}

/** Ids of the tokens around a picture, and of the one that stands for each of its rows of features. */
export interface PictureTokens {
  readonly begin: number
  readonly end: number
  readonly soft: number
  /** The name of the one that the chat template writes for a picture. */
  readonly written: string
  readonly softName: string
  /** What stands before and behind a picture. */
  readonly around: string
}

/** Throws `model_not_available` for a tokenizer without them, or one that is not of config.json. */
export function pictureTokensOf(
  folder: ModelFolder,
  tokenizerConfig: JsonObject,
  tokenizer: Pick<TextTokenizer, 'control'>,
): PictureTokens {
  const { begin, end, soft, written, around } = kindOf(folder)
  const named = (field: string, usual: string): string => tokenName(tokenizerConfig[field]) || usual
  const [beginName, softName] = [named('boi_token', begin), named('image_token', soft)]
  const idOf = (token: string, field: 'boi_token' | 'eoi_token'): number => {
    const id = tokenizer.control(token)
    const name = folder.config[`${field}_id`] === undefined ? `${field}_index` : `${field}_id`
    const said = folder.config[name] ?? id
    if (id !== undefined && said === id) return id
    return refuse(
      `config.json of '${folder.name}' has ${name} ${said ?? 'missing'}, ${token} of tokenizer.json is ${id ?? 'missing'}; take both files from the same model`,
    )
  }
  return {
    begin: idOf(beginName, 'boi_token'),
    end: idOf(named('eoi_token', end), 'eoi_token'),
    soft: imageTokenOf(folder, tokenizer, softName),
    written: written === 'begin' ? beginName : softName,
    softName,
    around,
  }
}
