// What every command is given, and how it says what came of it. A command is a file `…-command.ts` with an
// `AddCommand`, and a line of `COMMANDS` in program.ts.
import type { Command } from 'commander'
import type { Device } from '../backends/backend.ts'
import type { Calibration } from '../calibration/calibration.ts'
import type { RecordedOutcome, RecordOptions } from '../calibration/outcomes/record-outcome.ts'
import type { Json } from '../core/types.ts'
import type { ModelServerOptions } from '../index.ts'
import type { AskOptions } from '../pipeline/asking/options.ts'
import type { ModelChain } from '../pipeline/chain.ts'
import type { ModelListing } from '../pipeline/models.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** What the commands need of an engine. */
export interface CliEngine {
  ask(request: AskRequest, options?: AskOptions): Promise<AskResponse>
  /** Needs a store. */
  recordOutcome(event: string, truths: Readonly<Record<string, Json>>, options?: RecordOptions): Promise<RecordedOutcome>
  models(): readonly ModelListing[]
  close(): Promise<void>
}

export interface EngineFlags {
  /** Where the model runs; default: the CPU. */
  readonly device?: Device | 'auto'
  /** In place of the shipped models, or of the folder's. */
  readonly chain?: ModelChain
  /** In place of a model on this machine. */
  readonly server?: ModelServerOptions
  /** Empty for none; absent: those of the store and those that come with the models. */
  readonly calibrations?: readonly Calibration[]
  /** Folder where what was decided is kept. */
  readonly store?: string
}

/** Makes the engine: with the shipped models, or with the model of one folder. */
export type MakeEngine = (folder: string | null, options?: EngineFlags) => Promise<CliEngine>

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

/** Says of models that run on another device than was asked for why they do. */
export function sayOtherDevices(engine: Pick<CliEngine, 'models'>, terminal: Terminal): void {
  for (const { id, device } of engine.models()) {
    if (device?.reason !== undefined) terminal.warn(`${id} runs on ${device.name}: ${device.reason}\n`)
  }
}
