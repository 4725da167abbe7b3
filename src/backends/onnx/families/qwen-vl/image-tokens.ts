// An image to the tokens that stand for it: as many as its patches have blocks, between the two tokens that the chat
// template writes around them.
import { EngineError } from '../../../../core/errors.ts'
import type { Picture } from '../../../../core/types.ts'
import type { ImageTokens, VideoTokens } from '../../decoder/chat-template.ts'
import { type SharedBounds, type Size, smartSize, withinEdge } from '../../images/smart-size.ts'
import type { PatchRule } from './settings.ts'
import { keyOf, type PatchFeatures } from './vision.ts'

export const IMAGE_TOKEN = '<|image_pad|>'

/** The reference takes no longer pictures. */
const MOST_ASPECT = 200

/**
 * The size that a picture is read at. Throws `invalid_request` for pictures that are too long for their width.
 * `shared`: with how many it shares the bounds of the area.
 */
export function readSize(picture: Size, rule: PatchRule, shared?: SharedBounds): Size {
  const { width, height } = picture
  if (Math.max(width, height) / Math.min(width, height) > MOST_ASPECT) {
    throw new EngineError(
      'invalid_request',
      `a picture has ${width} x ${height} pixels; this model takes pictures at most ${MOST_ASPECT} times as long as wide, cut it`,
    )
  }
  return smartSize(withinEdge(picture, rule.longestEdge), rule, shared)
}

/** `imageToken`: the id of the token that stands for a block. `video`: null where frames are read as pictures. */
export function makeImageTokens(imageToken: number, rule: PatchRule, vision: PatchFeatures, video: VideoTokens | null = null): ImageTokens {
  return {
    token: IMAGE_TOKEN,
    ...(video === null ? {} : { video }),
    write(picture: Picture) {
      const size = readSize(picture, rule)
      const grid = { rows: size.height / rule.factor, cols: size.width / rule.factor }
      return {
        runs: new Array<number>(grid.rows * grid.cols).fill(imageToken),
        key: keyOf([picture], size),
        grid,
        features: (signal) => vision.features([picture], size, signal),
      }
    },
  }
}
