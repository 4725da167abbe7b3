// Adds `assay models pull`: gets a model from a hub, with its progress, and says how to ask it.
import type { Command } from 'commander'
import type { Dtype } from '../backends/onnx/options.ts'
import { DTYPES } from '../backends/onnx/runtime/layout.ts'
import { EngineError } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import { didYouMean } from '../core/suggest.ts'
import { DEFAULT_ENDPOINT, type Hub, openHub } from '../hub/http.ts'
import type { PullResult } from '../hub/pull.ts'
import { findRecommended, recommendedModels } from '../hub/recommended.ts'
import { parseRepositoryName, type RepositoryName } from '../hub/repository.ts'
import type { DtypeWish } from '../hub/select-files.ts'
import { type CommandContext, type Output, outputOf, say } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { asJson } from './option-values.ts'
import { type Progress, startProgress } from './progress.ts'
import { megabytes } from './show-models.ts'
import { painter, plain, type Terminal } from './terminal.ts'

const HELP = `
Only what the model needs is downloaded: its graphs in one number format each, configuration, tokenizer, template, licence and card. A download that was
cut goes on where it was, in this run and in the next. Every file is held to the size and the checksum that the hub lists. The model is there only when
all of it is, and nothing is asked of the hub for a commit that is there.

HF_ENDPOINT is the address of the hub (default ${DEFAULT_ENDPOINT}); HF_TOKEN is sent to that address and to no other. Models are kept in models/ of the
folder that ASSAY_HOME names (default: .assay in your home folder).

Examples:
  $ assay models pull smolvlm-256m       # a short name of assay models list --recommended: its id, commit and number format
  $ assay models pull HuggingFaceTB/SmolVLM-256M-Instruct
  $ assay models pull HuggingFaceTB/SmolVLM-256M-Instruct@main --dtype q4
  $ assay models pull OWNER/NAME --dtype vision_encoder=int8,decoder_model_merged=q4`

export function addPull(models: Command, { terminal, attempt }: CommandContext): void {
  models
    .command('pull')
    .description('download a model from a hub')
    .argument('<model>', 'OWNER/NAME, or OWNER/NAME@ a branch, a tag or a commit; or the short name of a recommended model')
    .option(
      '--dtype <format>',
      `number format of the graphs: ${DTYPES.join(', ')}; or graph=format, with commas between (default: the best there is)`,
    )
    .addOption(asJson())
    .addHelpText('after', HELP)
    .action((model: string, flags: { readonly dtype?: string; readonly json?: true }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, () => pull(model, flags.dtype, output, terminal))
    })
}

async function pull(model: string, dtype: string | undefined, output: Output, terminal: Terminal): Promise<void> {
  const wished = dtypeOf(dtype)
  const { repository, dtype: wish } = await repositoryOf(model, wished)
  const bar = progressBar(terminal)
  const hub = hubOf(bar.note)
  const begun = performance.now()
  // Loaded here so that --help and wrong flags answer at once.
  const { pullModel } = await import('../hub/pull.ts')
  const result = await pullModel({ hub, home: terminal.home, repository, dtype: wish, onProgress: bar.show })
    .catch((error: unknown) => {
      throw aboutDisk(error, terminal)
    })
    .finally(() => bar.end())
  const { model: pulled, reused } = result
  say(terminal, output, { ...pulled, reused }, () => showPulled(result, repository, (performance.now() - begun) / 1000, terminal))
}

