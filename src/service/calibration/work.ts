// Starts the calibration thread: reads labels and events of one model from the store, sends them to it in pieces, and
// waits for the result. Other work of the event loop runs between pieces, so that a large store does not delay answers.
import { existsSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { observed } from '../../calibration/drift/reference.ts'
import type { OutcomeStore, StoredEvent } from '../../calibration/outcomes/outcomes.ts'
import { RECENT_EVENTS, type SeenEvent, type ServedCalibration } from '../../calibration/served.ts'
import { builtEntry } from '../../core/built-entry.ts'
import { startDeadline } from '../../core/deadline.ts'
import { type CalibratedModel, isSameVersion, type ModelVersion, ownDecisions } from '../../questions/shared/decision.ts'
import { ServiceRefusal } from '../errors.ts'
import type { FromThread, Labelled, LabelSource, TaskResults, ToThread } from './protocol.ts'

/** Labels, or events, in one message. */
const PIECE = 64
/** Newest events looked at to find those of the model. */
const MOST_EVENTS = 10_000
const MOST_MEBIBYTES = 1024
/** Work that takes longer has gone astray: a fit of all labels it may have takes ten seconds of a core. */
export const WORK_TIMEOUT_MS = 120_000

function threadEntry(): URL {
  const entry = builtEntry('service/calibration/thread.js')
  if (!existsSync(entry)) throw new Error('the calibration thread is not built; run `npm run build`')
  return entry
}

/** What a piece of work is done on. */
export interface WorkOutcomes {
  /** Of the account that the work is for. */
  readonly own: OutcomeStore
  /** Of the accounts that lend their labels to its fits. */
  readonly lenders: readonly OutcomeStore[]
}

/**
 * Does one piece of work on the outcomes of a model in the store. Throws `internal_error` when it fails, runs out of
 * memory, or takes too long, and the reason of `signal`.
 */
export async function workOn<T extends keyof TaskResults>(
  task: T,
  { own, lenders }: WorkOutcomes,
  model: CalibratedModel,
  served: Pick<ServedCalibration, 'calibration' | 'servedSince'>,
  signal: AbortSignal,
): Promise<TaskResults[T]> {
  signal.throwIfAborted()
  const { id, revision, templateHash } = model
  const { calibration, servedSince } = served
  // Flags of the calling process (an --eval, a loader) are not meant for the thread, and some would stop it.
  const thread = new Worker(threadEntry(), { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: MOST_MEBIBYTES } })
  const send = (message: ToThread): void => thread.postMessage(message)
  const failure = (cause: unknown): ServiceRefusal => {
    const message =
      'Work on the outcomes failed; nothing that is served was changed. Try again, and look at the log of the service if it lasts.'
    return new ServiceRefusal('internal_error', message, { cause })
  }
  const late = () => failure(new Error(`no result after ${WORK_TIMEOUT_MS} ms`))
  const deadline = startDeadline({ ms: WORK_TIMEOUT_MS, late, signal })
  let isOver = false
  const result = new Promise<TaskResults[T]>((resolve, reject) => {
    const fail = (cause: unknown): void => reject(failure(cause))
    thread.on('message', (reply: FromThread) =>
      'value' in reply ? resolve(reply.value as TaskResults[T]) : fail(new Error(reply.message)),
    )
    thread.on('error', fail)
    thread.on('exit', () => {
      isOver = true
      fail(new Error('the thread ended without a result'))
    })
  })
  // Handing over may be stopped first, and then nobody waits for the result.
  result.catch(() => {})
  const hand = async (): Promise<void> => {
    const hasEnded = (): boolean => isOver || deadline.signal.aborted
    const handLabels = (outcomes: OutcomeStore, from: LabelSource): Promise<void> =>
      inPieces(labelsOf(outcomes, model), (labels) => send({ type: 'labels', labels, from }), hasEnded)
    await handLabels(own, 'own')
    if (task === 'fit') for (const [from, lender] of lenders.entries()) await handLabels(lender, from)
    // Diagrams are of labels alone.
    if (task !== 'diagrams') await inPieces(eventsOf(own, model), (events) => send({ type: 'events', events }), hasEnded)
    send({ type: 'work', task, model: { id, revision, templateHash }, calibration, servedSince, lenders: lenders.length })
  }
  try {
    // Whichever fails first is said; a store that hangs is not waited for.
    return await deadline.race(Promise.race([hand(), result]).then(() => result))
  } finally {
    deadline.end()
    isOver = true
    await thread.terminate()
  }
}

async function* labelsOf(outcomes: OutcomeStore, version: ModelVersion): AsyncGenerator<Labelled | null> {
  for await (const { model, ...label } of outcomes.evidence()) yield isSameVersion(model, version) ? label : null
}

async function* eventsOf(outcomes: OutcomeStore, version: ModelVersion): AsyncGenerator<SeenEvent | null> {
  let found = 0
  for await (const event of outcomes.recent(MOST_EVENTS)) {
    if (found === RECENT_EVENTS) return
    const isOfModel = isSameVersion(event, version)
    if (isOfModel) found++
    yield isOfModel ? seen(event) : null
  }
}

function seen(event: StoredEvent): SeenEvent {
  const { at, state } = event
  const looks = Object.entries(ownDecisions(event)).map(([name, decision]) => [name, observed(decision)] as const)
  return { at, state, decisions: Object.fromEntries(looks) }
}

/** Passes on what is not null, and lets the event loop run after each piece. */
async function inPieces<T>(items: AsyncIterable<T | null>, hand: (piece: T[]) => void, isOver: () => boolean): Promise<void> {
  let piece: T[] = []
  let count = 0
  for await (const item of items) {
    if (item !== null) piece.push(item)
    if (++count % PIECE !== 0) continue
    if (piece.length > 0) hand(piece)
    piece = []
    await nextTurn()
    if (isOver()) return
  }
  if (piece.length > 0) hand(piece)
}
