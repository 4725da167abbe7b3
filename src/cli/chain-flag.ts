// The flag --chain: models in their order, each with the uncertainty above which a question goes on to the next.
import { basename } from 'node:path'
import type { Device } from '../backends/backend.ts'
import { type ChainStage, chainOf, type ModelChain } from '../pipeline/chain.ts'
import type { ModelSource } from '../pipeline/models.ts'
import { UsageError } from './exit-codes.ts'
import { folderOf } from './model-names.ts'
import type { Terminal } from './terminal.ts'

export const CHAIN_HELP = 'models in the order in which they are asked, each a folder or id, with :0.6 behind it for its threshold'

/** A stage as it was written. */
export interface ChainFlagStage {
  /** A folder, or the id of a model. */
  readonly model: string
  readonly threshold?: number
}

/** As in `small:0.6,large`, or `name=small:0.6,large`. */
export interface ChainFlag {
  /** Null: the chain is called as chains are by default. */
  readonly id: string | null
  readonly stages: readonly ChainFlagStage[]
}

/** Throws `UsageError`. */
export function chainFlag(text: string): ChainFlag {
  const { id, list } = /^(?<id>[^=,/\\]+)=(?<list>.*)$/s.exec(text)?.groups ?? { id: null, list: text }
  const stages = (list ?? '').split(',').map((item): ChainFlagStage => {
    const { model = '', threshold } = /^(?<model>.*?)(?::(?<threshold>[\d.]+))?$/s.exec(item.trim())?.groups ?? {}
    return threshold === undefined ? { model } : { model, threshold: Number(threshold) }
  })
  const isUsable = stages.every(({ model, threshold = 0 }) => model !== '' && threshold >= 0 && threshold <= 1)
  if (isUsable && stages.length >= 2) return { id: id?.trim() ?? null, stages }
  throw new UsageError(`--chain takes two models or more with commas between, for example small:0.6,large, not "${text}"`)
}

/** The chain of a flag. `sourceOf` finds the model of a stage. */
export async function chainFrom(
  { id, stages }: ChainFlag,
  sourceOf: (model: string) => Promise<ModelSource | string>,
): Promise<ModelChain> {
  const found: ChainStage[] = []
  for (const { model, threshold } of stages) {
    found.push({ model: await sourceOf(model), ...(threshold === undefined ? {} : { threshold }) })
  }
  return chainOf(found, id === null ? {} : { id })
}

/** The chain of --chain; null without it. Each stage is a folder, or the model that comes with the package. */
export async function chainGiven(
  { chain, model, device }: { readonly chain?: ChainFlag; readonly model?: string; readonly device: Device | 'auto' },
  terminal: Terminal,
): Promise<ModelChain | null> {
  if (chain === undefined) return null
  if (model !== undefined) throw new UsageError('--chain and --model were given; keep one of them')
  const { localModel, shippedModel } = await import('../index.ts')
  return chainFrom(chain, async (name) => {
    const folder = await folderOf(name, terminal)
    return folder === null ? shippedModel({ device }) : localModel(folder, { device })
  })
}

/** The id that a model gets by its folder. */
export function idOfFolder(folder: string): string {
  return basename(folder)
}
