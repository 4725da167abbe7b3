// What an engine's driver does: the fields of one server program's wire, read and written. Drivers know nothing of
// questions. Each names the routes and fields that it uses at its top, with where they are documented.

import type { Picture } from '../../core/types.ts'
import { ownField, type UntrustedObject } from '../../core/untrusted.ts'
import { notAvailable } from './failures.ts'
import type { Send } from './fleet.ts'
import type { EngineName } from './options.ts'
import type { Pattern } from './patterns.ts'

/** Which model a server has, as far as it says: all of it must be the same for as long as a backend lives. */
export interface ServerIdentity {
  readonly engine: EngineName
  /** The engine's own name for its version; '' where it has none. */
  readonly version: string
  /** The name to ask by. */
  readonly model: string
  /** What else tells weights apart: a digest, a path, sizes. */
  readonly weights: Readonly<Record<string, string | number>>
}

export interface ServerFacts {
  readonly identity: ServerIdentity
  /** Tokens that the model takes at most; null: the server does not say. */
  readonly contextLength: number | null
  /** What of them is taken where no number is asked for. Absent: all. */
  readonly usualContextLength?: number
  readonly images: boolean | null
  /** Requests it works on at a time; null: not said. */
  readonly slots: number | null
  /** Whether the model has a mode of thinking that is to be turned off. */
  readonly thinks: boolean
}

/** Text to be encoded, or one token. */
export type Run = string | number

/** Log-probabilities of the next token, over the whole vocabulary and before any sampling. */
export interface NextTokens {
  /** Of at least the ids that were wanted. */
  readonly logs: ReadonlyMap<number, number>
  /** Tokens of the prompt that the server had in its cache; null: not said. */
  readonly cachedTokens: number | null
}

/** One token of an answer in text. */
export interface WrittenToken {
  readonly text: string
  readonly logProbability: number
}

export interface Written {
  readonly text: string
  readonly tokens: readonly WrittenToken[]
  /** False: the budget ran out. */
  readonly hasEnded: boolean
  readonly cachedTokens: number | null
}

export interface WriteLimits {
  /** Null: anything. */
  readonly pattern: Pattern | null
  readonly maxTokens: number
  /** Strings that end the answer and are no part of it. */
  readonly stop: readonly string[]
}

/** Who is asked what: a model at one or several addresses. */
export interface RemoteModel {
  readonly send: Send
  readonly identity: ServerIdentity
  /** Tokens of a prompt, at most. */
  readonly contextLength: number
}

/** A server that takes prompts as token ids and gives the log-probabilities of chosen ids. */
export interface TokenDriver {
  /** The messages in the model's own chat template, as text, thinking off, with the opening of an answer. */
  render(asked: RemoteModel, messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]): Promise<string>
  /**
   * Ids of text that names no control token, whatever it contains, and of the tokens between. Throws
   * `context_length_exceeded` where it would take more requests than the model takes tokens.
   */
  encode(asked: RemoteModel, runs: readonly Run[]): Promise<number[]>
  /** Ids of text in which names of control tokens stand for these. */
  encodeSpecial(asked: RemoteModel, text: string): Promise<number[]>
  next(asked: RemoteModel, ids: readonly number[], wanted: readonly number[]): Promise<NextTokens>
  write(asked: RemoteModel, ids: readonly number[], limits: WriteLimits): Promise<Written>
}

export type ContentPart = { readonly type: 'text'; readonly text: string } | { readonly type: 'image'; readonly picture: Picture }

/** The likeliest next tokens as texts. */
export interface TopTokens {
  readonly top: readonly WrittenToken[]
  readonly promptTokens: number | null
  readonly cachedTokens: number | null
}

/** A JSON Schema of an answer. */
export type AnswerSchema = UntrustedObject

export interface ChatWritten extends Written {
  readonly promptTokens: number | null
}

/** A server that takes a chat message and gives its likeliest next tokens. */
export interface ChatDriver {
  top(asked: RemoteChatModel, content: readonly ContentPart[]): Promise<TopTokens>
  /** Writes JSON that fits the schema. */
  write(asked: RemoteChatModel, content: readonly ContentPart[], schema: AnswerSchema, maxTokens: number): Promise<ChatWritten>
}

export interface RemoteChatModel extends RemoteModel {
  readonly thinks: boolean
}

