// What a request costs by the length of its state, its questions and their options: a state that is new, and the same
// one again.

import { type Contender, startContender } from '../contender.ts'
import type { EngineMethods } from '../contenders/engine.ts'
import { type Context, engineSetup, type Findings, fewerRounds, MODELS, type ModelName, type Section, tokenizerOf } from '../context.ts'
import { less, type Metric, metric, ratio, seriesNamed, sum } from '../metrics.ts'
import { questionsOf, stateOf } from '../texts.ts'
import { type Case, interleave, line, type Series } from '../timing.ts'

/** The last is what the shipped model's 4,096 leave beside questions. */
export const LENGTHS = [128, 1024, 3840] as const
const COUNTS = [1, 8, 32] as const
const OPTIONS = [2, 5] as const

type Kind = 'cold' | 'warm'
const label = (model: ModelName, length: number, count: number, options: number, kind: Kind): string =>
  `${model}, ${length} tokens: ${count} × ${options}, ${kind}`

export const ENGINE = new URL('../contenders/engine.ts', import.meta.url)

export const grid: Section = {
  name: 'grid',
  title: 'Requests by length of state, questions and options',
  async run(context) {
    const series: Series[] = []
    const metrics: Metric[] = []
    const facts: Record<string, number> = {}
    for (const model of MODELS) {
      const engine = await startContender<EngineMethods, unknown>(ENGINE, engineSetup(model, context))
      try {
        const lengths = context.isShort ? [1024] : LENGTHS
        const cases = lengths.map((length) => caseOf(model, length, context, engine, facts))
        const found = await interleave(cases, {
          ...context,
          rounds: model === 'M' ? fewerRounds(context) : context.rounds,
          pids: [engine.pid],
          say: (text) => context.say(`grid, ${model}: ${text}`),
        })
        series.push(...found)
        metrics.push(...concluded(model, found), ...(context.isShort ? [] : growth(model, found)))
      } finally {
        await engine.close()
      }
    }
    return { series, metrics, facts } satisfies Findings
  },
}

function caseOf(model: ModelName, length: number, context: Context, engine: Contender<EngineMethods>, facts: Record<string, number>): Case {
  const tokenizer = tokenizerOf(model, context)
  const newState = (salt: string) => ({ text: stateOf(length, salt, (text) => tokenizer.encode(text).length) })
  const ask = async (state: { text: string }, count: number, options: 2 | 5) => {
    const answer = await engine.call('ask', state, questionsOf(options, count))
    // Once is enough: what questions add is the same behind every state.
    if (length === 1024 && count !== 8)
      facts[`${model}, ${length} tokens, ${count} × ${options}: input tokens with our wording`] = answer.tokens
    return answer.ms
  }
  return {
    name: `${model}, ${length} tokens`,
    async warmUp() {
      if (length > 1024) return
      const state = newState('warming up')
      for (const count of [1, 8]) await ask(state, count, 5)
    },
    async run(round) {
      const parts: Record<string, number> = {}
      const first = newState(`case ${round}`)
      parts['1 × 2, cold'] = await ask(first, 1, 2)
      for (const options of OPTIONS) {
        for (const count of COUNTS) {
          // One short question is over soon: the mean of three.
          const times = count === 1 ? 3 : 1
          let ms = 0
          for (let i = 0; i < times; i++) ms += await ask(first, count, options)
          parts[`${count} × ${options}, warm`] = ms / times
        }
      }
      for (const options of OPTIONS) {
        for (const count of COUNTS) {
          if ((count === 1 && options === 2) || !isMeasuredCold(length, count, options, context)) continue
          parts[`${count} × ${options}, cold`] = await ask(newState(`case ${round} of ${count} by ${options}`), count, options)
        }
      }
      return parts
    },
  }
}

/** Reading the longest states takes most of the time of a run; what questions add to it is the same cold and warm. */
function isMeasuredCold(length: number, count: number, options: number, { isFull, isShort }: Context): boolean {
  if (isShort) return count === 32 && options === 2
  return isFull || length < 3000 || (count === 32 && options === 5)
}

function concluded(model: ModelName, found: readonly Series[]): Metric[] {
  const at = (count: number, options: number, kind: Kind) => seriesNamed(found, label(model, 1024, count, options, kind))
  const [oneCold, oneWarm, manyWarm] = [at(1, 2, 'cold'), at(1, 2, 'warm'), at(32, 2, 'warm')]
  const reading = less(oneCold, oneWarm)
  const marginal = less(manyWarm, oneWarm)
  const perQuestion = sum([1 / 31, marginal])
  return [
    ratio(
      {
        name: `${model}: second request on a warm state`,
        better: 'higher',
        unit: 'times',
        target: 10,
        note: '1 yes/no over 1,024 tokens, cold / warm',
      },
      oneCold,
      oneWarm,
    ),
    ratio(
      {
        name: `${model}: marginal question`,
        better: 'lower',
        unit: 'share',
        target: 0.03,
        note: 'of 32 yes/no, share of reading 1,024 tokens',
      },
      perQuestion,
      reading,
    ),
    ratio(
      { name: `${model}: 32 questions for the price of one`, better: 'lower', unit: 'times', note: '32 yes/no over a new state / 1' },
      at(32, 2, 'cold'),
      oneCold,
    ),
    ratio(
      { name: `${model}: 5 options`, better: 'lower', unit: 'times', note: '32 choices of 5 options, warm / 32 yes/no' },
      at(32, 5, 'warm'),
      manyWarm,
    ),
  ]
}

/** How the cost grows: fits over the grid. Only shares and powers, which compare between machines. */
function growth(model: ModelName, found: readonly Series[]): Metric[] {
  const median = (length: number, count: number, options: number, kind: Kind) =>
    seriesNamed(found, label(model, length, count, options, kind)).median
  const reading = (length: number) => median(length, 1, 2, 'cold') - median(length, 1, 2, 'warm')
  const perQuestion = (length: number, options: number) =>
    line(COUNTS.map((count) => [count, median(length, count, options, 'warm')])).slope
  const of = (name: string, value: number, unit: Metric['unit'], note: string) =>
    metric({ name: `${model}: ${name}`, better: 'lower', unit, note }, { median: value, low: value, high: value })
  return [
    ...LENGTHS.map((length) =>
      of(`reading 1,000 tokens at ${length}`, (reading(length) / length) * 1000, 'ms', 'cold less warm, per 1,000 tokens of the state'),
    ),
    of(
      'power of reading',
      Math.log(reading(3840) / reading(1024)) / Math.log(3840 / 1024),
      'times',
      '1: linear in the state, 2: its square; from 1,024 to 3,840 tokens',
    ),
    ...LENGTHS.flatMap((length) => [
      of(`a question at ${length}`, perQuestion(length, 2), 'ms', 'slope over 1, 8, 32 yes/no, warm'),
      of(`an option at ${length}`, (perQuestion(length, 5) - perQuestion(length, 2)) / 3, 'ms', 'slopes of 5 and 2 options, per option'),
    ]),
  ]
}