/** What a name means: a repository, or that of a short name with its commit and number format. Throws `UsageError`. */
async function repositoryOf(model: string, dtype: DtypeWish): Promise<{ readonly repository: RepositoryName; readonly dtype: DtypeWish }> {
  const named = parseRepositoryName(model)
  if (named !== null) return { repository: named, dtype }
  const [short = '', revision] = model.split('@')
  const found = await findRecommended(short)
  const repository = found === null ? null : parseRepositoryName(`${found.id}@${revision ?? found.revision ?? 'main'}`)
  if (found !== null && repository !== null) return { repository, dtype: dtype ?? (found.dtype as Dtype | undefined) ?? null }
  const near = didYouMean(
    short,
    (await recommendedModels()).map(({ name }) => name),
  )
  throw new UsageError(
    `${model} is no name on a hub; it is OWNER/NAME, as in HuggingFaceTB/SmolVLM-256M-Instruct, with @REVISION where that is wanted, or a short name that assay models list --recommended shows.${near}`,
  )
}

function hubOf(note: (text: string) => void): Hub {
  const { HF_ENDPOINT, HF_TOKEN } = process.env
  return openHub({
    ...(HF_ENDPOINT ? { endpoint: HF_ENDPOINT } : {}),
    token: HF_TOKEN?.trim() || null,
    onWait: (ms, why) => note(`${plain(why)}; trying again in ${Math.ceil(ms / 1000)} s`),
  })
}

/** Reads `q4`, or `vision_encoder=int8,decoder_model_merged=q4`. Throws `UsageError`. */
export function dtypeOf(text: string | undefined): DtypeWish {
  if (text === undefined) return null
  const format = (one: string): Dtype => {
    const found = DTYPES.find((known) => known === one)
    if (found === undefined)
      throw new UsageError(`--dtype takes ${DTYPES.join(', ')}, or graph=format with commas between; received "${text}"`)
    return found
  }
  if (!text.includes('=')) return format(text.trim())
  const pairs = text.split(',').map((pair) => pair.split('=').map((part) => part.trim()))
  if (pairs.some(([graph = '', , ...rest]) => !/^[\w.-]+$/.test(graph) || rest.length > 0)) format('')
  return Object.fromEntries(pairs.map(([graph = '', one = '']) => [graph, format(one)]))
}

/** What the file system refuses while a model is written, with its place. */
function aboutDisk(error: unknown, { home }: Terminal): unknown {
  if (error instanceof EngineError || typeof (error as NodeJS.ErrnoException).code !== 'string') return error
  return new UsageError(`${home} cannot be written: ${fileFault(error)}; make room, or set ASSAY_HOME to another folder`, { cause: error })
}

const MEGABYTE = 1e6

/** Bytes as a bar in megabytes. The bar begins with what is there already, and again when the total is known. */
function progressBar(terminal: Terminal) {
  let progress: Progress | null = null
  let [total, steps] = [0, 0]
  const end = (): void => {
    progress?.end()
    progress = null
  }
  return {
    end,
    note(text: string): void {
      end()
      total = 0
      terminal.warn(`${text}\n`)
    },
    show(done: number, now: number, file: string): void {
      const done1 = Math.floor(done / MEGABYTE)
      if (now !== total || done1 < steps) {
        if (Math.ceil(now / MEGABYTE) < 2) return
        total = now
        steps = done1
        progress = startProgress(terminal, { total: Math.ceil(now / MEGABYTE), before: done1, unit: 'MB', now: () => performance.now() })
      }
      for (; steps < done1; steps++) progress?.step(file)
    },
  }
}

function showPulled({ model, reused }: PullResult, { revision }: RepositoryName, seconds: number, terminal: Terminal): string {
  const paint = painter(terminal.hasColor)
  const { id, name, bytes, files, license, folder } = model
  const time = seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds))
  const how = {
    present: 'was there already',
    offline: `was there already; the hub could not be asked whether ${plain(revision)} is another commit by now`,
    pulled: `${megabytes(bytes)} in ${files.length} files, ${time} s`,
  }[reused ?? 'pulled']
  const lines = [
    `${paint('bold', name)}  ${how}`,
    `licence ${plain(license ?? 'not said; see its card')}, in ${folder}`,
    paint('dim', `assay ask --model ${id} --state "I am very angry!" --noul "The customer is angry."`),
  ]
  return `${lines.join('\n')}\n`
}
