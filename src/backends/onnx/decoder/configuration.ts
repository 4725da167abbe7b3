// The configuration files of a decoder's folder to what every family of decoders needs. What is missing or unusual is
// an error, not a guess.
import { EngineError } from '../../../core/errors.ts'
import type { Json } from '../../../core/types.ts'
import { isObject } from '../../../core/untrusted.ts'
import type { Normalisation } from '../images/patches.ts'
import { type JsonObject, type ModelFolder, readJson, readText } from '../runtime/layout.ts'
import type { TextTokenizer } from '../runtime/tokenizer.ts'

/** The longest contexts of published models are of 10 million tokens. */
const MOST_OF_ANYTHING = 2 ** 24

export const objectAt = (value: JsonObject, key: string): JsonObject => (isObject(value[key]) ? (value[key] as JsonObject) : {})

/** Throws `model_not_available` with `what` when the value is no whole number from 1 to `most`. */
export function positive(value: Json | undefined, what: string, most = MOST_OF_ANYTHING): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value
  const expected = typeof value === 'number' && value > most ? `at most ${most} was expected` : 'a positive whole number was expected'
  throw new EngineError('model_not_available', `${what} is ${JSON.stringify(value) ?? 'missing'}, ${expected}; download the folder again`)
}

/** Tokens that a state, its question and its answer may take together. `absent`: where config.json leaves it out. */
export function contextLengthOf({ config }: ModelFolder, absent?: number): number {
  return positive(
    objectAt(config, 'text_config').max_position_embeddings ?? config.max_position_embeddings ?? absent,
    'max_position_embeddings of config.json',
  )
}

/**
 * Ids that end an answer, ascending: those of generation_config.json, since config.json may name another token, the
 * tokenizer's end token, and the control tokens in `alsoNamed`. Throws `model_not_available` when there are none.
 */
export async function endTokensOf(
  folder: ModelFolder,
  tokenizer: TextTokenizer,
  tokenizerConfig: JsonObject,
  alsoNamed: readonly string[] = [],
): Promise<readonly number[]> {
  const generation = folder.files.includes('generation_config.json') ? await readJson(folder, 'generation_config.json') : {}
  const eos = generation.eos_token_id
  const named = [tokenizerConfig.eos_token, ...alsoNamed].map((token) => tokenizer.control(tokenName(token)))
  const ids = [...(Array.isArray(eos) ? eos : [eos]), ...named].filter((id): id is number => typeof id === 'number')
  if (ids.length === 0) throw new EngineError('model_not_available', 'no token ends an answer; generation_config.json needs eos_token_id')
  return [...new Set(ids)].sort((a, b) => a - b)
}

/** Tokens in tokenizer_config.json are strings, or objects with their content. */
export function tokenName(token: Json | undefined): string {
  if (typeof token === 'string') return token
  return typeof token === 'object' && token !== null && 'content' in token ? String(token.content) : ''
}

/** The tokens that a chat template may write by what they are for; '' where there is none. */
export function namedTokensOf(tokenizerConfig: JsonObject): { readonly [name: string]: string } {
  return Object.fromEntries(['bos_token', 'eos_token', 'pad_token', 'unk_token'].map((name) => [name, tokenName(tokenizerConfig[name])]))
}

/** Templates of models that can think first ask for one of these. The answer is scored right behind its opening. */
const NO_THINKING = { enable_thinking: false, thinking: false }

/** The variables that a chat template may use. */
export function templateVariablesOf(tokenizerConfig: JsonObject): { readonly [name: string]: string | boolean } {
  return { ...namedTokensOf(tokenizerConfig), ...NO_THINKING }
}

