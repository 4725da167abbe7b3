// Animated GIF and WebP to pictures, by sharp. A frame of an animation builds on those before it, so the chosen frames
// are decoded in stretches, and the work is bounded before any of it is done.
import { EngineError } from '../../core/errors.ts'
import type { Picture } from '../../core/types.ts'
import { decodeRgb, hashPixels, loadSharp, readImageHeader, reasonOfSharp } from '../images.ts'
import { frameDelays } from './animation-header.ts'
import type { FramesToDecode, OpenedVideo, VideoLimits } from './decoder.ts'

/** Frames of one animation: nearly three minutes at 60 a second. */
const MOST_FRAMES = 10_000
/** Pixels that one call of sharp gives: 96 MB. */
const STRETCH_PIXELS = 32_000_000
/** Pixels that are decoded for one animation, frames between the chosen ones included: seconds. */
const MOST_DECODED_PIXELS = 1_500_000_000

/** Reads when the frames of an animation are shown. Throws `invalid_video`, `image_too_large`, `request_too_large`. */
export async function openAnimation(format: 'gif' | 'webp', data: Uint8Array, limits: VideoLimits, param: string): Promise<OpenedVideo> {
  const delays = await frameDelays(format, data, MOST_FRAMES, param)
  if (delays.length === 0)
    throw new EngineError('invalid_video', 'The animation has 0 frames; it may be cut short, send it again.', { param })
  const header = await readImageHeader(data, { ...limits, imageBytes: limits.videoBytes }, param).catch(asVideo)
  const { sentWidth: width, sentHeight: height } = header
  const timesMs: number[] = []
  let durationMs = 0
  for (const delay of delays) {
    timesMs.push(durationMs)
    durationMs += delay
  }
  return {
    timeline: { timesMs, durationMs },
    width,
    height,
    decode: (frames) => decodeFrames(data, { width, height, param }, frames),
    close: async () => {},
  }
}

/** What is wrong with a picture is said of the animation. */
function asVideo(error: unknown): never {
  if (!(error instanceof EngineError) || error.code !== 'invalid_image') throw error
  throw new EngineError('invalid_video', error.message, { param: error.param ?? '', cause: error })
}

interface FrameSize {
  readonly width: number
  readonly height: number
  readonly param: string
}

async function decodeFrames(data: Uint8Array, size: FrameSize, { indices, signal }: FramesToDecode): Promise<Picture[]> {
  const { width, height, param } = size
  const stretches = stretchesOf(indices, Math.max(1, Math.floor(STRETCH_PIXELS / (width * height))))
  const work = stretches.reduce((sum, [, last]) => sum + (last + 1) * width * height, 0)
  if (work > MOST_DECODED_PIXELS) {
    const message = `The animation has ${width} x ${height} pixels, and ${(indices.at(-1) ?? 0) + 1} frames up to the last that is looked at; scale it down, cut it, or end earlier with end_ms.`
    throw new EngineError('image_too_large', message, { param })
  }
  const pictures: Picture[] = []
  for (const [first, last] of stretches) {
    signal?.throwIfAborted()
    const pixels = await decodeStretch(data, size, first, last)
    const bytes = width * height * 3
    for (const index of indices) {
      if (index < first || index > last) continue
      // A copy: a view would keep the whole stretch in memory.
      const frame = pixels.slice((index - first) * bytes, (index - first + 1) * bytes)
      pictures.push({ width, height, data: frame, sha256: await hashPixels(width, height, frame) })
    }
  }
  return pictures
}

/** Neighbouring indices in as few stretches [first, last] as there can be with at most `most` frames each. */
function stretchesOf(indices: readonly number[], most: number): (readonly [number, number])[] {
  const stretches: [number, number][] = []
  for (const index of indices) {
    const current = stretches.at(-1)
    if (current !== undefined && index - current[0] < most) current[1] = index
    else stretches.push([index, index])
  }
  return stretches
}

async function decodeStretch(data: Uint8Array, { width, height, param }: FrameSize, first: number, last: number): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const pages = last - first + 1
  const opened = sharp(data, { page: first, pages, failOn: 'error', limitInputPixels: width * height * pages })
  const decoded = await decodeRgb(opened).catch((cause: unknown) => {
    const message = `The animation cannot be decoded (${reasonOfSharp(cause)}); it may be cut short or damaged, send it again.`
    throw new EngineError('invalid_video', message, { param, cause })
  })
  if (decoded.width !== width || decoded.height !== height * pages || decoded.channels !== 3) {
    const { width: w, height: h, channels } = decoded
    throw new EngineError('internal_error', `The frames decoded to ${w} x ${h} x ${channels}.`, { param })
  }
  return decoded.pixels
}
