// Standard base64, with line breaks allowed, to bytes. Buffer alone would ignore wrong characters. Large files are
// decoded in pieces, so that the thread is free in between.
import { setImmediate } from 'node:timers/promises'

/** Characters in one go, some milliseconds. */
const AT_ONCE = 2 ** 20

/** What to say of base64 that is not right, and how to hold its length to a limit. */
export interface Base64Checks {
  /** Called with the number of bytes that there are at least, as it grows; may throw. */
  atLeast(bytes: number): void
  /** Makes the error for a fault that is said in the message. */
  invalid(message: string): Error
}

/** The bytes. Throws what `checks` makes. */
export async function decodeBase64(text: string, checks: Base64Checks): Promise<Uint8Array> {
  // Blanks first: most of the text may be.
  const pieces: string[] = []
  let length = 0
  for (let from = 0; from < text.length; from += AT_ONCE) {
    if (from > 0) await setImmediate()
    const given = text.slice(from, from + AT_ONCE)
    const piece = /\s/.test(given) ? given.replace(/\s+/g, '') : given
    pieces.push(piece)
    length += piece.length
    checks.atLeast(Math.floor((length * 3) / 4) - 2)
  }
  const bytes = Buffer.alloc(Math.ceil((length * 3) / 4))
  let [written, place, carried, padding] = [0, 0, '', 0]
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) await setImmediate()
    const odd = piece.search(/[^A-Za-z0-9+/]/)
    if (odd !== -1) {
      // Only one or two equals signs may follow, and they end it.
      const left = length - place - odd
      if (left > 2 || !/^==?$/.test(pieces.slice(i).join('').slice(odd))) {
        throw checks.invalid(`The data is not base64: character ${place + odd + 1} of ${length} is out of place.`)
      }
      padding = left
    }
    place += piece.length
    // Four characters are three bytes; what is over waits for the next piece.
    const whole = carried + (odd === -1 ? piece : piece.slice(0, odd))
    const taken = odd !== -1 || place === length ? whole.length : whole.length - (whole.length % 4)
    carried = whole.slice(taken)
    written += bytes.write(whole.slice(0, taken), written, 'base64')
    if (odd !== -1) break
  }
  if ((padding > 0 && length % 4 !== 0) || length % 4 === 1) {
    throw checks.invalid(`The data is not whole base64: ${length} characters; it may be cut short.`)
  }
  return bytes.subarray(0, written)
}
