// Pictures to the rows that take the place of image tokens, [token][width]. Each picture takes a pass of its own, so
// what else is in a state changes none of its features.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import { ByteCache } from '../../caching/byte-cache.ts'
import type { ImageEncoder } from '../../decoder/prompt-builder.ts'
import { blockPatches, floatsOfLevels } from '../../images/patches.ts'
import { resample } from '../../images/resample.ts'
import { inputsOf, outputsOf, type Runtime, type Session } from '../../runtime/session.ts'
import { dataOf, floats } from '../../runtime/tensors.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import type { SquareRule } from './settings.ts'

export interface SquareFeatures {
  /** Numbers in a row, where the graph says it. */
  readonly width: number | null
  /** Cached by the hash of the pixels and the size. */
  features(picture: Picture, signal?: AbortSignal): Promise<Float32Array>
}

/** Pictures with the same key have the same features. */
export const squareKey = ({ sha256, width, height }: Picture): string => [sha256, width, height].join()

/** A picture as the encoder takes it, [channel][y][x]: a square is one patch. */
export function squareOf(picture: Picture, { side }: SquareRule, levels: readonly Float32Array[]): Float32Array {
  return blockPatches(resample(picture, side, side, 'bilinear'), { patch: side, merge: 1, frames: 1 }, levels)
}

/** Throws `model_not_available` for a graph with other inputs or outputs. */
export function makeImageEncoder(
  runtime: Runtime,
  session: Session,
  rule: SquareRule,
  cacheBytes: number,
  scheduler: FairScheduler,
): ImageEncoder & SquareFeatures {
  const width = widthOf(session, rule)
  const { side } = rule
  const levels = floatsOfLevels(rule)
  const cache = new ByteCache<Float32Array>(cacheBytes)

  const encode = async (picture: Picture): Promise<Float32Array> => {
    const out = await session.run({ pixel_values: floats(runtime, squareOf(picture, rule, levels), [1, 3, side, side]) }, [
      'image_features',
    ])
    return dataOf(out.image_features)
  }

  return {
    width,
    async features(picture, signal) {
      const make = async (stop: AbortSignal) => {
        const value = await scheduler.run(() => encode(picture), stop)
        return { value, bytes: value.byteLength }
      }
      return (await cache.through(squareKey(picture), make, signal)).value
    },
    get counts() {
      return cache.counts
    },
    async close() {
      cache.clear()
      await session.release()
    },
  }
}

/** The width of the rows, if it is said, of a graph that is the one of the other files. */
function widthOf(session: Session, { side, tokens }: SquareRule): number | null {
  const inputs = inputsOf(session)
  const pixels = inputs.find(({ name }) => name === 'pixel_values')
  const features = outputsOf(session).find(({ name }) => name === 'image_features')
  if (inputs.length !== 1 || pixels?.type !== 'float32' || pixels.shape.length !== 4 || features?.type !== 'float32') {
    const found = inputs.map(({ name, type, shape }) => `${name} (${type}, ${shape.length} axes)`).join(', ')
    throw new EngineError(
      'model_not_available',
      `vision_encoder takes ${found}; pixel_values (float32, 4 axes) to image_features was expected: take another dtype, or export it as transformers.js expects it`,
    )
  }
  const isSaid = (size: unknown): size is number => typeof size === 'number' && size > 0
  const sides = pixels.shape.slice(2).find((found) => isSaid(found) && found !== side)
  if (sides !== undefined) {
    throw new EngineError(
      'model_not_available',
      `vision_encoder takes squares of ${sides} pixels, preprocessor_config.json makes ${side}; take both files from the same model`,
    )
  }
  const [rows, width] = features.shape.slice(-2)
  if (isSaid(rows) && rows !== tokens) {
    throw new EngineError(
      'model_not_available',
      `vision_encoder gives ${rows} rows for a picture, config.json says ${tokens}; take both files from the same model`,
    )
  }
  return isSaid(width) ? width : null
}
