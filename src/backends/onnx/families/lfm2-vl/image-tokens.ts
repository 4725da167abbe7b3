// An image to the tokens that stand for it: its tiles with their names and the small whole, or the whole alone, between
// a token that opens and one that ends it (transformers, processing_lfm2_vl.py).
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens } from '../../decoder/chat-template.ts'
import type { TextTokenizer, TokenRun } from '../../runtime/tokenizer.ts'
import { cutOf } from './cut.ts'
import type { CutRule } from './settings.ts'
import type { CutFeatures } from './vision.ts'

export const IMAGE_TOKEN = '<image>'

export function makeImageTokens(tokenizer: Pick<TextTokenizer, 'control'>, rule: CutRule, vision: CutFeatures): ImageTokens {
  /** Grids larger than the vocabulary has names for are written as text, as in the reference. */
  const named = (name: string): TokenRun => tokenizer.control(name) ?? name
  const factor = rule.patch * rule.downsample
  const features = (width: number, height: number): TokenRun[] =>
    new Array<TokenRun>((width / factor) * (height / factor)).fill(named(IMAGE_TOKEN))

  return {
    token: IMAGE_TOKEN,
    write(picture: Picture) {
      const cut = cutOf(picture, rule)
      const { rows, cols, whole } = cut
      const runs: TokenRun[] = [named('<|image_start|>')]
      if (rows * cols > 1) {
        for (let tile = 0; tile < rows * cols; tile++) {
          runs.push(named(`<|img_row_${Math.floor(tile / cols) + 1}_col_${(tile % cols) + 1}|>`), ...features(rule.tileSize, rule.tileSize))
        }
        if (rule.thumbnail) runs.push(named('<|img_thumbnail|>'), ...features(whole.width, whole.height))
      } else runs.push(...features(whole.width, whole.height))
      runs.push(named('<|image_end|>'))
      return {
        runs,
        key: [picture.sha256, picture.width, picture.height, rows, cols, whole.width, whole.height].join(),
        features: (signal) => vision.features(picture, cut, signal),
      }
    },
  }
}
