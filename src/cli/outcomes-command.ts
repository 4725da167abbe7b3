// Adds `assay outcomes`: records what was true of answers, fits the next calibration, goes back to the one before, and
// looks for drift.
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { observationsOf } from '../calibration/drift/reference.ts'
import { readEvidence } from '../calibration/evidence/evidence-file.ts'
import { evidenceFor } from '../calibration/outcomes/outcomes.ts'
import { type RecordedOutcome, recordOutcome } from '../calibration/outcomes/record-outcome.ts'
import { driftSince, RECENT_EVENTS } from '../calibration/served.ts'
import { shippedLabels } from '../calibration/shipped.ts'
import { EngineError } from '../core/errors.ts'
import { type AddCommand, type CommandContext, outputOf, say } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { reading } from './given-files.ts'
import { asJson, count } from './option-values.ts'
import {
  linesOf,
  modelIn,
  modelServed,
  type ServedFlags,
  type StoreFlags,
  servedIn,
  truthsOf,
  versionsOf,
  withStore,
} from './outcome-inputs.ts'
import { refitStore } from './refit-store.ts'
import { showDrift, showRecorded, showRefit, showRollBack } from './show-outcomes.ts'

const HELP = `
Examples:
  $ assay outcomes record evt_5f0c… urgent=true team=billing 'tags=["late"]' --store outcomes
  $ assay outcomes record --from truths.jsonl --store outcomes
  $ assay outcomes drift --store outcomes
  $ assay outcomes refit --store outcomes --half-life 500
  $ assay outcomes rollback --store outcomes

Truths: true or false, a name, a level, or a list of names as JSON; arguments are called question/argument. Lines of --from are
{"event": "evt_…", "outcomes": {"urgent": true}}. Calibrations are kept in the folder "calibrations" of the store unless another is given.`

export const addOutcomes: AddCommand = (program, context) => {
  const outcomes = program
    .command('outcomes')
    .description('record what was true, refit, roll back, look for drift')
    .addHelpText('after', HELP)
  addRecord(outcomes, context)
  addRefit(outcomes, context)
  addRollback(outcomes, context)
  addDrift(outcomes, context)
}

function command(outcomes: Command, name: string, description: string): Command {
  return outcomes
    .command(name)
    .description(description)
    .requiredOption('--store <folder>', 'where the engine keeps its events')
    .addOption(asJson())
}

const calibrationsOption = (): Option => new Option('--calibrations <folder>', 'versions of calibrations (default: in the store)')
const calibrationOption = (): Option =>
  new Option('--calibration <file>', 'what answers while the folder has none (default: the one that comes with the model)')
const modelOption = (): Option => new Option('--model <id>', 'whose decisions (default: of the newest event)')

interface RecordFlags extends StoreFlags {
  readonly from?: string
  readonly probability: number
}

function addRecord(outcomes: Command, { terminal, attempt }: CommandContext): void {
  command(outcomes, 'record', 'say what was true of the decisions of an event')
    .argument('[event]', 'the id of a response')
    .argument('[truths...]', 'question=truth')
    .option('--from <file>', 'events and outcomes, one JSON a line; - for standard input')
    .option('--probability <p>', 'the chance with which these events were chosen to be labelled', probability, 1)
    .action((event: string | undefined, truths: readonly string[], flags: RecordFlags) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        if ((event === undefined) === (flags.from === undefined)) throw new UsageError('give an event with its truths, or --from a file')
        const lines = flags.from === undefined ? null : await linesOf(flags.from, terminal)
        await withStore(flags, terminal, {}, async (store) => {
          const options = { selectionProbability: flags.probability }
          const recorded: RecordedOutcome[] = []
          if (lines === null) recorded.push(await recordOutcome(store, event!, await truthsOf(store, event!, truths), options))
          else
            for (const { id, outcomes: said, line } of lines) {
              try {
                recorded.push(await recordOutcome(store, id, said, options))
              } catch (error) {
                if (!(error instanceof EngineError)) throw error
                const where = `${flags.from}, line ${line}: ${error.message} ${recorded.length} lines before it were recorded.`
                throw new EngineError(error.code, where, { problems: error.problems, ...(error.param ? { param: error.param } : {}) })
              }
            }
          say(terminal, output, lines === null ? recorded[0] : recorded, () => showRecorded(recorded))
        })
      })
    })
}

