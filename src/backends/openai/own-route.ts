// Whether a server has a decision route of its own for its model, and branches asked of it. Where a model was trained
// for the route, it knows how its prompts read better than we do.
import { EngineError } from '../../core/errors.ts'
import type { Json, Prompt } from '../../core/types.ts'
import { isObject } from '../../core/untrusted.ts'
import type { Branch, Candidate, Scores } from '../backend.ts'
import { oneAnswerIs, shareOfClaims, theAnswerIs } from '../statements.ts'
import type { RemoteModel } from './driver.ts'
import { notAvailable, ServerError } from './failures.ts'
import type { EngineName, ModelServerSettings } from './options.ts'
import { askSystemOne, SYSTEM_ONE, type SystemOneAnswer, type SystemOneQuestion } from './system-one.ts'
import { inTurn } from './token-scorer.ts'

/** Raise it when questions are written otherwise: calibration is bound to them. */
export const OWN_ROUTE_VERSION = 1

export interface OwnRoute {
  readonly engine: EngineName
  /** What the server said of weights and calibration when it was found; every later answer says the same. */
  readonly served: string
}

/** Most options of a choice, and levels of a score. Longer lists are asked one by one. */
const MOST: Readonly<Record<EngineName, { readonly options: number; readonly levels: number }>> = {
  'llama.cpp': { options: 255, levels: 10 },
  vllm: { options: 26, levels: 10 },
  sglang: { options: 255, levels: 10 },
  ollama: { options: 26, levels: 26 },
  openai: { options: 255, levels: 10 },
}

/** That there is no such route, or not for this model. 200: a page, or an answer of another kind. */
const NO_ROUTE: readonly (number | null)[] = [200, 400, 404, 405, 415, 422, 501]

const TRUE_FALSE: readonly Candidate[] = ['true', 'false'].map((name) => ({ name, description: null }))
const claim = (instructions: string): SystemOneQuestion => ({ type: 'noul', instructions, candidates: TRUE_FALSE })

/**
 * The server's own route; null where it has none, or is not to be asked by it. That of vLLM answers for any model, so
 * it says nothing of what a model was trained for, and is taken only where it is asked for. Throws what a server throws
 * that is not there, and `model_not_available` where the route was asked for and does not answer.
 */
export async function findOwnRoute({ decisions }: ModelServerSettings, asked: RemoteModel): Promise<OwnRoute | null> {
  const { engine, model } = asked.identity
  if (decisions === 'prompted' || (decisions === null && engine === 'vllm')) return null
  try {
    const { served } = await askSystemOne(asked, 'The sky is blue.', claim('The sky is blue.'))
    return { engine, served }
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'model_not_available') throw error
    const status = error instanceof ServerError ? error.status : 200
    if (NO_ROUTE.includes(status) && decisions === null) return null
    // A server that is not there has said nothing of its routes.
    if (status === null) throw error
    const remedy = decisions === null ? 'set decisions: prompted' : 'leave decisions out'
    throw notAvailable(
      `${SYSTEM_ONE} of the model ${model} cannot be asked: ${error.message} Or ${remedy}, so that it is asked by prompts.`,
    )
  }
}

interface OwnState {
  readonly asked: RemoteModel
  /** A text or a JSON object. */
  readonly state: unknown
  /** Hears of every answer what its request took. Returns the tokens behind the state. */
  heard(answer: Pick<SystemOneAnswer, 'inputTokens' | 'cachedTokens'>, behind: string): number
  /** How the user's text is written, for servers that read control tokens in it. */
  plain(text: string): string
}

export async function scoreByOwnRoute(route: OwnRoute, state: OwnState, branch: Branch): Promise<Scores> {
  const { questions, isByClaims } = questionsOf(route.engine, branch, state.plain)
  const answers = await inTurn(questions, async (question) => {
    const answer = await askSystemOne(state.asked, state.state, question)
    if (answer.served !== route.served) {
      const message = `The model server changed since the model was loaded: weights or calibration ${route.served || 'unnamed'} became ${answer.served || 'unnamed'}. Load the model again (restart), and calibrate anew.`
      throw notAvailable(message)
    }
    return { row: answer.row, tokens: state.heard(answer, textOfQuestion(question)) }
  })
  const rows = answers.map(({ row }) => row)
  return { rows: isByClaims ? [shareOfClaims(rows)] : rows, inputTokens: answers.reduce((sum, { tokens }) => sum + tokens, 0) }
}

/** For a count of its tokens. */
const textOfQuestion = ({ instructions, candidates }: SystemOneQuestion): string =>
  instructions + candidates.map(({ name, description }) => name + (description ?? '')).join('')

/** No type of the route takes several options at once: each is a claim; and so is each of a list that is too long. */
function questionsOf(
  engine: EngineName,
  { readout, instructions, candidates }: Branch,
  plain: (text: string) => string,
): { readonly questions: readonly SystemOneQuestion[]; readonly isByClaims: boolean } {
  const { options, levels } = MOST[engine]
  const written = (one: Candidate): Candidate => ({ name: one.name, description: one.description === null ? null : plain(one.description) })
  if (readout === 'binary') {
    const described = TRUE_FALSE.map(({ name }, i) => written({ name, description: candidates[i]?.description ?? null }))
    return { questions: [{ type: 'noul', instructions: plain(instructions), candidates: described }], isByClaims: false }
  }
  const claims = (statement: typeof oneAnswerIs) => candidates.map((one) => claim(plain(statement(instructions, one))))
  if (readout === 'independent') return { questions: claims(oneAnswerIs), isByClaims: false }
  const isOrdinal = readout === 'ordinal'
  if (candidates.length > (isOrdinal ? levels : options)) return { questions: claims(theAnswerIs), isByClaims: true }
  const list: SystemOneQuestion = {
    type: isOrdinal ? 'score' : 'choice',
    instructions: plain(instructions),
    candidates: candidates.map(written),
  }
  return { questions: [list], isByClaims: false }
}

/**
 * A state that is one JSON object stays one, since trained models have their own way to write it. All else is text:
 * servers take lists for the messages of a chat, and parts of them for pictures.
 */
export function ownStateOf({ parts }: Prompt, text: string, plain: (text: string) => string): unknown {
  const [only, ...others] = parts ?? []
  if (only?.type !== 'json' || others.length > 0 || !isObject(only.value) || Object.hasOwn(only.value, 'messages')) return plain(text)
  return plainJson(only.value as Json, plain)
}

function plainJson(value: Json, plain: (text: string) => string): Json {
  if (typeof value === 'string') return plain(value)
  if (Array.isArray(value)) return value.map((one) => plainJson(one, plain))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as { readonly [key: string]: Json }).map(([key, one]) => [plain(key), plainJson(one, plain)]),
  )
}
