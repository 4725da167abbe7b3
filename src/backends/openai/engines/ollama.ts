// Ollama from 0.12.11 on: GET /api/version, /api/tags; POST /api/show, /api/chat with `logprobs` and `top_logprobs` (at
// most 20, as texts). Fields as ollama/ollama, docs/openapi.yaml; not run here. The neutral options are always sent:
// with the default ones some runners give log-probabilities behind top_k.
import { ownField, type UntrustedObject } from '../../../core/untrusted.ts'
import {
  type ChatDriver,
  type ContentPart,
  type Driver,
  listIn,
  logOf,
  malformed,
  modelAmong,
  numberIn,
  type RemoteChatModel,
  textIn,
} from '../driver.ts'
import { pngOf } from '../png.ts'

const ENGINE = 'ollama'
const PATH = '/api/chat'
const MOST_TOP = 20

async function chat(
  { send, identity, thinks, contextLength }: RemoteChatModel,
  parts: readonly ContentPart[],
  most: number,
  fields: UntrustedObject,
) {
  // Pictures stand beside the text; the server writes them in front of it.
  const images = await Promise.all(parts.flatMap((part) => (part.type === 'image' ? [pngOf(part.picture)] : [])))
  const content = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const json = await send({
    path: PATH,
    body: {
      model: identity.model,
      messages: [{ role: 'user', content, ...(images.length === 0 ? {} : { images }) }],
      stream: false,
      logprobs: true,
      // Too long a prompt is an error, and is not cut without a word.
      truncate: false,
      shift: false,
      ...(thinks ? { think: false } : {}),
      options: {
        num_predict: most,
        temperature: fields.format === undefined ? 1 : 0,
        top_k: 0,
        top_p: 1,
        min_p: 0,
        repeat_penalty: 1,
        num_ctx: contextLength,
        seed: 0,
      },
      ...fields,
    },
  })
  const tokens = listIn(json, 'logprobs')
  // Says what null means here, and what to do.
  if (tokens.length === 0) logOf(null, ENGINE)
  return { json, tokens, promptTokens: numberIn(json, 'prompt_eval_count'), cachedTokens: numberIn(json, 'prompt_eval_cached_count') }
}

const tokenOf = (one: unknown) => ({ text: textIn(one, 'token') ?? '', logProbability: logOf(ownField(one, 'logprob'), ENGINE) })

const driver: ChatDriver = {
  async top(asked, parts) {
    const { tokens, promptTokens, cachedTokens } = await chat(asked, parts, 1, { top_logprobs: MOST_TOP })
    const top = listIn(tokens[0], 'top_logprobs').map(tokenOf)
    if (top.length === 0) logOf(null, ENGINE)
    return { top, promptTokens, cachedTokens }
  },
  async write(asked, parts, schema, maxTokens) {
    const { json, tokens, promptTokens, cachedTokens } = await chat(asked, parts, maxTokens, { format: schema })
    return {
      text: textIn(ownField(json, 'message'), 'content') ?? '',
      tokens: tokens.map(tokenOf),
      hasEnded: textIn(json, 'done_reason') === 'stop',
      promptTokens,
      cachedTokens,
    }
  },
}

export const ollama: Driver = {
  tokens: null,
  chat: driver,
  logProbabilities: 'top 20, neutral options',
  async identify(send, askedFor) {
    const version = textIn(await send({ path: '/api/version' }), 'version')
    if (version === null) throw malformed(ENGINE, '/api/version', 'a version')
    const models = listIn(await send({ path: '/api/tags' }), 'models')
    const names = models.flatMap((one) => textIn(one, 'model') ?? textIn(one, 'name') ?? [])
    // A name without a tag means `latest`.
    const model = modelAmong(names, askedFor !== null && !names.includes(askedFor) ? `${askedFor}:latest` : askedFor, ENGINE)
    const card = models.find((one) => (textIn(one, 'model') ?? textIn(one, 'name')) === model)
    const shown = await send({ path: '/api/show', body: { model } })
    const abilities = listIn(shown, 'capabilities')
    const info = ownField(shown, 'model_info')
    const lengths = Object.entries((info ?? {}) as UntrustedObject).flatMap(([name, value]) =>
      name.endsWith('.context_length') && typeof value === 'number' ? [value] : [],
    )
    return {
      identity: { engine: ENGINE, version, model, weights: { digest: textIn(card, 'digest') ?? '' } },
      contextLength: lengths.length === 0 ? null : Math.min(...lengths),
      // What is taken must fit into memory, so a large context is taken only where it is asked for.
      usualContextLength: 8192,
      images: abilities.length === 0 ? null : abilities.includes('vision'),
      slots: null,
      thinks: abilities.includes('thinking'),
    }
  },
}
