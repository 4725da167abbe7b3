// The models of a service: the shipped one, folders of others, or the fake one, for trying out and for load tests.
import type { Backend } from '../backends/backend.ts'
import { didYouMean } from '../core/suggest.ts'
import type { ModelChain } from '../pipeline/chain.ts'
import { DEFAULT_MODEL, type ModelSource } from '../pipeline/models.ts'
import { duration } from '../service/setting-kinds.ts'
import { DEFAULT_SETTINGS, type ServiceSettings } from '../service/settings.ts'
import { type ChainFlag, chainFlag, chainFrom, idOfFolder } from './chain-flag.ts'
import { UsageError } from './exit-codes.ts'
import { folderOf, keptDefaultModel } from './model-names.ts'
import { modelServerIn } from './model-server.ts'
import type { Terminal } from './terminal.ts'

export interface ModelFlags {
  /** Folders, names of pulled models, or the id of the shipped one. */
  readonly model?: readonly string[]
  /** Addresses of models that run elsewhere. */
  readonly modelServer?: readonly string[]
  /** True, or how long each answer takes. */
  readonly fake?: string | true
  readonly chain?: ChainFlag
}

/** How local models are loaded, and how much servers are asked at a time. */
export type ModelSettings = Pick<ServiceSettings, 'workers' | 'threads' | 'cacheBytes' | 'device' | 'serverConcurrency'>

export const FAKE_MODEL = 'fake'

const fakeDelay = duration(0, 60_000)

/**
 * Models to load: those of the flags, else of the environment, else the default one. Throws `UsageError`, or
 * `model_not_found` for one that is not there.
 */
export async function modelsOf(
  { model: named, modelServer: servers = [], fake, chain }: ModelFlags,
  terminal: Terminal,
  { workers, threads, cacheBytes, device, serverConcurrency }: ModelSettings = DEFAULT_SETTINGS,
): Promise<readonly ModelSource[]> {
  const model = named ?? (fake === undefined ? namesIn(process.env.ASSAY_MODELS) : undefined)
  if (fake !== undefined) {
    if (model !== undefined) throw new UsageError('--fake and --model were given; keep one of them')
    if (servers.length > 0) throw new UsageError('--fake and --model-server were given; keep one of them')
    if (chain !== undefined) throw new UsageError('--fake and --chain were given; keep one of them')
    const delayMs = fake === true ? 0 : fakeDelay.read(fake)
    if (delayMs === null) throw new UsageError(`--fake takes ${fakeDelay.takes}, not "${fake}"`)
    return [{ id: FAKE_MODEL, load: () => loadFake(delayMs) }]
  }
  const { localModel, modelServer, shippedModel } = await import('../index.ts')
  const atOnce = serverConcurrency === null ? {} : { concurrency: serverConcurrency }
  const elsewhere = servers.map((server) => modelServer({ ...modelServerIn(server), ...atOnce }))
  const options = { workers, cacheBytes, device, ...(threads === null ? {} : { threads }) }
  const found = async (name: string): Promise<ModelSource> => {
    const folder = await folderOf(name, terminal)
    return folder === null ? shippedModel(options) : localModel(folder, options)
  }
  if (model === undefined && chain === undefined && elsewhere.length === 0) {
    const chosen = await keptDefaultModel(terminal)
    return [chosen === undefined ? shippedModel(options) : await found(chosen)]
  }
  const sources = [...(await Promise.all((model ?? []).map(found))), ...elsewhere]
  // A stage may name a model that is given besides, by its id.
  for (const { model: stage } of chain?.stages ?? []) {
    const isThere = sources.some(({ id }) => id === stage || id === idOfFolder(stage))
    if (!isThere) sources.push(await found(stage))
  }
  return sources
}

/** The flags with the chain of the environment where they have none; an empty variable counts as not set. */
export function withChain(flags: ModelFlags): ModelFlags {
  const text = process.env.ASSAY_CHAIN ?? ''
  return flags.chain !== undefined || text.trim() === '' ? flags : { ...flags, chain: chainFlag(text) }
}

/** The chain of --chain over the models that are served; null without it. */
export async function servedChain(chain: ChainFlag | undefined, ids: readonly string[]): Promise<ModelChain | null> {
  if (chain === undefined) return null
  const made = await chainFrom(chain, async (name) => (ids.includes(name) ? name : idOfFolder(name)))
  if (!ids.includes(made.id)) return made
  throw new UsageError(`--chain: a model is called ${made.id}; give the chain another name, as in auto=small,large`)
}

/** Of a variable of the environment, with commas between; undefined when it is not set. */
function namesIn(text: string | undefined): readonly string[] | undefined {
  const names = (text ?? '').split(',').map((name) => name.trim())
  return names.some((name) => name !== '') ? names.filter((name) => name !== '') : undefined
}

async function loadFake(delayMs: number): Promise<Backend> {
  const { createFakeBackend } = await import('../backends/fake/index.ts')
  const wait = async (): Promise<null> => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    return null
  }
  return createFakeBackend({ id: FAKE_MODEL, isForgetful: true, score: wait, read: wait })
}

/**
 * Throws `UsageError` where a typing error would have a model answer for nothing, or for the price of all others: when
 * some models have prices and one has none, and when a model that is not there has one beside `*`.
 */
export function requirePrices(
  { prices, announcedModels }: Pick<ServiceSettings, 'prices' | 'announcedModels'>,
  ids: readonly string[],
): void {
  const { '*': ofOthers, ...named } = prices
  const unnamed = ids.filter((id) => !Object.hasOwn(named, id))
  if (ofOthers === undefined && Object.keys(named).length > 0 && unnamed.length > 0)
    throw new UsageError(`--prices says nothing of ${unnamed.join(', ')}; give it a price, 0 for none, or all others one with *=`)
  const known = [...ids, ...Object.keys(announcedModels)]
  const stranger = Object.keys(named).find((name) => !known.includes(name))
  if (ofOthers === undefined || stranger === undefined) return
  const hint = didYouMean(stranger, known)
  throw new UsageError(`--prices has a price for ${stranger}, a model that is not served.${hint} There is ${known.join(', ')}`)
}

/**
 * Points the default aliases at what answers requests without a model: the chain, else a model that is served. Every
 * name stands for the fake model, since no client asks for it by name.
 */
export function aliasesFor(settings: ServiceSettings, ids: readonly string[], chain: string | null = null): ServiceSettings {
  const first = chain ?? ids[0]
  const isDefault = chain === null && ids.includes(DEFAULT_MODEL)
  if (settings.aliases !== DEFAULT_SETTINGS.aliases || first === undefined || isDefault) return settings
  if (first === FAKE_MODEL) return { ...settings, aliases: { '*': first } }
  return { ...settings, aliases: Object.fromEntries(Object.keys(settings.aliases).map((name) => [name, first])) }
}

/** Aliases, as they are written, that stand for a model that is not served; requests for them are refused. */
export function deadAliases({ aliases }: Pick<ServiceSettings, 'aliases'>, ids: readonly string[]): readonly string[] {
  return Object.entries(aliases).flatMap(([name, model]) => (ids.includes(model) ? [] : [`${name}=${model}`]))
}
