// Outcome stores: events as they are decided, labels as truths become known, and labelled evidence from both. No state
// and no value is kept, only hashes, log-probabilities, and the indices of the true candidates.
import { ownEntry } from '../../core/untrusted.ts'
import { type Decision, type DecisionEvent, isSameVersion, type ModelVersion } from '../../questions/shared/decision.ts'
import type { HoldsValue } from '../../questions/shared/truth.ts'
import { decidedEvidence, type RecordedEvidence } from '../evidence/evidence.ts'

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

/** The labelled decisions of an event as evidence. */
export function evidenceOf({ event, labels }: LabelledEvent): RecordedEvidence[] {
  return Object.entries(labels).flatMap(([name, { truth, weight }]) => {
    const decision = ownEntry(event.decisions, name)
    if (decision === undefined) return []
    // What was true of the answer was true of it for every model of a chain that decided it.
    return [...(decision.earlier ?? []), decision].map((one): RecordedEvidence => {
      const { id, revision, templateHash } = one.by ?? { ...event, id: event.model }
      const from = { event: event.id, at: event.at, model: { id, revision, templateHash }, features: one.features }
      return { task: name, state: event.state, ...decidedEvidence(one), truth, weight, ...from }
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
