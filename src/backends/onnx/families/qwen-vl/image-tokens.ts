// An image to the tokens that stand for it: as many as its patches have blocks, between the two tokens that the chat
// template writes around them.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens } from '../../decoder/chat-template.ts'
import { type Size, smartSize, withinEdge } from '../../images/smart-size.ts'
import type { PatchRule } from './settings.ts'
import type { PatchFeatures } from './vision.ts'

export const IMAGE_TOKEN = '<|image_pad|>'

/** The reference takes no longer pictures. */
const MOST_ASPECT = 200

/** The size that a picture is read at. Throws `invalid_request` for pictures that are too long for their width. */
export function readSize(picture: Size, rule: PatchRule): Size {
  const { width, height } = picture
  if (Math.max(width, height) / Math.min(width, height) > MOST_ASPECT) {
    throw new EngineError(
      'invalid_request',
      `a picture has ${width} x ${height} pixels; this model takes pictures at most ${MOST_ASPECT} times as long as wide, cut it`,
    )
  }
  return smartSize(withinEdge(picture, rule.longestEdge), rule)
}

/** `imageToken`: the id of the token that stands for a block. */
export function makeImageTokens(imageToken: number, rule: PatchRule, vision: PatchFeatures): ImageTokens {
  return {
    token: IMAGE_TOKEN,
    write(picture: Picture) {
      const size = readSize(picture, rule)
      const grid = { rows: size.height / rule.factor, cols: size.width / rule.factor }
      return {
        runs: new Array<number>(grid.rows * grid.cols).fill(imageToken),
        key: [picture.sha256, picture.width, picture.height, size.width, size.height].join(),
        grid,
        features: (signal) => vision.features(picture, size, signal),
      }
    },
  }
}
