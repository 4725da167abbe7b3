// Adds `assay calibrate`: fits a calibration file to labelled evidence, shows what such a file holds, and compares two.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type Calibration, calibratorOf } from '../calibration/calibration.ts'
import { compare, scoredDistributions } from '../calibration/compare.ts'
import { DEFAULT_SHARE } from '../calibration/deliberation/gates.ts'
import type { Evidence } from '../calibration/evidence/evidence.ts'
import { type EvidenceFile, readEvidence } from '../calibration/evidence/evidence-file.ts'
import { fit as fitCalibration } from '../calibration/fit.ts'
import { fittedShare } from '../calibration/outcomes/fitted-states.ts'
import { EngineError } from '../core/errors.ts'
import type { CalibratedModel, PassMode } from '../questions/shared/decision.ts'
import { type AddCommand, type CommandContext, outputOf, say } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { readCalibration, reading, writing } from './given-files.ts'
import { asJson, count } from './option-values.ts'
import { showCalibration, showComparison } from './show-calibration.ts'
import type { Terminal } from './terminal.ts'

const HELP = `
Examples:
  $ assay eval rows.jsonl -o runs/rows --calibration none --evidence evidence.jsonl
  $ assay calibrate fit evidence.jsonl -o calibration.json
  $ assay calibrate show calibration.json
  $ assay calibrate compare calibration.json --on other-evidence.jsonl

Learned heads take features of the model, which evidence does not hold: compare leaves them out, and assay eval --calibration measures them.

Evidence starts with a line that names the model, {"format":1,"model":{"id":…,"revision":…,"templateHash":…}}; then one labelled decision a line.`

interface FitFlags {
  readonly output: string
  readonly modelId?: string
  readonly revision?: string
  readonly template?: string
  readonly share: number
  readonly moveArgmax?: true
  readonly json?: true
}

interface CompareFlags {
  readonly on: readonly string[]
  /** The flag keeps the earlier word for the pass mode, and so does the JSON. */
  readonly regime: PassMode
  readonly json?: true
}

export const addCalibrate: AddCommand = (program, context) => {
  const calibrate = program.command('calibrate').description('fit, show and compare calibrations').addHelpText('after', HELP)
  addFit(calibrate, context)
  addShow(calibrate, context)
  addCompare(calibrate, context)
}

function addFit(calibrate: Command, { terminal, attempt }: CommandContext): void {
  calibrate
    .command('fit')
    .description('learn from labelled evidence what log-probabilities are worth')
    .argument('<evidence...>', 'evidence of one model: .jsonl or .jsonl.gz')
    .requiredOption('-o, --output <file>', 'where the calibration goes')
    .option('--model-id <id>', 'the model, where the evidence names another')
    .option('--revision <hash>', 'its revision')
    .option('--template <hash>', 'its template hash')
    .option('--share <share>', 'most of all decisions that may look again, 0 to 1', share, DEFAULT_SHARE)
    .option('--move-argmax', 'let candidates of one question have biases, which can change the first place')
    .addOption(asJson())
    .action((files: readonly string[], flags: FitFlags) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        const { model, evidence } = await readAll(files, modelOf(flags), terminal)
        const calibration = fitCalibration(evidence, model, { share: flags.share, preserveArgmax: flags.moveArgmax !== true })
        await writing(flags.output, terminal, (path) => writeFile(path, `${JSON.stringify(calibration)}\n`))
        const { version, fittedOn } = calibration
        const { sketch: _, ...fitted } = fittedOn
        const said = { version, model, fittedOn: fitted, written: flags.output }
        say(terminal, output, said, () => `${showCalibration(calibration, OVERVIEW_LABELS, terminal)}\nwritten to ${flags.output}\n`)
      })
    })
}

/** Maps with fewer labels are not worth a line: in an overview; when asked to show. */
const OVERVIEW_LABELS = 200
const SHOWN_LABELS = 20

function addShow(calibrate: Command, { terminal, attempt }: CommandContext): void {
  calibrate
    .command('show')
    .description('the maps of a calibration as a table')
    .argument('<file>', 'a calibration')
    .option('--least <labels>', 'leave out maps with fewer labels', count('least', 0), SHOWN_LABELS)
    .addOption(asJson())
    .action((file: string, flags: { readonly least: number; readonly json?: true }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        const calibration = await readCalibration(file, terminal)
        say(terminal, output, calibration, () => showCalibration(calibration, flags.least, terminal))
      })
    })
}

