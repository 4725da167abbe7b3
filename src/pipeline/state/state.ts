// Turns a state as it was sent (text, JSON, or parts with pictures) into a prompt and its images, which keep the pixel
// grid in which they were sent.
import { createHash } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import { VIDEO_FRAMES } from '../../core/limits.ts'
import type { Json, Picture, Piece, Prompt } from '../../core/types.ts'
import { type UrlOptions, urlFetcher } from '../../media/fetch-url.ts'
import { decodeImage, IMAGE_LIMITS, type ImageHeader, type ImageLimits, readImageHeader } from '../../media/images.ts'
import { type CheckedSource, readSource, refuseClosedUrls, type SourceOptions } from '../../media/sources.ts'
import { isParts } from '../../wire/part-types.ts'
import { jsonPieces } from './json.ts'
import { type CheckedPart, checkParts, jsonWarnings, type PartLimits } from './parts.ts'

/** Limits and permissions. Each has a default. */
export interface StateOptions extends Partial<ImageLimits & PartLimits> {
  /**
   * Pixels of all images and frames together, which bounds the memory of one request at three bytes a pixel; default
   * 320 million.
   */
  readonly totalPixels?: number
  /**
   * Whether `path` sources are read; default true. Say false where requests come from somewhere else than the process
   * itself.
   */
  readonly localFiles?: boolean
  /** Files that came with the request, for `part` sources: name to bytes. */
  readonly files?: ReadonlyMap<string, Uint8Array>
  /** Hosts that `url` sources may be fetched from, and within which time; null (default): URLs are refused. */
  readonly urls?: UrlOptions | null
}

/** An image of the state. Boxes go back to its pixels through `toSentPixels(edges, image)`. */
export interface ReadImage extends ImageHeader {
  readonly id: string
  /** Index of the state part. */
  readonly part: number
  /** Milliseconds into the video for a frame; null for an image. */
  readonly timeMs: number | null
}

export interface ReadState {
  readonly prompt: Prompt
  /** In reading order; frames of videos too, with the ids `<video id>#1`, `#2`, … */
  readonly images: readonly ReadImage[]
  readonly warnings: readonly string[]
}

const DEFAULTS = {
  ...IMAGE_LIMITS,
  images: 16,
  videoFrames: VIDEO_FRAMES,
  totalPixels: 320_000_000,
  localFiles: true,
  files: new Map<string, Uint8Array>(),
  urls: null,
}
type Settings = Omit<typeof DEFAULTS, 'files' | 'urls'> & Pick<SourceOptions, 'files'> & { readonly urls: UrlOptions | null }

/** Pictures decoded at the same time. */
const AT_ONCE = 4

/** A picture that is not decoded yet. */
interface PendingImage {
  readonly id: string
  readonly part: number
  readonly timeMs: number | null
  readonly source: CheckedSource
}

/** Milliseconds as `00:03.2`, from an hour on `1:00:03.2`. */
export function timeText(timeMs: number): string {
  const tenths = Math.round(timeMs / 100)
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(tenths / 36_000)
  const clock = `${two(Math.floor(tenths / 600) % 60)}:${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`
  return hours === 0 ? clock : `${hours}:${clock}`
}

/**
 * Default ids `image_1`, `video_1`, … count the images (videos) of the state. Throws when two pictures share an
 * id.
 */
function idsOf(parts: readonly CheckedPart[]): (string | null)[] {
  const counts = { image: 0, video: 0 }
  const seen = new Map<string, number>()
  return parts.map((part, i) => {
    if (part.type !== 'image' && part.type !== 'video') return null
    counts[part.type]++
    const id = part.id ?? `${part.type}_${counts[part.type]}`
    const before = seen.get(id)
    if (before !== undefined) {
      const message = `The parts ${before} and ${i} are both called ${JSON.stringify(id)}; give each its own id.`
      throw new EngineError('invalid_request', message, { param: part.id === null ? part.param : `${part.param}/id` })
    }
    seen.set(id, i)
    return id
  })
}

function pendingImages(parts: readonly CheckedPart[], ids: readonly (string | null)[]): PendingImage[] {
  return parts.flatMap((part, i): PendingImage[] => {
    const id = ids[i] as string
    if (part.type === 'image') return [{ id, part: i, timeMs: null, source: part.source }]
    if (part.type !== 'video') return []
    return part.frames.map(({ source, timeMs }, n) => ({ id: `${id}#${n + 1}`, part: i, timeMs, source }))
  })
}

/**
 * Does the work on some items at a time and keeps their order. The first failure in order is thrown, so that it does
 * not depend on timing.
 */
async function inBatches<A, B>(items: readonly A[], work: (item: A, index: number) => Promise<B>): Promise<B[]> {
  const results: B[] = []
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const settled = await Promise.allSettled(items.slice(from, from + AT_ONCE).map((item, i) => work(item, from + i)))
    for (const outcome of settled) {
      if (outcome.status === 'rejected') throw outcome.reason
      results.push(outcome.value)
    }
  }
  return results
}

/**
 * The bytes of all pictures, and what their headers say. When one fails, those that are still being fetched are given
 * up.
 */
