// What every command is given, and how it prints its results. A command is one file that adds itself to the program.
import type { Command } from 'commander'
import type { MakeEngine } from './ask.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

export interface CommandContext {
  readonly terminal: Terminal
  readonly makeEngine: MakeEngine
  /**
   * Runs the work of a command; what it throws is said on the terminal and becomes the exit code, and so does a code
   * that it returns. `file`: the one of several inputs that the work is about.
   */
  readonly attempt: (output: Output, work: () => Promise<ExitCode> | Promise<void>, file?: string | null) => Promise<void>
}

export type AddCommand = (program: Command, context: CommandContext) => void

/** How results are printed: for a person, as indented JSON, or as one line of JSON each. */
export type Output = 'person' | 'json' | 'lines'

/** For a person who reads standard output, unless `--json` was given. */
export function outputOf(flags: { readonly json?: true }, terminal: Terminal): 'person' | 'json' {
  return flags.json !== true && terminal.isInteractive ? 'person' : 'json'
}

/** Prints lines for a person, or the value as JSON. */
export function say(terminal: Terminal, output: Output, value: unknown, shown: () => string): void {
  terminal.print(output === 'person' ? shown() : `${JSON.stringify(value, null, output === 'json' ? 2 : undefined)}\n`)
}
