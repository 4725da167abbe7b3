// Runs `assay ask`: sends requests from files or flags to one engine and prints the responses.
import type { Device } from '../backends/backend.ts'
import type { PredictionSetOptions } from '../calibration/sets/prediction-sets.ts'
import { EngineError } from '../core/errors.ts'
import type { RunAskOptions } from '../evaluate/run.ts'
import { statePathAt } from '../pipeline/state/paths.ts'
import type { DeliberationMode } from '../questions/shared/deliberation.ts'
import { type ChainFlag, chainGiven } from './chain-flag.ts'
import { type CliEngine, type MakeEngine, type Output, say, sayOtherDevices } from './command.ts'
import { UsageError } from './exit-codes.ts'
import type { QuestionFlags } from './flags.ts'
import { storeFolder } from './given-files.ts'
import { modelGiven } from './model-names.ts'
import { type FoundRequest, readRequestFile, requestFromFlags, type StateFlags } from './request.ts'
import { showResponse } from './show.ts'
import { CLEAR_LINE, painter, type Terminal } from './terminal.ts'

export interface AskFlags extends StateFlags {
  readonly derive?: readonly string[]
  readonly model?: string
  readonly chain?: ChainFlag
  readonly device: Device | 'auto'
  readonly modelServer?: string
  readonly deadline?: number
  readonly deliberation?: DeliberationMode
  readonly coverage?: number
  readonly maxRisk?: number
  readonly store?: string
  readonly json?: true
}

export interface AskCommand {
  readonly files: readonly string[]
  readonly flags: AskFlags
  readonly questions: QuestionFlags
  readonly output: Output
  readonly terminal: Terminal
  readonly makeEngine: MakeEngine
  /**
   * Runs one request, which is in the file (null: in flags); says its error and keeps its exit code. One bad request of
   * several does not keep the others from their answers.
   */
  readonly attempt: (work: () => Promise<void>, file: string | null) => Promise<void>
}

/** Throws what is wrong with the flags; what is wrong with a request goes to `attempt`. */
export async function askAll({ files, flags, questions, output, terminal, makeEngine, attempt }: AskCommand): Promise<void> {
  const isStateGiven = flags.state !== undefined || flags.stateFile !== undefined || flags.image !== undefined || flags.video !== undefined
  if (files.length > 0 && (isStateGiven || !questions.isEmpty || flags.derive !== undefined))
    throw new UsageError('a request file and flags for a state or questions were given; keep one of them')
  const chain = await chainGiven(flags, terminal)
  const { server, folder, id } = await modelGiven(flags, terminal)
  // A folder, a server or a chain is the only model of its engine, so the request need not (and must not) name another.
  const isAlone = (flags.model !== undefined && folder !== null) || server !== null || chain !== null
  const model = isAlone ? { model: null } : id === null ? null : { model: id }
  const store = flags.store === undefined ? null : await storeFolder(flags.store, terminal)
  // A name mistyped would be answered without what was learned.
  if (store?.isNew) terminal.warn(`${flags.store} is a new store: nothing is learned in it yet\n`)
  const finds: readonly (() => Promise<FoundRequest>)[] =
    files.length === 0
      ? [() => requestFromFlags(flags, questions, flags.derive ?? [], terminal)]
      : files.map((file) => () => readRequestFile(file, terminal))

  let engine: CliEngine | undefined
  try {
    for (const [index, find] of finds.entries()) {
      if (files.length > 1 && output === 'person') terminal.print(heading(files[index] ?? '', index, terminal))
      await attempt(async () => {
        const { request, titles, given } = await find()
        engine ??= await makeEngine(folder, {
          ...(store === null ? {} : { store: store.path }),
          ...(chain === null ? {} : { chain }),
          device: flags.device,
          ...(server === null ? {} : { server }),
        })
        // What is no object stays as it is: the engine says so.
        const asked = model !== null && typeof request === 'object' && !Array.isArray(request) ? { ...request, ...model } : request
        const done = index === 0 ? sayIfSlow(terminal) : () => {}
        const response = await engine
          .ask(asked, settingsOf(flags))
          .catch((error: unknown) => {
            throw namingItsFile(error, given)
          })
          .finally(done)
        if (index === 0) sayOtherDevices(engine, terminal)
        const kept = flags.store === undefined ? '' : `kept as ${response.id} in ${flags.store}, for assay outcomes record\n`
        say(terminal, output, response, () => `${showResponse(response, titles, terminal)}${painter(terminal.hasColor)('dim', kept)}`)
      }, files[index] ?? null)
    }
  } finally {
    await engine?.close()
  }
}

/** An error about a picture of the state says which: errors of the engine never have paths in them. */
function namingItsFile(error: unknown, state: unknown): unknown {
  if (!(error instanceof EngineError)) return error
  const path = statePathAt(state, error.param)
  if (path === null) return error
  const message = `${path === '' ? 'a picture with an empty path' : path}: ${error.message}`
  return new EngineError(error.code, message, { problems: error.problems, cause: error.cause, param: error.param! })
}

function heading(file: string, index: number, { hasColor, hasUnicode }: Terminal): string {
  return `${index === 0 ? '' : '\n'}${painter(hasColor)('dim', `${hasUnicode ? '──' : '--'} ${file}`)}\n\n`
}

function settingsOf({ deadline, deliberation, coverage, maxRisk }: AskFlags): RunAskOptions & PredictionSetOptions {
  return {
    ...(deadline === undefined ? {} : { deadlineMs: deadline }),
    ...(deliberation === undefined ? {} : { deliberation }),
    ...(coverage === undefined ? {} : { sets: { coverage } }),
    ...(maxRisk === undefined ? {} : { abstain: { maxRisk } }),
  }
}

const SLOW_MS = 1500

/**
 * Writes to standard error that it takes a while, and erases that line again. The result ends it; calling it again has
 * no effect.
 */
function sayIfSlow(terminal: Terminal): () => void {
  let isSaid = false
  const timer = setTimeout(() => {
    isSaid = true
    terminal.warn(`loading the model and reading the state…${terminal.isErrorInteractive ? '' : '\n'}`)
  }, SLOW_MS)
  timer.unref()
  return () => {
    clearTimeout(timer)
    if (isSaid && terminal.isErrorInteractive) terminal.warn(CLEAR_LINE)
    isSaid = false
  }
}
