// Simulated vLLM servers for benches of many replicas: the imitation of the tests, which takes time as a GPU would, but
// no CPU for it. Usage: tsx bench/service/model-servers.ts COUNT STEP_MS TOKEN_MS   (prints {"urls": […]})
// A pass takes STEP_MS, and TOKEN_MS for each prompt token that is not in its prefix cache, whole blocks of 16 as vLLM
// keeps them. However many run at once, none waits for another: what a real server does under load is not simulated.
import { imitate, type Routes, send, vllmRoutes } from '../../test/backends/openai/imitations.ts'

const [count = '2', stepMs = '100', tokenMs = '0.1'] = process.argv.slice(2)
const COMPLETIONS = '/v1/completions'
const BLOCK = 16

interface Completion {
  readonly usage: { readonly prompt_tokens: number }
}

async function start(): Promise<string> {
  const blocks = new Set<number>()
  const said = { passes: 0, promptTokens: 0, cachedTokens: 0 }
  const routes: Routes = { ...vllmRoutes, 'GET /said': { answer: () => said } }
  const server = await imitate(routes)

  /** Tokens of whole blocks from the beginning that were here before; all of them are from now on. */
  function cachedOf(prompt: readonly number[]): number {
    let hash = 0
    let cached = 0
    let isKnown = true
    for (let i = 0; i < prompt.length; i++) {
      hash = (Math.imul(hash, 0x01000193) ^ (prompt[i] as number)) | 0
      if ((i + 1) % BLOCK !== 0) continue
      isKnown &&= blocks.has(hash)
      if (isKnown) cached = i + 1
      blocks.add(hash)
    }
    return cached
  }

  server.instead = (request, response, body) => {
    // It remembers every request for tests; here there are too many.
    ;(server.requests as unknown[]).length = 0
    if (request.url !== COMPLETIONS) return false
    const cached = cachedOf(body.prompt)
    said.passes += 1
    said.promptTokens += body.prompt.length
    said.cachedTokens += cached
    setTimeout(
      () => {
        const reply = routes[`POST ${COMPLETIONS}`]!.answer(body) as Completion
        send(response, 200, { ...reply, usage: { ...reply.usage, prompt_tokens_details: { cached_tokens: cached } } })
      },
      Number(stepMs) + Number(tokenMs) * (body.prompt.length - cached),
    )
    return true
  }
  return server.url
}

const urls = await Promise.all(Array.from({ length: Number(count) }, start))
process.stdout.write(`${JSON.stringify({ urls })}\n`)
