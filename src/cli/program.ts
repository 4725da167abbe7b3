// Runs one command line: finds the command, and turns what goes wrong into a message and an exit code.
import { Command, CommanderError } from 'commander'
import { ENGINE_VERSION } from '../pipeline/response.ts'
import { addAdmin } from './admin-command.ts'
import { addAliases } from './aliases-command.ts'
import { addAsk } from './ask-command.ts'
import { addCalibrate } from './calibrate-command.ts'
import type { AddCommand, CommandContext, MakeEngine } from './command.ts'
import { addCredits } from './credits-command.ts'
import { addEval } from './eval-command.ts'
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts'
import { refuseFlagsAsValues } from './flag-as-value.ts'
import { addKeys } from './keys-command.ts'
import { addLearn } from './learn-command.ts'
import { addMcp } from './mcp-command.ts'
import { addModels } from './models-command.ts'
import { addOutcomes } from './outcomes-command.ts'
import { addQuarantine } from './quarantine-command.ts'
import { addReport } from './report-command.ts'
import { sayError } from './say-error.ts'
import { addServe } from './serve-command.ts'
import type { Terminal } from './terminal.ts'

/** In the order of the help. */
const COMMANDS: readonly AddCommand[] = [
  addAsk,
  addModels,
  addEval,
  addReport,
  addLearn,
  addCalibrate,
  addOutcomes,
  addMcp,
  addServe,
  addKeys,
  addCredits,
  addQuarantine,
  addAliases,
  addAdmin,
]

/** Runs one command line (without node and script). Never throws; everything is said on the terminal. */
export async function runCli(args: readonly string[], terminal: Terminal, makeEngine: MakeEngine): Promise<ExitCode> {
  const run = { exitCode: EXIT.ok as ExitCode }
  const attempt: CommandContext['attempt'] = async (output, work, file = null) => {
    const end = (code: ExitCode): void => {
      if (run.exitCode === EXIT.ok) run.exitCode = code
    }
    try {
      end((await work()) ?? EXIT.ok)
    } catch (error) {
      end(exitCodeOf(error))
      sayError(error, output, terminal, file)
    }
  }

  const program = new Command('assay')
    .description('Typed questions about a text, JSON or picture; calibrated probabilities and values back, from a model on this machine.')
    .version(ENGINE_VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.print(text), writeErr: (text) => terminal.warn(text) })
    .configureHelp({ helpWidth: terminal.columns })
  for (const add of COMMANDS) add(program, { terminal, makeEngine, attempt })
  pointToHelp(program, 'assay', 'the commands')

  try {
    refuseFlagsAsValues(program, args)
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    sayError(error, 'person', terminal)
    return exitCodeOf(error)
  }
  return run.exitCode
}

/** A wrong command line ends with where to look: the help of the command that was meant. */
function pointToHelp(command: Command, name: string, what: string): void {
  command.showHelpAfterError(`(${name} --help shows ${what})`)
  for (const inner of command.commands)
    pointToHelp(inner, `${name} ${inner.name()}`, inner.commands.length > 0 ? 'the commands' : 'the flags')
}
