// A folder in Hugging Face layout to the files of a model: configuration, tokenizer, graphs under `onnx/` with their
// weights beside them. Messages about missing files say what is there and what to do. They name a folder by its last
// part, never by its path.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { EngineError } from '../../../core/errors.ts'
import type { Json } from '../../../core/types.ts'
import type { Dtype, OnnxOptions } from '../options.ts'
import { safeFiles } from './safe-files.ts'

export interface JsonObject {
  readonly [key: string]: Json
}

export interface ModelFolder {
  readonly path: string
  /** The last part of the path. */
  readonly name: string
  readonly config: JsonObject
  /** `config.model_type`. */
  readonly modelType: string
  /** Everything in the folder and below its `onnx/`, relative, with forward slashes. */
  readonly files: readonly string[]
}

export interface GraphFile {
  /** The name without suffix: `vision_encoder`. */
  readonly name: string
  readonly dtype: Dtype
  readonly path: string
  /** The graph and its external weights, relative to the folder. */
  readonly files: readonly string[]
}

/** What stands behind the name of a graph, by dtype. */
export const SUFFIXES: Readonly<Record<Dtype, string>> = {
  fp32: '',
  fp16: '_fp16',
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
}

export const DTYPES = Object.keys(SUFFIXES) as readonly Dtype[]

/** Where graphs lie in nearly all folders. */
export const GRAPHS_AT = 'onnx/'

/** Where a graph lies in the folder: `onnx/vision_encoder_int8.onnx`. */
export const graphPath = (name: string, dtype: Dtype, at = GRAPHS_AT): string => `${at}${name}${SUFFIXES[dtype]}.onnx`

/** Whether a file has weights of the graph, by its name. */
export const isWeightsOf = (graph: string, file: string): boolean =>
  file === `${graph}_data` || file.startsWith(`${graph}_data_`) || file === `${graph}.data`

/**
 * Text graphs: float first, then weights quantised by block, whose results do not depend on what else is in the pass.
 */
export const TEXT_DTYPES: readonly Dtype[] = ['fp32', 'q4', 'q8', 'int8', 'uint8', 'fp16', 'q4f16', 'bnb4']
/** Vision graphs run hundreds of rows at once: dynamic int8 is about four times as fast as float on a CPU. */
export const VISION_DTYPES: readonly Dtype[] = ['q8', 'int8', 'uint8', 'fp32', 'q4', 'fp16', 'q4f16', 'bnb4']

export async function openFolder(path: string): Promise<ModelFolder> {
  const name = basename(path)
  const top = await readdir(path).catch(() => {
    throw new EngineError('model_not_found', `there is no model folder '${name}'; give the folder that holds config.json and onnx/`)
  })
  const files = await safeFiles(path, name, top)
  const config = await readJson({ path, name, files }, 'config.json')
  const modelType = config.model_type
  if (typeof modelType !== 'string') {
    throw new EngineError('model_not_available', `config.json of '${name}' has no model_type; take the folder as it was published`)
  }
  return { path, name, config, modelType, files }
}

type Named = Pick<ModelFolder, 'path' | 'name' | 'files'>

/** Tokenizers of 260,000 pieces have some 35 MB. */
const MOST_TEXT_BYTES = 256 * 2 ** 20

/**
 * The text of a file of the folder; null when it is not there. Throws `model_not_available` for one that is too large.
 */
export async function readText(folder: Named, file: string): Promise<string | null> {
  if (!folder.files.includes(file)) return null
  const path = join(folder.path, file)
  const { size } = await stat(path)
  if (size > MOST_TEXT_BYTES) {
    const message = `${file} of '${folder.name}' has ${size} bytes, at most ${MOST_TEXT_BYTES} are read; take the folder as it was published`
    throw new EngineError('model_not_available', message)
  }
  return readFile(path, 'utf8')
}

/** Reads a JSON object. Throws `model_not_available` when the file is missing or holds something else. */
export async function readJson(folder: Named, file: string): Promise<JsonObject> {
  const text = await readText(folder, file)
  if (text === null) {
    throw new EngineError('model_not_available', `the model folder '${folder.name}' has no ${file}; download the whole repository`)
  }
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new EngineError('model_not_available', `${file} of '${folder.name}' is not JSON; download it again`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EngineError('model_not_available', `${file} of '${folder.name}' is not a JSON object; download it again`)
  }
  return value as JsonObject
}

/**
 * A graph by name, in the dtype that was asked for or the first of `preferred` that is there. Its weights come along.
 * `at`: where the graphs of the folder lie.
 */
export function findGraph(folder: ModelFolder, name: string, preferred: readonly Dtype[], options: OnnxOptions, at = GRAPHS_AT): GraphFile {
  const asked = typeof options.dtype === 'object' ? options.dtype[name] : options.dtype
  const fileOf = (dtype: Dtype) => graphPath(name, dtype, at)
  const dtype = (asked === undefined ? preferred : [asked]).find((one) => folder.files.includes(fileOf(one)))
  if (dtype === undefined) {
    const there = DTYPES.filter((one) => folder.files.includes(fileOf(one)))
    const found = there.length === 0 ? 'none of its dtypes is there' : `there is ${there.join(', ')}: set dtype to one of them`
    const wanted = fileOf(asked ?? (preferred[0] as Dtype))
    throw new EngineError('model_not_available', `the model folder '${folder.name}' has no ${wanted} (${found}); download it or export it`)
  }
  const file = fileOf(dtype)
  const data = folder.files.filter((one) => isWeightsOf(file, one))
  return { name, dtype, path: join(folder.path, file), files: [file, ...data] }
}

/**
 * SHA-256 over names, sizes and contents of files of the folder, in the order of their names; weights are streamed.
 * Hex.
 */
export async function hashFiles(folder: Named, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of [...files].filter((one) => folder.files.includes(one)).sort()) {
    const path = join(folder.path, file)
    hash.update(`${file}\0${(await stat(path)).size}\0`)
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer)
  }
  return hash.digest('hex')
}

/** The small files that decide what a model does; together with its graphs they make its revision. */
export const CONFIGURATION_FILES = [
  'config.json',
  'generation_config.json',
  'preprocessor_config.json',
  'video_preprocessor_config.json',
  'processor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'chat_template.json',
] as const
