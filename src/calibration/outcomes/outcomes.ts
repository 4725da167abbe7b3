// What was decided, and later what was true of it, to labelled evidence. Decisions come in by themselves, truths by an event's id.
// No state is kept and no value that was read: only hashes, log-probabilities, and the positions of the true candidates.
import { EngineError, type Problem, pointer } from '../../core/errors.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { type Decision, type DecisionEvent, isCheck, truthOf } from '../../questions/shared/decision.ts'
import type { CalibratedModel } from '../calibration.ts'
import type { Evidence } from './evidence.ts'

/** A request's decisions as they are kept. */
export interface StoredEvent extends DecisionEvent {
  /** When it was decided, milliseconds since 1970. */
  readonly at: number
}

/** What was true of one decision. */
export interface Label {
  /** The index of the true candidate in each row (see `truthOf`). */
  readonly truth: readonly number[]
  /** Inverse probability of having been labelled, at most `MOST_WEIGHT`. */
  readonly weight: number
}

export type Labels = Readonly<Record<string, Label>>

export interface LabelledEvent {
  readonly event: StoredEvent
  /** By decision name; empty when nothing is known yet. */
  readonly labels: Labels
}

/** Evidence that came from outcomes, and where it came from. Its `task` is the decision's name. */
export interface RecordedEvidence extends Evidence {
  readonly event: string
  readonly at: number
  readonly model: CalibratedModel
  /** Decisions that kept their features have them here. */
  readonly hidden: Float32Array | null
}

/** Keeps events, and labels on them. All methods may be called at once. */
export interface OutcomeStore {
  /** Keeps an event; one whose id is known already changes nothing. Cheap: what comes in one tick is written at once. */
  event(event: StoredEvent): Promise<void>
  /** The event with its labels; null when it was never there or is no longer kept. */
  find(id: string): Promise<LabelledEvent | null>
  /** Puts labels on an event, each in place of the one before it. False when the event is not there. `recordOutcome` is what checks them. */
  outcome(id: string, labels: Labels): Promise<boolean>
  /** Every labelled decision, in the order in which they were decided. */
  evidence(): AsyncIterable<RecordedEvidence>
  /** The newest events, labelled or not, newest first, at most `count`. */
  recent(count: number): AsyncIterable<StoredEvent>
  /** How long events are kept, to follow "events are kept". */
  readonly retention: string
  /** Writes what is not written yet and lets go of the store. */
  close(): Promise<void>
}

/** One rare label must not outweigh all others: inverse probabilities are capped here. */
export const MOST_WEIGHT = 20

export interface RecordOptions {
  /** The probability with which this event was chosen to be labelled, above 0; default 1. Labels of rare choices count more. */
  readonly selectionProbability?: number
}

export interface RecordedOutcome {
  readonly event: string
  /** Names of the decisions that were labelled. */
  readonly recorded: readonly string[]
  /** Those of them that had a label before. */
  readonly replaced: readonly string[]
}

