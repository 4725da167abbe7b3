// Adds `assay eval`: runs labelled rows through one engine into a results file, and into evidence if asked. A run that
// was stopped continues where it was.
import { readFile, stat } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Device } from '../backends/backend.ts'
import type { Calibration } from '../calibration/calibration.ts'
import { writeEvidence } from '../calibration/evidence/evidence-file.ts'
import { shippedCalibrations } from '../calibration/shipped.ts'
import { fileFault } from '../core/file-fault.ts'
import { isFolder } from '../core/files.ts'
import { shortPath } from '../evaluate/dataset.ts'
import { evidenceOf } from '../evaluate/evidence-of.ts'
import { openResults, type RunBinding, type RunCircumstances, readResults } from '../evaluate/results.ts'
import type { RowResult } from '../evaluate/run.ts'
import { sumUp } from '../evaluate/summary.ts'
import { DEFAULT_MODEL } from '../pipeline/models.ts'
import { allKinds } from '../questions/index.ts'
import type { DeliberationMode } from '../questions/shared/deliberation.ts'
import { CHAIN_HELP, type ChainFlag, chainFlag, chainGiven } from './chain-flag.ts'
import { type AddCommand, type CliEngine, type CommandContext, type Output, outputOf, say } from './command.ts'
import { EXIT, type ExitCode, UsageError } from './exit-codes.ts'
import { calibrationIn, RESULTS_FILE, sayingNames, writing } from './given-files.ts'
import { modelGiven } from './model-names.ts'
import { MODEL_SERVER_HELP } from './model-server.ts'
import { asJson, count, imagesFrom, lookAgain, milliseconds, onDevice, onModel } from './option-values.ts'
import { calibrationsIn } from './outcome-inputs.ts'
import { openRows, ROW_DEADLINE_MS, type RowSettings, runLeft, warmUp, warmUpStages } from './row-runs.ts'
import { showSummary } from './show-summary.ts'
import type { Terminal } from './terminal.ts'

const helpText = () => `
Rows are requests with their truth, one JSON a line (or one row of Parquet, nested values as JSON text):
  {"id":"1","source":"mail","task":"tone","state":"…","questions":{"angry":{"type":"noul","instructions":"…"}},"truth":{"angry":true}}
A truth is, by the type of its question:
${allKinds()
  .map(({ type, truth }) => `  ${type.padEnd(10)}${truth}`)
  .join('\n')}
What is not there to be quoted has the truth null; elsewhere a null says that the truth is not known, and the question is asked and not graded. Of what
was written or quoted, true or false says whether it was right; a level may be given by its label. "accept" lists further values that count as right.
"expected" is another word for "truth", and a truth may be wrapped as in {"choice":"…"}; rows of the Decision Index are read as they are.

Examples:
  $ assay eval mail.jsonl -o runs/mail
  $ assay eval dev/*/dev.jsonl.gz --images dev -o runs/dev --parallel 4 --evidence runs/dev/evidence.jsonl
  $ assay eval rows.parquet --sample 500 --seed 7 --calibration none -o runs/raw.jsonl

The same command again goes on where it was stopped. A row that fails is a result with its error; the summary says the commonest reasons, and the
exit code is 1. --retry-failed asks such rows again.`

interface EvalFlags {
  readonly output: string
  readonly model?: string
  readonly chain?: ChainFlag
  readonly device: Device | 'auto'
  readonly modelServer?: string
  readonly calibration?: string
  readonly deliberation: DeliberationMode
  readonly limit?: number
  readonly sample?: number
  readonly seed: number
  readonly images?: string
  readonly parallel: number
  readonly deadline?: number
  readonly evidence?: string
  readonly selfCheck?: true
  readonly keepStates?: true
  readonly retryFailed?: true
  readonly json?: true
}

