// Adds `assay models use`, which model answers where none is named, and `assay models rm`, which takes one away.
import { isAbsolute } from 'node:path'
import type { Command } from 'commander'
import { EngineError } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import { didYouMean } from '../core/suggest.ts'
import { findPulled, partialModels, pulledModels, readDefaultModel, removePulled, writeDefaultModel } from '../hub/library.ts'
import { DEFAULT_MODEL } from '../pipeline/models.ts'
import { type CommandContext, outputOf, say } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { folderOf } from './model-names.ts'
import { asJson } from './option-values.ts'
import type { Terminal } from './terminal.ts'

export function addUse(models: Command, { terminal, attempt }: CommandContext): void {
  models
    .command('use')
    .description('which model ask, eval, serve and mcp take from now on where none is named')
    .argument('<model>', `a pulled model, a model folder, or ${DEFAULT_MODEL} for the shipped one`)
    .addOption(asJson())
    .action((model: string, flags: { readonly json?: true }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        const name = await chosen(model, terminal)
        await keeping(terminal, () => writeDefaultModel(terminal.home, name))
        const said = name ?? DEFAULT_MODEL
        say(terminal, output, { model: said }, () => `${said} answers from now on\n`)
      })
    })
}

/** What is kept: the name of a pulled model, so that a newer one of that name takes its place, or a folder's path. */
async function chosen(model: string, terminal: Terminal): Promise<string | null> {
  const folder = await folderOf(model, terminal)
  if (folder === null) return null
  const [pulled] = await findPulled(terminal.home, model)
  return pulled?.folder === folder ? (pulled.name === model ? model : pulled.id) : folder
}

export function addRemove(models: Command, { terminal, attempt }: CommandContext): void {
  models
    .command('rm')
    .description('take a pulled model off the disk, or what an unfinished pull left')
    .argument('<model>', 'the name of a pulled model')
    .addOption(asJson())
    .action((model: string, flags: { readonly json?: true }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        const name = await removable(model, terminal)
        const wasDefault = await readDefaultModel(terminal.home)
        await keeping(terminal, () => removePulled(terminal.home, name))
        const isDefaultGone = wasDefault !== null && !isAbsolute(wasDefault) && (await findPulled(terminal.home, wasDefault)).length === 0
        if (isDefaultGone) await keeping(terminal, () => writeDefaultModel(terminal.home, null))
        const now = isDefaultGone ? `${DEFAULT_MODEL} answers from now on where none is named\n` : ''
        say(terminal, output, { removed: name }, () => `${name} is removed\n${now}`)
        if (output === 'json' && now !== '') terminal.warn(now)
      })
    })
}

/** The one model that is meant. Throws when it is none, or several. */
async function removable(model: string, terminal: Terminal): Promise<string> {
  const found = (await findPulled(terminal.home, model)).map(({ name }) => name)
  const names =
    found.length > 0 ? found : (await partialModels(terminal.home)).filter((name) => name === model || name.startsWith(`${model}@`))
  const [name] = names
  if (name === undefined) throw await notPulled(model, terminal)
  if (names.length > 1) throw new UsageError(`${model} stands for ${names.join(', ')}; name one of them`)
  return name
}

async function notPulled(model: string, terminal: Terminal): Promise<EngineError> {
  const names = (await pulledModels(terminal.home)).flatMap(({ id, name }) => [name, id])
  const there = names.length === 0 ? 'none is there' : `there is ${names.filter((name) => name.includes('@')).join(', ')}`
  return new EngineError('model_not_found', `${model} is no model that was pulled; ${there}.${didYouMean(model, names)}`)
}

/** What cannot be written is a matter of this machine, said with its place. */
async function keeping<T>({ home }: Terminal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new UsageError(`${home} cannot be written: ${fileFault(error)}; set ASSAY_HOME to a folder that can`, { cause: error })
  }
}
