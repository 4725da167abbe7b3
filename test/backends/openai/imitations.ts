// Small local servers that answer as each engine's documentation says it does, over the toy model. They take documented
// fields only: any other field or route is refused, so that a request with a field that an engine lacks fails a test.
// All are from documentation and source, none was recorded: see the head of each driver for where.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bytesOf, decode, END, encode, nextLogs, render, sampleFor, sampleOf, topOf } from './toy-model.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of other programs' wires, read field by field
type Body = any

interface Route {
  /** Fields that the documentation names; others are refused. */
  readonly fields?: readonly string[]
  answer(body: Body): unknown
}
/** By `GET /path` or `POST /path`. */
export type Routes = Readonly<Record<string, Route>>

export interface Imitation {
  readonly url: string
  /** Paths and bodies of the requests that came. */
  readonly requests: readonly { readonly path: string; readonly body: Body; readonly headers: IncomingMessage['headers'] }[]
  /** Answers in place of the routes, for tests of bad servers; null: as ever. */
  instead: ((request: IncomingMessage, response: ServerResponse, body: Body) => boolean) | null
  close(): Promise<void>
}

export async function imitate(routes: Routes): Promise<Imitation> {
  const requests: { path: string; body: Body; headers: IncomingMessage['headers'] }[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString())
      requests.push({ path, body, headers: request.headers })
      if (imitation.instead?.(request, response, body) === true) return
      const route = routes[`${request.method} ${path}`]
      if (route === undefined) return send(response, 404, { error: { message: `no route ${path}` } })
      const unknown = Object.keys(body ?? {}).filter((field) => route.fields !== undefined && !route.fields.includes(field))
      if (unknown.length > 0) return send(response, 400, { error: { message: `undocumented fields: ${unknown.join(', ')}` } })
      try {
        send(response, 200, route.answer(body))
      } catch (error) {
        send(response, 400, { error: { message: (error as Error).message } })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const imitation: Imitation = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    instead: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return imitation
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

const MODEL = 'toy'
const CONTEXT = 4096
const listing = (extra: object = {}): Routes => ({
  'GET /v1/models': { answer: () => ({ object: 'list', data: [{ id: MODEL, object: 'model', ...extra }] }) },
})

const textOfContent = (content: Body): string =>
  typeof content === 'string'
    ? content
    : content.map((part: Body) => (part.type === 'text' ? part.text : `[${part.image_url.url}]`)).join('')
const chatIds = (messages: Body): number[] =>
  encode(render(messages.map((message: Body) => ({ ...message, content: textOfContent(message.content) }))))

/** The OpenAI chat route; `own`: fields that an engine adds. */
export function chatRoute(own: readonly string[] = []): Routes {
  const token = ([id, logprob]: readonly [number, number]) => ({ token: bytesOf(id).toString('utf8'), logprob, bytes: [...bytesOf(id)] })
  return {
    'POST /v1/chat/completions': {
      fields: ['model', 'messages', 'max_tokens', 'temperature', 'logprobs', 'top_logprobs', 'response_format', 'stream', ...own],
      answer(body) {
        if (body.top_logprobs > 20) throw new Error('top_logprobs is at most 20')
        const ids = chatIds(body.messages)
        const logs = nextLogs(ids)
        const schema = body.response_format?.json_schema?.schema
        const text = schema === undefined ? bytesOf(topOf(logs, 1)[0]![0]).toString('utf8') : JSON.stringify(sampleOf(schema))
        const written = schema === undefined ? [topOf(logs, 1)[0]!] : encode(text, false).map((id) => [id, logs[id] as number] as const)
        const content = written.map((one) => ({ ...token(one), top_logprobs: topOf(logs, body.top_logprobs ?? 0).map(token) }))
        return {
          object: 'chat.completion',
          // OpenAI names the snapshot behind a name.
          model: own.length === 0 ? `${body.model}-2026-01-01` : body.model,
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: text, refusal: null },
              logprobs: { content },
              finish_reason: schema === undefined ? 'length' : 'stop',
              ...(body.return_prompt_token_ids ? { prompt_token_ids: ids } : {}),
            },
          ],
          usage: {
            prompt_tokens: ids.length,
            completion_tokens: written.length,
            prompt_tokens_details: { cached_tokens: Math.floor(ids.length / 2) },
          },
        }
      },
    },
  }
}

