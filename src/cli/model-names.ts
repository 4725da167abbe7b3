// What stands behind the name of a model on the command line: a folder, a model that was pulled, or one of the engine's
// own by its id.
import { isAbsolute, resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { isFolder } from '../core/files.ts'
import { didYouMean } from '../core/suggest.ts'
import { findPulled, pulledModels, readDefaultModel } from '../hub/library.ts'
import { findRecommended } from '../hub/recommended.ts'
import { parseRepositoryName } from '../hub/repository.ts'
import type { ModelServerOptions } from '../index.ts'
import { DEFAULT_MODEL } from '../pipeline/models.ts'
import { modelServerGiven, type OneModelFlags } from './model-server.ts'
import type { Terminal } from './terminal.ts'

/**
 * The absolute path of a folder, or that of the model that was pulled by this name (the newest, where several were);
 * null for the model that comes with the package. Throws `model_not_found`, with what would get it, for all else.
 */
export async function folderOf(model: string, terminal: Pick<Terminal, 'folder' | 'home'>): Promise<string | null> {
  const path = resolve(terminal.folder, model)
  if (await isFolder(path)) return path
  if (model === DEFAULT_MODEL) return null
  const [pulled] = await findPulled(terminal.home, model)
  if (pulled !== undefined) return pulled.folder
  throw new EngineError('model_not_found', `${model}: ${await remedy(model, terminal)}`)
}

async function remedy(model: string, { home }: Pick<Terminal, 'home'>): Promise<string> {
  if ((await findRecommended(model)) !== null) return `it was not pulled; assay models pull ${model} gets it from the hub`
  const isWord = !/[\\/]|^\.\.?$/.test(model)
  if (!isWord && (isAbsolute(model) || parseRepositoryName(model) === null)) return 'there is no such model folder'
  const pulled = await pulledModels(home)
  const names = [...(isWord ? [DEFAULT_MODEL] : []), ...pulled.flatMap(({ id, name }) => [id, name])]
  const there = pulled.length === 0 ? '' : ` (there is ${pulled.map(({ name }) => name).join(', ')})`
  const missing = `there is no such model folder, and no such model was pulled${there};${didYouMean(model, names)}`
  return isWord
    ? `${missing} ${DEFAULT_MODEL} comes with the package, and assay models list --recommended shows what assay models pull gets by a short name`
    : `${missing} assay models pull ${model} gets it from the hub`
}

/**
 * The model that answers where none is named, as `assay models use` keeps it; undefined for the shipped one. Throws
 * `model_not_found` when it is gone.
 */
export async function keptDefaultModel(terminal: Pick<Terminal, 'folder' | 'home'>): Promise<string | undefined> {
  const model = await readDefaultModel(terminal.home)
  if (model === null) return undefined
  if (isAbsolute(model) ? await isFolder(model) : (await findPulled(terminal.home, model)).length > 0) return model
  const message = `the default model ${model} is gone; choose another with assay models use NAME, or the shipped one with assay models use ${DEFAULT_MODEL}`
  throw new EngineError('model_not_found', message)
}

/** Which model flags mean. */
export interface NamedModel {
  readonly server: ModelServerOptions | null
  /** Null for the models that come with the package, a server or a chain. */
  readonly folder: string | null
  /** What requests have to name; null where the engine has one model, or its default is meant. */
  readonly id: string | null
}

/** A server or a chain is what was named; the default model is for where nothing was. */
export async function modelGiven(flags: OneModelFlags, terminal: Pick<Terminal, 'folder' | 'home'>): Promise<NamedModel> {
  const server = modelServerGiven(flags)
  const named = flags.model ?? (server === null && flags.chain === undefined ? await keptDefaultModel(terminal) : undefined)
  const folder = named === undefined ? null : await folderOf(named, terminal)
  return { server, folder, id: folder === null ? (flags.model ?? null) : null }
}
