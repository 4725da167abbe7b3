// The contract on imitations of each engine: what is sent has documented fields only, and what comes back is read as it
// is documented. The real llama.cpp server is in llama-server.test.ts.
import { afterAll } from 'vitest'
import { connectModelServer, type ModelServerOptions } from '../../src/backends/openai/index.ts'
import {
  type Imitation,
  imitate,
  llamaCppRoutes,
  ollamaRoutes,
  openaiRoutes,
  type Routes,
  sglangRoutes,
  systemOneRoute,
  vllmRoutes,
} from '../backends/openai/imitations.ts'
import { describeBackend } from './backend-suite.ts'

const opened: Imitation[] = []
afterAll(() => Promise.all(opened.map((imitation) => imitation.close())))

async function connect(routes: Routes, options: Partial<ModelServerOptions> = {}) {
  const imitation = await imitate(routes)
  opened.push(imitation)
  return connectModelServer({ url: `${imitation.url}/v1`, ...options })
}

describeBackend('vLLM, imitated', () => connect(vllmRoutes), { tolerance: 0 })
describeBackend('vLLM with images, imitated', () => connect(vllmRoutes, { images: true }), { tolerance: 0 })
describeBackend('SGLang, imitated', () => connect(sglangRoutes), { tolerance: 0 })
describeBackend('Ollama, imitated', () => connect(ollamaRoutes), { tolerance: 0 })
describeBackend('OpenAI, imitated', () => connect(openaiRoutes, { images: true, contextLength: 2048 }), { tolerance: 0 })

const reason = 'a decision route reads nothing'
const skip = {
  'scores the same branch the same after reads on the prefix': reason,
  'answers on an empty state': reason,
  'quotes spans verbatim at their offsets': reason,
  'writes what its grammar can parse': reason,
  'writes the same again': reason,
  'rejects with the reason of a signal that aborts, and goes on': reason,
}
describeBackend('a decision model on llama.cpp, imitated', () => connect({ ...llamaCppRoutes, ...systemOneRoute({ options: 255 }) }), {
  tolerance: 0,
  skip,
})
describeBackend(
  'the decision route of vLLM, imitated',
  () => connect({ ...vllmRoutes, ...systemOneRoute({ hasDiagnostics: true }) }, { decisions: 'own' }),
  { tolerance: 0, skip },
)
