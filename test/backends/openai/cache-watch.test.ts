// A server that never finds a state in its cache is told of once, where warnings are.
import { afterEach, describe, expect, it } from 'vitest'
import { makeCacheWatch } from '../../../src/backends/openai/cache-watch.ts'
import { connectModelServer } from '../../../src/backends/openai/index.ts'
import { createEngine, noul } from '../../../src/index.ts'
import { type Imitation, imitate, type Routes, vllmRoutes } from './imitations.ts'

describe('a watch on the cache of a server', () => {
  const ask = (watch: ReturnType<typeof makeCacheWatch>, tokens: number, counts: readonly (number | null)[]) => {
    const heard = watch.ofState(tokens)
    for (const count of counts) heard(count)
  }

  it('tells once when nothing is found again and again', () => {
    const watch = makeCacheWatch('vllm', 'qwen')
    ask(watch, 300, [0, 0, 0, 0, 0])
    expect(watch.take()).toEqual([])
    ask(watch, 300, [0, 0])
    expect(watch.take()).toEqual([
      'The vLLM server of the model qwen found nothing in its cache 5 times in a row, of states that it had just read, so each question costs the whole state again; start it without --no-enable-prefix-caching, or see that what stands before it keeps a state on one server.',
    ])
    ask(watch, 300, [0, 0, 0, 0, 0, 0, 0])
    expect(watch.take()).toEqual([])
  })

  it.each<[what: string, engine: 'vllm' | 'openai', tokens: number, counts: readonly (number | null)[]]>([
    ['the first question of each state', 'vllm', 300, [0]],
    ['a server that does not say', 'vllm', 300, [null, null, null, null, null, null, null]],
    ['states that are found now and then', 'vllm', 300, [0, 0, 0, 0, 0, 16, 0, 0, 0, 0]],
    ['states that are too short to be kept', 'vllm', 200, [0, 0, 0, 0, 0, 0, 0, 0]],
    ['prompts that OpenAI does not keep', 'openai', 1000, [0, 0, 0, 0, 0, 0, 0, 0]],
  ])('says nothing of %s', (_, engine, tokens, counts) => {
    const watch = makeCacheWatch(engine, 'm')
    for (let i = 0; i < (counts.length === 1 ? 9 : 1); i++) ask(watch, tokens, counts)
    expect(watch.take()).toEqual([])
  })
})

describe('an answer from such a server', () => {
  const opened: Imitation[] = []
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

  it('has the warning, and the next one has not', async () => {
    const route = vllmRoutes['POST /v1/completions']!
    const forgetful: Routes = {
      ...vllmRoutes,
      'POST /v1/completions': {
        ...route,
        answer: (body) => ({ ...(route.answer(body) as object), usage: { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 0 } } }),
      },
    }
    for (const [routes, warnings] of [
      [forgetful, 1],
      [vllmRoutes, 0],
    ] as const) {
      const server = await imitate(routes)
      opened.push(server)
      const engine = await createEngine({ models: [await connectModelServer({ url: server.url })] })
      const questions = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`q${i}`, noul(`It is ${i}.`)]))
      const ask = () => engine.ask({ state: 'The lamp is late. '.repeat(40), questions }, { deliberation: 'never' })
      const { simo } = await ask()
      expect(simo.warnings.filter((text) => /found nothing in its cache/.test(text))).toHaveLength(warnings)
      expect(simo.cached_tokens > 0).toBe(warnings === 0)
      expect((await ask()).simo.warnings).toEqual([])
      await engine.close()
    }
  })
})
