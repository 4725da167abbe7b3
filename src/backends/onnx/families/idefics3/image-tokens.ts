// An image to the tokens that stand for it: rows of tiles with their names, then the whole image in one tile, as in the
// reference (transformers, processing_idefics3.py).
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens } from '../../decoder/chat-template.ts'
import { type TileRule, tileGrid } from '../../images/tiles.ts'
import type { TextTokenizer, TokenRun } from '../../runtime/tokenizer.ts'
import { type ImageFeatures, imageKey } from './vision.ts'

/**
 * States with up to so many images have them cut as the rule says; with more (video frames), each is one tile, as in
 * the reference.
 */
export const SPLIT_PICTURES_UP_TO = 4

const IMAGE_TOKEN = '<image>'

/** The rule for each image of a state with so many. */
const ruleFor = (rule: TileRule, images: number): TileRule => ({ ...rule, split: rule.split && images <= SPLIT_PICTURES_UP_TO })

export function makeImageTokens(tokenizer: TextTokenizer, rule: TileRule, tokensPerTile: number, vision: ImageFeatures): ImageTokens {
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

  return {
    token: IMAGE_TOKEN,
    write(picture: Picture, images: number) {
      const used = ruleFor(rule, images)
      const { rows, cols } = tileGrid(picture, used)
      return {
        runs: runsOf(rows, cols),
        key: imageKey(picture, used),
        features: (signal) => vision.features(picture, used, signal),
      }
    },
  }
}
