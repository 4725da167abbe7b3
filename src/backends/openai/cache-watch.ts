// Whether a server finds a state in its cache that it has just read. Where it never does, each question about a state
// costs the whole state again, and nothing but the counts of the server says so.
import { NAMES } from './driver.ts'
import type { EngineName } from './options.ts'

/** So many questions in a row about states that had been read, and no token of them in the cache. */
const MISSES = 5
/** States of fewer tokens are not looked at: caches keep whole blocks, and OpenAI keeps no prompt below 1,024. */
const LEAST_TOKENS = 256
const LEAST_TOKENS_OF_OPENAI = 1200

const ADVICE: Readonly<Record<EngineName, string>> = {
  'llama.cpp': 'start llama-server without --no-cache-prompt',
  vllm: 'start it without --no-enable-prefix-caching',
  sglang: 'start it without --disable-radix-cache',
  ollama: 'raise OLLAMA_NUM_PARALLEL, or ask it from fewer programs',
  openai: 'take a server that keeps what it has read',
}

export interface CacheWatch {
  /** Hears of the answers about one state: what was found in the cache; null: not said. */
  ofState(tokens: number): (cachedTokens: number | null) => void
  /** The warning, once. */
  take(): readonly string[]
}

export function makeCacheWatch(engine: EngineName, id: string): CacheWatch {
  const least = engine === 'openai' ? LEAST_TOKENS_OF_OPENAI : LEAST_TOKENS
  let misses = 0
  let told: 'not yet' | 'due' | 'done' = 'not yet'
  return {
    ofState(tokens) {
      let wasRead = false
      return (cachedTokens) => {
        if (wasRead && tokens >= least && cachedTokens !== null) misses = cachedTokens > 0 ? 0 : misses + 1
        if (misses >= MISSES && told === 'not yet') told = 'due'
        wasRead = true
      }
    },
    take() {
      if (told !== 'due') return []
      told = 'done'
      const answers = `${NAMES[engine]} of the model ${id} found nothing in its cache ${MISSES} times in a row, of states that it had just read`
      return [
        `${answers}, so each question costs the whole state again; ${ADVICE[engine]}, or see that what stands before it keeps a state on one server.`,
      ]
    },
  }
}
