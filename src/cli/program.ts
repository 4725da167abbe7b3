// Arguments to an exit code: the commands, their flags, and how their results and errors are said.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import type { AskRequest, AskResponse } from '../answers.ts'
import { EngineError } from '../errors.ts'
import type { ModelListing } from '../models.ts'
import { ENGINE_VERSION } from '../response.ts'
import { EXIT, type ExitCode, exitCodeOf, UsageError } from './exit-codes.ts'
import { QuestionFlags } from './flags.ts'
import { readRequestFile, requestFromFlags, type StateFlags } from './request.ts'
import { showModels, showResponse } from './show.ts'
import { painter, plain, type Terminal } from './terminal.ts'

/** What the commands need of an engine. */
export interface CliEngine {
  ask(request: AskRequest, options?: { readonly deadlineMs?: number }): Promise<AskResponse>
  models(): readonly ModelListing[]
  close(): Promise<void>
}

/** Makes the engine: with the shipped models, or with the model of one folder. */
export type MakeEngine = (folder: string | null) => Promise<CliEngine>

interface AskFlags extends StateFlags {
  readonly derive: readonly string[]
  readonly model?: string
  readonly deadline?: number
  readonly json?: true
}

const ASK_HELP = `
Examples:
  $ assay ask request.json
  $ assay ask --state "Where is my parcel? I am furious." --noul "The customer is angry."
  $ assay ask --image shot.png --choice "Which tab is open?=Home,Orders,Help" --box "the Save button"
  $ cat mail.txt | assay ask --state-file - --score "How urgent is it?=low,medium,high" --as urgency --derive "act=urgency > 1" --json

Questions are called q1, q2 … in their order, or as --as says. In options, \\, and \\= stand for a comma and an equals sign.
A person sees bars; a pipe, a file or --json gets the response as JSON.
Exit codes: 0 answered, 2 wrong flags, 3 the request must change, 4 model missing or late, 1 a fault of ours.`

/** Runs one command line (without node and script). Never throws; everything is said on the terminal. */
export async function runCli(args: readonly string[], terminal: Terminal, makeEngine: MakeEngine): Promise<ExitCode> {
  const questions = new QuestionFlags()
  const run = { exitCode: EXIT.ok as ExitCode }
  const attempt = async (isJson: boolean, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      run.exitCode = exitCodeOf(error)
      sayError(error, isJson, terminal)
    }
  }

  const program = new Command('assay')
    .description('Typed questions about a text, JSON or picture; calibrated probabilities and values back, from a model on this machine.')
    .version(ENGINE_VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text), writeErr: (text) => terminal.warn(text) })
    .configureHelp({ helpWidth: terminal.columns })
    .showHelpAfterError('(assay --help shows the commands)')
  const ask = program
    .command('ask')
    .description('answer the questions of a request file, or of flags')
    .argument('[file]', 'a request as JSON; - for standard input')
    .addHelpText('after', ASK_HELP)
  const asJson = new Option('--json', 'print JSON also to a terminal')
  ask
    .option('--state <text>', 'the state, as text')
    .option('--state-file <file>', 'the state from a file: .json as JSON, anything else as text; - for standard input')
    .option('--image <file>', 'a picture of the state (again for more)', (path: string, all: string[]) => [...all, path], [])
  // Question flags keep their order across types, so each goes to one list as it is parsed.
  const questionFlag = (flags: string, description: string, take: (text: string) => void) =>
    ask.addOption(
      new Option(flags, description).argParser((text: string) => {
        take(text)
        return text
      }),
    )
  questionFlag('--noul <statement>', 'is it true?', (text) => questions.words('noul', 'noul', text))
  questionFlag('--choice <question=a,b>', 'which one?', (text) => questions.options('choice', 'choice', text))
  questionFlag('--score <question=low,high>', 'where on a scale, lowest first?', (text) => questions.options('score', 'score', text))
  questionFlag('--select <question=a,b>', 'which ones?', (text) => questions.options('select', 'select', text))
  questionFlag('--fill <words>', 'write a short value', (text) => questions.words('fill', 'fill', text))
  questionFlag('--extract <words>', 'quote it from the state', (text) => questions.words('extract', 'extract', text))
  questionFlag('--box <words>', 'where in the picture, in pixels?', (text) =>
    questions.words('box', 'extract', text, { kind: 'coordinates' }),
  )
  questionFlag('--as <id>', 'name the question before it', (id) => questions.name(id))
  questionFlag('--kind <kind>', 'kind of the --fill or --extract before it: int, number, date, list, email, url, money', (kind) =>
    questions.modify('kind', 'kind', kind, ['fill', 'extract']),
  )
  const modifier = (name: string, field: string, description: string, types: readonly ('fill' | 'extract')[]) =>
    ask.on(`option:${name}`, () => questions.modify(name, field, true, types)).option(`--${name}`, description)
  modifier('many', 'many', 'all of them, for the --extract or --box before it', ['extract'])
  modifier('self-check', 'self_check', 'check the --fill or --extract before it', ['fill', 'extract'])
  ask
    .option('--derive <name=expression>', 'an answer from answers (again for more)', (text: string, all: string[]) => [...all, text], [])
    .option('--model <folder or id>', 'a model folder, or the id of a model that `assay models` lists')
    .option('--deadline <ms>', 'give up after this many milliseconds (default 60000)', milliseconds)
    .addOption(asJson)
    .action((file: string | undefined, flags: AskFlags) => {
      const isJson = flags.json === true || !terminal.isInteractive
      return attempt(isJson, () => askOnce(file, flags, isJson, questions, terminal, makeEngine))
    })
  program
    .command('models')
    .description('list the models')
    .addOption(asJson)
    .action((flags: { readonly json?: true }) => {
      const isJson = flags.json === true || !terminal.isInteractive
      return attempt(isJson, async () => {
        const engine = await makeEngine(null)
        const data = engine.models()
        terminal.print(isJson ? `${JSON.stringify({ object: 'list', models: data }, null, 2)}\n` : showModels(data, terminal))
        await engine.close()
      })
    })

  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    sayError(error, false, terminal)
    return exitCodeOf(error)
  }
  return run.exitCode
}

