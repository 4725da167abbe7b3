// Adds `assay learn`: asks labelled rows, keeps in a store what was decided and what was true, and serves what the
// labels of the store teach where held-out ones say that it helps. A run that was stopped goes on.
import { createHash } from 'node:crypto'
import type { Device } from '../backends/backend.ts'
import type { CalibratedModel, Calibration } from '../calibration/calibration.ts'
import { LEAST_LABELS } from '../calibration/heads/learn.ts'
import { fileOutcomeStore } from '../calibration/outcomes/outcome-file.ts'
import { evidenceFor, type LabelledEvent, type OutcomeStore, type RecordedEvidence } from '../calibration/outcomes/outcomes.ts'
import type { CalibrationVersions, VersionChange } from '../calibration/outcomes/versions.ts'
import { shippedFor } from '../calibration/shipped.ts'
import { groupBy } from '../core/group-by.ts'
import { cut, ownEntry } from '../core/untrusted.ts'
import type { Row } from '../evaluate/dataset.ts'
import { NOT_ASKED, type RowResult, textOf } from '../evaluate/run.ts'
import { commonest, type FailureReason, type RowFault, sumUp, ungradedOf } from '../evaluate/summary.ts'
import { type Decision, type DecisionEvent, type HoldsValue, isOfValue, truthOf } from '../questions/shared/decision.ts'
import type { AskRequest } from '../wire/types.ts'
import { type AddCommand, type CliEngine, type CommandContext, type Output, outputOf, say } from './command.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { storeFolder } from './given-files.ts'
import { modelGiven } from './model-names.ts'
import { MODEL_SERVER_HELP } from './model-server.ts'
import { asJson, count, onDevice } from './option-values.ts'
import { type StoreFlags, servedIn, versionsOf } from './outcome-inputs.ts'
import { hashOfLabels, type RefitSaid, refitStore } from './refit-store.ts'
import { type GivenRows, openRows, ROW_DEADLINE_MS, type RowSettings, runLeft, warmUp } from './row-runs.ts'
import { showRefit } from './show-outcomes.ts'
import { reasonLines, unlabelledLines } from './show-summary.ts'
import type { Terminal } from './terminal.ts'

const HELP = `
Rows are those of assay eval: requests with their truth, one JSON a line. What was true is kept in the store as if it had been recorded of answers, and
no states are kept. A question that is asked in the same words of 30 states or more gets a head of its own where that helps.

Examples:
  $ assay learn tickets.jsonl --store outcomes
  $ assay ask request.json --store outcomes

The same command again goes on where it was stopped, and takes what changed in the rows since; a row that was taken out stays in the store.
assay outcomes rollback undoes what was learned.`

interface LearnFlags extends StoreFlags {
  readonly model?: string
  readonly device: Device | 'auto'
  readonly modelServer?: string
  readonly limit?: number
  readonly images?: string
  readonly dryRun?: true
}

/** What a run of `assay learn` came to. */
interface LearnSaid extends RefitSaid {
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
  /** Labels of the question that has most of them in the same words. */
  readonly mostOfOne: number
  /** The same of labels that a head can be fitted on: with features, and neither of reads nor worked out. */
  readonly mostForHead: number
}

export const addLearn: AddCommand = (program, context) => {
  program
    .command('learn')
    .description('learn your questions from labelled rows, and answer with what was learned')
    .argument('<datasets...>', 'labelled requests: .jsonl, .jsonl.gz or .parquet')
    .requiredOption('--store <folder>', 'where decisions, truths and what was learned are kept; made when it is not there')
    .option('--model <name>', 'a model folder, the name of a pulled model, or an id that `assay models` lists')
    .addOption(onDevice())
    .option('--model-server <address>', MODEL_SERVER_HELP)
    .option('--limit <n>', 'at most the first n rows of each file', count('limit', 1))
    .option('--images <folder>', 'where relative image paths start (default: the folder of each file)')
    .option('--dry-run', 'keep the truths, say what would be served, and serve nothing new')
    .addOption(asJson())
    .addHelpText('after', HELP)
    .action((files: readonly string[], flags: LearnFlags) => {
      const output = outputOf(flags, context.terminal)
      return context.attempt(output, () => learn(files, flags, output, context))
    })
}

/** EXIT.failedRows when a row has failed, a truth fits no answer, or two rows contradict each other. */
async function learn(
  files: readonly string[],
  flags: LearnFlags,
  output: Output,
  { terminal, makeEngine }: CommandContext,
): Promise<ExitCode> {
  const { server, folder, id } = await modelGiven(flags, terminal)
  const rows = await openRows(files, { limit: flags.limit ?? null, sample: null, seed: 0 }, flags.images, terminal)
  const store = await fileOutcomeStore((await storeFolder(flags.store, terminal)).path, { keepsFeatures: true })
  try {
    const engine = await makeEngine(folder, { device: flags.device, ...(server === null ? {} : { server }) })
    try {
      const { model } = await warmUp(engine, id, terminal)
      const kept = await keepTruths(rows, { engine, id, model, store, terminal })
      const evidence = await evidenceFor(store, model)
      const refitted = await teach(versionsOf(flags, terminal), evidence, model, flags, terminal)
      const said: LearnSaid = { ...kept, ...refitted, mostOfOne: mostOfOne(evidence), mostForHead: mostOfOne(evidence.filter(isForHead)) }
      say(terminal, output, said, () => showLearned(said, flags.store))
      return said.failed + said.misfits + said.contradictions === 0 ? EXIT.ok : EXIT.failedRows
    } finally {
      await engine.close()
    }
  } finally {
    await store.close()
  }
}