export interface Driver {
  /** What the server at this address is; null: another engine. `asked`: the name of the model, where one was given. */
  identify(send: Send, asked: string | null): Promise<ServerFacts>
  /** Null: prompts are chat messages. */
  readonly tokens: TokenDriver | null
  readonly chat: ChatDriver
  /** What its log-probabilities are, for the calibration's identity. */
  readonly logProbabilities: string
}

/** A probability that the server gave as zero: −9999, −3.4e38. Finite, so that sums stay finite. */
const LEAST = -1000

/** A log-probability of the wire. Throws for null and for what is none. */
export function logOf(value: unknown, engine: EngineName): number {
  if (typeof value === 'number' && value <= 1e-3) return Math.max(LEAST, Math.min(0, value))
  const what = value === null || value === undefined ? 'no log-probability (null)' : JSON.stringify(value).slice(0, 40)
  throw notAvailable(`${NAMES[engine]} gave ${what} where one was asked for; ${LOG_ADVICE[engine]}.`)
}

export const NAMES: Readonly<Record<EngineName, string>> = {
  'llama.cpp': 'The llama.cpp server',
  vllm: 'The vLLM server',
  sglang: 'The SGLang server',
  ollama: 'The Ollama server',
  openai: 'The model server',
}
const LOG_ADVICE: Readonly<Record<EngineName, string>> = {
  'llama.cpp': 'start llama-server without speculative decoding',
  vllm: 'start it with --logprobs-mode raw_logprobs, without speculative decoding',
  sglang: 'start it without speculative decoding',
  ollama: 'take Ollama 0.12.11 or newer, and a model that runs on this machine',
  openai: 'take a model that gives log-probabilities, which models that reason do not',
}

/** None of the tokens that were wanted has a probability: what came is no distribution of the model. */
export function refuseNothing(logs: readonly number[], engine: EngineName): void {
  if (logs.length === 0 || logs.some((log) => log > LEAST)) return
  throw notAvailable(
    `${NAMES[engine]} gave every answer the probability zero, so its log-probabilities are those behind a filter; ${LOG_ADVICE[engine]}.`,
  )
}

export function malformed(engine: EngineName, path: string, what: string): Error {
  return notAvailable(`${NAMES[engine]} answered ${path} without ${what}; check that its version is one that docs/models.md names.`)
}

export const numberIn = (json: unknown, field: string): number | null => {
  const value = ownField(json, field)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export const textIn = (json: unknown, field: string): string | null => {
  const value = ownField(json, field)
  return typeof value === 'string' ? value : null
}

export const listIn = (json: unknown, field: string): readonly unknown[] => {
  const value = ownField(json, field)
  return Array.isArray(value) ? value : []
}

/** A list of token ids; throws where it is none. */
export function idsIn(value: unknown, engine: EngineName, path: string): number[] {
  if (Array.isArray(value) && value.every((id) => Number.isInteger(id) && id >= 0)) return value
  throw malformed(engine, path, 'token ids')
}

/** The model that is meant among those that a server lists; throws with their names. */
export function modelAmong(names: readonly string[], asked: string | null, engine: EngineName): string {
  const [only] = names
  if (asked === null && names.length === 1 && only !== undefined) return only
  if (asked !== null && names.includes(asked)) return asked
  const there = names.slice(0, 12).join(', ') || 'none'
  throw notAvailable(
    asked === null
      ? `${NAMES[engine]} has several models; name one of ${there}.`
      : `${NAMES[engine]} has no model ${JSON.stringify(asked)}; it has ${there}.`,
  )
}

/** The model that is meant among those that GET /v1/models lists, and its entry there; throws with their names. */
export async function listedModel(send: Send, asked: string | null, engine: EngineName): Promise<{ model: string; card: unknown }> {
  const listed = listIn(await send({ path: '/v1/models' }), 'data')
  const names = listed.flatMap((one) => textIn(one, 'id') ?? [])
  const model = modelAmong(names, asked, engine)
  return { model, card: listed.find((one) => textIn(one, 'id') === model) }
}

export const TOKENIZE = '/tokenize'

/** The ids that POST /tokenize gives for one text. */
export async function tokenIds({ send }: Pick<RemoteModel, 'send'>, engine: EngineName, body: UntrustedObject): Promise<number[]> {
  return idsIn(ownField(await send({ path: TOKENIZE, body }), 'tokens'), engine, TOKENIZE)
}
