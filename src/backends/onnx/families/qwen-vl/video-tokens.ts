// A video to the tokens that stand for it. Its frames are read in steps of as many as share a patch (two). Qwen2-VL and
// Qwen2.5-VL write all steps as one run of tokens and tell them apart by their positions in time; Qwen3-VL and Qwen3.5
// write each step like an image, behind its time in seconds.
//
// All of it is as the makers of the models published it with transformers 4.57. Later versions differ in two places
// (seen in 5.23): they keep the tokens that the chat template writes around a video around those of its steps, too,
// and let the text behind a long video begin at positions that the video has already.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import type { VideoTokens, WrittenImage } from '../../decoder/chat-template.ts'
import type { VideoFrame } from '../../decoder/videos.ts'
import { roundHalfToEven, type Size } from '../../images/smart-size.ts'
import { joined } from '../../runtime/tensors.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'
import { readSize } from './image-tokens.ts'
import type { VideoRule } from './settings.ts'
import { keyOf, type PatchFeatures } from './vision.ts'

export const VIDEO_TOKEN = '<|video_pad|>'

/** Frames that share a patch. The last step may have fewer: then its last frame stands for the others. */
interface Step {
  readonly pictures: readonly Picture[]
  readonly fromMs: number
  readonly toMs: number
}

function stepsOf(frames: readonly VideoFrame[], count: number): Step[] {
  return Array.from({ length: Math.ceil(frames.length / count) }, (_, i) => {
    const own = frames.slice(i * count, (i + 1) * count)
    const [first, last] = [own[0] as VideoFrame, own.at(-1) as VideoFrame]
    return { pictures: own.map(({ picture }) => picture), fromMs: first.timeMs, toMs: last.timeMs }
  })
}

/** The size that the frames of a video are read at. */
export function videoSize(frames: readonly VideoFrame[], rule: VideoRule): Size {
  const { width, height } = (frames[0] as VideoFrame).picture
  if (!rule.sharesBounds) return readSize({ width, height }, rule)
  // Frames that are smaller than a block are brought to its size first.
  const grow = Math.max(1, rule.factor / width, rule.factor / height)
  const own = grow === 1 ? { width, height } : { width: Math.floor(width * grow), height: Math.floor(height * grow) }
  return readSize(own, rule, {
    pictures: frames.length,
    counted: roundHalfToEven(frames.length / rule.frames) * rule.frames,
  })
}

/** Seconds with one decimal, halves to the even one, as Python writes them. */
export function secondsText(ms: number): string {
  const seconds = ms / 1000
  // Odd quarters are the only numbers that lie halfway and are exact in binary.
  const isHalfway = Number.isInteger(seconds * 4) && !Number.isInteger(seconds * 2)
  return (isHalfway ? roundHalfToEven(seconds * 10) / 10 : seconds).toFixed(1)
}

/** Throws `model_not_available` where the tokenizer lacks a token. */
export function makeVideoTokens(tokenizer: Pick<TextTokenizer, 'control'>, rule: VideoRule, vision: PatchFeatures): VideoTokens {
  const token = (name: string): number => {
    const id = tokenizer.control(name)
    if (id !== undefined) return id
    const message = `tokenizer.json has no control token ${name}, which videos are written with; take the folder as it was published`
    throw new EngineError('model_not_available', message)
  }
  const [start, row, end] = [token('<|vision_start|>'), token(VIDEO_TOKEN), token('<|vision_end|>')]

  return {
    row: VIDEO_TOKEN,
    write(frames) {
      const size = videoSize(frames, rule)
      const grid = { rows: size.height / rule.factor, cols: size.width / rule.factor }
      const steps = stepsOf(frames, rule.frames)
      const rowsOf = (count: number): number[] => new Array<number>(count * grid.rows * grid.cols).fill(row)

      if (rule.time.by === 'text') {
        return steps.map(
          ({ pictures, fromMs, toMs }): WrittenImage => ({
            runs: [`<${secondsText((fromMs + toMs) / 2)} seconds>`, start, ...rowsOf(1), end],
            key: keyOf(pictures, size),
            grid,
            features: (signal) => vision.features(pictures, size, signal),
          }),
        )
      }
      const times = timesOf(steps, rule)
      return [
        {
          runs: [start, ...rowsOf(steps.length), end],
          key: [...steps.map(({ pictures }) => keyOf(pictures, size)), ...times].join(),
          grid: { ...grid, times },
          async features(signal) {
            const parts: Float32Array[] = []
            for (const { pictures } of steps) parts.push(await vision.features(pictures, size, signal))
            return joined(parts)
          },
        },
      ]
    },
  }
}

/** So that times which are sums of rounded numbers do not fall below a whole position. */
const ROUNDING = 1e-4

/** How many positions behind the first step each of them stands. */
function timesOf(steps: readonly Step[], { time }: VideoRule): number[] {
  if (time.by !== 'positions') return steps.map((_, i) => i)
  const startMs = (steps[0] as Step).fromMs
  return steps.map(({ fromMs }) => Math.floor(((fromMs - startMs) / 1000) * time.perSecond + ROUNDING))
}
