// A chain of models: small first, larger ones where it is unsure. It has an id like a model; its stages are models of
// the engine, and each can be asked alone.
import type { Backend } from '../backends/backend.ts'
import { EngineError } from '../core/errors.ts'
import { checkOptionNames, type OptionNames } from '../core/given-options.ts'
import { isObject, jsonTypeOf } from '../core/untrusted.ts'
import { DELIBERATION_MODES, type DeliberationMode, type Thresholds } from '../questions/shared/deliberation.ts'
import { DECISION_READOUTS } from '../questions/shared/readouts.ts'
import { otherDeliberation } from './answering-wishes.ts'
import type { ModelSource } from './model-source.ts'

/** How one model of a chain is asked. */
export interface StageSettings {
  /**
   * A question goes on to the next stage when a decision of it is more uncertain than this: normalised entropy of the
   * calibrated distribution, 0 certain, 1 uniform. One number, or one by read-out. Default: .75, two options at .79 and
   * .21. It has no meaning for the last stage.
   */
  readonly threshold?: Thresholds
  /** Whether this stage deliberates before it gives a question on. Default: as the request says, else `automatic`. */
  readonly deliberation?: DeliberationMode
  /** Most time for this stage. When it is over, the stage counts as down. Default: what the request has left. */
  readonly timeoutMs?: number
}

/** One model of a chain, as it is given. */
export interface ChainStage extends StageSettings {
  /** A loaded backend, a source, or the id of another model of the engine. */
  readonly model: Backend | ModelSource | string
}

/** One model of a chain among those of an engine, by its id. */
export interface NamedStage extends StageSettings {
  readonly id: string
}

/** A model whose answers come from the first of its stages that is sure. */
export interface ModelChain {
  readonly id: string
  /** Default: the id. */
  readonly name?: string
  readonly stages: readonly ChainStage[]
}

export interface ChainOptions {
  /** Default `chain`. */
  readonly id?: string
  readonly name?: string
}

const MOST_STAGES = 8

const STAGE_OPTIONS: OptionNames<ChainStage> = { model: true, threshold: true, deliberation: true, timeoutMs: true }
const CHAIN_OPTIONS: OptionNames<ChainOptions> = { id: true, name: true }

/**
 * Models in the order in which they are asked: `chainOf([localModel('small'), localModel('large')])`. Every question
 * goes to the first; those on which it stays uncertain after calibration go to the next, and so on. A stage that cannot
 * answer (it does not load, fails, is late, or cannot take the state) is passed over, and the answer says so. Throws
 * `invalid_request` for fewer than two stages, more than 8, what is no model, names that are not known, or values out
 * of range.
 */
export function chainOf(models: readonly (Backend | ModelSource | string | ChainStage)[], options: ChainOptions = {}): ModelChain {
  checkOptionNames(options, 'chainOf', CHAIN_OPTIONS)
  const { id = 'chain', name } = options
  if (!Array.isArray(models))
    throw new EngineError('invalid_request', `The models of a chain are an array; received ${jsonTypeOf(models)}.`)
  const stages = [...models.entries()].map(([i, given]) => stageOf(given, `models[${i}] of the chain ${id}`))
  if (stages.length < 2 || stages.length > MOST_STAGES) {
    throw new EngineError('invalid_request', `A chain has 2 to ${MOST_STAGES} models in their order, received ${stages.length}.`)
  }
  for (const stage of stages) refuseStage(id, stage)
  return { id, ...(name === undefined ? {} : { name }), stages }
}

/** The id of the model of a stage. */
export function stageId({ model }: ChainStage): string {
  if (typeof model === 'string') return model
  return 'info' in model ? model.info.id : model.id
}

/** `named`: the stage, as a message calls it. */
function stageOf(given: Backend | ModelSource | string | ChainStage, named: string): ChainStage {
  const stage: ChainStage = isObject(given) && 'model' in given ? (given as ChainStage) : { model: given as ChainStage['model'] }
  const { model } = stage
  if (typeof model === 'string' || (isObject(model) && ('info' in model || 'load' in model))) return stage
  const message = `${named} is a loaded backend, a source such as localModel("folder"), the id of another model, or an object with one of them as model; received ${jsonTypeOf(model)}.`
  throw new EngineError('invalid_request', message)
}

function refuseStage(chain: string, stage: ChainStage): void {
  const named = `The stage ${stageId(stage)} of the chain ${chain}`
  const refuse = (what: string): never => {
    throw new EngineError('invalid_request', `${named}: ${what}`)
  }
  checkOptionNames(stage, named, STAGE_OPTIONS)
  const { threshold, deliberation, timeoutMs } = stage
  const given =
    typeof threshold === 'object' ? Object.entries(threshold) : threshold === undefined ? [] : [['threshold', threshold] as const]
  for (const [readout, value] of given) {
    const isKnown = typeof threshold === 'number' || (DECISION_READOUTS as readonly string[]).includes(readout)
    if (!isKnown) refuse(`there is no read-out ${JSON.stringify(readout)}; there is ${DECISION_READOUTS.join(', ')}.`)
    if (!(typeof value === 'number' && value >= 0 && value <= 1)) refuse(`a threshold is a number from 0 to 1, received ${value}.`)
  }
  if (deliberation !== undefined && !DELIBERATION_MODES.includes(deliberation)) {
    refuse(otherDeliberation(deliberation))
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) refuse(`timeoutMs is a number of milliseconds above 0, received ${timeoutMs}.`)
}
