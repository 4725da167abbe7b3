// The chat route of OpenAI, which most servers have: POST /v1/chat/completions with `logprobs` and `top_logprobs`, at
// most 20 of them, as texts. Fields as platform.openai.com/docs/api-reference/chat.
import { ownField, type UntrustedObject } from '../../../core/untrusted.ts'
import {
  type ChatDriver,
  type ContentPart,
  listIn,
  logOf,
  malformed,
  NAMES,
  numberIn,
  type RemoteChatModel,
  textIn,
  type WrittenToken,
} from '../driver.ts'
import { notAvailable } from '../failures.ts'
import type { EngineName } from '../options.ts'
import { pngOf } from '../png.ts'

export const MOST_TOP = 20
const PATH = '/v1/chat/completions'

/** Fields of the engines that put their own beside those of OpenAI. */
const OWN_FIELDS: Readonly<Partial<Record<EngineName, UntrustedObject>>> = {
  'llama.cpp': { chat_template_kwargs: { enable_thinking: false }, cache_prompt: true },
  vllm: { chat_template_kwargs: { enable_thinking: false } },
  sglang: { chat_template_kwargs: { enable_thinking: false } },
}

async function contentOf(parts: readonly ContentPart[]): Promise<unknown> {
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => (part as { text: string }).text).join('')
  return Promise.all(
    parts.map(async (part) =>
      part.type === 'text'
        ? { type: 'text', text: part.text }
        : { type: 'image_url', image_url: { url: `data:image/png;base64,${await pngOf(part.picture)}` } },
    ),
  )
}

interface Chosen {
  readonly json: UntrustedObject
  readonly choice: unknown
  readonly tokens: readonly unknown[]
}

async function chat(engine: EngineName, asked: RemoteChatModel, parts: readonly ContentPart[], fields: UntrustedObject): Promise<Chosen> {
  const json = await asked.send({
    path: PATH,
    body: {
      model: asked.identity.model,
      messages: [{ role: 'user', content: await contentOf(parts) }],
      temperature: 0,
      logprobs: true,
      stream: false,
      ...OWN_FIELDS[engine],
      ...fields,
    },
  })
  const [choice] = listIn(json, 'choices')
  if (choice === undefined) throw malformed(engine, PATH, 'choices')
  const refusal = textIn(ownField(choice, 'message'), 'refusal')
  if (refusal !== null) throw notAvailable(`${NAMES[engine]} refused to answer; ask in other words, or another model.`)
  const tokens = listIn(ownField(choice, 'logprobs'), 'content')
  // Says what null means here, and what to do.
  if (tokens.length === 0) logOf(null, engine)
  return { json, choice, tokens }
}

const tokenOf = (engine: EngineName, one: unknown): WrittenToken => ({
  text: textIn(one, 'token') ?? '',
  logProbability: logOf(ownField(one, 'logprob'), engine),
})

const usageOf = (json: UntrustedObject) => {
  const usage = ownField(json, 'usage')
  return {
    promptTokens: numberIn(usage, 'prompt_tokens'),
    cachedTokens: numberIn(ownField(usage, 'prompt_tokens_details'), 'cached_tokens'),
  }
}

export function chatDriver(engine: EngineName): ChatDriver {
  return {
    async top(asked, parts) {
      const { json, tokens } = await chat(engine, asked, parts, { max_tokens: 1, top_logprobs: MOST_TOP })
      const top = listIn(tokens[0], 'top_logprobs').map((one) => tokenOf(engine, one))
      if (top.length === 0) logOf(null, engine)
      return { top, ...usageOf(json) }
    },
    async write(asked, parts, schema, maxTokens) {
      const format = { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } }
      const { json, choice, tokens } = await chat(engine, asked, parts, { max_tokens: maxTokens, response_format: format })
      return {
        text: textIn(ownField(choice, 'message'), 'content') ?? '',
        tokens: tokens.map((one) => tokenOf(engine, one)),
        hasEnded: textIn(choice, 'finish_reason') === 'stop',
        ...usageOf(json),
      }
    },
  }
}
