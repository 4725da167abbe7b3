// Reads how long each frame of an animated GIF or WebP is shown, by walking over the blocks of the file. Nothing is
// decoded and nothing is kept but the times, so a file with a million frames is refused before a decoder sees it.
import { setImmediate } from 'node:timers/promises'
import { EngineError } from '../../core/errors.ts'

/** Blocks walked over in one go, some milliseconds. */
const STEPS_AT_ONCE = 200_000
/** Browsers show a frame without a time for so long. */
const NO_TIME_MS = 100

/** What a walk yields: the time of a frame, or null for a block that is none. */
type Walk = Generator<number | null>

/**
 * Milliseconds that each frame is shown. A file that ends early gives the frames until there. Throws
 * `request_too_large` when there are more than `most`.
 */
export async function frameDelays(format: 'gif' | 'webp', data: Uint8Array, most: number, param: string): Promise<number[]> {
  const delays: number[] = []
  let steps = 0
  for (const delay of format === 'gif' ? walkGif(data) : walkWebp(data)) {
    if (++steps % STEPS_AT_ONCE === 0) await setImmediate()
    if (delay === null) continue
    // As browsers do: shorter times are mistakes of old programs.
    delays.push(delay <= 10 ? NO_TIME_MS : delay)
    if (delays.length > most) {
      const message = `The animation has more than ${most} frames, which is the most; send a shorter one.`
      throw new EngineError('request_too_large', message, { param })
    }
  }
  return delays
}

/** GIF89a: blocks after the header and its colour table. */
function* walkGif(data: Uint8Array): Walk {
  const colourTable = (packed: number): number => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0)
  let delay = 0
  let at = 13 + colourTable(data[10] ?? 0)
  while (at < data.length) {
    const block = data[at]
    if (block === 0x21) {
      // A graphic control extension: its delay is in hundredths of a second.
      if (data[at + 1] === 0xf9) delay = 10 * ((data[at + 4] ?? 0) + 256 * (data[at + 5] ?? 0))
      at += 2
    } else if (block === 0x2c) {
      yield delay
      delay = 0
      at += 11 + colourTable(data[at + 9] ?? 0)
    } else return
    // Sub-blocks: a length, so many bytes; a length of 0 ends them.
    while (at < data.length && data[at] !== 0) {
      at += 1 + (data[at] as number)
      yield null
    }
    at++
  }
}

/** RIFF chunks; every ANMF is a frame. A file without one is a single picture. */
function* walkWebp(data: Uint8Array): Walk {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  let isAnimated = false
  for (let at = 12; at + 8 <= data.length; ) {
    const isFrame = view.getUint32(at) === 0x414e4d46
    const size = view.getUint32(at + 4, true)
    if (isFrame && at + 24 <= data.length) {
      isAnimated = true
      yield view.getUint32(at + 20, true) & 0xffffff
    } else yield null
    at += 8 + size + (size % 2)
  }
  if (!isAnimated) yield 0
}
