// Refuses a flag where a value was forgotten: `--noul --choice` would ask whether "--choice" is true. The parser takes
// whatever stands there, and cannot tell it from `--noul=--choice`, so the words are looked at before it.
import type { Command, Option } from 'commander'
import { UsageError } from './exit-codes.ts'

/** Throws a usage error for the first flag of the command that stands where another one needs its value. */
export function refuseFlagsAsValues(program: Command, args: readonly string[]): void {
  const { command, rest } = commandOf(program, args)
  for (let i = 0; i < rest.length && rest[i] !== '--'; i++) {
    const option = flagIn(command, rest[i]!)
    if (option?.required !== true) continue
    i++
    const value = rest[i]
    if (value === undefined || !isFlag(command, value)) continue
    const name = option.long ?? option.short
    throw new UsageError(
      `${name} takes a value, and ${wordOf(value)} behind it is a flag; give the value, or write ${name}=${value} if that is it`,
    )
  }
}

/** The command that is meant, and the words behind its name. */
function commandOf(program: Command, args: readonly string[]): { readonly command: Command; readonly rest: readonly string[] } {
  const inner = program.commands.find((one) => one.name() === args[0])
  return inner === undefined ? { command: program, rest: args } : commandOf(inner, args.slice(1))
}

function flagIn(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word === long || word === short)
}

function isFlag(command: Command, word: string): boolean {
  return ['--help', '-h'].includes(word) || flagIn(command, wordOf(word)) !== undefined
}

/** A flag without the value that it may have behind "=". */
function wordOf(flag: string): string {
  return flag.split('=', 1)[0]!
}
