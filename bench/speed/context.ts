// What every section of the bench is given, and what it gives back.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../src/backends/onnx/runtime/layout.ts'
import { makeTokenizer, type TextTokenizer } from '../../src/backends/onnx/runtime/tokenizer.ts'
import type { OnnxOptions } from '../../src/index.ts'
import type { EngineSetup } from './contenders/engine.ts'
import type { Metric } from './metrics.ts'
import type { Series } from './timing.ts'

export interface Context {
  readonly rounds: number
  readonly threads: number
  /** How the random model's numbers are stored. */
  readonly dtype: 'q8' | 'fp32'
  /** Folder of the random model. */
  readonly randomModel: string
  /** Folder of the peers; null leaves them out. */
  readonly peers: string | null
  /** Everything that is asked for, however long it takes. */
  readonly isFull: boolean
  /** The regression guard: less of everything. */
  readonly isShort: boolean
  say(line: string): void
}

export interface Findings {
  readonly series: readonly Series[]
  readonly metrics: readonly Metric[]
  /** Tokens, versions and the like, for the report. */
  readonly facts: Readonly<Record<string, string | number>>
}

export interface Section {
  readonly name: string
  readonly title: string
  run(context: Context): Promise<Findings>
}

/** The two models of the bench under their short names. */
export type ModelName = 'shipped' | 'M'
export const MODELS: readonly ModelName[] = ['shipped', 'M']

/** Rounds of what takes seconds: fewer, but enough for a median. */
export const fewerRounds = ({ rounds, isFull }: Context): number =>
  isFull ? rounds : Math.max(Math.min(rounds, 3), Math.ceil(rounds * 0.6))

const SHIPPED = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))

export function engineSetup(model: ModelName, { threads, dtype, randomModel }: Context, more: OnnxOptions = {}): EngineSetup {
  if (model === 'shipped') return { folder: SHIPPED, options: { threads, ...more } }
  // Its weights say nothing, so how best to read its symbols is not measured at load.
  return {
    folder: randomModel,
    options: { threads, dtype: { decoder_model_merged: dtype, embed_tokens: dtype, vision_encoder: 'q8' }, scoring: 'plain', ...more },
  }
}

export function tokenizerOf(model: ModelName, { randomModel }: Context): TextTokenizer {
  const folder = model === 'shipped' ? SHIPPED : randomModel
  const read = (file: string): JsonObject => JSON.parse(readFileSync(join(folder, file), 'utf8'))
  return makeTokenizer(read('tokenizer.json'), model === 'shipped' ? {} : read('tokenizer_config.json'))
}