async function readHeaders(
  pending: readonly PendingImage[],
  settings: Settings,
): Promise<{ readonly data: Uint8Array; readonly header: ImageHeader }[]> {
  const sources = pending.map(({ source }) => source)
  refuseClosedUrls(sources, settings.urls)
  const fetcher = settings.urls !== null && sources.some(({ type }) => type === 'url') ? urlFetcher(settings.urls) : null
  try {
    return await inBatches(sources, async (source) => {
      const data = await readSource(source, { ...settings, fetchUrl: fetcher?.fetch ?? null })
      return { data, header: await readImageHeader(data, settings, source.param) }
    })
  } finally {
    fetcher?.stop()
  }
}

/** All headers first, so that what is too large is refused before any pixel is decoded. */
async function readImages(pending: readonly PendingImage[], settings: Settings): Promise<{ images: ReadImage[]; pictures: Picture[] }> {
  const files = await readHeaders(pending, settings)
  const pixels = files.reduce((sum, { header }) => sum + header.sentWidth * header.sentHeight, 0)
  if (pixels > settings.totalPixels) {
    const message = `The images have ${pixels} pixels together, at most ${settings.totalPixels} are taken; send them smaller or fewer.`
    throw new EngineError('image_too_large', message, { param: '/state' })
  }
  const pictures = await inBatches(files, ({ data, header }, i) => decodeImage(data, header, (pending[i] as PendingImage).source.param))
  const images = pending.map(({ id, part, timeMs }, i) => ({ id, part, timeMs, ...(files[i] as { header: ImageHeader }).header }))
  return { images, pictures }
}

/** Joins pieces; neighbouring stretches of scaffold become one. */
class Assembly {
  readonly pieces: Piece[] = []

  add(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      const last = this.pieces.at(-1)
      if (piece.type === 'text' && piece.source === null && last?.type === 'text' && last.source === null) {
        this.pieces[this.pieces.length - 1] = { ...last, text: last.text + piece.text }
      } else this.pieces.push(piece)
    }
  }

  scaffold(text: string): void {
    this.add([{ type: 'text', text, source: null }])
  }
}

function textPieces(text: string, part: number): Piece[] {
  return text === '' ? [] : [{ type: 'text', text, source: { part, path: null } }]
}

/**
 * Parts one under the other. A picture is named when its sender named it, or when there are several, so that a question
 * can say which.
 */
function assemble(
  parts: readonly CheckedPart[],
  ids: readonly (string | null)[],
  pending: readonly PendingImage[],
  pictures: readonly Picture[],
): Prompt {
  const assembly = new Assembly()
  const named = ids.filter((id) => id !== null).length
  let next = 0
  const addImage = (): void => {
    const { id } = pending[next] as PendingImage
    assembly.add([{ type: 'image', id, picture: pictures[next++] as Picture }])
  }
  for (const [i, part] of parts.entries()) {
    if (assembly.pieces.length > 0) assembly.scaffold('\n')
    if (part.type === 'text') assembly.add(textPieces(part.text, i))
    else if (part.type === 'json') assembly.add(jsonPieces(part.value, i, part.param))
    else {
      if (part.id !== null || named > 1) assembly.scaffold(`${part.type === 'image' ? 'Image' : 'Video'} ${ids[i]}:\n`)
      if (part.type === 'image') addImage()
      else {
        for (const [n, { timeMs }] of part.frames.entries()) {
          assembly.scaffold(`${n === 0 ? '' : '\n'}Frame at ${timeText(timeMs)}:\n`)
          addImage()
        }
      }
    }
  }
  return { pieces: assembly.pieces }
}

/**
 * Reads a state: a string is text, an array whose every element has a known part type is parts, any other object or
 * array is JSON. `state` need not be checked before. Throws `EngineError` with the pointer of what is wrong (all of it,
 * as far as shapes go): `invalid_request`, `invalid_image`, `invalid_video`, `image_too_large`,
 * `unsupported_media_type`, `request_too_large`.
 */
export async function readState(state: unknown, options: StateOptions = {}): Promise<ReadState> {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const settings: Settings = { ...DEFAULTS, ...given }
  if (typeof state === 'string') return { prompt: { pieces: textPieces(state, 0) }, images: [], warnings: [] }
  if (typeof state !== 'object' || state === null) {
    const got = state === null ? 'null' : typeof state
    throw new EngineError('invalid_request', `A state is a text, a JSON object or an array of parts, received ${got}.`, { param: '/state' })
  }
  if (ArrayBuffer.isView(state)) {
    const message = 'The state is bytes; send a picture as [{ type: "image", source: { type: "bytes", bytes } }].'
    throw new EngineError('invalid_request', message, { param: '/state' })
  }
  if (!isParts(state)) return { prompt: { pieces: jsonPieces(state as Json, 0) }, images: [], warnings: jsonWarnings(state) }

  const parts = checkParts(state, settings)
  const ids = idsOf(parts)
  const pending = pendingImages(parts, ids)
  const { images, pictures } = await readImages(pending, settings)
  return { prompt: assemble(parts, ids, pending, pictures), images, warnings: [] }
}

/** A hash of what the model reads of a state: texts and pixels. 16 hex digits. */
export function hashOfState({ pieces }: Prompt): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(JSON.stringify(piece.type === 'text' ? piece.text : { pixels: piece.picture.sha256 }))
  return hash.digest('hex').slice(0, 16)
}
