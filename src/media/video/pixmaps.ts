// A stream of binary PPM pictures (P6, 8 bits a channel) to pictures in memory. Every header is held to the limits
// before memory is taken for its pixels.
import { EngineError } from '../../core/errors.ts'

export interface Pixmap {
  readonly width: number
  readonly height: number
  /** [height][width][3] */
  readonly data: Uint8Array
}

export interface PixmapLimits {
  readonly pictures: number
  /** Pixels of one picture. */
  readonly imagePixels: number
  /** Pixels of all pictures. */
  readonly mostPixels: number
}

const LONGEST_HEADER = 32

/** Reads PPM pictures as their bytes come. `param` is the JSON Pointer for what it refuses. */
export class PixmapReader {
  readonly pictures: Pixmap[] = []
  readonly #limits: PixmapLimits
  readonly #param: string
  #header = ''
  #current: Pixmap | null = null
  #filled = 0
  #pixels = 0

  constructor(limits: PixmapLimits, param: string) {
    this.#limits = limits
    this.#param = param
  }

  /** Throws `image_too_large` for pictures over the limits, and `invalid_video` for what is not PPM. */
  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#current === null) {
        this.#header += String.fromCharCode(chunk[at++] as number)
        this.#begin()
      } else {
        const { data } = this.#current
        const taken = chunk.subarray(at, at + data.length - this.#filled)
        data.set(taken, this.#filled)
        this.#filled += taken.length
        at += taken.length
        if (this.#filled === data.length) this.#finish(this.#current)
      }
    }
  }

  #begin(): void {
    const [, width, height] = /^P6\s(\d{1,6})\s(\d{1,6})\s255\s$/.exec(this.#header) ?? []
    if (width === undefined || height === undefined) {
      if (this.#header.length < LONGEST_HEADER) return
      throw new EngineError('invalid_video', 'The video cannot be decoded: its frames came in a form not known here.', {
        param: this.#param,
      })
    }
    const size = { width: Number(width), height: Number(height) }
    const pixels = size.width * size.height
    this.#pixels += pixels
    const { pictures, imagePixels, mostPixels } = this.#limits
    if (!(pixels > 0) || this.pictures.length >= pictures) {
      throw new EngineError('invalid_video', 'The video cannot be decoded: it has more frames than it says.', { param: this.#param })
    }
    if (pixels > imagePixels || this.#pixels > mostPixels) {
      const message = `A frame of the video has ${width} x ${height} pixels: more than is taken of one picture (${imagePixels}) or of all of them (${mostPixels}); send it smaller.`
      throw new EngineError('image_too_large', message, { param: this.#param })
    }
    this.#header = ''
    this.#filled = 0
    this.#current = { ...size, data: new Uint8Array(pixels * 3) }
  }

  #finish(picture: Pixmap): void {
    this.pictures.push(picture)
    this.#current = null
  }
}
