// A tiny Llama with seeded random weights, twice: as GGUF for llama.cpp, and as the decoder of a folder that the
// `idefics3` family reads, with the tokenizer of the tiny Idefics3. The server is the one in the wheel of xllamacpp:
//
//   python3 -m venv VENV && VENV/bin/pip install -r test/golden/llama-server/requirements.txt
//   LLAMA_SERVER_PYTHON=VENV/bin/python npx vitest run test/contract/llama-server.test.ts
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Vocabulary, writeConfiguration } from '../../../bench/speed/model/configuration.ts'
import { writeGguf } from '../../../bench/speed/model/gguf.ts'
import { writeDecoder, writeEmbedder, writeVision } from '../../../bench/speed/model/graphs.ts'
import type { Shape } from '../../../bench/speed/model/shape.ts'
import { makeWeights } from '../../../bench/speed/model/weights.ts'

const TOKENIZER = fileURLToPath(new URL('../../golden/idefics3/model/tokenizer.json', import.meta.url))
const SERVE = fileURLToPath(new URL('../../golden/llama-server/serve.py', import.meta.url))
/** Of the folder, for messages of one text. */
const TEMPLATE =
  "<|im_start|>{% for message in messages %}{{ message['role'] | capitalize }}: {{ message['content'] }}<end_of_utterance>\n{% endfor %}" +
  "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"
const SEED = 11

/** Where a Python with xllamacpp is; null: the tests that need it are skipped. */
export const SERVER_PYTHON: string | null = process.env.LLAMA_SERVER_PYTHON || null

function vocabularyOfGolden(): Vocabulary {
  const { model, added_tokens: added } = JSON.parse(readFileSync(TOKENIZER, 'utf8')) as {
    model: { vocab: Record<string, number>; merges: [string, string][] }
    added_tokens: { id: number; content: string }[]
  }
  const tokens: string[] = []
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token
  for (const { id, content } of added) tokens[id] = content
  return { tokens, merges: model.merges, special: new Set(added.map(({ content }) => content)) }
}

const shapeFor = ({ tokens }: Vocabulary): Shape => ({
  hidden: 32,
  layers: 2,
  heads: 4,
  keyHeads: 2,
  headSize: 16,
  inner: 64,
  vocabulary: tokens.length,
  positions: 1536,
  rotaryBase: 10_000,
  normEpsilon: 1e-5,
  vision: { hidden: 32, layers: 1, heads: 2, inner: 32, tile: 32, patch: 8, scale: 2, longestEdge: 64, normEpsilon: 1e-6 },
})

/** Writes both; gives their paths. `other`: what is not as in the tests. */
export function writeTinyLlama(folder: string, other: Partial<Shape> = {}): { readonly gguf: string; readonly hub: string } {
  const vocabulary = vocabularyOfGolden()
  const shape = { ...shapeFor(vocabulary), ...other }
  const weights = makeWeights(SEED)
  const hub = join(folder, 'tiny-llama')
  mkdirSync(join(hub, 'onnx'), { recursive: true })
  writeConfiguration(hub, shape, vocabulary)
  writeEmbedder(join(hub, 'onnx', 'embed_tokens.onnx'), shape, weights, 'fp32')
  writeDecoder(join(hub, 'onnx', 'decoder_model_merged.onnx'), shape, weights, 'fp32')
  writeVision(join(hub, 'onnx', 'vision_encoder.onnx'), shape, weights, 'fp32')
  const gguf = join(folder, 'tiny-llama.gguf')
  writeGguf(gguf, shape, weights, vocabulary, 'F32', TEMPLATE)
  return { gguf, hub }
}

export interface RunningServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Of keys and values: in full, so that other programs give the same; or as the server keeps them unless it is told. */
export type KeysAndValues = 'full' | 'default'

/** Starts the server; it ends with this process, whatever becomes of that. */
export async function startLlamaServer(
  python: string,
  gguf: string,
  context = 1536,
  slots = 1,
  keysAndValues: KeysAndValues = 'full',
): Promise<RunningServer> {
  const child: ChildProcess = spawn(python, [SERVE, gguf, String(context), String(slots), keysAndValues], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout! })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${code}; is xllamacpp installed there?`))),
  ])) as [string]
  return {
    url: line,
    pid: child.pid as number,
    async stop() {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}
