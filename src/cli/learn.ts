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
import { ownEntry } from '../core/untrusted.ts'
import type { Row } from '../evaluate/dataset.ts'
import { NOT_ASKED, type RowResult, textOf } from '../evaluate/run.ts'
import { commonest, type FailureReason, sumUp, ungradedOf } from '../evaluate/summary.ts'
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
  /** Rows that were known from an earlier run, with the same truths. */
  readonly before: number
  /** Labels that were taken from the other rows. */
  readonly labels: number
  readonly failed: number
  /** Rows that say of no question what is true. */
  readonly unlabelled: number
  /** Truths that fit no answer, and were not kept. */
  readonly misfits: number
  /** Why, of rows that failed and of truths that fit no answer, the commonest first, at most five of each. */
  readonly reasons: readonly FailureReason[]
  /** Labels of the question that has most of them in the same words. */
  readonly mostOfOne: number
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

/** EXIT.failedRows when a row has failed, or a truth fits no answer. */
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
      const said: LearnSaid = { ...kept, ...refitted, mostOfOne: mostOfOne(evidence) }
      say(terminal, output, said, () => showLearned(said, flags.store))
      return said.failed + said.misfits === 0 ? EXIT.ok : EXIT.failedRows
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
): Promise<Omit<LearnSaid, keyof RefitSaid | 'mostOfOne'>> {
  const done = new Set<number>()
  const given = new Map<number, GivenTruths>()
  for await (const { at, request, truth, accept } of rows.left(new Set())) {
    const found = await store.find(eventOf(request, model))
    if (found !== null && isAsKept({ truth, accept }, found, store.holdsValue)) done.add(at)
    else given.set(at, { truth, accept })
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
    labels += await keep(store, last.event, result, given.get(result.at)!)
  }
  await runLeft(rows, done, settings, take, terminal)
  const { failed, reasons, unlabelled } = sumUp(results)
  const misfits = ungradedOf(results).filter(({ message }) => message !== NOT_ASKED)
  return {
    rows: rows.chosen.size,
    before: done.size,
    labels,
    failed,
    unlabelled,
    misfits: misfits.length,
    reasons: [...reasons, ...commonest(misfits)],
  }
}

function mostOfOne(evidence: readonly RecordedEvidence[]): number {
  return Math.max(0, ...[...groupBy(evidence, ({ question }) => question).values()].map(({ length }) => length))
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
async function keep(store: OutcomeStore, event: DecisionEvent | null, { questions }: RowResult, row: GivenTruths): Promise<number> {
  const labels = Object.fromEntries(
    questions.flatMap(({ id, distribution }) =>
      distribution === null ? [] : [[id, { truth: distribution.truth, weight: 1, given: givenAs(row, id) }]],
    ),
  )
  const count = Object.keys(labels).length
  if (event === null || count === 0) return 0
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

function showLearned(said: LearnSaid, store: string): string {
  const { rows, before, labels, failed, unlabelled, misfits, reasons, mostOfOne: most } = said
  const known = before === 0 ? '' : `, ${before} known before`
  const lines = [
    `${rows} rows${known}, ${labels} new labels kept in ${store}`,
    ...(failed === 0 ? [] : [`rows that failed: ${failed}`]),
    ...unlabelledLines(unlabelled),
    ...(misfits === 0 ? [] : [`truths that fit no answer, and were not kept: ${misfits}`]),
    ...reasonLines(reasons),
  ]
  const few = most >= LEAST_LABELS ? '' : `no head yet: the most labels of one question are ${most}, it takes ${LEAST_LABELS}\n`
  const next = said.served ? `answer with it: assay ask --store ${store} …, asking in the same words\n` : ''
  return `${lines.join('\n')}\n${showRefit(said)}${few}${next}`
}
