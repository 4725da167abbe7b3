// Records what was true of an answer: truths are held against the decisions of its event, and kept as labels. All that
// does not fit is reported together.
import { EngineError, type Problem } from '../../core/errors.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean, MOST_HINTS } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { isObject, ownEntry } from '../../core/untrusted.ts'
import type { Decision } from '../../questions/shared/decision.ts'
import { isOfValue, isStatement } from '../../questions/shared/readouts.ts'
import { truthOf } from '../../questions/shared/truth.ts'
import { LARGEST_LABEL_WEIGHT } from '../evidence/evidence.ts'
import type { Label, OutcomeStore } from './outcomes.ts'

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
  if (!isObject(truths)) throw new EngineError('invalid_request', ARE_TRUTHS, { param: '/outcomes' })
  if (!(selectionProbability > 0 && selectionProbability <= 1)) {
    const message = `The selection probability is above 0 and at most 1, received ${selectionProbability}.`
    throw new EngineError('invalid_request', message, { param: '/selection_probability' })
  }
  const found = await store.find(eventId)
  if (found === null) throw new EngineError('invalid_request', notKnown(eventId, store), { param: '/event' })

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
  if (!isKept) throw new EngineError('invalid_request', notKnown(eventId, store), { param: '/event' })
  const replaced = names.filter((name) => Object.hasOwn(found.labels, name))
  return { event: eventId, recorded: names, replaced }
}

/** Said of outcomes of another shape. */
export const ARE_TRUTHS = 'The outcomes are an object of truths by question id.'

/** Said of an event that a store does not hold. */
export function notKnown(event: string, { retention }: Pick<OutcomeStore, 'retention'>): string {
  return `The event ${JSON.stringify(event.slice(0, 80))} is not known; events are kept ${retention}.`
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
