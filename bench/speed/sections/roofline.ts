// How near the decoder comes to what the machine can do: products of its widest shape, timed in the same rounds, are
// the ceiling. What has to be computed is counted as weights (at the rate of the graph's numbers) and attention over
// the full square (in float, as the graph has it).

import { startContender } from '../contender.ts'
import type { ProductsMethods } from '../contenders/products.ts'
import type { Findings, Section } from '../context.ts'
import { type Metric, metric, ratio, seriesNamed } from '../metrics.ts'
import { type Shape, SMOLVLM_256M } from '../model/shape.ts'
import { interleave, type Series } from '../timing.ts'
import { idsOf, QUESTION_TOKENS, STATE_TOKENS, startDecoder, YES_NO } from './peers.ts'

const QUESTIONS = 32
const RATE_ROWS = [192, 1024] as const
const TIMES = 5

/** Operations of a stretch of tokens behind `past` others; `heads` rows of logits at its end. */
export function operations(shape: Shape, past: number, tokens: number, logits: number): { weights: number; attention: number } {
  const { hidden, layers, heads, keyHeads, headSize, inner, vocabulary } = shape
  const perToken = layers * (2 * hidden * heads * headSize + 2 * hidden * keyHeads * headSize + 3 * hidden * inner)
  return {
    weights: 2 * (perToken * tokens + logits * hidden * vocabulary),
    attention: 4 * layers * heads * headSize * tokens * (past + tokens),
  }
}

export const roofline: Section = {
  name: 'roofline',
  title: 'Share of the rate of products',
  async run(context) {
    const ids = idsOf(context)
    const { hidden, inner } = SMOLVLM_256M
    const decoder = await startDecoder(context, ids)
    const products = await startContender<ProductsMethods, unknown>(new URL('../contenders/products.ts', import.meta.url), {
      inputs: hidden,
      outputs: inner,
      threads: context.threads,
    })
    const series = await interleave(
      [
        {
          name: 'products',
          run: async () => {
            const parts: Record<string, number> = {}
            for (const kind of ['int8', 'fp32'] as const) {
              for (const rows of RATE_ROWS) parts[`${kind}, ${rows} rows, 10⁹ a second`] = await products.call('rate', kind, rows, TIMES)
            }
            return parts
          },
        },
        {
          name: 'decoder',
          run: async () => ({
            read: (await decoder.call('read', ids.state)).ms,
            'a question': (await decoder.call('questions', ids.questions, YES_NO)).ms,
            'one question alone': (await decoder.call('questions', ids.questions.slice(0, 1), YES_NO)).ms,
          }),
        },
      ],
      { ...context, pids: [decoder.pid, products.pid], say: (text) => context.say(`roofline: ${text}`) },
    )
    await Promise.all([decoder.close(), products.close()])
    return { series, metrics: concluded(series, context.dtype), facts: { questions: QUESTIONS } } satisfies Findings
  },
}

function concluded(series: readonly Series[], dtype: 'q8' | 'fp32'): Metric[] {
  const rate = (kind: 'int8' | 'fp32'): Series => {
    const [a, b] = RATE_ROWS.map((rows) => seriesNamed(series, `products: ${kind}, ${rows} rows, 10⁹ a second`)) as [Series, Series]
    return a.median > b.median ? a : b
  }
  const [weightsRate, attentionRate] = [rate(dtype === 'q8' ? 'int8' : 'fp32'), rate('fp32')]
  /** Milliseconds at the ceiling. */
  const least = ({ weights, attention }: ReturnType<typeof operations>) => ({
    median: (weights / weightsRate.median + attention / attentionRate.median) / 1e6,
    low: (weights / weightsRate.high + attention / attentionRate.high) / 1e6,
    high: (weights / weightsRate.low + attention / attentionRate.low) / 1e6,
    isDoubtful: weightsRate.isDoubtful || attentionRate.isDoubtful,
  })
  const reading = least(operations(SMOLVLM_256M, 0, STATE_TOKENS, 0))
  const asking = least(operations(SMOLVLM_256M, STATE_TOKENS, QUESTION_TOKENS, 1))
  const [read, question, alone] = ['read', 'a question', 'one question alone'].map((name) => seriesNamed(series, `decoder: ${name}`)) as [
    Series,
    Series,
    Series,
  ]
  const share = (name: string, target: number | undefined, note: string, floor: typeof reading, found: Series) =>
    ratio(
      { name: `share of the roofline: ${name}`, better: 'higher', unit: 'share', ...(target !== undefined && { target }), note },
      floor,
      found,
    )
  return [
    metric(
      {
        name: `rate of ${dtype === 'q8' ? 'int8' : 'fp32'} products, 10⁹ a second`,
        better: 'higher',
        unit: 'rate',
        note: 'the ceiling of weights',
      },
      weightsRate,
    ),
    metric(
      { name: 'rate of fp32 products, 10⁹ a second', better: 'higher', unit: 'rate', note: 'the ceiling of attention' },
      attentionRate,
    ),
    share('reading 1,024 tokens', 0.85, 'weights and attention', reading, read),
    share('a question of 32', 0.8, '24 tokens over 1,024, weights, attention and one row of logits', asking, question),
    share('a question alone', undefined, '24 tokens over 1,024', asking, alone),
    ratio(
      {
        name: 'decoder: marginal question',
        better: 'lower',
        unit: 'share',
        target: 0.03,
        note: 'of 32, 24 tokens; share of reading 1,024',
      },
      question,
      read,
    ),
  ]
}
