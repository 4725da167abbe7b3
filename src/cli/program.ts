// Arguments to an exit code: the commands and their flags.
import { Command, CommanderError, Option } from 'commander'
import { ENGINE_VERSION } from '../response.ts'
import { type AskFlags, askAll, type MakeEngine } from './ask.ts'
import { EXIT, type ExitCode, exitCodeOf, UsageError } from './exit-codes.ts'
import { QuestionFlags } from './flags.ts'
import { type Output, sayError } from './say-error.ts'
import { showModels } from './show.ts'
import type { Terminal } from './terminal.ts'

const ASK_HELP = `
Examples:
  $ assay ask request.json
  $ assay ask monday.json tuesday.json > answers.jsonl
  $ assay ask --state "Where is my parcel? I am furious." --noul "The customer is angry."
  $ assay ask --image shot.png --choice "Which tab is open?=Home,Orders,Help" --box "the Save button"
  $ cat mail.txt | assay ask --state-file - --score "How urgent is it?=low,medium,high" --as urgency --derive "act=urgency > 1" --json

Questions are called q1, q2 … in their order, or as --as says. In options, \\, and \\= stand for a comma and an equals sign.
A person sees bars; a pipe, a file or --json gets the response as JSON, several requests one response a line.
Exit codes: 0 answered, 2 wrong flags, 3 the request must change, 4 model missing or late, 1 a fault of ours.`

/** Runs one command line (without node and script). Never throws; everything is said on the terminal. */
export async function runCli(args: readonly string[], terminal: Terminal, makeEngine: MakeEngine): Promise<ExitCode> {
  const questions = new QuestionFlags()
  const run = { exitCode: EXIT.ok as ExitCode }
  const attempt = async (output: Output, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (run.exitCode === EXIT.ok) run.exitCode = exitCodeOf(error)
      sayError(error, output, terminal)
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
    .argument('[files...]', 'requests as JSON, answered one after the other; - for standard input')
    .addHelpText('after', ASK_HELP)
  const asJson = new Option('--json', 'print JSON also to a terminal')
  ask
    .option('--state <text>', 'the state, as text')
    .option('--state-file <file>', 'the state from a file: .json as JSON, anything else as text; - for standard input')
    .option('--image <file>', 'a picture of the state (again for more)', collect)
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
    .option('--derive <name=expression>', 'an answer from answers (again for more)', collect)
    .option('--model <folder or id>', 'a model folder, or the id of a model that `assay models` lists')
    .option('--deadline <ms>', 'give up after this many milliseconds (default 60000)', milliseconds)
    .addOption(asJson)
    .action((files: readonly string[], flags: AskFlags) => {
      const output: Output = flags.json !== true && terminal.isInteractive ? 'person' : files.length > 1 ? 'lines' : 'json'
      const attemptOne = (work: () => Promise<void>) => attempt(output, work)
      return attemptOne(() => askAll({ files, flags, questions, output, terminal, makeEngine, attempt: attemptOne }))
    })
  program
    .command('models')
    .description('list the models')
    .addOption(asJson)
    .action((flags: { readonly json?: true }) => {
      const output: Output = flags.json !== true && terminal.isInteractive ? 'person' : 'json'
      return attempt(output, async () => {
        const engine = await makeEngine(null)
        const data = engine.models()
        terminal.print(output === 'json' ? `${JSON.stringify({ object: 'list', models: data }, null, 2)}\n` : showModels(data, terminal))
        await engine.close()
      })
    })

  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    sayError(error, 'person', terminal)
    return exitCodeOf(error)
  }
  return run.exitCode
}

function collect(text: string, all: readonly string[] = []): readonly string[] {
  return [...all, text]
}

function milliseconds(text: string): number {
  const ms = Number(text)
  if (Number.isFinite(ms) && ms > 0) return ms
  throw new UsageError(`--deadline takes a number of milliseconds above 0, not "${text}"`)
}