export const addEval: AddCommand = (program, context) => {
  program
    .command('eval')
    .description('answer labelled rows and grade the answers')
    .argument('<datasets...>', 'labelled requests: .jsonl, .jsonl.gz or .parquet')
    .requiredOption('-o, --output <folder or file.jsonl>', 'where the results go; a folder gets results.jsonl')
    .addOption(onModel())
    .option('--chain <models>', CHAIN_HELP, chainFlag)
    .addOption(onDevice())
    .option('--model-server <address>', MODEL_SERVER_HELP)
    .option(
      '--calibration <file, store or none>',
      'a calibration file, a store that serves one, or none (default: what comes with the model)',
    )
    .addOption(lookAgain().default('automatic'))
    .option('--limit <n>', 'at most the first n rows of each file', count('limit', 1))
    .option('--sample <n>', 'n rows, chosen by hash: a smaller sample of the same seed lies in a larger one', count('sample', 1))
    .option('--seed <n>', 'of the sample', count('seed', 0), 0)
    .addOption(imagesFrom())
    .option('--parallel <n>', 'rows asked at a time; answers do not depend on it, latencies do', count('parallel', 1), 1)
    .option('--deadline <time>', 'give up on a row after this time, such as 90s, or milliseconds (default 600000)', milliseconds)
    .option('--self-check', 'ask every fill and extract with a self-check')
    .option('--evidence <file.jsonl>', 'write labelled evidence for assay calibrate, when all rows are done')
    .option('--keep-states', 'keep the states in the results')
    .option('--retry-failed', 'ask rows again that failed before')
    .addOption(asJson())
    .addHelpText('after', helpText)
    .action((files: readonly string[], flags: EvalFlags) => {
      const output = outputOf(flags, context.terminal)
      return context.attempt(output, () => evaluate(files, flags, output, context))
    })
}

/** EXIT.failedRows when a row has failed. */
async function evaluate(
  files: readonly string[],
  flags: EvalFlags,
  output: Output,
  { terminal, makeEngine }: CommandContext,
): Promise<ExitCode> {
  const { path, name } = await resultsGiven(flags.output, terminal)
  const selection = { limit: flags.limit ?? null, sample: flags.sample ?? null, seed: flags.seed }
  const { folder, id, options } = await engineGiven(flags, terminal)
  const rows = await openRows(files, selection, flags.images, terminal)
  // An unwritable place for evidence is reported before hours of answers, not after them.
  if (flags.evidence !== undefined) await writing(flags.evidence, terminal, async () => {})

  const engine = await makeEngine(folder, options)
  try {
    const bound = await warmUp(engine, id, terminal)
    const { chain, deliberation, selfCheck = false } = flags
    const stages = chain === undefined ? {} : { stages: await warmUpStages(engine, chain, bound.model.id, terminal) }
    const binding: RunBinding = { ...bound, ...stages, deliberation, selfCheck, dataset: rows.files, selection }
    const names = new Map([...rows.names, [path, name]])
    const results = await sayingNames(names, () =>
      writing(flags.output, terminal, () => openResults(path, binding, circumstancesOf(files, flags))),
    )
    const isDone = ({ error }: RowResult): boolean => error === undefined || flags.retryFailed !== true
    const done = new Set(results.done.filter(isDone).map(({ at }) => at))
    await runLeft(rows, done, settingsOf(flags, engine, id), (result) => results.append(result), terminal).finally(() => results.close())

    const { rows: answered } = await sayingNames(names, () => readResults(path))
    if (flags.evidence !== undefined)
      await writing(flags.evidence, terminal, (file) => writeEvidence(file, bound.model, evidenceOf(answered)))
    const summary = sumUp(answered)
    say(terminal, output, summary, () => `${showSummary(summary, terminal)}${nextStep(name, flags)}`)
    return summary.failed === 0 ? EXIT.ok : EXIT.failedRows
  } finally {
    await engine.close()
  }
}

