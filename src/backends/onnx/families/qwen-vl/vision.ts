// Pictures to the rows that take the place of image tokens, [token][width], in the order of the merged grid. Features
// of other depths (DeepStack) stand beside them where the graph gives any. Each picture takes a pass of its own, so
// what else is in a state changes none of its features. So does each step of a video, the frames that share a patch:
// patches of one step attend to no other, so the sums are those of the whole video in one pass, and every graph that
// reads pictures reads videos.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import { deepStackValues, rowsOfDepths } from '../../decoder/deepstack.ts'
import { cachedEncoder } from '../../decoder/feature-cache.ts'
import type { ImageEncoder } from '../../decoder/prompt-builder.ts'
import { blockPatches, floatsOfLevels } from '../../images/patches.ts'
import { resample } from '../../images/resample.ts'
import type { Size } from '../../images/smart-size.ts'
import { inputsOf, outputsOf, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { floats, ints } from '../../runtime/tensors.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import type { PatchRule } from './settings.ts'

export interface PatchFeatures {
  /**
   * Features of a picture read at this size, or of frames that share a patch, all of one size. Cached by the hashes of
   * their pixels and both sizes.
   */
  features(pictures: readonly Picture[], size: Size, signal?: AbortSignal): Promise<Float32Array>
}

/** Pictures with the same key have the same features. */
export const keyOf = (pictures: readonly Picture[], size: Size): string =>
  [...pictures.flatMap(({ sha256, width, height }) => [sha256, width, height]), size.width, size.height].join()

/** What exports call the input with the sizes of the pictures in patches: that of Qwen2-VL differs. */
const GRID_NAMES = ['image_grid_thw', 'grid_thw']

/** Throws `model_not_available` for a graph with other inputs or outputs. */
export function makeImageEncoder(
  runtime: Runtime,
  session: Session,
  rule: PatchRule,
  cacheBytes: number,
  scheduler: FairScheduler,
): ImageEncoder & PatchFeatures {
  const inputs = inputsOf(session)
  const grid = inputs.find(({ name }) => GRID_NAMES.includes(name))?.name
  const pixels = inputs.find(({ name }) => name === 'pixel_values')
  const length = 3 * rule.frames * rule.patch ** 2
  const depths = deepStackValues(outputsOf(session), 'vision_encoder').names
  const width = pixels?.shape.at(-1)
  if (
    inputs.length !== 2 ||
    grid === undefined ||
    pixels?.type !== 'float32' ||
    !outputsOf(session).some(({ name }) => name === 'image_features')
  ) {
    throw new EngineError(
      'model_not_available',
      `vision_encoder takes ${inputs.map(({ name }) => name).join(', ')}; pixel_values (float32) and image_grid_thw to image_features were expected: export it as transformers.js expects it`,
    )
  }
  if (typeof width === 'number' && width > 0 && width !== length) {
    throw new EngineError(
      'model_not_available',
      `vision_encoder takes patches of ${width} numbers, preprocessor_config.json makes ${length}; take both files from the same model`,
    )
  }
  const levels = floatsOfLevels(rule)

  const encode = async (pictures: readonly Picture[], size: Size): Promise<Float32Array> => {
    const [rows, cols] = [size.height / rule.patch, size.width / rule.patch]
    const rasters = pictures.map((picture) => resample(picture, size.width, size.height, 'bicubic'))
    const patches = blockPatches(rasters, rule, levels)
    const feeds = { pixel_values: floats(runtime, patches, [rows * cols, length]), [grid]: ints(runtime, [1, rows, cols], [1, 3]) }
    const out = await session.run(feeds, ['image_features', ...depths])
    const own = (out.image_features as Tensor).data as Float32Array
    return rowsOfDepths(
      own,
      depths.map((name) => out[name] as Tensor),
      (rows * cols) / rule.merge ** 2,
    )
  }

  return cachedEncoder<PatchFeatures>(session, cacheBytes, (through) => ({
    features: (pictures, size, signal) =>
      through(keyOf(pictures, size), (stop) => scheduler.run(() => encode(pictures, size), stop), signal),
  }))
}
