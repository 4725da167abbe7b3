// The engine against its peers on the same weights: the same 1,024 ids, and the same 32 questions of 24 ids behind
// them. What would take minutes (the whole prompt for every question and option) is run once a round and multiplied
// out.

import { MOST_TOKENS } from '../../../src/backends/onnx/decoder/branch-scorer.ts'
import { type Contender, startContender } from '../contender.ts'
import type { DecoderMethods } from '../contenders/decoder.ts'
import type { EngineMethods } from '../contenders/engine.ts'
import { type Context, engineSetup, type Findings, type Section, tokenizerOf } from '../context.ts'
import { type Metric, ratio, seriesNamed, sum } from '../metrics.ts'
import { versionOf } from '../peers/install.ts'
import type { LlamaMethods } from '../peers/llama.ts'
import type { TransformersMethods } from '../peers/transformers.ts'
import { ggufOf } from '../random-model.ts'
import { optionIds, questionIds, questionsOf, stateOf } from '../texts.ts'
import { type Case, interleave, type Series } from '../timing.ts'
import { ENGINE } from './grid.ts'

export const STATE_TOKENS = 1024
export const QUESTION_TOKENS = 24
/** Tokens of one option: where all are listed for a choice by letter, and where each is read behind the question. */
const OPTION_TOKENS = 4
const QUESTIONS = 32
/** Ids that stand for answers: which ones they are makes no difference to time. */
export const YES_NO = [301, 302]
const LETTERS = [301, 302, 303, 304, 305]
/** Questions that the slower contenders are asked in a round; their mean counts. */
const ASKED = 4

interface Contenders {
  readonly decoder: Contender<DecoderMethods>
  readonly engine: Contender<EngineMethods>
  readonly transformers: Contender<TransformersMethods>
  readonly llama: Contender<LlamaMethods>
}

export interface Ids {
  readonly state: readonly number[]
  readonly questions: readonly (readonly number[])[]
  /** Questions that list five options, to be answered by a letter. */
  readonly choices: readonly (readonly number[])[]
  /** A whole prompt with one option behind its question. */
  readonly option: readonly number[]
}

export function idsOf(context: Context): Ids {
  const { encode } = tokenizerOf('M', context)
  const state = encode(stateOf(STATE_TOKENS + 8, 'case', (text) => encode(text).length)).slice(0, STATE_TOKENS)
  const questions = questionIds(QUESTIONS, QUESTION_TOKENS, encode)
  const options = optionIds(OPTION_TOKENS, encode)
  const letters = options.flatMap((ids, i) => [...encode('ABCDE'.charAt(i)).slice(0, 1), ...ids])
  const choices = questions.map((ids) => [...ids.slice(0, -3), ...letters, ...ids.slice(-3)])
  return { state, questions, choices, option: [...state, ...(questions[0] as readonly number[]), ...(options[0] as readonly number[])] }
}

export const startDecoder = (context: Context, { state, questions }: Ids): Promise<Contender<DecoderMethods>> =>
  startContender<DecoderMethods, unknown>(new URL('../contenders/decoder.ts', import.meta.url), {
    folder: context.randomModel,
    options: engineSetup('M', context).options,
    probe: [...state.slice(0, 40), ...(questions[0] as readonly number[])],
    passTokens: MOST_TOKENS,
  })

export const peers: Section = {
  name: 'peers',
  title: 'Against transformers.js and node-llama-cpp on the same weights',
  async run(context) {
    const { peers: folder, randomModel, threads, dtype } = context
    if (folder === null) throw new Error('the peers are not installed')
    const ids = idsOf(context)
    const gguf = dtype === 'q8' ? 'Q8_0' : 'F16'
    const all: Contenders = {
      decoder: await startDecoder(context, ids),
      engine: await startContender<EngineMethods, unknown>(ENGINE, engineSetup('M', context)),
      transformers: await startContender<TransformersMethods, unknown>(new URL('../peers/transformers.ts', import.meta.url), {
        peers: folder,
        model: randomModel,
        dtype,
        threads,
      }),
      llama: await startContender<LlamaMethods, unknown>(new URL('../peers/llama.ts', import.meta.url), {
        peers: folder,
        gguf: ggufOf(randomModel, gguf),
        threads,
        contextTokens: 2048,
      }),
    }
    const facts: Record<string, string | number> = {
      'transformers.js': versionOf(folder, '@huggingface/transformers'),
      'node-llama-cpp': versionOf(folder, 'node-llama-cpp'),
      'node-llama-cpp is built': await all.llama.call('about'),
      'engine, patches of the decoder': await all.decoder.call('about'),
      'tokens of the state': ids.state.length,
      'tokens of a question': QUESTION_TOKENS,
      'tokens of a choice with its options': (ids.choices[0] as readonly number[]).length,
    }
    try {
      Object.assign(facts, await agreement(all, ids))
      const pids = Object.values(all).map(({ pid }) => pid)
      const series = await interleave(casesOf(all, ids, context, facts), {
        ...context,
        pids,
        say: (text) => context.say(`peers: ${text}`),
      })
      return { series, metrics: concluded(series, gguf), facts } satisfies Findings
    } finally {
      await Promise.all(Object.values(all).map((one: Contender<never>) => one.close()))
    }
  },
}

