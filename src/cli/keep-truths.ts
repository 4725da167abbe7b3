// Asks labelled rows and keeps in a store what was decided with what was true, each request once. What the store knows
// already is not asked again.
import { createHash } from 'node:crypto'
import type { LabelledEvent, OutcomeStore } from '../calibration/outcomes/outcomes.ts'
import { cut, ownEntry } from '../core/untrusted.ts'
import type { Row } from '../evaluate/dataset.ts'
import { NOT_ASKED } from '../evaluate/graded-question.ts'
import { type RowResult, textOf } from '../evaluate/run.ts'
import { commonest, type FailureReason, type RowFault, sumUp, ungradedOf } from '../evaluate/summary.ts'
import type { CalibratedModel, Decision, DecisionEvent } from '../questions/shared/decision.ts'
import { isOfValue } from '../questions/shared/readouts.ts'
import { type HoldsValue, truthOf } from '../questions/shared/truth.ts'
import type { AskRequest } from '../wire/types.ts'
import type { CliEngine } from './command.ts'
import { type GivenRows, ROW_DEADLINE_MS, type RowSettings, runLeft } from './row-runs.ts'
import type { Terminal } from './terminal.ts'

/** What was kept of rows. */
export interface KeptTruths {
  readonly rows: number
  /** Rows that ask what an earlier one asks; they count as one with it. */
  readonly repeated: number
  /** Rows that were known from an earlier run, with the same truths. */
  readonly before: number
  /** Labels that were taken from the other rows. */
  readonly labels: number
  readonly failed: number
  /** Rows that say of no question what is true. */
  readonly unlabelled: number
  /** Truths that fit no answer, and were not kept. */
  readonly misfits: number
  /** Truths that were kept in place of other ones, which earlier rows gave for the same request. */
  readonly contradictions: number
  /**
   * Why, of rows that failed, of truths that fit no answer, and of contradictions, the commonest first, at most five of
   * each.
   */
  readonly reasons: readonly FailureReason[]
}

/** What a row says is true, and what counts as right besides. */
type GivenTruths = Pick<Row, 'truth' | 'accept'>

interface Keeping {
  readonly engine: CliEngine
  /** The id that requests name; null where the engine has one model. */
  readonly id: string | null
  readonly model: CalibratedModel
  readonly store: OutcomeStore
  readonly terminal: Terminal
}

/** Asks every row that the store does not know, or knows otherwise, and keeps what was decided with what was true. */
export async function keepTruths(rows: GivenRows, { engine, id, model, store, terminal }: Keeping): Promise<KeptTruths> {
  const { given, repeated, unlabelled, contradictions } = await takeTogether(rows, model)
  const known = new Set<number>()
  for (const [at, { event, ...truths }] of given) {
    const found = await store.find(event)
    if (found !== null && isAsKept(truths, found, store.holdsValue)) known.add(at)
  }
  const together: GivenRows = {
    ...rows,
    async *left(done) {
      for await (const row of rows.left(done)) yield { ...row, ...given.get(row.at) }
    },
  }

  const results: RowResult[] = []
  const last: { event: DecisionEvent | null } = { event: null }
  let labels = 0
  const settings: RowSettings = {
    ask(request, options) {
      last.event = null
      const observe = (event: DecisionEvent): void => {
        last.event = event
        options.observe?.(event)
      }
      return engine.ask(id === null ? request : { ...request, model: id }, { ...options, id: eventOf(request, model), observe })
    },
    deliberation: 'automatic',
    deadlineMs: ROW_DEADLINE_MS,
    selfCheck: false,
    keepStates: false,
    // So that the event that was seen last is that of the row.
    parallel: 1,
  }
  const take = async (result: RowResult): Promise<void> => {
    results.push(result)
    labels += await keep(store, last.event, result, given.get(result.at))
  }
  await runLeft(together, new Set([...known, ...repeated]), settings, take, terminal)
  const { failed, reasons } = sumUp(results)
  const misfits = ungradedOf(results).filter(({ message }) => message !== NOT_ASKED)
  return {
    rows: rows.chosen.size,
    repeated: repeated.size,
    before: known.size,
    labels,
    failed,
    unlabelled,
    misfits: misfits.length,
    contradictions: contradictions.length,
    reasons: [...reasons, ...commonest(misfits), ...commonest(contradictions)],
  }
}

interface TakenTogether {
  /** By the index of the row that is asked: the id of its event, and what was said last of each of its questions. */
  readonly given: ReadonlyMap<number, GivenTruths & { readonly event: string }>
  /** Indices of rows that ask what an earlier row asks. */
  readonly repeated: ReadonlySet<number>
  /** Rows that say of no question what is true. */
  readonly unlabelled: number
  /** Truths in place of other ones of the same request. */
  readonly contradictions: readonly RowFault[]
}

