// A loaded decoder with all that scoring and constrained decoding take: tokenizer, prompts, and what the requests to
// one model share.
import type { SymbolReading } from '../../prompted/scoring.ts'
import type { TextTokenizer } from '../runtime/tokenizer.ts'
import type { FairScheduler } from '../scheduling/fair-scheduler.ts'
import type { BoxFormat } from './boxes.ts'
import type { CallerMutex } from './caller-mutex.ts'
import type { Decoder } from './contract.ts'
import type { KvCache } from './kv-cache.ts'
import type { PromptBuilder } from './prompt-builder.ts'

export interface DecoderModel {
  readonly tokenizer: TextTokenizer
  readonly prompts: PromptBuilder
  readonly decoder: Decoder
  /** Ids that end an answer. */
  readonly endTokens: readonly number[]
  /** How it points into pictures; null: it does not. */
  readonly boxes: BoxFormat | null
  /** Throws `context_length_exceeded` when so many tokens do not fit behind the cache. */
  fits(cache: KvCache, added: number): void
  /** How the probe found that candidates are best read; null reads every symbol as the model gives it. */
  readonly reading: SymbolReading | null
  readonly scheduler: FairScheduler
  readonly mutex: CallerMutex
}
