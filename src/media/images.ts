// Image files to upright 8-bit RGB pictures, by sharp. The header is read and checked before any pixel is decoded.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { Sharp as OpenedImage, default as Sharp } from 'sharp'
import { EngineError, type ErrorCode } from '../core/errors.ts'
import type { Picture } from '../core/types.ts'
import type { SentImage } from './coordinates.ts'
import { IMAGE_MEDIA_TYPES, type ImageMediaType, sniff } from './sniff.ts'

export interface ImageLimits {
  /** Bytes of one image file; default 16 MiB. */
  readonly imageBytes: number
  /** Pixels of one image, width times height; default 40 million. */
  readonly imagePixels: number
}

export const IMAGE_LIMITS: ImageLimits = { imageBytes: 16 * 1024 * 1024, imagePixels: 40_000_000 }

/** The header of an image file. `orientation` is the EXIF one, 1 to 8. */
export interface ImageHeader extends SentImage {
  readonly mediaType: ImageMediaType
}

/**
 * A side may have so many pixels, as in JPEG. Longer ones are no pictures, and take seconds to resize however few
 * pixels they have.
 */
const LONGEST_SIDE_PIXELS = 65_535

/** The most time that decoding one image may take. */
const DECODE_TIMEOUT_SECONDS = 30

const require = createRequire(import.meta.url)

let loading: Promise<typeof Sharp> | null = null

/** Loads sharp at the first image. Its cache would keep the pixels of users, so it is turned off. */
export function loadSharp(): Promise<typeof Sharp> {
  loading ??= requireSharp().catch((cause: unknown) => {
    loading = null
    const message = 'Reading images needs the package sharp; install it (npm install sharp) or send text only.'
    throw new EngineError('capability_not_supported', message, { cause })
  })
  return loading
}

/** Required rather than imported: its ES modules need Node 20.10 or newer. */
async function requireSharp(): Promise<typeof Sharp> {
  const sharp = require('sharp') as typeof Sharp
  sharp.cache(false)
  return sharp
}

function fail(code: ErrorCode, message: string, param: string, cause?: unknown): EngineError {
  return new EngineError(code, message, { param, cause })
}

/** The first line of an error of libvips, without its path in the source: the rest are repetitions. */
export function reasonOfSharp(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/^Input buffer (?:has corrupt header: |contains )?/, '').slice(0, 120)
}

const MiB = 1024 * 1024

/** How large a file may be, and what it is called in messages. */
export interface FileLimit {
  readonly what: 'image' | 'video'
  readonly bytes: number
}

/** Throws `image_too_large` or `request_too_large` for a file over the limit, which need not be read yet. */
export function checkFileBytes(bytes: number, { what, bytes: most }: FileLimit, param: string): void {
  if (bytes <= most) return
  const [has, takes] = most < MiB ? [`${bytes} bytes`, `${most}`] : [`${(bytes / MiB).toFixed(1)} MiB`, `${(most / MiB).toFixed(1)} MiB`]
  const message = `The ${what} has ${has}, at most ${takes} are taken; send it smaller.`
  throw fail(what === 'image' ? 'image_too_large' : 'request_too_large', message, param)
}

/**
 * Reads the header. Throws `unsupported_media_type` for other formats than JPEG, PNG, WebP and GIF, `image_too_large`
 * with the numbers, and `invalid_image` when the header is broken. `param` is the JSON Pointer of the source.
 */
export async function readImageHeader(data: Uint8Array, limits: ImageLimits, param: string): Promise<ImageHeader> {
  checkFileBytes(data.length, { what: 'image', bytes: limits.imageBytes }, param)
  if (data.length === 0) throw fail('invalid_image', 'The image has 0 bytes.', param)
  const { mediaType, video, name } = sniff(data)
  if (mediaType === null) {
    const instead = video === null ? `send one of ${IMAGE_MEDIA_TYPES.join(', ')}` : 'send them as a part of type video'
    const message = `The ${data.length} bytes are ${name}; ${instead}.`
    throw fail('unsupported_media_type', message, param)
  }
  const sharp = await loadSharp()
  // No pixel is decoded here, so no limit on them is needed yet.
  const header = await sharp(data, { limitInputPixels: false })
    .metadata()
    .catch((cause: unknown) => {
      throw fail('invalid_image', `The ${name} image has a broken header (${reasonOfSharp(cause)}); send the whole file.`, param, cause)
    })
  const { width: sentWidth, height: sentHeight, orientation = 1 } = header
  const pixels = sentWidth * sentHeight
  if (!(pixels > 0)) throw fail('invalid_image', `The ${name} image is ${sentWidth} x ${sentHeight} pixels.`, param)
  if (pixels > limits.imagePixels) {
    const message = `The image has ${sentWidth} x ${sentHeight} = ${pixels} pixels, at most ${limits.imagePixels} are taken; send it smaller.`
    throw fail('image_too_large', message, param)
  }
  if (Math.max(sentWidth, sentHeight) > LONGEST_SIDE_PIXELS) {
    const message = `The image has ${sentWidth} x ${sentHeight} pixels, at most ${LONGEST_SIDE_PIXELS} a side are taken; cut it into shorter ones.`
    throw fail('image_too_large', message, param)
  }
  return { mediaType, sentWidth, sentHeight, orientation: orientation >= 1 && orientation <= 8 ? orientation : 1 }
}

/** What sharp has opened, in sRGB with transparency on white, 8 bits a channel. Throws what sharp throws. */
export async function decodeRgb(opened: OpenedImage) {
  const { data, info } = await opened
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .removeAlpha()
    .timeout({ seconds: DECODE_TIMEOUT_SECONDS })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  return { width, height, channels, pixels: new Uint8Array(data.buffer, data.byteOffset, data.length) }
}

/**
 * Decodes to an upright picture: EXIF orientation applied, sRGB, transparency on white, 8 bits a channel. Throws
 * `invalid_image` when the file is truncated or broken. `header` is what `readImageHeader` gave for the same bytes.
 */
export async function decodeImage(data: Uint8Array, header: ImageHeader, param: string): Promise<Picture> {
  const sharp = await loadSharp()
  const opened = sharp(data, { failOn: 'error', limitInputPixels: header.sentWidth * header.sentHeight }).autoOrient()
  const { width, height, channels, pixels } = await decodeRgb(opened).catch((cause: unknown) => {
    const message = `The image cannot be decoded (${reasonOfSharp(cause)}); it may be cut short or damaged, send it again.`
    throw fail('invalid_image', message, param, cause)
  })
  if (channels !== 3) throw fail('internal_error', `The image decoded to ${channels} channels instead of 3.`, param)
  return { width, height, data: pixels, sha256: await hashPixels(width, height, pixels) }
}

/** Bytes hashed in one go, some 3 ms, so that a large picture does not block the process. */
const HASH_CHUNK_BYTES = 4 * MiB

/** Names the pixels of a picture. */
export async function hashPixels(width: number, height: number, pixels: Uint8Array): Promise<string> {
  const hash = createHash('sha256').update(`${width}x${height}\n`)
  for (let from = 0; from < pixels.length; from += HASH_CHUNK_BYTES) {
    if (from > 0) await setImmediate()
    hash.update(pixels.subarray(from, from + HASH_CHUNK_BYTES))
  }
  return hash.digest('hex')
}
