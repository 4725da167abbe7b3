// Pictures of Gemma 4: each is brought to the largest size of its own shape that has no more patches than the model was
// given, and read with where each patch stands. A block of patches is one token.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import { floatsOfLevels, plainPatches } from '../../images/patches.ts'
import { resample } from '../../images/resample.ts'
import type { Size } from '../../images/smart-size.ts'
import { inputsOf, outputsOf, type Runtime, type Session } from '../../runtime/session.ts'
import { dataOf, floats, ints } from '../../runtime/tensors.ts'
import type { PictureReader } from './pictures.ts'
import type { PatchBudget } from './settings.ts'

/** Where a patch of the padding stands, in both directions. */
const NOWHERE = -1

const patchesOf = ({ tokens, pool }: PatchBudget): number => tokens * pool ** 2

/**
 * The size that a picture is read at (`get_aspect_ratio_preserving_size` of transformers). Throws `invalid_request` for
 * pictures that are too long for their width.
 */
export function sizeInBudget({ width, height }: Size, budget: PatchBudget): Size {
  const side = budget.pool * budget.patch
  const grow = Math.sqrt((patchesOf(budget) * budget.patch ** 2) / (height * width))
  const whole = (length: number): number => Math.floor((grow * length) / side) * side
  const [across, down] = [whole(width), whole(height)]
  const most = budget.tokens * side
  if (across === 0 && down === 0) {
    throw new EngineError('invalid_request', `a picture has ${width} x ${height} pixels, which this model cannot read; cut it`)
  }
  // So long that its short side would vanish.
  if (down === 0) return { width: Math.min(Math.floor(width / height) * side, most), height: side }
  if (across === 0) return { width: side, height: Math.min(Math.floor(height / width) * side, most) }
  return { width: across, height: down }
}

/** A picture as the encoder takes it: patches, [patch][y][x][channel], and the column and the row of each. */
export function placedPatches(picture: Picture, budget: PatchBudget, levels: readonly Float32Array[]) {
  const { patch } = budget
  const { width, height } = sizeInBudget(picture, budget)
  const [cols, count] = [width / patch, (width / patch) * (height / patch)]
  const places: number[] = new Array(2 * patchesOf(budget)).fill(NOWHERE)
  for (let i = 0; i < count; i++) [places[2 * i], places[2 * i + 1]] = [i % cols, Math.floor(i / cols)]
  return { patches: plainPatches(resample(picture, width, height, 'bicubic'), patch, patchesOf(budget), levels), places }
}

/** Throws `model_not_available` for a graph with other inputs or outputs. */
export function patchReader(runtime: Runtime, session: Session, budget: PatchBudget): PictureReader {
  const levels = floatsOfLevels(budget)
  const [count, numbers] = [patchesOf(budget), 3 * budget.patch ** 2]
  return {
    width: widthOf(session, count, numbers),
    tokensOf(picture) {
      const { width, height } = sizeInBudget(picture, budget)
      return (width * height) / (budget.pool * budget.patch) ** 2
    },
    async encode(picture) {
      const { patches, places } = placedPatches(picture, budget, levels)
      const feeds = {
        pixel_values: floats(runtime, patches, [1, count, numbers]),
        pixel_position_ids: ints(runtime, places, [1, count, 2]),
      }
      return dataOf((await session.run(feeds, ['image_features'])).image_features)
    },
  }
}

/** The width of the rows, if it is said, of a graph that is the one of the other files. */
function widthOf(session: Session, count: number, numbers: number): number | null {
  const inputs = inputsOf(session)
  const pixels = inputs.find(({ name }) => name === 'pixel_values')
  const features = outputsOf(session).find(({ name }) => name === 'image_features')
  const hasPlaces = inputs.some(({ name }) => name === 'pixel_position_ids')
  if (inputs.length !== 2 || !hasPlaces || pixels?.type !== 'float32' || pixels.shape.length !== 3 || features?.type !== 'float32') {
    const found = inputs.map(({ name, type, shape }) => `${name} (${type}, ${shape.length} axes)`).join(', ')
    throw new EngineError(
      'model_not_available',
      `vision_encoder takes ${found}; pixel_values (float32, 3 axes) and pixel_position_ids to image_features were expected: take another dtype, or export it as transformers.js expects it`,
    )
  }
  const own = [count, numbers]
  const other = pixels.shape.slice(1).find((size, axis) => typeof size === 'number' && size > 0 && size !== own[axis])
  if (other !== undefined) {
    throw new EngineError(
      'model_not_available',
      `vision_encoder takes patches of shape [${pixels.shape.slice(1).join(', ')}], the image processor makes [${own.join(', ')}]; take both files from the same model`,
    )
  }
  const width = features.shape.at(-1)
  return typeof width === 'number' && width > 0 ? width : null
}
