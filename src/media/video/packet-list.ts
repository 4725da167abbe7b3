// Reads the list of packets that ffmpeg writes in its format `framecrc`: the size of the pictures, and when each is
// shown. Packets come in the order of decoding; times are sorted.
import { EngineError } from '../../core/errors.ts'
import type { VideoTimeline } from './sampling.ts'

export interface ListedPackets {
  readonly timeline: VideoTimeline
  /** As the file has them, in seconds: index by index the times of the timeline, which begins at 0. */
  readonly timesSeconds: readonly number[]
  readonly width: number
  readonly height: number
}

/** Packets that are there for others, and never shown (AV_PKT_FLAG_DISCARD). */
const DISCARDED = 4

/** Collects the lines as they come. */
export class PacketList {
  readonly #most: number
  readonly #param: string
  #rest = ''
  #secondsPerTick = 0
  #size: readonly [number, number] = [0, 0]
  readonly #packets: { readonly seconds: number; readonly length: number }[] = []

  constructor(most: number, param: string) {
    this.#most = most
    this.#param = param
  }

  /** Throws `request_too_large` when there are too many packets. */
  push(chunk: Buffer): void {
    const lines = (this.#rest + chunk.toString('latin1')).split('\n')
    this.#rest = (lines.pop() ?? '').slice(0, 1000)
    for (const line of lines) this.#line(line)
    if (this.#packets.length > this.#most) {
      const message = `The video has more than ${this.#most} frames, which is the most; cut it, or take frames from it yourself.`
      throw new EngineError('request_too_large', message, { param: this.#param })
    }
  }

  #line(line: string): void {
    const [, numerator, denominator] = /^#tb 0: (\d+)\/(\d+)/.exec(line) ?? []
    if (numerator !== undefined) this.#secondsPerTick = Number(numerator) / Number(denominator)
    const [, width, height] = /^#dimensions 0: (\d+)x(\d+)/.exec(line) ?? []
    if (width !== undefined) this.#size = [Number(width), Number(height)]
    const [, shown, length] = /^0,\s*-?\d+,\s*(-?\d+),\s*(-?\d+),/.exec(line) ?? []
    if (shown === undefined || Number(/F=0x([0-9a-f]+)/i.exec(line)?.[1] ?? 0) & DISCARDED) return
    this.#packets.push({ seconds: Number(shown) * this.#secondsPerTick, length: Math.max(0, Number(length) * this.#secondsPerTick) })
  }

  /** What the lines said. Throws `invalid_video` when there are no frames. */
  end(): ListedPackets {
    const [width, height] = this.#size
    const packets = this.#packets.sort((a, b) => a.seconds - b.seconds)
    const [first, last] = [packets[0], packets.at(-1)]
    if (first === undefined || last === undefined || !(width * height > 0) || !(this.#secondsPerTick > 0)) {
      throw new EngineError('invalid_video', 'The video has 0 frames; it may be cut short, send it again.', { param: this.#param })
    }
    const timesSeconds = packets.map(({ seconds }) => seconds)
    return {
      timeline: {
        timesMs: timesSeconds.map((seconds) => (seconds - first.seconds) * 1000),
        // A last frame without a length ends where it begins, but a video is never 0 ms long.
        durationMs: Math.max(1, (last.seconds - first.seconds + last.length) * 1000),
      },
      timesSeconds,
      width,
      height,
    }
  }
}
