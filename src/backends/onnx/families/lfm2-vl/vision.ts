// Pictures to the rows that take the place of image tokens, [part][token][width]. Each tile takes a pass of its own, so
// other requests have their turns in between, and tiles do not depend on each other.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import { cachedEncoder } from '../../decoder/feature-cache.ts'
import type { ImageEncoder } from '../../decoder/prompt-builder.ts'
import { floatsOfLevels, plainPatches } from '../../images/patches.ts'
import type { Raster } from '../../images/resample.ts'
import { inputsOf, outputsOf, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { floats, ints, joined } from '../../runtime/tensors.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { type Cut, partsOf } from './cut.ts'
import type { CutRule } from './settings.ts'

export interface CutFeatures {
  /** Features of all parts of a picture, one behind the other. Cached by the hash of its pixels and the cut. */
  features(picture: Picture, cut: Cut, signal?: AbortSignal): Promise<Float32Array>
}

/** What exports call the mask: those with `embed_images` name it otherwise. */
const MASK_NAMES = ['pixel_attention_mask', 'patch_attention_mask']

/** Throws `model_not_available` for a graph with other inputs or outputs. */
export function makeImageEncoder(
  runtime: Runtime,
  session: Session,
  rule: CutRule,
  cacheBytes: number,
  scheduler: FairScheduler,
): ImageEncoder & CutFeatures {
  const inputs = inputsOf(session)
  const mask = inputs.find(({ name }) => MASK_NAMES.includes(name))
  const has = (name: string): boolean => inputs.some((input) => input.name === name)
  const length = 3 * rule.patch ** 2
  const output = outputsOf(session)[0]?.name
  if (inputs.length !== 3 || mask === undefined || output === undefined || !has('pixel_values') || !has('spatial_shapes')) {
    throw new EngineError(
      'model_not_available',
      `the graph of pictures takes ${inputs.map(({ name }) => name).join(', ')}; pixel_values, pixel_attention_mask and spatial_shapes were expected: export it as transformers.js expects it`,
    )
  }
  // Rows are padded as in the reference, since exports may count on it.
  const padded = Math.max(rule.maxTokens * rule.downsample ** 2, rule.split ? (rule.tileSize / rule.patch) ** 2 : 0)
  const levels = floatsOfLevels(rule)

  const encode = async (part: Raster): Promise<Float32Array> => {
    const [rows, cols] = [part.height / rule.patch, part.width / rule.patch]
    const seen = Uint8Array.from({ length: padded }, (_, i) => (i < rows * cols ? 1 : 0))
    const feeds = {
      pixel_values: floats(runtime, plainPatches(part, rule.patch, padded, levels), [1, padded, length]),
      [mask.name]: mask.type === 'bool' ? new runtime.Tensor('bool', seen, [1, padded]) : ints(runtime, seen, [1, padded]),
      spatial_shapes: ints(runtime, [rows, cols], [1, 2]),
    }
    const out = await session.run(feeds, [output])
    return (out[output] as Tensor).data as Float32Array
  }

  return cachedEncoder<CutFeatures>(session, cacheBytes, (through) => ({
    features(picture, cut, signal) {
      const make = async (stop: AbortSignal) => {
        const parts: Float32Array[] = []
        for (const part of partsOf(picture, cut, rule)) parts.push(await scheduler.run(() => encode(part), stop))
        return joined(parts)
      }
      const key = [picture.sha256, picture.width, picture.height, cut.rows, cut.cols, cut.whole.width, cut.whole.height].join()
      return through(key, make, signal)
    },
  }))
}
