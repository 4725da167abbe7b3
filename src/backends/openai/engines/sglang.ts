// SGLang: GET /get_model_info, /get_server_info, /v1/models; POST /tokenize, /detokenize, /generate with
// `token_ids_logprob`, and one chat request for the template (`return_prompt_token_ids`, from 0.5.13 on). Fields as
// docs.sglang.io (native APIs, sampling parameters) and sgl-project/sglang, srt/entrypoints/openai; not run here.
import { ownField, type UntrustedObject } from '../../../core/untrusted.ts'
import {
  type Driver,
  idsIn,
  listedModel,
  listIn,
  logOf,
  malformed,
  numberIn,
  type RemoteModel,
  refuseNothing,
  TOKENIZE,
  type TokenDriver,
  textIn,
  tokenIds,
} from '../driver.ts'
import { notAvailable } from '../failures.ts'
import { regexOf } from '../patterns.ts'
import { partsWithin } from '../plain-text.ts'
import { chatDriver } from './openai-chat.ts'

const ENGINE = 'sglang'
const GENERATE = '/generate'
const CHAT = '/v1/chat/completions'

async function generate(
  { send }: RemoteModel,
  ids: readonly number[],
  sampling: UntrustedObject,
  fields: UntrustedObject,
): Promise<UntrustedObject> {
  const body = { input_ids: ids, sampling_params: { temperature: 0, ...sampling }, return_logprob: true, stream: false, ...fields }
  return send({ path: GENERATE, body })
}

/** [log-probability, id, text] */
type Triple = readonly [unknown, unknown, unknown]
const triplesIn = (value: unknown): Triple[] => (Array.isArray(value) ? value.filter((one): one is Triple => Array.isArray(one)) : [])

const tokens: TokenDriver = {
  async render({ send, identity }, messages) {
    const body = {
      model: identity.model,
      messages,
      max_tokens: 1,
      temperature: 0,
      return_prompt_token_ids: true,
      chat_template_kwargs: { enable_thinking: false },
    }
    const json = await send({ path: CHAT, body })
    const found = ownField(listIn(json, 'choices')[0], 'prompt_token_ids') ?? ownField(json, 'prompt_token_ids')
    if (!Array.isArray(found)) throw malformed(ENGINE, CHAT, 'prompt_token_ids (SGLang 0.5.13 or newer gives them)')
    const detokenized = await send({
      path: '/detokenize',
      body: { model: identity.model, tokens: idsIn(found, ENGINE, CHAT), skip_special_tokens: false },
    })
    const text = textIn(detokenized, 'text')
    if (text === null) throw malformed(ENGINE, '/detokenize', 'a text')
    return text
  },
  async encode(asked, runs) {
    const { send, identity } = asked
    const parts = partsWithin(asked, runs)
    const texts = parts.filter((part) => typeof part === 'string')
    if (texts.length === 0) return parts as number[]
    const lists = listIn(
      await send({ path: TOKENIZE, body: { model: identity.model, prompt: texts, add_special_tokens: false } }),
      'tokens',
    )
    let at = 0
    return parts.flatMap((part) => (typeof part === 'number' ? [part] : idsIn(lists[at++], ENGINE, TOKENIZE)))
  },
  encodeSpecial: (asked, text) => tokenIds(asked, ENGINE, { model: asked.identity.model, prompt: text, add_special_tokens: false }),
  async next(asked, ids, wanted) {
    const json = await generate(asked, ids, { max_new_tokens: 1 }, wanted.length === 0 ? {} : { token_ids_logprob: wanted })
    const meta = ownField(json, 'meta_info')
    const [first] = listIn(meta, 'output_token_ids_logprobs')
    const logs = new Map(triplesIn(first).map(([log, id]) => [Number(id), logOf(log, ENGINE)]))
    const other = wanted.find((id) => !logs.has(id))
    if (other !== undefined && logs.size === 0) logOf(null, ENGINE)
    if (other !== undefined)
      throw notAvailable(`The SGLang server answered with other token ids than asked (${other} is not among them); take a newer SGLang.`)
    refuseNothing([...logs.values()], ENGINE)
    return { logs, cachedTokens: numberIn(meta, 'cached_tokens') }
  },
  async write(asked, ids, { pattern, maxTokens, stop }) {
    const json = await generate(
      asked,
      ids,
      { max_new_tokens: maxTokens, stop, ...(pattern === null ? {} : { regex: regexOf(pattern) }) },
      { return_text_in_logprobs: true },
    )
    const meta = ownField(json, 'meta_info')
    const written = triplesIn(ownField(meta, 'output_token_logprobs')).map(([log, , text]) => ({
      text: typeof text === 'string' ? text : '',
      logProbability: logOf(log, ENGINE),
    }))
    if (written.length === 0) logOf(null, ENGINE)
    const reason = ownField(meta, 'finish_reason')
    const hasEnded = (typeof reason === 'string' ? reason : textIn(reason, 'type')) === 'stop'
    return { text: textIn(json, 'text') ?? '', tokens: written, hasEnded, cachedTokens: numberIn(meta, 'cached_tokens') }
  },
}

export const sglang: Driver = {
  tokens,
  chat: chatDriver(ENGINE),
  logProbabilities: 'before temperature',
  async identify(send, askedFor) {
    const info = await send({ path: '/get_model_info' })
    const path = textIn(info, 'model_path')
    if (path === null) throw malformed(ENGINE, '/get_model_info', 'model_path')
    const server = await send({ path: '/get_server_info' })
    const { model, card } = await listedModel(send, askedFor, ENGINE)
    return {
      identity: {
        engine: ENGINE,
        version: textIn(server, 'version') ?? '',
        model,
        weights: { path, version: textIn(info, 'weight_version') ?? '' },
      },
      contextLength: numberIn(card, 'max_model_len'),
      images: null,
      slots: null,
      thinks: false,
    }
  },
}
