// An image to the tokens that stand for it: rows of tiles with their names, then the whole image in one tile, as in the
// reference (transformers, processing_idefics3.py). A video is a line that introduces it, and its frames, each in one
// tile behind its time (processing_smolvlm.py).
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens, VideoTokens, WrittenImage } from '../../decoder/chat-template.ts'
import type { VideoFrame } from '../../decoder/videos.ts'
import { type TileRule, tileGrid } from '../../images/tiles.ts'
import type { TextTokenizer, TokenRun } from '../../runtime/tokenizer.ts'
import { numberWords } from './number-words.ts'
import { type ImageFeatures, imageKey } from './vision.ts'

/**
 * States with up to so many images have them cut as the rule says; with more (video frames that are read as images),
 * each is one tile, as in the reference.
 */
export const SPLIT_PICTURES_UP_TO = 4

export const IMAGE_TOKEN = '<image>'

/** The rule for each image of a state with so many. */
const ruleFor = (rule: TileRule, images: number): TileRule => ({ ...rule, split: rule.split && images <= SPLIT_PICTURES_UP_TO })

/** `frameRule`: of frames of videos; null where they are images to the model. */
export function makeImageTokens(
  tokenizer: TextTokenizer,
  rule: TileRule,
  tokensPerTile: number,
  vision: ImageFeatures,
  frameRule: TileRule | null = null,
): ImageTokens {
  /** Grids larger than the vocabulary has names for are written as text, as in the reference. */
  const named = (name: string): TokenRun => tokenizer.control(name) ?? name

  const runsOf = (rows: number, cols: number): TokenRun[] => {
    const fake = named('<fake_token_around_image>')
    const tile = new Array<TokenRun>(tokensPerTile).fill(named(IMAGE_TOKEN))
    const global = [fake, named('<global-img>'), ...tile, fake]
    if (rows === 0) return global
    const runs: TokenRun[] = []
    for (let row = 1; row <= rows; row++) {
      for (let col = 1; col <= cols; col++) runs.push(fake, named(`<row_${row}_col_${col}>`), ...tile)
      runs.push('\n')
    }
    return [...runs, '\n', ...global]
  }

  const written = (runs: readonly TokenRun[], picture: Picture, used: TileRule): WrittenImage => ({
    runs,
    key: imageKey(picture, used),
    features: (signal) => vision.features(picture, used, signal),
  })

  const videoTokens = (used: TileRule): VideoTokens => ({
    row: IMAGE_TOKEN,
    write: (frames) =>
      frames.map(({ picture, timeMs }, i) => {
        const before = `${i === 0 ? introduction(frames) : ''}\nFrame from ${clock(timeMs)}:`
        return written([before, ...runsOf(0, 0), ...(i === frames.length - 1 ? ['\n\n'] : [])], picture, used)
      }),
  })

  return {
    token: IMAGE_TOKEN,
    write(picture: Picture, images: number) {
      const used = ruleFor(rule, images)
      const { rows, cols } = tileGrid(picture, used)
      return written(runsOf(rows, cols), picture, used)
    },
    ...(frameRule === null ? {} : { video: videoTokens(frameRule) }),
  }
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Minutes and seconds: `03:07`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`
}

/** The length of the video is taken from its last frame, as in the reference where nothing else says it. */
function introduction(frames: readonly VideoFrame[]): string {
  const seconds = Math.floor((frames.at(-1) as VideoFrame).timeMs / 1000)
  const length = `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return `You are provided the following series of ${numberWords(frames.length)} frames from a ${length} [H:MM:SS] video.\n`
}
