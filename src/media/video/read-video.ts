// A video file to upright pictures with their times: looked at for what it is, opened by whatever decodes that here,
// sampled, decoded. What is too much is refused before any frame is decoded.
import { EngineError } from '../../core/errors.ts'
import type { Picture } from '../../core/types.ts'
import { sniff, VIDEO_MEDIA_TYPES } from '../sniff.ts'
import { openAnimation } from './animation.ts'
import type { OpenedVideo, VideoLimits } from './decoder.ts'
import { ffmpegCommand } from './ffmpeg.ts'
import { findDecoder } from './find-decoder.ts'
import { openByProcess } from './process-decoder.ts'
import { chooseFrames, type VideoSampling } from './sampling.ts'
import { webcodecsCommand } from './webcodecs.ts'

/** A video whose frames are chosen and not decoded yet. */
export interface SampledVideo {
  readonly mediaType: string
  /** Milliseconds from the first frame of the video, of the chosen frames. */
  readonly timesMs: readonly number[]
  /** Of each frame, as far as the file says. */
  readonly width: number
  readonly height: number
  /** `fps` asked for so many frames, more than there may be; null when it did not. */
  readonly asked: number | null
  /** The pictures, one for each of the times; fewer when the last ones cannot be decoded. */
  decode(mostPixels: number, signal: AbortSignal | undefined): Promise<Picture[]>
  /** Removes what opening left on the disk; to be called however it ended. */
  close(): Promise<void>
}

export interface VideoToRead {
  readonly data: Uint8Array
  readonly sampling: VideoSampling
  readonly limits: VideoLimits
  /** JSON Pointer of its source. */
  readonly param: string
  readonly signal: AbortSignal | undefined
}

/**
 * Opens a video and chooses its frames. Throws `unsupported_media_type` for other formats than MP4, WebM, GIF and WebP,
 * and where there is no decoder; `invalid_video`, `image_too_large` and `request_too_large` for what is wrong with it.
 */
export async function sampleVideo({ data, sampling, limits, param, signal }: VideoToRead): Promise<SampledVideo> {
  if (data.length === 0) throw new EngineError('invalid_video', 'The video has 0 bytes.', { param })
  const { video, mediaType, name } = sniff(data)
  if (video === null) {
    const instead = mediaType === null ? `send one of ${Object.values(VIDEO_MEDIA_TYPES).join(', ')}` : 'send them as a part of type image'
    throw new EngineError('unsupported_media_type', `The ${data.length} bytes are ${name}; ${instead}.`, { param })
  }
  const opened =
    video === 'gif' || video === 'webp'
      ? await openAnimation(video, data, limits, param)
      : await openByProcess(await commandHere(param), { container: video, data, limits, param, signal })
  try {
    return { mediaType: VIDEO_MEDIA_TYPES[video], ...chosenOf(opened, sampling, limits, param) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function commandHere(param: string) {
  const found = await findDecoder(process.env, param)
  return found.type === 'ffmpeg' ? ffmpegCommand(found.program) : webcodecsCommand()
}

function chosenOf(opened: OpenedVideo, sampling: VideoSampling, limits: VideoLimits, param: string): Omit<SampledVideo, 'mediaType'> {
  const { timeline, width, height } = opened
  if (width * height > limits.imagePixels) {
    const message = `The video has ${width} x ${height} = ${width * height} pixels, at most ${limits.imagePixels} are taken; send it smaller.`
    throw new EngineError('image_too_large', message, { param })
  }
  const { indices, asked } = chooseFrames(timeline, sampling, param)
  return {
    timesMs: indices.map((index) => timeline.timesMs[index] as number),
    width,
    height,
    asked,
    decode: (mostPixels, signal) => opened.decode({ indices, mostPixels, signal }),
    close: () => opened.close(),
  }
}