/** What is asked: the folder of the model, the id that requests name, and the options of the engine. */
async function engineGiven(flags: EvalFlags, terminal: Terminal) {
  const calibrations = await calibrationsGiven(flags.calibration, terminal)
  const chain = await chainGiven(flags, terminal)
  if (chain !== null && flags.evidence !== undefined) {
    throw new UsageError('evidence is of one model, and a chain has several; ask for it with --model, of each of them')
  }
  const { server, folder, id } = await modelGiven(flags, terminal)
  const options = {
    ...(calibrations === undefined ? {} : { calibrations }),
    ...(chain === null ? {} : { chain }),
    device: flags.device,
    ...(server === null ? {} : { server }),
  }
  return { folder, id, options }
}

function nextStep(results: string, { output, evidence }: EvalFlags): string {
  const beside = evidence === undefined ? '' : `, evidence in ${evidence}`
  return `results in ${results}${beside}; a page of them: assay report ${output} -o report.html\n`
}

function settingsOf(flags: EvalFlags, engine: CliEngine, model: string | null): RowSettings {
  const { parallel, deliberation, deadline: deadlineMs = ROW_DEADLINE_MS, selfCheck = false, keepStates = false } = flags
  const ask: RowSettings['ask'] = (request, options) => engine.ask(model === null ? request : { ...request, model }, options)
  return { ask, parallel, deliberation, deadlineMs, selfCheck, keepStates }
}

function circumstancesOf(files: readonly string[], flags: EvalFlags): RunCircumstances {
  return {
    begun: new Date().toISOString(),
    command: commandOf(files, flags),
    parallel: flags.parallel,
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      cores: availableParallelism(),
      cpu: cpus()[0]?.model ?? '',
    },
  }
}

/** The command line as a report may show it: as it was given, but of full paths only the last two parts. */
function commandOf(files: readonly string[], flags: EvalFlags): string {
  const shown = (path: string): string => (isAbsolute(path) ? `…/${shortPath(path)}` : path)
  const words = Object.entries(flags).flatMap(([name, value]) => {
    if (name === 'chain') return ['--chain', writtenChain(value as ChainFlag, shown)]
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const isPath = ['output', 'model', 'images', 'evidence'].includes(name) || (name === 'calibration' && value !== 'none')
    return value === true ? [flag] : [flag, isPath ? shown(String(value)) : String(value)]
  })
  return ['assay eval', ...files.map(shown), ...words].join(' ')
}

function writtenChain({ id, stages }: ChainFlag, shown: (path: string) => string): string {
  const list = stages.map(({ model, threshold }) => `${shown(model)}${threshold === undefined ? '' : `:${threshold}`}`)
  return `${id === null ? '' : `${id}=`}${list.join(',')}`
}

/** The results file, and its name as it was given. A folder gets `results.jsonl`; what ends in `.jsonl` is the file. */
async function resultsGiven(given: string, terminal: Terminal): Promise<{ readonly path: string; readonly name: string }> {
  const path = resolve(terminal.folder, given)
  const isInside = await stat(path).then(
    (found) => found.isDirectory(),
    () => !path.endsWith('.jsonl'),
  )
  return isInside ? { path: join(path, RESULTS_FILE), name: join(given, RESULTS_FILE) } : { path, name: given }
}

/**
 * Undefined: those that come with the models. A folder is a store: what it serves is meant, of other models what comes
 * with them.
 */
async function calibrationsGiven(given: string | undefined, terminal: Terminal): Promise<readonly Calibration[] | undefined> {
  if (given === undefined) return undefined
  if (given === 'none') return []
  const path = resolve(terminal.folder, given)
  if (await isFolder(path)) {
    const served = await calibrationsIn(path, terminal)
    if (served.length === 0) throw new UsageError(`${given} serves no calibration yet; assay learn or assay outcomes refit makes one`)
    return [...served, ...(await shippedCalibrations(DEFAULT_MODEL))]
  }
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${given}: the calibration cannot be read: ${fileFault(error)}; give a file, a store, or none`)
  })
  return [calibrationIn(given, text)]
}
