// node-llama-cpp on a GGUF of the same decoder, as an expert would have it: the state is evaluated once, each question
// behind it, the logits of the answers alone are asked for (whole distributions cost it more), and the question is
// erased again.
import { join } from 'node:path'
import { serveContender } from '../contender.ts'
import { timed } from '../timing.ts'

type Item = number | readonly [number, object]

interface Sequence {
  readonly nextTokenIndex: number
  clearHistory(): Promise<void>
  controlledEvaluate(
    input: readonly Item[],
  ): Promise<readonly ({ next: { token?: number; logits?: ReadonlyMap<number, number> } } | undefined)[]>
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>
}

interface Library {
  readonly LlamaLogLevel: { readonly error: string }
  getLlama(options: object): Promise<{
    readonly buildType: string
    readonly systemInfo: string
    loadModel(options: object): Promise<{ createContext(options: object): Promise<{ getSequence(): Sequence }> }>
  }>
}

export interface LlamaSetup {
  readonly peers: string
  readonly gguf: string
  readonly threads: number
  readonly contextTokens: number
}

const make = async ({ peers, gguf, threads, contextTokens }: LlamaSetup) => {
  const library = (await import(join(peers, 'node_modules/node-llama-cpp/dist/index.js'))) as Library
  const llama = await library.getLlama({ gpu: false, build: 'never', logLevel: library.LlamaLogLevel.error })
  const model = await llama.loadModel({ modelPath: gguf })
  const context = await model.createContext({ contextSize: contextTokens, batchSize: 512, threads, sequences: 1 })
  const sequence = context.getSequence()
  let length = 0

  return {
    /** What it was built for. */
    about: () => `${llama.buildType}; ${llama.systemInfo}`,
    async read(ids: readonly number[]) {
      await sequence.clearHistory()
      const { ms } = await timed(() => sequence.controlledEvaluate(ids))
      length = sequence.nextTokenIndex
      return { ms }
    },
    async questions(all: readonly (readonly number[])[], answers: readonly number[]) {
      const { ms, result } = await timed(async () => {
        const logits: number[][] = []
        for (const ids of all) {
          const last: Item = [ids.at(-1) as number, { generateNext: { logits: { filter: { tokens: answers } } } }]
          const out = await sequence.controlledEvaluate([...ids.slice(0, -1), last])
          const found = out.at(-1)?.next.logits
          logits.push(answers.map((id) => found?.get(id) ?? Number.NaN))
          await sequence.eraseContextTokenRanges([{ start: length, end: sequence.nextTokenIndex }])
        }
        return logits
      })
      return { ms: ms / all.length, logits: result }
    },
  }
}

export type LlamaMethods = Awaited<ReturnType<typeof make>>
serveContender(make)
