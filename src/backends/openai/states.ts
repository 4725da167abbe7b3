// States of a model on a server as prefixes: by token ids where the server takes them, as a chat message where it does
// not, or where the state has images.
import { EngineError } from '../../core/errors.ts'
import type { Prompt } from '../../core/types.ts'
import type { Branch, Constraint, Generated, Scores } from '../backend.ts'
import { promptKey } from '../prompt-key.ts'
import { imageReference, readPrompt } from '../prompted/prompt-template.ts'
import { answerIn, jsonTokens, schemaOf } from './answer-schema.ts'
import type { CacheWatch } from './cache-watch.ts'
import { type ChatState, scoreByChat } from './chat-scorer.ts'
import type { ChatDriver, ContentPart, RemoteChatModel, RemoteModel, TokenDriver } from './driver.ts'
import { type OwnRoute, ownStateOf, scoreByOwnRoute } from './own-route.ts'
import { defused } from './plain-text.ts'
import type { PromptWriter } from './prompts.ts'
import { patternFor, readOf, stopsFor, tokensFor } from './reads.ts'
import { inTurn, type TokenScorer } from './token-scorer.ts'

/** A state as a prefix, but for its life. */
export interface ServerState {
  readonly tokens: number
  /** Of the first answer about it; 0 until then. */
  readonly cachedTokens: number
  score(branches: readonly Branch[], signal?: AbortSignal): Promise<readonly Scores[]>
  generate(branch: Branch, constraint: Constraint, signal?: AbortSignal): Promise<Generated>
}

export interface StateContext {
  readonly id: string
  readonly contextLength: number
  /** Asks the servers about one state, whose key chooses among them. */
  asking(affinity: string, signal: AbortSignal | undefined): RemoteChatModel
  readonly cacheWatch: CacheWatch
}

export interface TokenContext extends StateContext {
  readonly driver: TokenDriver
  readonly prompts: PromptWriter
  readonly score: TokenScorer
}

/** Longer tokens than this are in no vocabulary: a text of more characters for each token is not even sent. */
const LONGEST_TOKEN = 256
/** Of English; what a server counts itself is taken instead as soon as it says it. */
const CHARACTERS_OF_TOKEN = 4
const TOKENS_OF_IMAGE = 256

export function refuseTooLong({ id, contextLength }: Pick<StateContext, 'id' | 'contextLength'>, tokens: number, what: string): void {
  if (tokens <= contextLength) return
  throw new EngineError(
    'context_length_exceeded',
    `${what} takes ${tokens} tokens, and the model ${id} takes ${contextLength}; shorten the state or the question.`,
  )
}

const textOf = ({ pieces }: Prompt): string => pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
const imagesOf = ({ pieces }: Prompt): string[] => pieces.flatMap((piece) => (piece.type === 'image' ? [piece.id] : []))

function refuseBoxes(constraint: Constraint, id: string): asserts constraint is Exclude<Constraint, { type: 'box' }> {
  if (constraint.type !== 'box') return
  throw new EngineError(
    'capability_not_supported',
    `The model ${id} answers in text and gives no boxes; ask in words, or use a model whose capabilities say boxes.`,
  )
}

export async function openTokenState(context: TokenContext, prompt: Prompt, signal: AbortSignal | undefined): Promise<ServerState> {
  const { driver, prompts } = context
  const text = textOf(prompt)
  refuseTooLong(context, Math.ceil(text.length / LONGEST_TOKEN), 'The state at least')
  const affinity = promptKey(prompt.pieces, 'content')
  const ids = await prompts.state(context.asking(affinity, signal), text)
  refuseTooLong(context, ids.length, 'The state')
  let cachedTokens: number | null = null
  const watch = context.cacheWatch.ofState(ids.length)
  const heard = (answer: { readonly cachedTokens: number | null }): void => {
    watch(answer.cachedTokens)
    cachedTokens ??= Math.min(ids.length, answer.cachedTokens ?? 0)
  }
  return {
    tokens: ids.length,
    get cachedTokens() {
      return cachedTokens ?? 0
    },
    score(branches, signal) {
      const asked: RemoteModel = context.asking(affinity, signal)
      return inTurn(branches, (branch) => context.score({ asked, ids, heard }, branch, imageReference(branch.image, [])))
    },
    async generate(branch, constraint, signal) {
      refuseBoxes(constraint, context.id)
      const asked = context.asking(affinity, signal)
      const question = await prompts.question(asked, readPrompt(branch, constraint, imageReference(branch.image, [])))
      const maxTokens = tokensFor(constraint)
      refuseTooLong(context, ids.length + question.length + maxTokens, 'The state with its question and answer')
      const pattern = patternFor(prompt, constraint, !prompts.opensWithSpace)
      const written = await driver.write(asked, [...ids, ...question], { pattern, maxTokens, stop: stopsFor(constraint) })
      heard(written)
      const text = prompts.opensWithSpace ? written.text : written.text.replace(/^ /, '')
      return { ...readOf(prompt, constraint, text, written), inputTokens: question.length }
    },
  }
}