function milliseconds(text: string): number {
  const ms = Number(text)
  if (Number.isFinite(ms) && ms > 0) return ms
  throw new UsageError(`--deadline takes a number of milliseconds above 0, not "${text}"`)
}

async function askOnce(
  file: string | undefined,
  flags: AskFlags,
  isJson: boolean,
  questions: QuestionFlags,
  terminal: Terminal,
  makeEngine: MakeEngine,
): Promise<void> {
  const hasFlags =
    !questions.isEmpty || flags.state !== undefined || flags.stateFile !== undefined || flags.image.length + flags.derive.length > 0
  if (file !== undefined && hasFlags) throw new UsageError('a request file and flags for a state or questions were given; keep one of them')
  const found =
    file === undefined ? await requestFromFlags(flags, questions, flags.derive, terminal) : await readRequestFile(file, terminal)

  const folder = flags.model === undefined ? null : await folderOf(flags.model, terminal)
  // A folder is the only model of its engine, so the request need not (and must not) name another.
  const request = flags.model === undefined ? found.request : { ...found.request, model: folder === null ? flags.model : null }
  const done = sayIfSlow(terminal)
  const engine = await makeEngine(folder)
  try {
    const response = await engine.ask(request, flags.deadline === undefined ? {} : { deadlineMs: flags.deadline })
    done()
    terminal.print(isJson ? `${JSON.stringify(response, null, 2)}\n` : showResponse(response, found.titles, terminal))
  } finally {
    done()
    await engine.close()
  }
}

/** The absolute path when it is one of a folder; null when it is a plain word, which is then the id of a model. */
async function folderOf(model: string, terminal: Terminal): Promise<string | null> {
  const path = resolve(terminal.folder, model)
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (isFolder) return path
  if (/[\\/]|^\.\.?$/.test(model)) throw new EngineError('model_not_found', `${model}: there is no such model folder`)
  return null
}

const SLOW_MS = 1500

/** Says on standard error that it takes a while, and takes it back. The result ends it; twice is once. */
function sayIfSlow(terminal: Terminal): () => void {
  let isSaid = false
  const timer = setTimeout(() => {
    isSaid = true
    terminal.warn(`loading the model and reading the state…${terminal.isErrorInteractive ? '' : '\n'}`)
  }, SLOW_MS)
  timer.unref()
  return () => {
    clearTimeout(timer)
    if (isSaid && terminal.isErrorInteractive) terminal.warn('\r\u001b[2K')
    isSaid = false
  }
}

/** On standard error for a person; as JSON on standard output besides, for whoever parses it. */
function sayError(error: unknown, isJson: boolean, terminal: Terminal): void {
  const paint = painter(terminal.hasColor && terminal.isErrorInteractive)
  const message = error instanceof Error ? error.message : String(error)
  const isKnown = error instanceof EngineError || error instanceof UsageError
  const lines = [`${paint('red', 'error:')} ${plain(message)}`]
  if (error instanceof EngineError) {
    if (error.param) lines.push(`  at ${plain(error.param)}`)
    for (const problem of error.problems.slice(1, 20))
      lines.push(`${paint('red', 'error:')} ${plain(problem.message)}`, `  at ${plain(problem.param)}`)
  }
  // A fault of ours: what lies under it helps whoever mends it.
  const cause = error instanceof Error ? error.cause : undefined
  if (!isKnown || (error instanceof EngineError && error.code === 'internal_error'))
    lines.push(plain(String(cause ?? (error as Error)?.stack ?? '')))
  terminal.warn(`${lines.filter((line) => line !== '').join('\n')}\n`)
  if (!isJson || !(error instanceof EngineError)) return
  const { code, param } = error
  terminal.print(`${JSON.stringify({ error: { code, message, ...(param === null ? {} : { param }) } }, null, 2)}\n`)
}
