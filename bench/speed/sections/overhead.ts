// What the engine takes outside onnxruntime, on one thread, where every run of a graph can be seen; and how long it
// holds up the event loop of its caller, as users have it: with the model in its worker.

import { type Contender, startContender } from '../contender.ts'
import type { EngineMethods } from '../contenders/engine.ts'
import { type Context, engineSetup, type Findings, fewerRounds, MODELS, type ModelName, type Section, tokenizerOf } from '../context.ts'
import { type Metric, metric, ratio, seriesNamed } from '../metrics.ts'
import { questionsOf, stateOf } from '../texts.ts'
import { type Case, interleave, type Series } from '../timing.ts'
import { ENGINE } from './grid.ts'

const TOKENS = 1024
/** Those that take time: the state is read, then opened by the model, then the questions are asked. */
const STEPS = ['read', 'open', 'ask']

export const overhead: Section = {
  name: 'overhead',
  title: 'The engine outside onnxruntime',
  async run(context) {
    const series: Series[] = []
    const metrics: Metric[] = []
    const facts: Record<string, number> = {}
    for (const model of MODELS) {
      const inside = await startContender<EngineMethods, unknown>(ENGINE, engineSetup(model, context, { inProcess: true }))
      const worker = await startContender<EngineMethods, unknown>(ENGINE, engineSetup(model, context))
      const found = await interleave([seen(model, context, inside, facts), behindWorker(model, context, worker)], {
        ...context,
        rounds: model === 'M' ? fewerRounds(context) : context.rounds,
        pids: [inside.pid, worker.pid],
        say: (text) => context.say(`overhead, ${model}: ${text}`),
      })
      await Promise.all([inside.close(), worker.close()])
      series.push(...found)
      metrics.push(...concluded(model, found))
    }
    return { series, metrics, facts } satisfies Findings
  },
}

function seen(model: ModelName, context: Context, engine: Contender<EngineMethods>, facts: Record<string, number>): Case {
  const tokenizer = tokenizerOf(model, context)
  return {
    name: `${model}, one thread`,
    warmUp: () => engine.call('ask', { text: 'Warming up.' }, questionsOf(2, 32)),
    async run(round) {
      const text = stateOf(TOKENS, `seen ${round}`, (one) => tokenizer.encode(one).length)
      const parts: Record<string, number> = {}
      for (const [phase, count] of [
        ['32 × 2, cold', 32],
        ['32 × 2, warm', 32],
        ['1 × 2, warm', 1],
      ] as const) {
        const { ms, runs, steps } = await engine.call('ask', { text }, questionsOf(2, count))
        parts[`${phase}, all`] = ms
        for (const step of STEPS) parts[`${phase}, step ${step}`] = steps[step] ?? 0
        for (const [kind, { ms: spent, runs: times }] of Object.entries(runs)) {
          if (kind === 'all') parts[`${phase}, outside`] = ms - spent
          else {
            parts[`${phase}, in ${kind}`] = spent
            facts[`${model}, ${phase}: runs of ${kind}`] = times
          }
        }
      }
      return parts
    },
  }
}

function behindWorker(model: ModelName, context: Context, engine: Contender<EngineMethods>): Case {
  const tokenizer = tokenizerOf(model, context)
  const newText = (salt: string) => ({ text: stateOf(TOKENS, salt, (one) => tokenizer.encode(one).length) })
  return {
    name: `${model}, worker`,
    warmUp: () => engine.call('ask', { text: 'Warming up.' }, questionsOf(2, 32)),
    async run(round) {
      const state = newText(`worker ${round}`)
      const cold = (await engine.call('ask', state, questionsOf(2, 32))).ms
      const warm = (await engine.call('ask', state, questionsOf(2, 32))).ms
      const gap = await engine.call('gap', newText(`gap ${round}`), questionsOf(2, 32))
      return { '32 × 2, cold, all': cold, '32 × 2, warm, all': warm, 'longest gap of the event loop': gap }
    },
  }
}

function concluded(model: ModelName, found: readonly Series[]): Metric[] {
  const at = (name: string) => seriesNamed(found, `${model}, ${name}`)
  const share = (phase: string, target?: number): Metric =>
    ratio(
      {
        name: `${model}: engine outside onnxruntime, ${phase}`,
        better: 'lower',
        unit: 'share',
        ...(target !== undefined && { target }),
        note: 'share of the request, 1,024 tokens',
      },
      at(`one thread: ${phase}, outside`),
      at(`one thread: ${phase}, all`),
    )
  return [
    share('32 × 2, cold', 0.03),
    share('32 × 2, warm', 0.03),
    share('1 × 2, warm'),
    ratio(
      { name: `${model}: worker`, better: 'lower', unit: 'times', note: '32 yes/no over a new state, worker / one thread' },
      at('worker: 32 × 2, cold, all'),
      at('one thread: 32 × 2, cold, all'),
    ),
    metric(
      {
        name: `${model}: longest gap of the event loop`,
        better: 'lower',
        unit: 'ms',
        target: 10,
        note: 'of the caller, 32 yes/no over a new state; the model in its worker',
      },
      at('worker: longest gap of the event loop'),
    ),
  ]
}
