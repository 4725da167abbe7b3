// Says which frames of a video are looked at: by a number of frames a second, or so many over the whole stretch.
import { EngineError } from '../../core/errors.ts'

/** What a request says of a video file. */
export interface VideoSampling {
  /** Frames of each second; null: `maxFrames` frames, evenly over the stretch. */
  readonly fps: number | null
  /** The most frames. */
  readonly maxFrames: number
  /** The stretch that is looked at, in milliseconds from the first frame. */
  readonly startMs: number
  /** Null: to the end. */
  readonly endMs: number | null
}

/** When the frames of a video are shown. */
export interface VideoTimeline {
  /** Milliseconds from the first frame, ascending. At least one. */
  readonly timesMs: readonly number[]
  /** When the last frame ends. */
  readonly durationMs: number
}

export interface ChosenFrames {
  /** Indices into `timesMs`, ascending, without repetition. At least one. */
  readonly indices: readonly number[]
  /** `fps` asked for so many frames, more than `maxFrames`; null when it did not. */
  readonly asked: number | null
}

/** The longest stretch that is looked at: decoding goes through all of it. */
const LONGEST_STRETCH_MS = 3_600_000

/**
 * Chooses frames. By `fps` they are those shown at the start of the stretch and every 1/fps seconds from there; without
 * it those in the middle of `maxFrames` equal sections. Where fps asks for more than `maxFrames`, it is the latter. A
 * frame that is shown at two of these times is taken once. Throws `invalid_video`.
 */
export function chooseFrames({ timesMs, durationMs }: VideoTimeline, sampling: VideoSampling, param: string): ChosenFrames {
  const { fps, maxFrames, startMs, endMs } = sampling
  const fail = (message: string) => new EngineError('invalid_video', message, { param })
  if (startMs >= durationMs) {
    throw fail(`The video is ${Math.round(durationMs)} ms long, and start_ms is ${startMs}; start before its end.`)
  }
  const lengthMs = Math.min(endMs ?? durationMs, durationMs) - startMs
  if (lengthMs > LONGEST_STRETCH_MS) {
    const message = `The video is ${minutes(lengthMs)} long, at most ${minutes(LONGEST_STRETCH_MS)} are looked at; say which by start_ms and end_ms.`
    throw fail(message)
  }
  const asked = fps === null ? 0 : Math.max(1, Math.ceil((lengthMs * fps) / 1000 - 1e-6))
  const byFps = fps !== null && asked <= maxFrames
  const count = byFps ? asked : maxFrames
  const stepMs = byFps ? 1000 / fps : lengthMs / maxFrames
  const firstMs = byFps ? startMs : startMs + stepMs / 2
  const indices: number[] = []
  for (let i = 0; i < count; i++) {
    const index = shownAt(timesMs, firstMs + i * stepMs)
    if (index !== indices.at(-1)) indices.push(index)
  }
  return { indices, asked: asked > maxFrames ? asked : null }
}

/** The last frame that begins at or before a time; the first one when there is none. */
function shownAt(timesMs: readonly number[], timeMs: number): number {
  let [low, high] = [0, timesMs.length]
  // A hundredth of a millisecond: times are sums of rounded numbers.
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((timesMs[middle] as number) <= timeMs + 0.01) low = middle
    else high = middle
  }
  return low
}

function minutes(ms: number): string {
  return `${Math.round(ms / 6000) / 10} minutes`
}
