// An image to the tokens that stand for it, between a token that begins it and one that ends it. Gemma 3 and 3n have an
// empty line before and behind.
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens } from '../../decoder/chat-template.ts'
import type { TokenRun } from '../../runtime/tokenizer.ts'
import { type GemmaPictures, pictureKey } from './pictures.ts'
import type { PictureTokens } from './settings.ts'

export function makeImageTokens({ begin, end, soft, around, written, softName }: PictureTokens, pictures: GemmaPictures): ImageTokens {
  const beside: readonly TokenRun[] = around === '' ? [] : [around]
  return {
    token: written,
    row: softName,
    write(picture: Picture, _images: number, isLast: boolean) {
      const rows = new Array<TokenRun>(pictures.tokensOf(picture)).fill(soft)
      return {
        // Each question brings the empty line in front of it.
        runs: [...beside, begin, ...rows, end, ...(isLast ? [] : beside)],
        key: pictureKey(picture),
        features: (signal) => pictures.features(picture, signal),
      }
    },
  }
}