/**
 * Stores what was true of an event's decisions. Truths by question id, arguments as `question/argument`; what fits is said by `truthOf`.
 * Throws `invalid_request` with everything that is wrong, and then stores nothing. Recording again replaces; recording the same again changes nothing.
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
  if (typeof truths !== 'object' || truths === null || Array.isArray(truths)) {
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
  const weight = Math.min(MOST_WEIGHT, 1 / selectionProbability)
  for (const name of names) {
    const problem = (message: string) => problems.push({ param: pointer('/outcomes', name), message })
    const decision = Object.hasOwn(decisions, name) ? decisions[name] : undefined
    if (decision === undefined) {
      const known = Object.keys(decisions)
      const has = known.length === 0 ? 'it has none' : `it has ${listed(known)}`
      problem(`The event has no decision ${JSON.stringify(name)}; ${has}.${didYouMean(name, known)}`)
      continue
    }
    const truth = truthOf(decision, truths[name] as Json)
    if (truth === null) problem(misfit(name, decision, truths[name] as Json))
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

function misfit(name: string, { readout, names }: Decision, truth: Json): string {
  const said = JSON.stringify(truth) ?? String(truth)
  const received = `received ${said.length > 60 ? `${said.slice(0, 60)}…` : said}`
  const subject = `The outcome of ${JSON.stringify(name)} is`
  if (readout === 'binary') return `${subject} true or false, or the probability that it is true; ${received}.`
  if (isCheck(readout)) return `${subject} true or false (the value was right), or the right value; ${received}.`
  if (readout === 'ordinal') return `${subject} a level from 0 to ${names.length - 1}; ${received}.`
  if (readout === 'exclusive')
    return `${subject} one of ${listed(names)}; ${received}.${typeof truth === 'string' ? didYouMean(truth, names) : ''}`
  const strangers = Array.isArray(truth) ? truth.filter((item) => typeof item === 'string' && !names.includes(item)) : []
  const hint = strangers.length === 0 ? '' : didYouMean(String(strangers[0]), names)
  return `${subject} a list of names out of ${listed(names)}; ${received}.${hint}`
}

/** Names shown in a message. */
const MOST_LISTED = 8

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).map((name) => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name))
  return names.length > MOST_LISTED ? `${shown.join(', ')} and ${names.length - MOST_LISTED} more` : shown.join(', ')
}

/** The labelled decisions of an event as evidence. */
export function evidenceOf({ event, labels }: LabelledEvent): RecordedEvidence[] {
  return Object.entries(labels).flatMap(([name, { truth, weight }]) => {
    const decision = Object.hasOwn(event.decisions, name) ? event.decisions[name] : undefined
    if (decision === undefined) return []
    const { readout, hasImage, wording, question, single, deliberated, mass, features } = decision
    const model = { id: event.model, revision: event.revision, templateHash: event.templateHash }
    const from = { event: event.id, at: event.at, model, hidden: features }
    return [{ task: name, state: event.state, readout, hasImage, wording, question, single, deliberated, mass, truth, weight, ...from }]
  })
}

/** The evidence of one model, in the order in which it was decided. */
export async function evidenceFor(
  store: OutcomeStore,
  model: Pick<CalibratedModel, 'revision' | 'templateHash'>,
): Promise<RecordedEvidence[]> {
  const evidence: RecordedEvidence[] = []
  for await (const item of store.evidence()) {
    if (item.model.revision === model.revision && item.model.templateHash === model.templateHash) evidence.push(item)
  }
  return evidence
}

/** Only what is to be kept: whatever else an object carries, a state above all, stays out. */
export function keptEvent(event: StoredEvent, keepsFeatures: boolean): StoredEvent {
  const { id, at, model, revision, templateHash, state } = event
  const decisions = Object.entries(event.decisions).map(([name, decision]): [string, Decision] => {
    const { readout, hasImage, candidates, wording, question, names, single, deliberated, mass, value } = decision
    const features = keepsFeatures ? decision.features : null
    return [name, { readout, hasImage, candidates, wording, question, names, single, deliberated, mass, features, value }]
  })
  return { id, at, model, revision, templateHash, state, decisions: Object.fromEntries(decisions) }
}

export interface MemoryOutcomeOptions {
  /** Events kept; default 10 000. The oldest without a label go first, but labelled ones never take more than three quarters. */
  readonly events?: number
  /** Whether features are kept for learned heads; default false. */
  readonly keepsFeatures?: boolean
}

/** Outcomes in memory, gone with the process. */
export function memoryOutcomeStore({ events: most = 10_000, keepsFeatures = false }: MemoryOutcomeOptions = {}): OutcomeStore {
  if (!(Number.isInteger(most) && most >= 1)) {
    throw new EngineError('invalid_request', `A memory store keeps a whole number of events from 1 on, received ${most}.`)
  }
  // Maps keep the order of insertion: the oldest is the first.
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