/** The chat template of a folder, in whichever of the three places the folder keeps it. */
export async function readChatTemplate(folder: ModelFolder, tokenizerConfig: JsonObject): Promise<string> {
  const jinja = await readText(folder, 'chat_template.jinja')
  if (jinja !== null) return jinja
  const hasFile = folder.files.includes('chat_template.json')
  const own: Json | undefined = (hasFile ? await readJson(folder, 'chat_template.json') : tokenizerConfig).chat_template
  const template = Array.isArray(own) ? own.find((one) => one?.name === 'default')?.template : own
  if (typeof template === 'string') return template
  throw new EngineError('model_not_available', `the model folder '${folder.name}' has no chat template; take an instruction-tuned model`)
}

/**
 * How pictures are read: preprocessor_config.json, or the part of processor_config.json that newer folders keep it in.
 */
export async function readPreprocessor(folder: ModelFolder): Promise<JsonObject> {
  if (!folder.files.includes('preprocessor_config.json') && folder.files.includes('processor_config.json')) {
    const { image_processor } = await readJson(folder, 'processor_config.json')
    if (isObject(image_processor)) return image_processor as JsonObject
  }
  return readJson(folder, 'preprocessor_config.json')
}

/** What bounds the size that pictures are read at, in older and newer files. */
const BOUNDS = ['size', 'min_pixels', 'max_pixels']

/**
 * How frames of videos are read. What the folder does not say of videos, in one of two places, is as it says of
 * pictures; bounds of their size are not mixed.
 */
export async function readVideoPreprocessor(folder: ModelFolder, preprocessor: JsonObject): Promise<JsonObject> {
  const own = await ownVideoPreprocessor(folder)
  const isBounded = BOUNDS.some((name) => own[name] !== undefined)
  const shared = Object.entries(preprocessor).filter(([name]) => !(isBounded && BOUNDS.includes(name)))
  return { ...Object.fromEntries(shared), ...own }
}

async function ownVideoPreprocessor(folder: ModelFolder): Promise<JsonObject> {
  if (folder.files.includes('processor_config.json')) {
    const { video_processor } = await readJson(folder, 'processor_config.json')
    if (isObject(video_processor)) return video_processor as JsonObject
  }
  const file = 'video_preprocessor_config.json'
  return folder.files.includes(file) ? readJson(folder, file) : {}
}

/** Switches that are on in every model of these families. */
const ALWAYS = ['do_resize', 'do_rescale', 'do_convert_rgb']
/** Largest difference of a rescale_factor from 1 / 255, which files write with more or fewer digits. */
const FACTOR_ROUNDING = 1e-6

/** What leaves the levels between 0 and 1. */
const NOT_NORMALISED: Normalisation = { mean: [0, 0, 0], deviation: [1, 1, 1] }

/** Mean and deviation of each channel. Throws `model_not_available` where pictures are made numbers in another way. */
export function normalisationOf(preprocessor: JsonObject): Normalisation {
  const refuse = (what: string): never => {
    throw new EngineError('model_not_available', `preprocessor_config.json has ${what}; this engine does not read pictures so`)
  }
  for (const name of ALWAYS) if (preprocessor[name] === false) refuse(`${name} false`)
  const factor = preprocessor.rescale_factor ?? 1 / 255
  if (typeof factor !== 'number' || !(Math.abs(factor - 1 / 255) < FACTOR_ROUNDING)) refuse(`rescale_factor ${JSON.stringify(factor)}`)
  if (preprocessor.do_normalize === false) return NOT_NORMALISED
  const ofChannels = (name: string): readonly [number, number, number] => {
    const value = preprocessor[name]
    const isThree = Array.isArray(value) && value.length === 3 && value.every((one) => typeof one === 'number' && Number.isFinite(one))
    return isThree ? (value as unknown as [number, number, number]) : refuse(`${name} ${JSON.stringify(value) ?? 'missing'}`)
  }
  const deviation = ofChannels('image_std')
  if (deviation.some((one) => one <= 0)) refuse(`image_std ${JSON.stringify(deviation)}`)
  return { mean: ofChannels('image_mean'), deviation }
}