export const openaiRoutes: Routes = { ...listing(), ...chatRoute() }

const tokenId = (id: number) => `token_id:${id}`
export const vllmRoutes: Routes = {
  ...listing({ max_model_len: CONTEXT, root: 'org/toy' }),
  ...chatRoute(['chat_template_kwargs']),
  'GET /version': { answer: () => ({ version: '0.30.0' }) },
  'POST /tokenize': {
    fields: ['model', 'prompt', 'messages', 'add_special_tokens', 'add_generation_prompt', 'chat_template_kwargs'],
    answer({ prompt, messages, add_generation_prompt: opens }) {
      const tokens = encode(prompt ?? render(messages, opens))
      return { count: tokens.length, max_model_len: CONTEXT, tokens, token_strs: null }
    },
  },
  'POST /detokenize': { fields: ['model', 'tokens'], answer: ({ tokens }) => ({ prompt: decode(tokens) }) },
  'POST /v1/completions': {
    fields: [
      'model',
      'prompt',
      'max_tokens',
      'temperature',
      'logprobs',
      'logprob_token_ids',
      'return_tokens_as_token_ids',
      'structured_outputs',
      'stop',
      'stream',
    ],
    answer({ model, prompt, logprobs, logprob_token_ids: asked, structured_outputs: form, max_tokens: most }) {
      if (asked !== undefined && asked.length > 128) throw new Error('at most 128 logprob_token_ids')
      if (asked !== undefined && logprobs !== asked.length) throw new Error('logprobs must be the length of logprob_token_ids')
      const logs = nextLogs(prompt)
      const [sampled] = topOf(logs, 1)[0]!
      const ids =
        form === undefined && most === 1
          ? [sampled]
          : encode(form === undefined ? 'Order 4711' : sampleFor((text) => new RegExp(`^(?:${form.regex})$`).test(text)), false)
      const shown = asked === undefined ? topOf(logs, logprobs).map(([id]) => id) : [...asked, sampled]
      return {
        object: 'text_completion',
        model,
        choices: [
          {
            index: 0,
            text: decode(ids),
            finish_reason: most === 1 ? 'length' : 'stop',
            logprobs: {
              tokens: ids.map(tokenId),
              token_logprobs: ids.map((id) => logs[id]),
              top_logprobs: ids.map(() => Object.fromEntries(shown.map((id: number) => [tokenId(id), logs[id]]))),
            },
          },
        ],
        usage: { prompt_tokens: prompt.length, completion_tokens: ids.length, prompt_tokens_details: { cached_tokens: prompt.length - 1 } },
      }
    },
  },
}

export const sglangRoutes: Routes = {
  ...listing({ max_model_len: CONTEXT, root: MODEL }),
  ...chatRoute(['chat_template_kwargs', 'return_prompt_token_ids']),
  'GET /get_model_info': {
    answer: () => ({ model_path: 'org/toy', tokenizer_path: 'org/toy', is_generation: true, weight_version: 'default' }),
  },
  'GET /get_server_info': { answer: () => ({ version: '0.5.13' }) },
  'POST /tokenize': {
    fields: ['model', 'prompt', 'add_special_tokens'],
    answer({ prompt }) {
      const tokens = typeof prompt === 'string' ? encode(prompt) : prompt.map((text: string) => encode(text))
      return {
        tokens,
        count: typeof prompt === 'string' ? tokens.length : tokens.map((ids: number[]) => ids.length),
        max_model_len: CONTEXT,
      }
    },
  },
  'POST /detokenize': { fields: ['model', 'tokens', 'skip_special_tokens'], answer: ({ tokens }) => ({ text: decode(tokens) }) },
  'POST /generate': {
    fields: ['input_ids', 'sampling_params', 'return_logprob', 'token_ids_logprob', 'return_text_in_logprobs', 'stream'],
    answer({ input_ids: prompt, sampling_params: sampling, token_ids_logprob: asked }) {
      const known = ['temperature', 'max_new_tokens', 'stop', 'regex']
      const unknown = Object.keys(sampling).filter((field) => !known.includes(field))
      if (unknown.length > 0) throw new Error(`undocumented sampling_params: ${unknown.join(', ')}`)
      const logs = nextLogs(prompt)
      const isOne = sampling.max_new_tokens === 1
      const ids = isOne
        ? [topOf(logs, 1)[0]![0]]
        : encode(sampling.regex === undefined ? 'Order 4711' : sampleFor((text) => new RegExp(`^(?:${sampling.regex})$`).test(text)), false)
      return {
        text: decode(ids),
        meta_info: {
          id: 'x',
          finish_reason: isOne ? { type: 'length', length: 1 } : { type: 'stop', matched: END },
          prompt_tokens: prompt.length,
          completion_tokens: ids.length,
          cached_tokens: prompt.length - 1,
          output_token_logprobs: ids.map((id) => [logs[id], id, bytesOf(id).toString('utf8')]),
          ...(asked === undefined ? {} : { output_token_ids_logprobs: ids.map(() => asked.map((id: number) => [logs[id], id, null])) }),
        },
      }
    },
  },
}

