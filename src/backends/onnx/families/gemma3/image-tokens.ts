// An image to the tokens that stand for it: always as many, between a token that begins it and one that ends it, with
// an empty line before and behind.
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens } from '../../decoder/chat-template.ts'
import type { TokenRun } from '../../runtime/tokenizer.ts'
import type { PictureTokens, SquareRule } from './settings.ts'
import { type SquareFeatures, squareKey } from './vision.ts'

const EMPTY_LINE = '\n\n'

export function makeImageTokens({ begin, end, soft, ...names }: PictureTokens, rule: SquareRule, vision: SquareFeatures): ImageTokens {
  const image: readonly TokenRun[] = [EMPTY_LINE, begin, ...new Array<TokenRun>(rule.tokens).fill(soft), end]
  return {
    token: names.beginName,
    row: names.softName,
    write: (picture: Picture, _images: number, isLast: boolean) => ({
      // Each question brings the empty line in front of it.
      runs: isLast ? image : [...image, EMPTY_LINE],
      key: squareKey(picture),
      features: (signal) => vision.features(picture, signal),
    }),
  }
}
