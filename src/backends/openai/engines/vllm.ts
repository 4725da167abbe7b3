// vLLM from 0.30 on: GET /version, /v1/models; POST /tokenize, /detokenize, /v1/completions with `logprob_token_ids`.
// Fields as vllm-project/vllm, vllm/entrypoints/serve/tokenize/protocol.py and docs.vllm.ai (OpenAI-compatible server,
// sampling parameters); not run here. `prompt_logprobs` and `echo` are not used: they read the whole prompt anew.
import { ownField, type UntrustedObject } from '../../../core/untrusted.ts'
import {
  type Driver,
  listedModel,
  listIn,
  logOf,
  malformed,
  numberIn,
  type RemoteModel,
  type Run,
  refuseNothing,
  type TokenDriver,
  textIn,
  tokenIds,
} from '../driver.ts'
import { notAvailable } from '../failures.ts'
import { regexOf } from '../patterns.ts'
import { partsWithin } from '../plain-text.ts'
import { chatDriver } from './openai-chat.ts'

const ENGINE = 'vllm'
const COMPLETIONS = '/v1/completions'
/** The most ids that one request may ask for. */
const MOST_IDS = 128
/** Texts that are tokenized at a time: one request takes one text. */
const MOST_TEXTS = 16

const tokenize = (asked: RemoteModel, body: UntrustedObject): Promise<number[]> =>
  tokenIds(asked, ENGINE, { model: asked.identity.model, ...body })

interface Completed {
  readonly choice: unknown
  readonly logprobs: unknown
  readonly cachedTokens: number | null
}

async function complete({ send, identity }: RemoteModel, ids: readonly number[], fields: UntrustedObject): Promise<Completed> {
  const body = { model: identity.model, prompt: ids, temperature: 0, stream: false, return_tokens_as_token_ids: true, ...fields }
  const json = await send({ path: COMPLETIONS, body })
  const [choice] = listIn(json, 'choices')
  if (choice === undefined) throw malformed(ENGINE, COMPLETIONS, 'choices')
  const details = ownField(ownField(json, 'usage'), 'prompt_tokens_details')
  return { choice, logprobs: ownField(choice, 'logprobs'), cachedTokens: numberIn(details, 'cached_tokens') }
}

/** Of `token_id:123`. */
const idOf = (name: string): number => Number(/^token_id:(\d+)$/.exec(name)?.[1] ?? Number.NaN)

const tokens: TokenDriver = {
  async render(asked, messages) {
    const ids = await tokenize(asked, {
      messages,
      add_generation_prompt: messages.at(-1)?.role === 'user',
      chat_template_kwargs: { enable_thinking: false },
    })
    const prompt = textIn(await asked.send({ path: '/detokenize', body: { model: asked.identity.model, tokens: ids } }), 'prompt')
    if (prompt === null) throw malformed(ENGINE, '/detokenize', 'a prompt')
    return prompt
  },
  async encode(asked, runs) {
    const parts = partsWithin(asked, runs)
    const texts = [...new Set(parts.filter((part) => typeof part === 'string'))]
    const idsOf = new Map<Run, readonly number[]>()
    for (let from = 0; from < texts.length; from += MOST_TEXTS) {
      const some = texts.slice(from, from + MOST_TEXTS)
      const ids = await Promise.all(some.map((text) => tokenize(asked, { prompt: text, add_special_tokens: false })))
      some.forEach((text, i) => {
        idsOf.set(text, ids[i] as number[])
      })
    }
    return parts.flatMap((part) => (typeof part === 'number' ? [part] : (idsOf.get(part) as readonly number[])))
  },
  encodeSpecial: (asked, text) => tokenize(asked, { prompt: text, add_special_tokens: false }),
  async next(asked, ids, wanted) {
    const chunks = Array.from({ length: Math.max(1, Math.ceil(wanted.length / MOST_IDS)) }, (_, i) =>
      wanted.slice(i * MOST_IDS, (i + 1) * MOST_IDS),
    )
    const logs = new Map<number, number>()
    let cachedTokens: number | null = null
    for (const chunk of chunks) {
      // The length of the list is what `logprobs` has to be beside it.
      const fields = chunk.length === 0 ? { logprobs: 1 } : { logprobs: chunk.length, logprob_token_ids: chunk }
      const done = await complete(asked, ids, { max_tokens: 1, ...fields })
      cachedTokens ??= done.cachedTokens
      const [top] = listIn(done.logprobs, 'top_logprobs')
      if (typeof top !== 'object' || top === null) logOf(null, ENGINE)
      for (const [name, log] of Object.entries(top as UntrustedObject)) logs.set(idOf(name), logOf(log, ENGINE))
      const other = chunk.find((id) => !logs.has(id))
      if (other !== undefined) {
        throw notAvailable(
          `The vLLM server answered with other token ids than asked (${other} is not among them); take vLLM 0.30 or newer, which knows logprob_token_ids.`,
        )
      }
    }
    refuseNothing(
      wanted.map((id) => logs.get(id) as number),
      ENGINE,
    )
    return { logs, cachedTokens }
  },
  async write(asked, ids, { pattern, maxTokens, stop }) {
    const structured = pattern === null ? {} : { structured_outputs: { regex: regexOf(pattern) } }
    const { choice, logprobs, cachedTokens } = await complete(asked, ids, { max_tokens: maxTokens, logprobs: 1, stop, ...structured })
    const logs = listIn(logprobs, 'token_logprobs').map((log) => logOf(log, ENGINE))
    if (logs.length === 0) logOf(null, ENGINE)
    return {
      text: textIn(choice, 'text') ?? '',
      // Tokens are named by their ids, so only their number and log-probabilities are known.
      tokens: logs.map((logProbability) => ({ text: '', logProbability })),
      hasEnded: textIn(choice, 'finish_reason') === 'stop',
      cachedTokens,
    }
  },
}

export const vllm: Driver = {
  tokens,
  chat: chatDriver(ENGINE),
  logProbabilities: 'as the server is started: raw_logprobs by default',
  async identify(send, askedFor) {
    const version = textIn(await send({ path: '/version' }), 'version')
    if (version === null) throw malformed(ENGINE, '/version', 'a version')
    const { model, card } = await listedModel(send, askedFor, ENGINE)
    return {
      identity: { engine: ENGINE, version, model, weights: { root: textIn(card, 'root') ?? '' } },
      contextLength: numberIn(card, 'max_model_len'),
      images: null,
      slots: null,
      thinks: false,
    }
  },
}
