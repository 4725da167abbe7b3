// Adds `assay learn`: asks labelled rows, keeps in a store what was decided and what was true, and serves what the
// labels of the store teach where held-out ones say that it is not worse. A run that was stopped goes on.
import type { Device } from '../backends/backend.ts'
import type { Calibration } from '../calibration/calibration.ts'
import type { RecordedEvidence } from '../calibration/evidence/evidence.ts'
import { isLearned } from '../calibration/heads/head.ts'
import { LEAST_LABELS } from '../calibration/heads/learn.ts'
import { fileOutcomeStore } from '../calibration/outcomes/outcome-file.ts'
import { evidenceFor } from '../calibration/outcomes/outcomes.ts'
import type { VersionChange } from '../calibration/outcomes/versions.ts'
import { shippedLabels } from '../calibration/shipped.ts'
import { groupBy } from '../core/group-by.ts'
import type { CalibratedModel } from '../questions/shared/decision.ts'
import { type AddCommand, type CommandContext, type Output, outputOf, say } from './command.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { storeFolder } from './given-files.ts'
import { type KeptTruths, keepTruths } from './keep-truths.ts'
import { modelGiven } from './model-names.ts'
import { MODEL_SERVER_HELP } from './model-server.ts'
import { asJson, count, imagesFrom, onDevice, onModel } from './option-values.ts'
import { type StoreFlags, servedIn, versionsOf } from './outcome-inputs.ts'
import { hashOfLabels, type RefitSaid, refitStore } from './refit-store.ts'
import { openRows, warmUp } from './row-runs.ts'
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
interface LearnSaid extends RefitSaid, KeptTruths {
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
    .addOption(onModel())
    .addOption(onDevice())
    .option('--model-server <address>', MODEL_SERVER_HELP)
    .option('--limit <n>', 'at most the first n rows of each file', count('limit', 1))
    .addOption(imagesFrom())
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
      const refitted = await teach(evidence, model, flags, terminal)
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
  evidence: readonly RecordedEvidence[],
  model: CalibratedModel,
  flags: LearnFlags,
  terminal: Terminal,
): Promise<RefitSaid> {
  const versions = versionsOf(flags, terminal)
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
  const shipped = await shippedLabels(model)
  const options = { isDryRun: flags.dryRun === true, shipped }
  const said = await refitStore(versions, { current, against: shipped?.calibration ?? null }, evidence, model, options)
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

function mostOfOne(evidence: readonly RecordedEvidence[]): number {
  return Math.max(0, ...[...groupBy(evidence, ({ question }) => question).values()].map(({ length }) => length))
}

function isForHead({ readout, features }: RecordedEvidence): boolean {
  return features !== null && isLearned(readout)
}

function showLearned(said: LearnSaid, store: string): string {
  const { rows, repeated, before, labels, failed, unlabelled, misfits, contradictions, reasons } = said
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
  const next = said.served ? `answer with it: assay ask --store ${store} …, asking in the same words\n` : ''
  return `${lines.join('\n')}\n${showRefit(said)}${whyNoHead(said)}${next}`
}

/** Why no question can have a head of its own yet; nothing where labels are enough for one. */
function whyNoHead({ mostOfOne, mostForHead }: LearnSaid): string {
  if (mostOfOne < LEAST_LABELS) return `no head yet: the most labels of one question are ${mostOfOne}, it takes ${LEAST_LABELS}\n`
  if (mostForHead >= LEAST_LABELS) return ''
  const few = `it takes ${LEAST_LABELS} labels of one question with features of the model, there are ${mostForHead}`
  return `no head: ${few}; reads and what is worked out from other answers have none, and a model server gives none\n`
}