export interface ChatContext extends StateContext {
  readonly driver: ChatDriver
  /** Whether the server reads the names of control tokens in the user's text. */
  readonly readsControls: boolean
}

export function openChatState(context: ChatContext, prompt: Prompt): ServerState {
  const { driver } = context
  const plain = context.readsControls ? defused : (text: string) => text
  const images = imagesOf(prompt)
  const content = contentOf(prompt, plain)
  const tokens = tokensOf(textOf(prompt)) + images.length * TOKENS_OF_IMAGE
  refuseTooLong(context, tokens, 'The state about')
  const affinity = promptKey(prompt.pieces, 'content')
  let cachedTokens: number | null = null
  const watch = context.cacheWatch.ofState(tokens)
  const heard: ChatState['heard'] = (answer, behind) => {
    watch(answer.cachedTokens)
    cachedTokens ??= Math.min(tokens, answer.cachedTokens ?? 0)
    return answer.promptTokens === null ? tokensOf(behind) : Math.max(1, answer.promptTokens - tokens)
  }
  const fits = (text: string): void => refuseTooLong(context, tokens + tokensOf(text), 'The state with its question about')
  return {
    tokens,
    get cachedTokens() {
      return cachedTokens ?? 0
    },
    score(branches, signal) {
      const state: ChatState = { asked: context.asking(affinity, signal), content, heard, plain }
      for (const { instructions, candidates } of branches)
        fits(instructions + candidates.map(({ name, description }) => name + (description ?? '')).join(''))
      return inTurn(branches, (branch) => scoreByChat(driver, state, branch, imageReference(branch.image, images)))
    },
    async generate(branch, constraint, signal) {
      refuseBoxes(constraint, context.id)
      const text = plain(readPrompt(branch, constraint, imageReference(branch.image, images)))
      fits(text)
      const most = jsonTokens(tokensFor(constraint))
      const written = await driver.write(context.asking(affinity, signal), [...content, { type: 'text', text }], schemaOf(constraint), most)
      const answer = answerIn(written.text, constraint)
      const read = readOf(prompt, constraint, answer ?? '', answer === null ? { ...written, hasEnded: false } : written)
      return { ...read, inputTokens: heard(written, text) }
    },
  }
}

export interface OwnContext extends StateContext {
  readonly route: OwnRoute
  /** Whether the server reads the names of control tokens in the user's text. */
  readonly readsControls: boolean
}

export function openOwnState(context: OwnContext, prompt: Prompt): ServerState {
  const { route, id } = context
  const plain = context.readsControls ? defused : (text: string) => text
  const text = textOf(prompt)
  const state = ownStateOf(prompt, text, plain)
  const tokens = tokensOf(text)
  refuseTooLong(context, tokens, 'The state about')
  const affinity = promptKey(prompt.pieces, 'content')
  let cachedTokens: number | null = null
  const watch = context.cacheWatch.ofState(tokens)
  return {
    tokens,
    get cachedTokens() {
      return cachedTokens ?? 0
    },
    score(branches, signal) {
      const asked = context.asking(affinity, signal)
      const heard: Parameters<typeof scoreByOwnRoute>[1]['heard'] = (answer, behind) => {
        watch(answer.cachedTokens)
        cachedTokens ??= Math.min(tokens, answer.cachedTokens ?? 0)
        return answer.inputTokens === null ? Math.max(1, tokensOf(behind)) : Math.max(1, answer.inputTokens - tokens)
      }
      for (const { instructions, candidates } of branches) {
        const behind = instructions + candidates.map(({ name, description }) => name + (description ?? '')).join('')
        refuseTooLong(context, tokens + tokensOf(behind), 'The state with its question about')
      }
      return inTurn(branches, (branch) => scoreByOwnRoute(route, { asked, state, heard, plain }, branch))
    },
    async generate(_branch, _constraint, signal) {
      signal?.throwIfAborted()
      const message = `The model ${id} decides by its server's own route, which quotes and writes nothing; ask with options, use another model, or load it with decisions: prompted.`
      throw new EngineError('capability_not_supported', message)
    },
  }
}

const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_OF_TOKEN)

/** Neighbouring texts are one, as if they had been written so. */
function contentOf({ pieces }: Prompt, plain: (text: string) => string): ContentPart[] {
  const content: ContentPart[] = []
  for (const piece of pieces) {
    const last = content.at(-1)
    if (piece.type === 'image') content.push({ type: 'image', picture: piece.picture })
    else if (last?.type === 'text') content[content.length - 1] = { type: 'text', text: last.text + piece.text }
    else content.push({ type: 'text', text: piece.text })
  }
  return content.map((part) => (part.type === 'text' ? { type: 'text', text: plain(part.text) } : part))
}
