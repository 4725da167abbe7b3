// Outcome stores: events as they are decided, labels as truths become known, and labelled evidence from both. No state
// and no value is kept, only hashes, log-probabilities, and the indices of the true candidates.
import { EngineError, type Problem } from '../../core/errors.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean, MOST_HINTS } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { isObject, ownEntry } from '../../core/untrusted.ts'
import {
  type CalibratedModel,
  type Decision,
  type DecisionEvent,
  type HoldsValue,
  isOfValue,
  isSameVersion,
  isStatement,
  type ModelVersion,
  truthOf,
} from '../../questions/shared/decision.ts'
import type { Evidence } from './evidence.ts'

/** The decisions of a request as they are kept. */
export interface StoredEvent extends DecisionEvent {
  /** When it was decided, milliseconds since 1970. */
  readonly at: number
}

/** The truth of one decision. */
export interface Label {
  /** The index of the true candidate in each row (see `truthOf`). */
  readonly truth: readonly number[]
  /** Inverse probability of having been labelled, at most `LARGEST_LABEL_WEIGHT`. */
  readonly weight: number
  /**
   * Of a label that was graded from a row: a hash of what the row gave as the truth, by which the row is known again.
   * For stores in a folder; others need not keep it.
   */
  readonly given?: string
}

export type Labels = Readonly<Record<string, Label>>

export interface LabelledEvent {
  readonly event: StoredEvent
  /** By decision name; empty when nothing is known yet. */
  readonly labels: Labels
}

/** Evidence from outcomes, with its origin. Its `task` is the name of the decision. */
export interface RecordedEvidence extends Evidence {
  readonly event: string
  readonly at: number
  readonly model: CalibratedModel
  /** The feature vector, where the store keeps it. */
  readonly features: Float32Array | null
}

/** Keeps events and their labels. Methods may be called concurrently. */
export interface OutcomeStore {
  /** Keeps an event. An event with a known id changes nothing. Events of one tick are written together. */
  event(event: StoredEvent): Promise<void>
  /** The event with its labels; null when it is unknown or no longer kept. */
  find(id: string): Promise<LabelledEvent | null>
  /**
   * Sets labels of an event, each in place of an earlier one. False when the event is unknown. `recordOutcome` checks
   * them.
   */
  outcome(id: string, labels: Labels): Promise<boolean>
  /** Every labelled decision, oldest first. */
  evidence(): AsyncIterable<RecordedEvidence>
  /** The newest events, labelled or not, newest first, at most `count`. */
  recent(count: number): AsyncIterable<StoredEvent>
  /** For stores that keep something else of a checked value than its `valueHash`. */
  readonly holdsValue?: HoldsValue
  /** How long events are kept, in words that follow "events are kept". */
  readonly retention: string
  /** Writes pending events and releases the store. */
  close(): Promise<void>
}

/** Cap of inverse probabilities, so that one rare label does not outweigh all others. */
export const LARGEST_LABEL_WEIGHT = 20

export interface RecordOptions {
  /**
   * The probability with which this event was chosen to be labelled, above 0; default 1. Rarely chosen events count
   * more.
   */
  readonly selectionProbability?: number
}

export interface RecordedOutcome {
  readonly event: string
  /** Names of the decisions that were labelled. */
  readonly recorded: readonly string[]
  /** Those that had a label before. */
  readonly replaced: readonly string[]
}

/**
 * Stores truths of an event's decisions, by question id, arguments as `question/argument`. `truthOf` says which truths
 * fit. Throws `invalid_request` with everything that is wrong, and then stores nothing. Recording again replaces;
 * recording the same again changes nothing.
 */
