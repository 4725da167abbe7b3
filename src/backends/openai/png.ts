// A picture to the data URL of a PNG, which every server reads. Made once for a picture, for all questions about it.
import type { Picture } from '../../core/types.ts'
import { loadSharp } from '../../media/images.ts'

const made = new WeakMap<Picture, Promise<string>>()

/** Base64 of the PNG. */
export function pngOf(picture: Picture): Promise<string> {
  const known = made.get(picture)
  if (known !== undefined) return known
  const making = encode(picture)
  made.set(picture, making)
  making.catch(() => made.delete(picture))
  return making
}

async function encode({ data, width, height }: Picture): Promise<string> {
  const sharp = await loadSharp()
  const png = await sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 3 })
    .toBuffer()
  return png.toString('base64')
}
