// Whether the graphs of a folder hand on the features of all depths that its config.json lists (DeepStack). An export
// that leaves them out answers fluently about pictures that it reads badly, so it is used for texts alone: these have
// no such features.
import { EngineError } from '../../../../core/errors.ts'
import { objectAt } from '../../decoder/configuration.ts'
import { deepStackValues } from '../../decoder/deepstack.ts'
import type { GraphFile, ModelFolder } from '../../runtime/layout.ts'
import { inputsOf, outputsOf, type Session } from '../../runtime/session.ts'

/** How many depths the model was trained with. Throws `model_not_available` where config.json does not say it. */
export function deepStackDepthsOf({ config, modelType }: ModelFolder): number {
  const layers = objectAt(config, 'vision_config').deepstack_visual_indexes ?? (modelType === 'qwen3_vl' ? null : [])
  if (Array.isArray(layers)) return layers.length
  const found = layers === null ? 'missing' : JSON.stringify(layers)
  throw new EngineError(
    'model_not_available',
    `deepstack_visual_indexes of vision_config of config.json is ${found}, a list of layers was expected; download the folder again`,
  )
}

/**
 * Why pictures are not read with this encoder: it gives features of no other depth. Null where it gives those of all.
 * Throws `model_not_available` where it gives more or fewer.
 */
export function whyUnseen(depths: number, { files }: GraphFile, encoder: Session): string | null {
  const given = deepStackValues(outputsOf(encoder), 'vision_encoder')
  if (given.names.length === 0 && depths > 0) {
    const lost = `the picture features of ${depths} depths that config.json lists (DeepStack)`
    return `${files[0]} leaves out ${lost}, without which the model reads print and places far worse; take an export that gives deepstack_features`
  }
  if (given.depths === null || given.depths === depths) return null
  throw otherDepths(depths, `${files[0]} gives`, given.depths)
}

/** Throws `model_not_available` where the decoder takes features of more or fewer depths than it will be given. */
export function refuseOtherDepths(depths: number, { files }: GraphFile, decoder: Session): void {
  const taken = deepStackValues(inputsOf(decoder), files[0] as string).depths
  if (taken !== depths) throw otherDepths(depths, `${files[0]} takes`, taken)
}

const otherDepths = (expected: number, does: string, found: number | null): EngineError =>
  new EngineError(
    'model_not_available',
    `${does} picture features of ${found} depths (DeepStack), of ${expected} were expected; take config.json and all graphs from the same export`,
  )