function casesOf(all: Contenders, ids: Ids, context: Context, facts: Record<string, string | number>): Case[] {
  const { encode } = tokenizerOf('M', context)
  const few = ids.questions.slice(0, ASKED)
  const whole = [...ids.state, ...(ids.questions[0] as readonly number[])]
  const ask = async (round: number, options: 2 | 5) => {
    const state = { text: stateOf(STATE_TOKENS, `peers ${round} ${options}`, (text) => encode(text).length) }
    const answer = await all.engine.call('ask', state, questionsOf(options, QUESTIONS))
    facts[`engine.ask, 32 × ${options}: input tokens`] = answer.tokens
    return answer.ms
  }
  // A contender that waited starts slowly (caches, reclaimed memory), so each first reads the state once, untimed.
  const woken = async <T>(wake: Promise<unknown>, run: () => Promise<T>): Promise<T> => {
    await wake
    return run()
  }
  return [
    {
      name: 'ours',
      run: () =>
        woken(all.decoder.call('read', ids.state), async () => ({
          read: (await all.decoder.call('read', ids.state)).ms,
          'a question': (await all.decoder.call('questions', ids.questions, YES_NO)).ms,
          'a choice of 5': (await all.decoder.call('questions', ids.choices, LETTERS)).ms,
        })),
    },
    {
      name: 'engine.ask',
      run: (round) => woken(ask(round + 0.5, 2), async () => ({ '32 × 2': await ask(round, 2), '32 × 5': await ask(round, 5) })),
    },
    {
      name: 'transformers.js',
      run: () =>
        woken(all.transformers.call('read', ids.state), async () => ({
          'generate, a question': (await all.transformers.call('generate', whole)).ms,
          'whole prompt, an option': (await all.transformers.call('whole', ids.option)).ms,
          'kept cache, read': (await all.transformers.call('read', ids.state)).ms,
          'kept cache, a question': (await all.transformers.call('questions', few)).ms,
        })),
    },
    {
      name: 'node-llama-cpp',
      run: () =>
        woken(all.llama.call('read', ids.state), async () => ({
          read: (await all.llama.call('read', ids.state)).ms,
          'a question': (await all.llama.call('questions', few, YES_NO)).ms,
        })),
    },
  ]
}

/** The same question to everyone: if they disagreed, they would not run the same model. */
async function agreement(
  { decoder, transformers, llama }: Contenders,
  { state, questions }: Ids,
): Promise<Record<string, string | number>> {
  const question = questions[0] as readonly number[]
  await Promise.all([decoder.call('read', state), transformers.call('read', state), llama.call('read', state)])
  const ours = await decoder.call('best', question)
  const [theirs] = (await transformers.call('questions', [question])).best
  const { best: generated } = await transformers.call('generate', [...state, ...question])
  const wanted = [ours, 1]
  const [own] = (await decoder.call('questions', [question], wanted)).logProbabilities
  const [other] = (await llama.call('questions', [question], wanted)).logits
  const gap = (logits: readonly number[] | undefined) => Number(((logits?.[0] ?? 0) - (logits?.[1] ?? 0)).toFixed(3))
  return {
    'likeliest token: ours, kept cache, generate': [ours, theirs, generated].join(', '),
    'log-odds of that token over another: ours': gap(own),
    'log-odds of that token over another: node-llama-cpp': gap(other),
  }
}

function concluded(series: readonly Series[], gguf: string): Metric[] {
  const at = (name: string) => seriesNamed(series, name)
  const [read, question, choice] = [at('ours: read'), at('ours: a question'), at('ours: a choice of 5')]
  const ours = sum([1, read], [QUESTIONS, question])
  const expert = sum([1, at('transformers.js: kept cache, read')], [QUESTIONS, at('transformers.js: kept cache, a question')])
  const llama = sum([1, at('node-llama-cpp: read')], [QUESTIONS, at('node-llama-cpp: a question')])
  const times = (name: string, target: number | undefined, note: string, theirs: typeof ours, mine: typeof ours) =>
    ratio({ name, better: 'higher', unit: 'times', ...(target !== undefined && { target }), note }, theirs, mine)
  const generate = sum([QUESTIONS, at('transformers.js: generate, a question')])
  const perOption = sum([QUESTIONS * 5, at('transformers.js: whole prompt, an option')])
  return [
    times('32 yes/no against transformers.js generate', 30, 'state and questions; generate run once a round, times 32', generate, ours),
    times(
      'the same through engine.ask',
      undefined,
      'our own wording of the questions, which is longer',
      generate,
      at('engine.ask: 32 × 2'),
    ),
    times('32 yes/no against its kept cache, in all', 2.2, 'state and questions', expert, ours),
    times(
      '32 yes/no against its kept cache, questions only',
      4,
      'the state being read',
      at('transformers.js: kept cache, a question'),
      question,
    ),
    times(
      '32 × 5 options against the whole prompt per option',
      80,
      'one run a round, times 160; ours lists the options',
      perOption,
      sum([1, read], [QUESTIONS, choice]),
    ),
    times('the same through engine.ask, 5 options', undefined, 'our own wording', perOption, at('engine.ask: 32 × 5')),
    times(`a question against node-llama-cpp ${gguf}`, 3, 'the state being read', at('node-llama-cpp: a question'), question),
    times(`32 yes/no against node-llama-cpp ${gguf}, in all`, undefined, 'state and questions', llama, ours),
  ]
}
