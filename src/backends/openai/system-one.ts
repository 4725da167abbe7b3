// The decision route that servers have of their own, POST /v1/systemone: one question about a state in the wire of
// System One, and the answer as a row of scores. Fields as vllm-project/vllm,
// docs/serving/online_serving/structured_decisions.md; ggml-org/llama.cpp, tools/server/server-decision.cpp;
// ollama/ollama, docs/capabilities/decision.mdx; Jibril-Frej/jev-at-home, src/serve.rs; and those of our own service.
//
// A question is a request of its own: some models read all questions of a request at once, so that an answer would
// depend on what else is asked.
import { sum } from '../../core/math.ts'
import { jsonTypeOf, ownField, plainRecord, type UntrustedObject } from '../../core/untrusted.ts'
import type { Candidate, ScoreRow } from '../backend.ts'
import { NAMES, numberIn, type RemoteModel, textIn } from './driver.ts'
import { notAvailable } from './failures.ts'

export const SYSTEM_ONE = '/v1/systemone'
/** The name of the one question of a request. */
const ID = 'question'
/** Servers round probabilities, some to two decimals: less than this is not told from nothing. */
const LEAST = 1e-6

export interface SystemOneQuestion {
  readonly type: 'noul' | 'choice' | 'score'
  readonly instructions: string
  /** Of a claim true and false. */
  readonly candidates: readonly Candidate[]
}

export interface SystemOneAnswer {
  /** Over the candidates, in their order. */
  readonly row: ScoreRow
  /** Of the request, its state among them; null: not said. */
  readonly inputTokens: number | null
  readonly cachedTokens: number | null
  /** What the server says of the weights and the calibration behind its answer; '' where it says nothing. */
  readonly served: string
}

/** Throws `model_not_available` for an answer that is none. */
export async function askSystemOne(asked: RemoteModel, state: unknown, question: SystemOneQuestion): Promise<SystemOneAnswer> {
  const { type, instructions } = question
  const criteria = criteriaOf(question)
  const put = { type, instructions, ...(criteria !== null && { criteria }) }
  const json = await asked.send({ path: SYSTEM_ONE, body: { model: asked.identity.model, state, questions: { [ID]: put } } })
  const row = rowIn(json, question, (what) =>
    notAvailable(
      `${NAMES[asked.identity.engine]} answered ${SYSTEM_ONE} ${what}; look at its log, or ask it by prompts (decisions: prompted).`,
    ),
  )
  const simo = ownField(json, 'simo')
  return {
    row,
    inputTokens: numberIn(ownField(json, 'usage'), 'input_tokens'),
    cachedTokens: numberIn(simo, 'cached_tokens'),
    served: [textIn(simo, 'model_revision'), textIn(ownField(simo, 'calibration'), 'version')].filter((one) => one !== null).join(' '),
  }
}

const isDescribed = ({ description }: Candidate): boolean => description !== null && description !== ''

function criteriaOf({ type, candidates }: SystemOneQuestion): unknown {
  if (type === 'score') return candidates.map((one) => (isDescribed(one) ? `${one.name}: ${one.description}` : one.name))
  if (type === 'choice') return plainRecord(candidates.map((one) => [one.name, isDescribed(one) ? one.description : null] as const))
  const described = candidates.filter(isDescribed)
  return described.length === 0 ? null : plainRecord(described.map(({ name, description }) => [name, description] as const))
}

type Complain = (what: string) => Error

function rowIn(json: UntrustedObject, { type, candidates }: SystemOneQuestion, complain: Complain): ScoreRow {
  const answers = ownField(json, 'answers')
  const answer = ownField(answers, ID)
  if (typeof answer !== 'object' || answer === null) {
    const others = Object.keys((answers ?? {}) as object).filter((name) => name !== ID)
    throw complain(others.length > 0 ? `for other questions than asked (${others.slice(0, 4).join(', ')})` : 'without an answer')
  }
  const given = textIn(answer, 'type') ?? type
  if (given !== type) throw complain(`with a ${given.slice(0, 40)}, where a ${type} was asked for`)
  const mass = massIn(json)
  if (type === 'noul') {
    const yes = probabilityIn(answer, 'noul', complain)
    return rowOfShares([yes, 1 - yes], mass)
  }
  const probabilities = ownField(answer, 'probabilities')
  const names = candidates.map(({ name }, level) => (type === 'score' ? String(level) : name))
  const listed = typeof probabilities === 'object' && probabilities !== null ? Object.keys(probabilities) : []
  const other = listed.find((name) => !names.includes(name))
  if (other !== undefined) throw complain(`with probabilities of other options than asked (${JSON.stringify(other.slice(0, 40))})`)
  const shares = names.map((name) => probabilityIn(probabilities, name, complain))
  const total = sum(shares)
  // Each may be rounded to two decimals.
  if (Math.abs(total - 1) > 0.01 + 0.005 * names.length) throw complain(`with probabilities that sum to ${total.toFixed(3)}`)
  return rowOfShares(shares, mass)
}

function probabilityIn(of: unknown, name: string, complain: Complain): number {
  const value = ownField(of, name)
  if (typeof value === 'number' && value >= 0 && value <= 1 + 1e-6) return Math.min(1, value)
  const what = typeof value === 'number' ? String(value) : jsonTypeOf(value)
  throw complain(`with ${what} as the probability of ${JSON.stringify(name.slice(0, 40))}`)
}

/** How much of the probability the options had; 1 where it is not said. */
function massIn(json: UntrustedObject): number {
  const mass =
    numberIn(ownField(ownField(json, 'diagnostics'), ID), 'label_mass') ??
    numberIn(ownField(ownField(ownField(json, 'simo'), 'questions'), ID), 'mass')
  return mass !== null && mass > 0 && mass <= 1 ? mass : 1
}

function rowOfShares(shares: readonly number[], mass: number): ScoreRow {
  const kept = shares.map((share) => Math.max(LEAST, share))
  const total = sum(kept)
  return { logProbabilities: kept.map((share) => Math.log((share / total) * mass)), mass }
}