export const ollamaRoutes: Routes = {
  'GET /api/version': { answer: () => ({ version: '0.35.1' }) },
  'GET /api/tags': { answer: () => ({ models: [{ name: 'toy:latest', model: 'toy:latest', digest: 'd1', size: 1 }] }) },
  'POST /api/show': {
    fields: ['model'],
    answer: () => ({ capabilities: ['completion', 'vision', 'thinking'], model_info: { 'toy.context_length': CONTEXT }, details: {} }),
  },
  'POST /api/chat': {
    fields: ['model', 'messages', 'stream', 'logprobs', 'top_logprobs', 'truncate', 'shift', 'think', 'options', 'format'],
    answer(body) {
      if (body.top_logprobs > 20) throw new Error('top_logprobs is at most 20')
      const [message] = body.messages
      const ids = encode(
        render([{ role: 'user', content: `${(message.images ?? []).map((image: string) => `[${image}]`).join('')}${message.content}` }]),
      )
      const logs = nextLogs(ids)
      const token = ([id, logprob]: readonly [number, number]) => ({
        token: bytesOf(id).toString('utf8'),
        logprob,
        bytes: [...bytesOf(id)],
      })
      const text = body.format === undefined ? bytesOf(topOf(logs, 1)[0]![0]).toString('utf8') : JSON.stringify(sampleOf(body.format))
      const written = body.format === undefined ? [topOf(logs, 1)[0]!] : encode(text, false).map((id) => [id, logs[id] as number] as const)
      return {
        model: body.model,
        created_at: '2026-01-01T00:00:00Z',
        message: { role: 'assistant', content: text },
        logprobs: written.map((one) => ({ ...token(one), top_logprobs: topOf(logs, body.top_logprobs ?? 0).map(token) })),
        done: true,
        done_reason: body.format === undefined ? 'length' : 'stop',
        prompt_eval_count: ids.length,
        prompt_eval_cached_count: Math.floor(ids.length / 2),
        eval_count: written.length,
      }
    },
  },
}

const RAW_COMPLETION = [
  'model',
  'prompt',
  'n_predict',
  'n_probs',
  'temperature',
  'cache_prompt',
  'post_sampling_probs',
  'stream',
  'logit_bias',
  'grammar',
  'stop',
]
/** `completion` in place of the arithmetic, for tests of what is wrong. */
export const llamaCppRoutes: Routes = {
  ...listing({ meta: { n_vocab: 266, n_params: 1, size: 1, n_embd: 1 } }),
  'GET /props': {
    answer: () => ({
      build_info: 'b11549-abc',
      default_generation_settings: { n_ctx: CONTEXT },
      total_slots: 2,
      model_path: '/models/toy.gguf',
      model_ftype: 'F16',
      modalities: { vision: false },
    }),
  },
  'POST /apply-template': {
    fields: ['model', 'messages', 'chat_template_kwargs'],
    answer: ({ messages }) => ({ prompt: render(messages) }),
  },
  'POST /tokenize': {
    fields: ['content', 'add_special', 'parse_special'],
    answer({ content, parse_special: special = true }) {
      const runs: (string | number)[] = typeof content === 'string' ? [content] : content
      return { tokens: runs.flatMap((run) => (typeof run === 'number' ? [run] : encode(run, special))) }
    },
  },
  'POST /detokenize': { fields: ['tokens'], answer: ({ tokens }) => ({ content: decode(tokens) }) },
  'POST /completion': {
    fields: RAW_COMPLETION,
    answer({ prompt, n_predict: most, n_probs: count, logit_bias: bias, grammar }) {
      const logs = nextLogs(prompt)
      const forced = bias?.[0]?.[0] as number | undefined
      const ids = most === 1 ? [forced ?? topOf(logs, 1)[0]![0]] : encode(grammar === undefined ? 'Order 4711' : '7', false)
      const entry = (id: number) => ({ id, token: bytesOf(id).toString('utf8'), bytes: [...bytesOf(id)], logprob: logs[id] })
      return {
        content: decode(ids),
        model: MODEL,
        stop: true,
        stop_type: most === 1 ? 'limit' : 'eos',
        timings: { cache_n: prompt.length - 1, prompt_n: 1 },
        completion_probabilities: ids.map((id) => ({ ...entry(id), top_logprobs: topOf(logs, count).map(([other]) => entry(other)) })),
      }
    },
  },
}

