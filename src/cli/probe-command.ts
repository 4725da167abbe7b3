// Adds `assay models probe`: measures how a model is to be read and keeps the result in its folder, so that it is not
// measured again at every load.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { EngineError } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import type { Scoring } from '../index.ts'
import { type CommandContext, type Output, outputOf, say } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { folderOf } from './model-names.ts'
import { asJson } from './option-values.ts'
import { startProgress } from './progress.ts'
import { painter, type Terminal } from './terminal.ts'

export function addProbe(models: Command, { terminal, attempt }: CommandContext): void {
  models
    .command('probe')
    .description('find out how a downloaded model is to be read, and keep it as scoring.json in its folder')
    .argument('<folder>', 'a pulled model, or a model folder (Hugging Face layout, ONNX)')
    .addOption(asJson())
    .action((folder: string, flags: { readonly json?: true }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, () => probeFolder(folder, output, terminal))
    })
}

async function probeFolder(given: string, output: Output, terminal: Terminal): Promise<void> {
  const folder = await folderOf(given, terminal)
  if (folder === null)
    throw new EngineError('model_not_found', `${given} comes with the package and has nothing to probe; give the folder of another model`)
  // Loaded here so that --help and wrong flags answer at once.
  const { probeModel } = await import('../index.ts')
  let progress: ReturnType<typeof startProgress> | null = null
  const scoring = await probeModel(folder, {}, (_, total) => {
    progress ??= startProgress(terminal, { total, before: 0, unit: 'questions', now: () => performance.now() })
    progress.step('')
  }).finally(() => progress?.end())
  const file = join(folder, 'scoring.json')
  await writeFile(file, `${JSON.stringify(scoring, null, 2)}\n`).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be written: ${fileFault(cause)}; make the folder writable`, { cause })
  })
  say(terminal, output, scoring, () => showScoring(scoring, terminal))
}

/** What was found, a line per way of asking. */
function showScoring({ exclusive, ordinal, binary, independent }: Scoring, { hasColor }: Terminal): string {
  const paint = painter(hasColor)
  const list = (name: string, { binding, logPriors }: Scoring['exclusive']): string => {
    const last = binding.at(-1)
    if (last === undefined) return `${paint('bold', name)}  not single tokens: read by texts`
    const sizes = binding.map(({ count, asked, right, mass }) => `${count}: ${right}/${asked} right, mass ${mass.toFixed(2)}`)
    // Priors are measured for what is read by symbols only.
    const bound = binding.map(({ count }) => count).filter((count) => String(count) in logPriors)
    const how = bound.includes(last.count)
      ? 'read by symbols'
      : bound.length === 0
        ? 'read by texts'
        : `more than ${bound.at(-1)} are read by texts`
    return `${paint('bold', name)}  ${sizes.join(', ')}: ${how}`
  }
  const share = (logPrior: readonly number[] | null): string =>
    logPrior === null ? 'not in single tokens' : `${Math.round(100 * Math.exp(logPrior[0] as number))} % yes`
  const prior = `${paint('bold', 'yes, no')}  says ${share(binary)} to statements, ${share(independent)} to options, before it has read anything`
  return `${[list('letters', exclusive), list('digits ', ordinal), prior, paint('dim', 'kept as scoring.json')].join('\n')}\n`
}
