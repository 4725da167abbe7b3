// Which engine a server is: each has a route that only it answers in its own way.
import type { Driver, ServerFacts } from '../driver.ts'
import { listIn, malformed, modelAmong, textIn } from '../driver.ts'
import { ServerError } from '../failures.ts'
import type { Send } from '../fleet.ts'
import { ENGINES, type EngineName } from '../options.ts'
import { llamaCpp } from './llama-cpp.ts'
import { ollama } from './ollama.ts'
import { chatDriver } from './openai-chat.ts'
import { sglang } from './sglang.ts'
import { vllm } from './vllm.ts'

const openai: Driver = {
  tokens: null,
  chat: chatDriver('openai'),
  logProbabilities: 'top 20',
  async identify(send, asked) {
    const json = await send({ path: '/v1/models' })
    // Servers of System One alone have their list under another name.
    const names = [...listIn(json, 'data'), ...listIn(json, 'models')].flatMap((one) => textIn(one, 'id') ?? textIn(one, 'name') ?? [])
    if (names.length === 0) throw malformed('openai', '/v1/models', 'models')
    const model = modelAmong([...new Set(names)], asked, 'openai')
    return {
      identity: { engine: 'openai', version: '', model, weights: {} },
      contextLength: null,
      images: null,
      slots: null,
      thinks: false,
    }
  },
}

export const DRIVERS: Readonly<Record<EngineName, Driver>> = { 'llama.cpp': llamaCpp, vllm, sglang, ollama, openai }

/** The route that tells an engine, and the field that its answer has. `openai` is what none of them is. */
const SIGNS: Readonly<Record<Exclude<EngineName, 'openai'>, readonly [path: string, field: string]>> = {
  'llama.cpp': ['/props', 'build_info'],
  sglang: ['/get_model_info', 'model_path'],
  ollama: ['/api/version', 'version'],
  vllm: ['/version', 'version'],
}

export interface Detected {
  readonly driver: Driver
  readonly facts: ServerFacts
}

/** Asks a server what it is. Throws where it does not answer, refuses the key, or is none of these. */
export async function detect(send: Send, given: EngineName | null, model: string | null): Promise<Detected> {
  const engine = given ?? (await engineOf(send))
  const driver = DRIVERS[engine]
  return { driver, facts: await driver.identify(send, model) }
}

/** 200: something that is no JSON. */
const UNKNOWN_ROUTE: readonly (number | null)[] = [200, 400, 404, 405, 501]

async function engineOf(send: Send): Promise<EngineName> {
  for (const engine of ENGINES) {
    if (engine === 'openai') continue
    const [path, field] = SIGNS[engine]
    const found = await send({ path }).catch((error: unknown) => {
      // Only a server that is there and does not know the route may be another engine.
      if (error instanceof ServerError && UNKNOWN_ROUTE.includes(error.status)) return null
      throw error
    })
    if (found !== null && textIn(found, field) !== null) return engine
  }
  return 'openai'
}
