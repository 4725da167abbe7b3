// What a decoder of video files gives: when the frames are shown, and the pictures of those that are chosen. Animations
// are decoded in this process, other videos in processes of their own.
import type { Picture } from '../../core/types.ts'
import type { ImageLimits } from '../images.ts'
import type { VideoTimeline } from './sampling.ts'

export interface VideoLimits extends ImageLimits {
  /** Bytes of one video file. */
  readonly videoBytes: number
  /** Milliseconds that decoding one video may take. */
  readonly videoMs: number
}

/** Frames of one file, sampled or not: two hours at 25 a second. */
export const MOST_FRAMES_OF_FILE = 180_000

export interface FramesToDecode {
  /** Into `timesMs` of the timeline, ascending. */
  readonly indices: readonly number[]
  /** Pixels of all of them together. */
  readonly mostPixels: number
  readonly signal: AbortSignal | undefined
}

export interface OpenedVideo {
  readonly timeline: VideoTimeline
  /** Pixels, as the file says; a video that was filmed on its side may come out with the two exchanged. */
  readonly width: number
  readonly height: number
  /**
   * Upright pictures. There may be fewer than were asked for, when the last frames cannot be decoded; never none.
   * Throws `invalid_video`, `image_too_large` or `request_too_large`.
   */
  decode(frames: FramesToDecode): Promise<Picture[]>
  /** Removes what opening left on the disk. */
  close(): Promise<void>
}