export async function recordOutcome(
  store: OutcomeStore,
  eventId: string,
  truths: Readonly<Record<string, Json>>,
  { selectionProbability = 1 }: RecordOptions = {},
): Promise<RecordedOutcome> {
  if (typeof eventId !== 'string') {
    throw new EngineError('invalid_request', `The event is the id of a response, received ${typeof eventId}.`, { param: '/event' })
  }
  if (!isObject(truths)) {
    throw new EngineError('invalid_request', 'The outcomes are an object of truths by question id.', { param: '/outcomes' })
  }
  if (!(selectionProbability > 0 && selectionProbability <= 1)) {
    const message = `The selection probability is above 0 and at most 1, received ${selectionProbability}.`
    throw new EngineError('invalid_request', message, { param: '/selection_probability' })
  }
  const found = await store.find(eventId)
  if (found === null) throw unknownEvent(eventId, store)

  const { decisions } = found.event
  const names = Object.keys(truths)
  if (names.length === 0) {
    throw new EngineError('invalid_request', `No outcome was given; the event decided ${listed(Object.keys(decisions))}.`, {
      param: '/outcomes',
    })
  }
  const problems: Problem[] = []
  const labels: [string, Label][] = []
  const weight = Math.min(LARGEST_LABEL_WEIGHT, 1 / selectionProbability)
  for (const name of names) {
    const problem = (message: string) => problems.push({ param: pointer('/outcomes', name), message })
    const decision = ownEntry(decisions, name)
    if (decision === undefined) {
      const known = Object.keys(decisions)
      const has = known.length === 0 ? 'it has none' : `it has ${listed(known)}`
      const hint = problems.length < MOST_HINTS ? didYouMean(name, known) : ''
      problem(`The event has no decision ${JSON.stringify(name)}; ${has}.${hint}`)
      continue
    }
    const truth = truthOf(decision, truths[name] as Json, store.holdsValue)
    if (truth === null) problem(misfit(name, decision, truths[name] as Json, problems.length < MOST_HINTS))
    else labels.push([name, { truth, weight }])
  }
  const [first] = problems
  if (first !== undefined) throw new EngineError('invalid_request', first.message, { param: first.param, problems })

  const isKept = await store.outcome(eventId, Object.fromEntries(labels))
  if (!isKept) throw unknownEvent(eventId, store)
  const replaced = names.filter((name) => Object.hasOwn(found.labels, name))
  return { event: eventId, recorded: names, replaced }
}

function unknownEvent(id: string, store: OutcomeStore): EngineError {
  const message = `The event ${JSON.stringify(id.slice(0, 80))} is not known; events are kept ${store.retention}.`
  return new EngineError('invalid_request', message, { param: '/event' })
}