function addCompare(calibrate: Command, { terminal, attempt }: CommandContext): void {
  calibrate
    .command('compare')
    .description('what the maps of a calibration are worth on other evidence, against another or against none')
    .argument('<first>', 'a calibration')
    .argument('[second]', 'another (default: none, probabilities as the model gave them)')
    .requiredOption('--on <evidence...>', 'evidence that neither was fitted on')
    .addOption(new Option('--regime <regime>', 'which decisions').choices(['single', 'deliberated']).default('single'))
    .addOption(asJson())
    .action((first: string, second: string | undefined, flags: CompareFlags) => {
      const output = outputOf(flags, terminal)
      const { on, regime: passMode } = flags
      return attempt(output, async () => {
        const calibrations = [await readCalibration(first, terminal), second === undefined ? null : await readCalibration(second, terminal)]
        const { model, evidence } = await readAll(on, {}, terminal)
        const [own, other] = calibrations.map((calibration) => {
          const calibrator = calibratorOf(calibration, model)
          if (calibrator.isMismatch) throw mismatch(calibration!, model)
          return scoredDistributions(evidence, calibrator, passMode)
        })
        if (own!.length === 0)
          throw new UsageError(`the evidence has no ${passMode} decisions; write it with assay eval --deliberation always`)
        const names = [first, ...(second === undefined ? [] : [second])]
        for (const warning of [...fittedOnThis(names, calibrations, evidence), ...headsLeftOut(names, calibrations)])
          terminal.warn(`warning: ${warning}\n`)
        const tasks = compare(own!, other!)
        const versions = calibrations.map((calibration) => calibration?.version ?? null)
        say(terminal, output, { model, versions, regime: passMode, tasks }, () => showComparison(tasks, versions, terminal))
      })
    })
}

/** Warnings about calibrations that know the evidence, on which they look better than on other decisions. */
function fittedOnThis(files: readonly string[], calibrations: readonly (Calibration | null)[], evidence: readonly Evidence[]): string[] {
  return files.flatMap((file, i) => {
    const share = fittedShare(calibrations[i]!.fittedOn, evidence)
    if (share < LEAST_SHARE) return []
    const part = share > 0.99 ? 'this evidence' : `about ${Math.max(1, Math.round(share * 100))} % of the states of this evidence`
    return [`${file} was fitted on ${part}, so it looks better here than on other decisions; compare on evidence that it has not seen`]
  })
}

/** Warnings about calibrations that have learned heads, which are not compared. */
function headsLeftOut(files: readonly string[], calibrations: readonly (Calibration | null)[]): string[] {
  return files.flatMap((file, i) => {
    const count = Object.keys(calibrations[i]!.heads ?? {}).length
    if (count === 0) return []
    const which = count === 1 ? 'a question by a head of its own' : `${count} questions by heads of their own`
    return [
      `${file} answers ${which}, which take features of the model; evidence has none, so only the maps are compared: assay eval --calibration ${file} measures all of it`,
    ]
  })
}

/** Below it, states are the same by chance, as short standard texts are. */
const LEAST_SHARE = 0.01

function mismatch({ version, model: { revision, templateHash } }: Calibration, model: CalibratedModel): EngineError {
  const differs =
    revision === model.revision
      ? `template ${templateHash}, the evidence ${model.templateHash}`
      : `revision ${revision}, the evidence ${model.revision}`
  return new EngineError('invalid_request', `${version} was fitted on ${differs}: fit it on evidence of this model.`)
}

function modelOf({ modelId, revision, template }: FitFlags): Partial<CalibratedModel> {
  return {
    ...(modelId === undefined ? {} : { id: modelId }),
    ...(revision === undefined ? {} : { revision }),
    ...(template === undefined ? {} : { templateHash: template }),
  }
}

/** Evidence of several files, which must be of one model. */
async function readAll(files: readonly string[], override: Partial<CalibratedModel>, terminal: Terminal): Promise<EvidenceFile> {
  const read: EvidenceFile[] = []
  for (const file of files) read.push(await reading(file, () => readEvidence(resolve(terminal.folder, file))))
  const model = { ...read[0]!.model, ...override }
  const other = read.findIndex((one) => {
    const own = { ...one.model, ...override }
    return own.revision !== model.revision || own.templateHash !== model.templateHash
  })
  if (other > 0) throw new UsageError(`${files[0]} and ${files[other]} are evidence of different models or templates; fit each on its own`)
  const evidence: readonly Evidence[] = read.flatMap((one) => one.evidence)
  if (evidence.length === 0) throw new UsageError(`no labelled decisions in ${files.join(', ')}`)
  return { model, evidence }
}

function share(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new UsageError(`--share takes a number from 0 to 1, not "${text}"`)
}
