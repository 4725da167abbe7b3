// `--model-server`: a model that runs elsewhere, in place of one on this machine.
import type { Device } from '../backends/backend.ts'
import type { ModelServerOptions } from '../index.ts'
import { UsageError } from './exit-codes.ts'

export const MODEL_SERVER_HELP =
  'a model on a server (vLLM, SGLang, llama.cpp, Ollama, OpenAI): http://host:8000, NAME=http://… where it has several, commas between copies; its key is read from ASSAY_MODEL_SERVER_KEY'

/** `NAME=URL,URL…` or `URL,URL…`. Throws `UsageError`. */
export function modelServerIn(text: string): ModelServerOptions {
  const [, model, addresses = ''] = /^(?:((?!https?:)[^=]+)=)?(.*)$/s.exec(text) ?? []
  const url = addresses.split(',').map((address) => address.trim())
  if (!url.every((address) => /^https?:\/\/[^\s]+$/.test(address) && URL.canParse(address))) {
    throw new UsageError(`--model-server takes addresses like http://host:8000, or NAME=http://host:8000, not "${text}"`)
  }
  const apiKey = process.env.ASSAY_MODEL_SERVER_KEY
  return { url, ...(model === undefined ? {} : { model: model.trim() }), ...(apiKey ? { apiKey } : {}) }
}

export interface OneModelFlags {
  readonly modelServer?: string
  readonly model?: string
  readonly chain?: unknown
  readonly device?: Device | 'auto'
}

/**
 * The server of the flag; null without it. Its model is the only one of its engine, so no other flag names one, or says
 * where it runs.
 */
export function modelServerGiven(flags: OneModelFlags): ModelServerOptions | null {
  if (flags.modelServer === undefined) return null
  if (flags.model !== undefined) throw new UsageError('--model-server and --model were given; keep one of them')
  if (flags.chain !== undefined) throw new UsageError('--model-server and --chain were given; keep one of them')
  // The default of the flag is the CPU.
  if ((flags.device ?? 'cpu') !== 'cpu') throw new UsageError('--model-server and --device were given; the server chooses its own device')
  return modelServerIn(flags.modelServer)
}
