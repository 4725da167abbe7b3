// What every command is given. A command is one file that adds itself to the program.
import type { Command } from 'commander'
import type { MakeEngine } from './ask.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Output } from './say-error.ts'
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
