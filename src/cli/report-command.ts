// Adds `assay report`: writes the results of runs as a page for people, and as JSON if asked.
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { isFolder } from '../core/files.ts'
import { changeFrom } from '../evaluate/baseline.ts'
import { casesOf, worstQuestions } from '../evaluate/cases.ts'
import { type Row, readRows, rowName, shortPath } from '../evaluate/dataset.ts'
import { evaluationOf } from '../evaluate/numbers.ts'
import { diagramsOf, latencyBins, riskCurve } from '../evaluate/report/curves.ts'
import { pageOf } from '../evaluate/report/page.ts'
import { stageText } from '../evaluate/report/words.ts'
import { type ResultsHeader, type RunResults, readResults } from '../evaluate/results.ts'
import type { RowResult } from '../evaluate/run.ts'
import { scoredAnswers } from '../evaluate/scored-answers.ts'
import type { AddCommand, CommandContext } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { RESULTS_FILE, requireFiles, sayingNames, writing } from './given-files.ts'
import { collect, count } from './option-values.ts'
import type { Terminal } from './terminal.ts'

const HELP = `
Examples:
  $ assay report runs/dev -o report.html
  $ assay report runs/dev -o report.html --json report.json --dataset dev/*/dev.jsonl.gz --images dev
  $ assay report runs/new -o report.html --baseline runs/old

Results of several runs become one report when model (or chain), calibration and deliberation are the same. Worst answers are shown with their states when the
data set is given (or the run kept them); the page holds them, so mind who may see it.`

interface ReportFlags {
  readonly output: string
  readonly json?: string
  readonly baseline?: string
  readonly dataset?: readonly string[]
  readonly images?: string
  readonly cases: number
  readonly resamples: number
  readonly seed: number
}

export const addReport: AddCommand = (program, context) => {
  program
    .command('report')
    .description('turn the results of assay eval into a page')
    .argument('<results...>', 'folders or files that assay eval wrote')
    .requiredOption('-o, --output <file.html>', 'where the page goes')
    .option('--json <file.json>', 'the numbers behind it')
    .option('--baseline <results>', 'another run over the same rows to compare with')
    .option('--dataset <files...>', 'the data set, for the states of the worst answers', collect)
    .option('--images <folder>', 'where its relative image paths start')
    .option('--cases <n>', 'how many of the worst answers to show', count('cases', 0), 20)
    .option('--resamples <n>', 'of each interval', count('resamples', 1), 1000)
    .option('--seed <n>', 'of the resampling', count('seed', 0), 1)
    .addHelpText('after', HELP)
    .action((files: readonly string[], flags: ReportFlags) => context.attempt('person', () => report(files, flags, context)))
}

async function report(files: readonly string[], flags: ReportFlags, { terminal }: CommandContext): Promise<void> {
  if (flags.images !== undefined && flags.dataset === undefined)
    throw new UsageError('--images says where the pictures of --dataset are; give the data set as well')
  await requireFiles(flags.dataset ?? [], terminal)
  const resampling = { resamples: flags.resamples, seed: flags.seed }
  const { headers, rows } = await readAll(files, terminal)
  const { evaluation, answers } = evaluationOf(rows, resampling)
  const other = flags.baseline === undefined ? null : await readAll([flags.baseline], terminal)
  const baseline =
    other === null
      ? null
      : { name: describe(other.headers[0]!, flags.baseline!), numbers: changeFrom(scoredAnswers(other.rows), answers, resampling) }
  const [diagrams, risk, times] = [diagramsOf(answers, resampling), riskCurve(answers), latencyBins(rows)]
  const places = worstQuestions(rows, { decisions: flags.cases, reads: Math.floor(flags.cases / 2) })
  const images = flags.images === undefined ? null : resolve(terminal.folder, flags.images)
  const found = await rowsByName(
    (flags.dataset ?? []).map((file) => resolve(terminal.folder, file)),
    images,
    new Set(places.map(({ row }) => rowName(row))),
  )
  const cases = casesOf(places, found)
  const page = await pageOf({ headers, rows, evaluation, diagrams, risk, times, cases, baseline, resampling })
  await writing(flags.output, terminal, (path) => writeFile(path, page))
  terminal.print(
    `${flags.output}: ${rows.length} rows, ${evaluation.summary.graded} graded answers${cases.length === 0 ? '' : `, the ${cases.length} worst rows`}\n`,
  )
  if (flags.json !== undefined) {
    const worst = cases.flatMap((row) => row.cases.map(({ asked: _, ...shown }) => shown))
    const content = {
      made: { runs: headers, resampling },
      evaluation,
      baseline,
      curves: { reliability: diagrams, riskCoverage: risk, latency: times },
      worst,
    }
    await writing(flags.json, terminal, (path) => writeFile(path, `${JSON.stringify(content, null, 1)}\n`))
    terminal.print(`${flags.json}: the numbers behind it\n`)
  }
}

/** Several runs as one. Throws `invalid_request` when their answers cannot be pooled. */
async function readAll(
  files: readonly string[],
  terminal: Terminal,
): Promise<{ headers: readonly ResultsHeader[]; rows: readonly RowResult[] }> {
  const all: RunResults[] = []
  for (const file of files) {
    const path = await fileOf(resolve(terminal.folder, file))
    all.push(await sayingNames(new Map([[path, file]]), () => readResults(path)))
  }
  const [first, ...rest] = all
  for (const { header } of rest) {
    const differing = differencesOf(sameIn(first!.header), sameIn(header))
    if (differing.length > 0)
      throw new EngineError(
        'invalid_request',
        `The runs differ: ${differing.join('; ')}. Report them one by one, or compare with --baseline.`,
      )
  }
  return { headers: all.map(({ header }) => header), rows: all.flatMap(({ rows }) => rows) }
}

type Facts = Readonly<Record<string, string | boolean>>

function sameIn({ binding }: ResultsHeader): Facts {
  const { engine, model, stages = [], calibration, deliberation, selfCheck } = binding
  const { revision, templateHash: template } = model
  const chain = stages.map(stageText).join(', ') || 'none'
  return { engine, chain, revision, template, calibration: calibration ?? 'none', deliberation, 'self-check': selfCheck }
}

function differencesOf(first: Facts, other: Facts): string[] {
  return Object.keys(first).flatMap((name) => (first[name] === other[name] ? [] : [`${name} is ${first[name]} and ${other[name]}`]))
}

async function fileOf(path: string): Promise<string> {
  return (await isFolder(path)) ? join(path, RESULTS_FILE) : path
}

function describe({ binding: { model, calibration, deliberation } }: ResultsHeader, file: string): string {
  return `${shortPath(file)} (${model.id} ${model.revision.slice(0, 8)}, calibration ${calibration ?? 'none'}, deliberation ${deliberation})`
}

async function rowsByName(paths: readonly string[], images: string | null, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>()
  for await (const row of readRows(paths, images)) if (wanted.has(rowName(row))) found.set(rowName(row), row)
  return found
}
