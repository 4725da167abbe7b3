// Parses the values of options. A value that cannot be read is a usage error that names the flag.
import { Option } from 'commander'
import { DEVICES } from '../backends/backend.ts'
import { DELIBERATION_MODES } from '../questions/shared/deliberation.ts'
import { duration } from '../service/setting-kinds.ts'
import { UsageError } from './exit-codes.ts'

/** `--json`, which every command that prints results has. */
export function asJson(): Option {
  return new Option('--json', 'print JSON also to a terminal')
}

/** `--model`, which every command has that asks one model. */
export function onModel(): Option {
  return new Option('--model <name>', 'a model folder, the name of a pulled model, or an id that `assay models` lists')
}

/** `--images`, which every command has that asks rows of a model. */
export function imagesFrom(): Option {
  return new Option('--images <folder>', 'where relative image paths start (default: the folder of each file)')
}

/** `--device`, which every command that loads a model has. */
export function onDevice(): Option {
  return new Option('--device <name>', 'where the model runs, if it answers there as on the CPU')
    .choices([...DEVICES, 'auto'])
    .default('cpu')
}

/** `--deliberation`; absent where it was not given, unless it has a default. */
export function lookAgain(): Option {
  return new Option('--deliberation <when>', 'look again').choices([...DELIBERATION_MODES])
}

/** For an option that may be given again. */
export function collect(text: string, all: readonly string[] = []): readonly string[] {
  return [...all, text]
}

const deadline = duration(1, 86_400_000)

/** Of `--deadline`: a time with its unit, as `assay serve` takes it, or a number of milliseconds. */
export function milliseconds(text: string): number {
  const ms = deadline.read(text)
  if (ms !== null) return ms
  throw new UsageError(`--deadline takes ${deadline.takes}, not "${text}"`)
}

/** A whole number from `least` on. */
export function count(flag: string, least: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return value
    throw new UsageError(`--${flag} takes a whole number from ${least} on, not "${text}"`)
  }
}

/** A share strictly between 0 and 1. */
export function share(flag: string): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && value > 0 && value < 1) return value
    throw new UsageError(`--${flag} takes a share between 0 and 1, for example .9, not "${text}"`)
  }
}