/** Rows that ask the same are asked once, with what all of them say. What cannot be asked is left as it is. */
async function takeTogether(rows: GivenRows, model: CalibratedModel): Promise<TakenTogether> {
  const given = new Map<number, GivenTruths & { readonly event: string }>()
  const firstOf = new Map<string, number>()
  const repeated = new Set<number>()
  let unlabelled = 0
  const contradictions: RowFault[] = []
  for await (const { id, at, request, truth, accept, fault } of rows.left(new Set())) {
    // What is nested too deep to be written is the same text, whatever it is.
    if (fault !== null || textOf(request.state) === '' || textOf(request.questions) === '') continue
    if (Object.keys(truth).length === 0) unlabelled++
    const event = eventOf(request, model)
    const first = firstOf.get(event)
    if (first === undefined) {
      firstOf.set(event, at)
      given.set(at, { truth, accept, event })
      continue
    }
    repeated.add(at)
    const before = given.get(first)!
    for (const [name, said] of Object.entries(truth)) {
      const other = ownEntry(before.truth, name)
      if (other === undefined || textOf(other) === textOf(said)) continue
      const [was, is] = [other, said].map((one) => cut(textOf(one), 60))
      const message = `The truth of ${JSON.stringify(name)} was ${was} in an earlier row that asks the same; ${is} is kept.`
      contradictions.push({ id, code: 'contradiction', message })
    }
    // What is accepted goes with its truth.
    const accepted = Object.entries(before.accept).filter(([name]) => !Object.hasOwn(truth, name))
    given.set(first, { truth: { ...before.truth, ...truth }, accept: { ...Object.fromEntries(accepted), ...accept }, event })
  }
  return { given, repeated, unlabelled, contradictions }
}

/** Whether what a row says is what was kept of it: of what was decided, nothing was left open, and nothing changed. */
function isAsKept(row: GivenTruths, { event, labels }: LabelledEvent, holds: HoldsValue | undefined): boolean {
  return Object.keys(row.truth).every((name) => {
    const decision = ownEntry(event.decisions, name)
    if (decision === undefined) return true
    const label = ownEntry(labels, name)
    if (label?.given !== undefined) return label.given === givenAs(row, name)
    // A label of an older store, or one that was recorded later.
    return labelOf(decision, row, name, holds)?.every((index, i) => index === label?.truth[i]) ?? false
  })
}

/** What grading makes of what a row says, as far as what is kept of a decision tells it; null where it does not. */
function labelOf(
  decision: Decision,
  { truth, accept }: GivenTruths,
  name: string,
  holds: HoldsValue | undefined,
): readonly number[] | null {
  const said = [truth[name]!, ...(isOfValue(decision.readout) ? (ownEntry(accept, name) ?? []) : [])]
  const each = said.map((one) => truthOf(decision, one, holds))
  // A read is right when it is any of them.
  return each.find((index) => index?.[0] === 0) ?? each[0]!
}

/** A hash of what a row gives as the truth of a question, with what it accepts besides. */
function givenAs({ truth, accept }: GivenTruths, name: string): string {
  return hashOf(textOf([truth[name], ownEntry(accept, name) ?? []]), 16)
}

/** Keeps the event of a row with its truths, as if they had been recorded. Gives how many there were. */
async function keep(
  store: OutcomeStore,
  event: DecisionEvent | null,
  { questions }: RowResult,
  row: GivenTruths | undefined,
): Promise<number> {
  if (event === null || row === undefined) return 0
  const labels = Object.fromEntries(
    questions.flatMap(({ id, distribution }) => {
      const decision = ownEntry(event.decisions, id)
      // A fill that picks a value is graded as a read, and decided as a choice.
      const truth = distribution?.truth ?? (decision === undefined ? null : labelOf(decision, row, id, store.holdsValue))
      return truth === null ? [] : [[id, { truth, weight: 1, given: givenAs(row, id) }]]
    }),
  )
  const count = Object.keys(labels).length
  if (count === 0) return 0
  await store.event({ ...event, at: Date.now() })
  await store.outcome(event.id, labels)
  return count
}

/** The same for the same request to the same weights, so that a row is asked and counted once. */
function eventOf({ state, questions }: Pick<AskRequest, 'state' | 'questions'>, { revision, templateHash }: CalibratedModel): string {
  const text = [revision, templateHash, textOf(state), textOf(questions)].join('\n')
  return `evt_${hashOf(text, 24)}`
}

/** So many hex digits of the SHA-256 of a text. */
function hashOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits)
}