/** Why a truth does not fit a decision. `what`: what the truth is called where it was given. */
export function misfit(name: string, { readout, names }: Decision, truth: Json, hasHint: boolean, what = 'outcome'): string {
  const text = JSON.stringify(truth) ?? String(truth)
  const received = `received ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
  const subject = `The ${what} of ${JSON.stringify(name)} is`
  if (isStatement(readout) && names[0] !== 'true')
    return `${subject} ${listed(names)}, true or false, or the probability of the first; ${received}.`
  if (isStatement(readout)) return `${subject} true or false, or the probability that it is true; ${received}.`
  if (isOfValue(readout)) return `${subject} true or false (the value was right), or the right value; ${received}.`
  if (readout === 'ordinal') return `${subject} a level from 0 to ${names.length - 1}; ${received}.`
  if (readout === 'exclusive')
    return `${subject} one of ${listed(names)}; ${received}.${hasHint && typeof truth === 'string' ? didYouMean(truth, names) : ''}`
  const unknown = Array.isArray(truth) ? truth.filter((item) => typeof item === 'string' && !names.includes(item)) : []
  const hint = hasHint && unknown.length > 0 ? didYouMean(String(unknown[0]), names) : ''
  return `${subject} a list of names out of ${listed(names)}; ${received}.${hint}`
}

/** Names listed in a message. */
const MOST_NAMES = 8

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name))
  return names.length > MOST_NAMES ? `${shown.join(', ')} and ${names.length - MOST_NAMES} more` : shown.join(', ')
}

/** The labelled decisions of an event as evidence. */
export function evidenceOf({ event, labels }: LabelledEvent): RecordedEvidence[] {
  return Object.entries(labels).flatMap(([name, { truth, weight }]) => {
    const decision = ownEntry(event.decisions, name)
    if (decision === undefined) return []
    // What was true of the answer was true of it for every model of a chain that decided it.
    return [...(decision.earlier ?? []), decision].map((one): RecordedEvidence => {
      const { readout, hasImage, wording, question, single, deliberated, mass, tokens = null, features } = one
      const { id, revision, templateHash } = one.by ?? { ...event, id: event.model }
      const from = { event: event.id, at: event.at, model: { id, revision, templateHash }, features }
      const scores = { single, deliberated, mass, tokens }
      return { task: name, state: event.state, readout, hasImage, wording, question, ...scores, truth, weight, ...from }
    })
  })
}

/** The evidence of one model, oldest first. */
export async function evidenceFor(store: OutcomeStore, model: ModelVersion): Promise<RecordedEvidence[]> {
  const evidence: RecordedEvidence[] = []
  for await (const item of store.evidence()) if (isSameVersion(item.model, model)) evidence.push(item)
  return evidence
}

/** The fields that are kept. Anything else an object carries, such as a state, stays out. */
export function keptEvent(event: StoredEvent, keepsFeatures: boolean): StoredEvent {
  const { id, at, model, revision, templateHash, state } = event
  const decisions = Object.entries(event.decisions).map(([name, decision]) => [name, keptDecision(decision, keepsFeatures)] as const)
  return { id, at, model, revision, templateHash, state, decisions: Object.fromEntries(decisions) }
}

function keptDecision(decision: Decision, keepsFeatures: boolean): Decision {
  const { readout, hasImage, candidates, wording, question, names, asWritten, single, deliberated, mass, tokens, value, by, earlier } =
    decision
  const features = keepsFeatures ? decision.features : null
  return {
    readout,
    hasImage,
    candidates,
    wording,
    question,
    names,
    ...(asWritten === undefined ? {} : { asWritten }),
    single,
    deliberated,
    mass,
    tokens,
    features,
    value,
    ...(by === undefined ? {} : { by: { id: by.id, revision: by.revision, templateHash: by.templateHash } }),
    ...(earlier === undefined ? {} : { earlier: earlier.map((one) => keptDecision(one, keepsFeatures)) }),
  }
}

export interface MemoryOutcomeOptions {
  /**
   * Events that are kept; default 10 000. The oldest without a label go first, but labelled ones never take more than
   * three quarters.
   */
  readonly events?: number
  /** Whether features are kept for learned heads; default false. */
  readonly keepsFeatures?: boolean
}

/** A store in memory, which ends with the process. */
export function memoryOutcomeStore({ events: most = 10_000, keepsFeatures = false }: MemoryOutcomeOptions = {}): OutcomeStore {
  if (!(Number.isInteger(most) && most >= 1)) {
    throw new EngineError('invalid_request', `A memory store keeps a whole number of events from 1 on, received ${most}.`)
  }
  // A Map keeps the order of insertion: its first entry is the oldest.
  const open = new Map<string, StoredEvent>()
  const labelled = new Map<string, LabelledEvent>()
  const makeRoom = (): void => {
    while (open.size + labelled.size > most) {
      const from = open.size === 0 || labelled.size > most * 0.75 ? labelled : open
      from.delete(from.keys().next().value as string)
    }
  }
  const inOrder = (items: Iterable<LabelledEvent>): LabelledEvent[] => [...items].sort((a, b) => a.event.at - b.event.at)
  return {
    async event(event) {
      if (open.has(event.id) || labelled.has(event.id)) return
      open.set(event.id, keptEvent(event, keepsFeatures))
      makeRoom()
    },
    async find(id) {
      const event = open.get(id)
      return event === undefined ? (labelled.get(id) ?? null) : { event, labels: {} }
    },
    async outcome(id, labels) {
      const known = labelled.get(id)
      const event = known?.event ?? open.get(id)
      if (event === undefined) return false
      labelled.set(id, { event, labels: { ...known?.labels, ...labels } })
      open.delete(id)
      return true
    },
    async *evidence() {
      for (const item of inOrder(labelled.values())) yield* evidenceOf(item)
    },
    async *recent(count) {
      const all = inOrder([...labelled.values(), ...[...open.values()].map((event) => ({ event, labels: {} }))])
      for (const { event } of all.reverse().slice(0, count)) yield event
    },
    retention: `in memory until ${most} newer ones came`,
    async close() {},
  }
}
