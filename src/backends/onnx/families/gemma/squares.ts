// Pictures of Gemma 3 and 3n: each is squeezed into one square, and takes as many tokens as any other.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import { blockPatches, floatsOfLevels } from '../../images/patches.ts'
import { resample } from '../../images/resample.ts'
import { inputsOf, outputsOf, type Runtime, type Session } from '../../runtime/session.ts'
import { dataOf, floats } from '../../runtime/tensors.ts'
import type { PictureReader } from './pictures.ts'
import type { SquareRule } from './settings.ts'

/** A picture as the encoder takes it, [channel][y][x]: a square is one patch. */
export function squareOf(picture: Picture, { side }: SquareRule, levels: readonly Float32Array[]): Float32Array {
  return blockPatches([resample(picture, side, side, 'bilinear')], { patch: side, merge: 1, frames: 1 }, levels)
}

/** Throws `model_not_available` for a graph with other inputs or outputs. */
export function squareReader(runtime: Runtime, session: Session, rule: SquareRule): PictureReader {
  const { side, tokens } = rule
  const levels = floatsOfLevels(rule)
  return {
    width: widthOf(session, rule),
    tokensOf: () => tokens,
    async encode(picture) {
      const pixels = floats(runtime, squareOf(picture, rule, levels), [1, 3, side, side])
      return dataOf((await session.run({ pixel_values: pixels }, ['image_features'])).image_features)
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