interface RefitFlags extends ServedFlags {
  readonly halfLife?: number
  readonly evidence?: readonly string[]
  readonly dryRun?: true
}

function addRefit(outcomes: Command, { terminal, attempt }: CommandContext): void {
  command(outcomes, 'refit', 'learn from outcomes, and serve what was learned when held-out outcomes say it is not worse')
    .addOption(calibrationsOption())
    .addOption(calibrationOption())
    .addOption(modelOption())
    .option('--half-life <labels>', 'labels after which one counts half (default: all count alike)', count('half-life', 1))
    .option('--evidence <files...>', 'evidence to fit on besides: what the first calibration was fitted on')
    .option('--dry-run', 'say what would be served, and change nothing')
    .action((flags: RefitFlags) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        const base = await Promise.all(
          (flags.evidence ?? []).map((file) => reading(file, () => readEvidence(resolve(terminal.folder, file)))),
        )
        await withStore(flags, terminal, { isReadOnly: true }, async (store) => {
          const { model, events } = await modelIn(store, flags.model)
          const stranger = base.findIndex(({ model: own }) => own.revision !== model.revision || own.templateHash !== model.templateHash)
          if (stranger >= 0) throw new UsageError(`${flags.evidence![stranger]} is evidence of another model or template than the store's`)
          const versions = versionsOf(flags, terminal)
          const { calibration, servedSince } = await servedIn(versions, model, flags, terminal)
          const said = await refitStore(versions, { current: calibration }, await evidenceFor(store, model), model, {
            halfLife: flags.halfLife ?? null,
            servedSince,
            base: base.flatMap(({ evidence }) => evidence),
            window: observationsOf(events),
            shipped: await shippedLabels(model),
            isDryRun: flags.dryRun === true,
          })
          say(terminal, output, said, () => showRefit(said))
        })
      })
    })
}

function addRollback(outcomes: Command, { terminal, attempt }: CommandContext): void {
  command(outcomes, 'rollback', 'serve the calibration before the current one')
    .addOption(calibrationsOption())
    .option('--model <id>', 'of which model (default: of the one that a calibration was served for last)')
    .option('--why <words>', 'for the history', 'asked for on the command line')
    .action((flags: ServedFlags & { readonly why: string }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        const versions = versionsOf(flags, terminal)
        const model = flags.model === undefined ? undefined : await modelServed(versions, flags.model)
        const change = await versions.rollBack({ at: Date.now(), why: flags.why }, model)
        say(terminal, output, change, () => showRollBack(change))
      })
    })
}

function addDrift(outcomes: Command, { terminal, attempt }: CommandContext): void {
  command(outcomes, 'drift', 'whether decisions still look and turn out as when the calibration was fitted')
    .addOption(calibrationsOption())
    .addOption(calibrationOption())
    .addOption(modelOption())
    .option('--window <events>', 'newest events to look at', count('window', 1), RECENT_EVENTS)
    .action((flags: ServedFlags & { readonly window: number }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () =>
        withStore(flags, terminal, { isReadOnly: true }, async (store) => {
          const { model, events } = await modelIn(store, flags.model, flags.window)
          const served = await servedIn(versionsOf(flags, terminal), model, flags, terminal)
          const found = driftSince(served, model, events, await evidenceFor(store, model))
          const said = { calibration: served.calibration?.version ?? null, ...found }
          say(terminal, output, said, () => showDrift(said))
        }),
      )
    })
}

function probability(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && value <= 1) return value
  throw new UsageError(`--probability takes a number above 0 and at most 1, not "${text}"`)
}
