// Finds pictures of one colour: a screenshot that failed, a frame before the video begins. Their sender wants to know.
import type { Picture } from '../../core/types.ts'

/** Pictures named in a warning. */
const MOST_NAMED = 8

/** A warning that names the pictures of one colour; none when there are none. */
export function flatWarnings(pictures: readonly { readonly id: string; readonly picture: Picture }[]): string[] {
  const flat = pictures.flatMap(({ id, picture }) => (isFlat(picture) ? [`${JSON.stringify(id)} (${colourOf(picture)})`] : []))
  if (flat.length === 0) return []
  const named = flat.slice(0, MOST_NAMED).join(', ') + (flat.length > MOST_NAMED ? ` and ${flat.length - MOST_NAMED} more` : '')
  const what = flat.length === 1 ? `The picture ${named} is` : `The pictures ${named} are`
  return [`${what} of one colour all over, so there is nothing to see; check that it is what was meant to be sent.`]
}

/** Whether every pixel is as the first: the bytes are compared with themselves a pixel on, up to a difference. */
function isFlat({ data }: Picture): boolean {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return bytes.subarray(3).equals(bytes.subarray(0, -3))
}

function colourOf({ data }: Picture): string {
  return `#${Buffer.from(data.subarray(0, 3)).toString('hex')}`
}
