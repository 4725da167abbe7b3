// What the commands that run labelled rows share: the rows of files, a warm engine, and a run that shows how far it is.
import { resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { type Dataset, openDataset, type Row, readRows, type Selection } from '../evaluate/dataset.ts'
import type { BoundStage, RunBinding } from '../evaluate/results.ts'
import { askAndObserve, type RowResult, type RunSettings, runRows } from '../evaluate/run.ts'
import type { ChainFlag } from './chain-flag.ts'
import { type CliEngine, sayOtherDevices } from './command.ts'
import { requireFiles, sayingNames } from './given-files.ts'
import { startProgress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Long enough for a large picture on a slow machine. */
export const ROW_DEADLINE_MS = 600_000

/** Labelled rows as a command was given them. */
export interface GivenRows extends Dataset {
  /** Of the files: from full paths to what they are called on the command line. */
  readonly names: ReadonlyMap<string, string>
  /** Those that were chosen, but for those that are done. */
  left(done: ReadonlySet<number>): AsyncIterable<Row>
}

/** `images`: where relative image paths start; undefined for the folder of each file. */
export async function openRows(
  files: readonly string[],
  selection: Selection,
  images: string | undefined,
  terminal: Terminal,
): Promise<GivenRows> {
  await requireFiles(files, terminal, true)
  const paths = files.map((file) => resolve(terminal.folder, file))
  const names = new Map(paths.map((path, i) => [path, files[i] as string] as const))
  const dataset = await sayingNames(names, () => openDataset(paths, selection))
  const imageFolder = images === undefined ? null : resolve(terminal.folder, images)
  return {
    ...dataset,
    names,
    async *left(done) {
      for await (const row of readRows(paths, imageFolder)) if (dataset.chosen.has(row.at) && !done.has(row.at)) yield row
    },
  }
}

/** How rows are run, and how many at a time. */
export type RowSettings = Omit<RunSettings, 'now'> & { readonly parallel: number }

/** Runs the rows that are not done, as `runRows` does, and shows how far it is. */
export async function runLeft(
  rows: GivenRows,
  done: ReadonlySet<number>,
  { parallel, ...settings }: RowSettings,
  take: (result: RowResult) => Promise<void>,
  terminal: Terminal,
): Promise<void> {
  const now = (): number => performance.now()
  const progress = startProgress(terminal, { total: rows.chosen.size, before: done.size, unit: 'rows', now })
  try {
    await runRows(rows.left(done), parallel, { ...settings, now }, async (result) => {
      await take(result)
      progress.step(result.task, result.error !== undefined)
    })
  } finally {
    progress.end()
  }
}

/**
 * One small question: loads the model before any row is timed, says what there is to say of it, and gives which model,
 * template and calibration the results are bound to.
 */
export async function warmUp(
  engine: CliEngine,
  model: string | null,
  terminal: Terminal,
): Promise<Pick<RunBinding, 'engine' | 'model' | 'calibration'>> {
  const { bound, warnings } = await askOnce(engine, model)
  for (const warning of warnings) terminal.warn(`${warning}\n`)
  sayOtherDevices(engine, terminal)
  return bound
}

/** The same for each stage of the chain of an id. One that cannot be asked is bound as such: the run passes over it. */
export async function warmUpStages(engine: CliEngine, chain: ChainFlag, id: string, terminal: Terminal): Promise<readonly BoundStage[]> {
  const ids = engine.models().find((model) => model.id === id)?.stages ?? chain.stages.map(({ model }) => model)
  const bound: BoundStage[] = []
  for (const [i, { threshold = null }] of chain.stages.entries()) {
    const stage = ids[i]!
    const found = await askOnce(engine, stage).catch((error: unknown) => {
      if (!(error instanceof EngineError)) throw error
      terminal.warn(`${stage} cannot be asked, and is passed over: ${error.message}\n`)
      return null
    })
    const { revision = null, templateHash = null } = found?.bound.model ?? {}
    bound.push({ id: stage, threshold, revision, templateHash, calibration: found?.bound.calibration ?? null })
  }
  return bound
}

async function askOnce(
  engine: CliEngine,
  model: string | null,
): Promise<{ readonly bound: Pick<RunBinding, 'engine' | 'model' | 'calibration'>; readonly warnings: readonly string[] }> {
  const request = {
    ...(model === null ? {} : { model }),
    state: 'Warm up.',
    questions: { ready: { type: 'noul', instructions: 'It is warm.' } },
  } as const
  const options = { deadlineMs: ROW_DEADLINE_MS, deliberation: 'never' } as const
  const { response, event } = await askAndObserve((asked, how) => engine.ask(asked, how), request, options)
  const { simo } = response
  const bound = {
    engine: simo.engine,
    model: { id: response.model, revision: simo.model_revision, templateHash: event?.templateHash ?? '' },
    calibration: simo.calibration.version,
  }
  return { bound, warnings: simo.warnings }
}
