// The server of llama.cpp: GET /props, /v1/models; POST /apply-template, /tokenize, /completion. Fields as
// ggml-org/llama.cpp, tools/server/README.md; run against build b11549.
//
// Log-probabilities are those before sampling (`post_sampling_probs: false`), so neither grammar nor bias moves them. A
// token that is not among the likeliest is made the next one by a bias, and its own log-probability read.
import { ownField } from '../../../core/untrusted.ts'
import {
  type Driver,
  listedModel,
  listIn,
  logOf,
  malformed,
  type NextTokens,
  numberIn,
  type RemoteModel,
  refuseNothing,
  type TokenDriver,
  textIn,
  tokenIds,
} from '../driver.ts'
import { notAvailable } from '../failures.ts'
import { gbnfOf } from '../patterns.ts'
import { chatDriver } from './openai-chat.ts'

const ENGINE = 'llama.cpp'
/** How many of the likeliest tokens are asked for: symbols are mostly among them. */
const TOP = 40
const FORCE = 10_000
/** Each token alone and all tokens at once are sums in another order. */
const ROUNDING = 0.02

const GREEDY = { temperature: 0, cache_prompt: true, post_sampling_probs: false, stream: false }

interface Completed {
  readonly tokens: readonly {
    readonly id: number
    readonly text: string
    readonly log: number
    readonly top: ReadonlyMap<number, number>
  }[]
  readonly text: string
  readonly cachedTokens: number | null
  readonly stopType: string | null
}

async function complete({ send, identity }: RemoteModel, ids: readonly number[], fields: Record<string, unknown>): Promise<Completed> {
  const path = '/completion'
  const json = await send({ path, body: { model: identity.model, prompt: ids, ...GREEDY, ...fields } })
  const tokens = listIn(json, 'completion_probabilities').map((one) => {
    const id = numberIn(one, 'id')
    if (id === null) throw malformed(ENGINE, path, 'token ids in completion_probabilities')
    const top = new Map(
      listIn(one, 'top_logprobs').map((other) => [numberIn(other, 'id') ?? -1, logOf(ownField(other, 'logprob'), ENGINE)]),
    )
    return { id, text: textIn(one, 'token') ?? '', log: logOf(ownField(one, 'logprob'), ENGINE), top }
  })
  return {
    tokens,
    text: textIn(json, 'content') ?? '',
    cachedTokens: numberIn(ownField(json, 'timings'), 'cache_n'),
    stopType: textIn(json, 'stop_type'),
  }
}

async function next(asked: RemoteModel, ids: readonly number[], wanted: readonly number[]): Promise<NextTokens> {
  const { tokens, cachedTokens } = await complete(asked, ids, { n_predict: 1, n_probs: TOP })
  const [first] = tokens
  if (first === undefined)
    throw notAvailable('The llama.cpp server gave no log-probabilities; start llama-server without speculative decoding.')
  const logs = new Map(first.top)
  const least = Math.min(...first.top.values())
  const missing = wanted.filter((id) => !logs.has(id))
  const forced = await Promise.all(missing.map((id) => complete(asked, ids, { n_predict: 1, n_probs: 1, logit_bias: [[id, FORCE]] })))
  missing.forEach((id, i) => {
    const [one] = forced[i]!.tokens
    if (one?.id !== id)
      throw notAvailable(`The llama.cpp server answered with token ${one?.id} where ${id} was asked for; take llama.cpp b11000 or newer.`)
    if (one.log > least + ROUNDING) {
      throw notAvailable(
        'The llama.cpp server gives log-probabilities behind its samplers, not those of the model; take one that reads post_sampling_probs.',
      )
    }
    logs.set(id, one.log)
  })
  refuseNothing(
    wanted.map((id) => logs.get(id) as number),
    ENGINE,
  )
  return { logs, cachedTokens }
}

const tokens: TokenDriver = {
  async render({ send, identity }, messages) {
    const path = '/apply-template'
    const prompt = textIn(
      await send({ path, body: { model: identity.model, messages, chat_template_kwargs: { enable_thinking: false } } }),
      'prompt',
    )
    if (prompt === null) throw malformed(ENGINE, path, 'a prompt')
    // The template's own first token is left out where the vocabulary adds one: it is put back.
    const [first] = await tokenIds({ send }, ENGINE, { content: '', add_special: true })
    if (first === undefined) return prompt
    const name = textIn(await send({ path: '/detokenize', body: { tokens: [first] } }), 'content') ?? ''
    return prompt.startsWith(name) ? prompt : name + prompt
  },
  encode: (asked, runs) => tokenIds(asked, ENGINE, { content: runs, add_special: false, parse_special: false }),
  encodeSpecial: (asked, content) => tokenIds(asked, ENGINE, { content, add_special: false, parse_special: true }),
  next,
  async write(asked, ids, { pattern, maxTokens, stop }) {
    const grammar = pattern === null ? {} : { grammar: gbnfOf(pattern) }
    const { tokens, text, cachedTokens, stopType } = await complete(asked, ids, { n_predict: maxTokens, n_probs: 1, stop, ...grammar })
    return {
      text,
      tokens: tokens.map((token) => ({ text: token.text, logProbability: token.log })),
      hasEnded: stopType !== 'limit',
      cachedTokens,
    }
  },
}

export const llamaCpp: Driver = {
  tokens,
  chat: chatDriver(ENGINE),
  logProbabilities: 'before sampling',
  async identify(send, askedFor) {
    const props = await send({ path: '/props' })
    const version = textIn(props, 'build_info')
    if (version === null) throw malformed(ENGINE, '/props', 'build_info')
    const { model, card } = await listedModel(send, askedFor, ENGINE)
    const meta = ownField(card, 'meta')
    const sizes = ['n_params', 'size', 'n_vocab', 'n_embd'].flatMap((name): [string, number][] => {
      const value = numberIn(meta, name)
      return value === null ? [] : [[name, value]]
    })
    return {
      identity: {
        engine: ENGINE,
        version,
        model,
        weights: { ...Object.fromEntries(sizes), path: textIn(props, 'model_path') ?? '', type: textIn(props, 'model_ftype') ?? '' },
      },
      contextLength: numberIn(ownField(props, 'default_generation_settings'), 'n_ctx'),
      images: ownField(ownField(props, 'modalities'), 'vision') === true,
      slots: numberIn(props, 'total_slots'),
      thinks: false,
    }
  },
}