/**
 * Fits and serves, unless the same labels were fitted on before. What is served knows labels that would be held out, so
 * a fit is first held against what came with the model; one that loses to that may still be better than what is served.
 */
async function teach(
  versions: CalibrationVersions,
  evidence: readonly RecordedEvidence[],
  model: CalibratedModel,
  flags: LearnFlags,
  terminal: Terminal,
): Promise<RefitSaid> {
  const { calibration: current, isRefitted } = await servedIn(versions, model, flags, terminal)
  const known = whatKnows(hashOfLabels(evidence), current, await versions.history())
  if (known !== null) {
    return {
      decision: 'keep',
      served: false,
      current: current?.version ?? null,
      candidate: null,
      heldOut: null,
      reason: known,
      learned: [],
    }
  }
  const options = { isDryRun: flags.dryRun === true }
  const said = await refitStore(versions, { current, against: await shippedFor(model) }, evidence, model, options)
  if (!isRefitted || said.decision === 'serve' || said.heldOut === null) return said
  const reason = `Beside what came with the model: ${said.reason}`
  const again = await refitStore(versions, { current }, evidence, model, options)
  return { ...again, reason: `${reason} Beside what is served: ${again.reason}` }
}

/** Why labels are not fitted on again; null where no version was fitted on just these. */
function whatKnows(labels: string, current: Calibration | null, history: readonly VersionChange[]): string | null {
  const made = history.findLast((change) => change.labels === labels)
  if (made === undefined) return null
  if (made.version === current?.version) return 'No label is newer than what is served.'
  const last = history.findLast(({ version, from }) => version === made.version || from === made.version)
  if (last?.action !== 'roll back') return null
  return `${made.version} was fitted on these labels and rolled back; it takes others to learn anew.`
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
async function keepTruths(
  rows: GivenRows,
  { engine, id, model, store, terminal }: Keeping,
): Promise<Omit<LearnSaid, keyof RefitSaid | 'mostOfOne' | 'mostForHead'>> {
  const { given, repeated, contradictions } = await takeTogether(rows, model)
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
  const { failed, reasons, unlabelled } = sumUp(results)
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
  /** Truths in place of other ones of the same request. */
  readonly contradictions: readonly RowFault[]
}

/** Rows that ask the same are asked once, with what all of them say. What cannot be asked is left as it is. */
async function takeTogether(rows: GivenRows, model: CalibratedModel): Promise<TakenTogether> {
  const given = new Map<number, GivenTruths & { readonly event: string }>()
  const firstOf = new Map<string, number>()
  const repeated = new Set<number>()
  const contradictions: RowFault[] = []
  for await (const { id, at, request, truth, accept, fault } of rows.left(new Set())) {
    // What is nested too deep to be written is the same text, whatever it is.
    if (fault !== null || textOf(request.state) === '' || textOf(request.questions) === '') continue
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
  return { given, repeated, contradictions }
}

function mostOfOne(evidence: readonly RecordedEvidence[]): number {
  return Math.max(0, ...[...groupBy(evidence, ({ question }) => question).values()].map(({ length }) => length))
}

function isForHead({ readout, features }: RecordedEvidence): boolean {
  return features !== null && !isOfValue(readout) && readout !== 'composed' && readout !== 'compared'
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

const WITHOUT_FEATURES = 'reads and what is worked out from other answers have none, and a model server gives none'

function showLearned(said: LearnSaid, store: string): string {
  const { rows, repeated, before, labels, failed, unlabelled, misfits, contradictions, reasons, mostOfOne: most, mostForHead } = said
  const again = repeated === 0 ? '' : `, ${repeated} that ask what another one asks`
  const known = before === 0 ? '' : `, ${before} known before`
  const lines = [
    `${rows} rows${again}${known}, ${labels} new labels kept in ${store}`,
    ...(failed === 0 ? [] : [`rows that failed: ${failed}`]),
    ...unlabelledLines(unlabelled),
    ...(misfits === 0 ? [] : [`truths that fit no answer, and were not kept: ${misfits}`]),
    ...(contradictions === 0 ? [] : [`truths that contradict an earlier row, and were kept in its place: ${contradictions}`]),
    ...reasonLines(reasons),
  ]
  const few =
    most < LEAST_LABELS
      ? `no head yet: the most labels of one question are ${most}, it takes ${LEAST_LABELS}\n`
      : mostForHead < LEAST_LABELS
        ? `no head: it takes ${LEAST_LABELS} labels of one question with features of the model, there are ${mostForHead}; ${WITHOUT_FEATURES}\n`
        : ''
  const next = said.served ? `answer with it: assay ask --store ${store} …, asking in the same words\n` : ''
  return `${lines.join('\n')}\n${showRefit(said)}${few}${next}`
}
