// A model of SmolVLM-256M's shape with seeded random weights, as hub folder (fp32 and q8) and as GGUF: tsx
// bench/speed/random-model.ts [FOLDER]
// Speed does not depend on what weights say, so nothing has to be downloaded, and every engine runs the very same ones.
// Takes about half a minute.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeVocabulary, writeConfiguration } from './model/configuration.ts'
import { writeGguf } from './model/gguf.ts'
import { writeDecoder, writeEmbedder, writeVision } from './model/graphs.ts'
import { SMOLVLM_256M } from './model/shape.ts'
import { makeWeights } from './model/weights.ts'

/** Raise it when what is written changes, so that folders made before are made again. */
const VERSION = 2
const SEED = 7

export const DEFAULT_FOLDER = join(tmpdir(), 'assay-bench-m256')
export const ggufOf = (folder: string, type: 'F16' | 'Q8_0'): string => join(folder, 'gguf', `${type}.gguf`)

/** Makes the model unless the folder has it. */
export function ensureRandomModel(folder: string, say: (line: string) => void = () => {}): string {
  const mark = join(folder, 'made.json')
  const made = JSON.stringify({ version: VERSION, seed: SEED, shape: SMOLVLM_256M })
  if (existsSync(mark) && readFileSync(mark, 'utf8') === made) return folder
  const half = `${folder}.part`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(join(half, 'onnx'), { recursive: true })
  mkdirSync(join(half, 'gguf'))
  mkdirSync(dirname(folder), { recursive: true })
  const weights = makeWeights(SEED)
  const vocabulary = makeVocabulary(SMOLVLM_256M)
  writeConfiguration(half, SMOLVLM_256M, vocabulary)
  for (const [precision, suffix] of [
    ['fp32', ''],
    ['q8', '_quantized'],
  ] as const) {
    say(`random model: ${precision}`)
    const file = (name: string) => join(half, 'onnx', `${name}${suffix}.onnx`)
    writeEmbedder(file('embed_tokens'), SMOLVLM_256M, weights, precision)
    writeDecoder(file('decoder_model_merged'), SMOLVLM_256M, weights, precision)
    writeVision(file('vision_encoder'), SMOLVLM_256M, weights, precision)
  }
  for (const type of ['Q8_0', 'F16'] as const) {
    say(`random model: GGUF ${type}`)
    writeGguf(ggufOf(half, type), SMOLVLM_256M, weights, vocabulary, type)
  }
  writeFileSync(join(half, 'made.json'), made)
  rmSync(folder, { recursive: true, force: true })
  renameSync(half, folder)
  return folder
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(ensureRandomModel(process.argv[2] ?? DEFAULT_FOLDER, (line) => process.stderr.write(`${line}\n`)))
}