/** What a decision route puts beside what all of them have, and to how many decimals it rounds. */
export interface SystemOneForm {
  readonly decimals?: number
  /** Most options of a choice. */
  readonly options?: number
  /** vLLM says how much of the vocabulary the labels had. */
  readonly hasDiagnostics?: boolean
}

/** POST /v1/systemone: any number of questions, each with the fields that all servers know. */
export function systemOneRoute({ decimals = 12, options: most = 26, hasDiagnostics = false }: SystemOneForm = {}): Routes {
  const rounded = (value: number) => Number(value.toFixed(decimals))
  const answerTo = (state: Body, { type, instructions, criteria }: Body) => {
    const options: [string, Body][] =
      type === 'choice'
        ? Object.entries(criteria)
        : type === 'score'
          ? criteria.map((level: Body, i: number) => [String(i), level])
          : ['true', 'false'].map((key) => [key, criteria?.[key] ?? null])
    const logs = options.map((option) => nextLogs(encode(JSON.stringify([state, instructions, option]), false))[END]!)
    const highest = Math.max(...logs)
    const weights = logs.map((log) => Math.exp(log - highest))
    const sum = weights.reduce((total, weight) => total + weight, 0)
    const shares = weights.map((weight) => rounded(weight / sum))
    if (type === 'noul') return { type, noul: shares[0] }
    const probabilities = Object.fromEntries(options.map(([key], i) => [key, shares[i]]))
    const best = shares.indexOf(Math.max(...shares))
    if (type === 'choice') return { type, choice: options[best]![0], probabilities, confidence: shares[best] }
    const legend = Object.fromEntries(options)
    return {
      type,
      score: rounded(shares.reduce((total, share, i) => total + i * share, 0)),
      legend,
      probabilities,
      confidence: shares[best],
    }
  }
  return {
    'POST /v1/systemone': {
      fields: ['model', 'state', 'questions'],
      answer({ model, state, questions }) {
        const asked = Object.entries<Body>(questions)
        for (const [, question] of asked) {
          const unknown = Object.keys(question).filter((field) => !['type', 'instructions', 'criteria'].includes(field))
          if (unknown.length > 0) throw new Error(`undocumented fields of a question: ${unknown.join(', ')}`)
          if (question.type === 'score' && question.criteria.length > 10) throw new Error('2 to 10 levels')
          if (question.type === 'choice' && Object.keys(question.criteria).length > most) throw new Error(`at most ${most} options`)
        }
        return {
          model,
          answers: Object.fromEntries(asked.map(([id, question]) => [id, answerTo(state, question)])),
          usage: { input_tokens: encode(JSON.stringify([state, questions]), false).length, output_tokens: 0 },
          ...(hasDiagnostics
            ? { diagnostics: Object.fromEntries(asked.map(([id]) => [id, { label_mass: 0.9, argmax_is_label: true }])) }
            : {}),
        }
      },
    },
  }
}

/** A server of System One and nothing else, as jevhome is: its list of models has a form of its own. */
export const systemOneOnlyRoutes: Routes = {
  'GET /v1/models': { answer: () => ({ models: [{ name: MODEL, runtime: 'jevhome', threads: 4 }] }) },
  ...systemOneRoute({ decimals: 2 }),
}
