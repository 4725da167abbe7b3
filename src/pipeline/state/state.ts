// Turns a state as it was sent (text, JSON, or parts with pictures) into a prompt and its images, which keep the pixel
// grid in which they were sent.
import { createHash } from 'node:crypto'
import { checkOptionNames, withoutUndefined } from '../../core/given-options.ts'
import { LONGEST_STATE, VIDEO_FILE_LIMITS, VIDEO_FRAMES } from '../../core/limits.ts'
import type { Json, Piece, Prompt, PromptPart } from '../../core/types.ts'
import type { UrlOptions } from '../../media/fetch-url.ts'
import { IMAGE_LIMITS } from '../../media/images.ts'
import type { VideoLimits } from '../../media/video/decoder.ts'
import type { Fault } from '../../questions/shared/checked-question.ts'
import { isParts } from '../../wire/part-types.ts'
import { faultsOf, gather } from '../faults.ts'
import type { CheckedPart } from './checked-parts.ts'
import { flatWarnings } from './flat-pictures.ts'
import { jsonPieces, tooLong } from './json.ts'
import { checkParts, emptyWarnings, jsonWarnings, type PartLimits, textWarnings } from './parts.ts'
import { type PictureSettings, type ReadImage, readPictures, type SeenPicture } from './pictures.ts'
import { plainJson } from './plain-json.ts'

/** Limits and permissions. Each has a default. */
export interface StateOptions extends Partial<VideoLimits & PartLimits> {
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

export interface ReadState {
  readonly prompt: Prompt
  /** In reading order; frames of videos too, with the ids `<video id>#1`, `#2`, … */
  readonly images: readonly ReadImage[]
  /** The ids of all pictures that were sent, also where they could not be read. Null where they cannot be told. */
  readonly pictureIds: readonly string[] | null
  readonly warnings: readonly string[]
}

const DEFAULTS: PictureSettings = {
  ...IMAGE_LIMITS,
  ...VIDEO_FILE_LIMITS,
  images: 16,
  videoFrames: VIDEO_FRAMES,
  totalPixels: 320_000_000,
  localFiles: true,
  files: new Map<string, Uint8Array>(),
  urls: null,
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
 * Default ids `image_1`, `video_1`, … count the images (videos) of the state. Two pictures that share an id are a
 * fault.
 */
function idsOf(parts: readonly CheckedPart[], faults: Fault[]): (string | null)[] {
  const counts = { image: 0, video: 0 }
  const seen = new Map<string, number>()
  return parts.map((part, i) => {
    if (part.type !== 'image' && part.type !== 'video') return null
    counts[part.type]++
    const id = part.id ?? `${part.type}_${counts[part.type]}`
    const before = seen.get(id)
    if (before !== undefined) {
      const message = `The parts ${before} and ${i} are both called ${JSON.stringify(id)}; give each its own id.`
      faults.push({ code: 'invalid_request', param: part.id === null ? part.param : `${part.param}/id`, message })
    }
    seen.set(id, i)
    return id
  })
}

/** Joins pieces; neighbouring stretches of scaffold become one. */
class Assembly {
  readonly pieces: Piece[] = []

  add(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      const last = this.pieces.at(-1)
      if (piece.type === 'text' && piece.source === null && last?.type === 'text' && last.source === null) {
        this.pieces[this.pieces.length - 1] = {
          ...last,
          ...(piece.frameTimeFrom === undefined ? {} : { frameTimeFrom: last.text.length }),
          text: last.text + piece.text,
        }
      } else this.pieces.push(piece)
    }
  }

  scaffold(text: string): void {
    this.add([{ type: 'text', text, source: null }])
  }

  /** When the frame behind it is shown. */
  frameTime(text: string): void {
    this.add([{ type: 'text', text, source: null, frameTimeFrom: 0 }])
  }
}

/**
 * A state that was looked at. Nothing that the caller does afterwards changes it, apart from the bytes of pictures,
 * which are not copied: they are large.
 */
export type CheckedState =
  | {
      readonly type: 'parts'
      /** Null where there are more pictures than are read. */
      readonly parts: readonly CheckedPart[] | null
      readonly warnings: readonly string[]
    }
  | { readonly type: 'value'; readonly value: Json; readonly warnings: readonly string[] }

function textPieces(text: string, part: number): Piece[] {
  if (text.length > LONGEST_STATE) throw tooLong('/state')
  return text === '' ? [] : [{ type: 'text', text, source: { part, path: null } }]
}

/**
 * Parts one under the other. A picture is named when its sender named it, or when there are several, so that a question
 * can say which. `texts`: the pieces of each part that is no picture. `seen`: in reading order.
 */
function assemble(
  parts: readonly CheckedPart[],
  ids: readonly (string | null)[],
  texts: readonly (readonly Piece[])[],
  seen: readonly SeenPicture[],
): Prompt {
  const assembly = new Assembly()
  const named = ids.filter((id) => id !== null).length
  for (const [i, part] of parts.entries()) {
    if (assembly.pieces.length > 0) assembly.scaffold('\n')
    if (part.type === 'text' || part.type === 'json') assembly.add(texts[i]!)
    else {
      if (part.id !== null || named > 1) assembly.scaffold(`${part.type === 'image' ? 'Image' : 'Video'} ${ids[i]}:\n`)
      for (const [n, { image, picture }] of seen.filter((one) => one.image.part === i).entries()) {
        const { id, timeMs } = image
        if (timeMs !== null) assembly.frameTime(`${n === 0 ? '' : '\n'}Frame at ${timeText(timeMs)}:\n`)
        assembly.add([{ type: 'image', id, picture, ...(timeMs === null ? {} : { frame: { video: ids[i] as string, timeMs } }) }])
      }
    }
  }
  return { pieces: assembly.pieces, parts: parts.map(promptPart) }
}

/** Of a part without a fault. */
function promptPart(part: CheckedPart, index: number): PromptPart {
  if (part.type === 'text') return { type: 'text', index, text: part.text ?? '' }
  return part.type === 'json' ? { type: 'json', index, value: part.value ?? null } : { type: 'image', index }
}

/** The prompt of a state that is one text or one JSON value. */
function promptOf(part: PromptPart & { readonly type: 'text' | 'json' }): Prompt {
  const pieces = part.type === 'text' ? textPieces(part.text, part.index) : jsonPieces(part.value, part.index)
  return { pieces, parts: [part] }
}

/**
 * Checks a state: a string is text, an array whose every element has a known part type is parts, any other value is
 * JSON. `state` need not be checked before. What is wrong is added to `faults`, each with its pointer. Everything is
 * taken from `state` before this returns.
 */
export function checkState(state: unknown, options: StateOptions, faults: Fault[]): CheckedState {
  if (isParts(state)) {
    const parts = checkParts(state, settingsOf(options), faults)
    return { type: 'parts', parts, warnings: emptyWarnings(state) }
  }
  if (ArrayBuffer.isView(state)) {
    const message = 'The state is bytes; send a picture as [{ type: "image", source: { type: "bytes", bytes } }].'
    faults.push({ code: 'invalid_request', param: '/state', message })
    return { type: 'value', value: null, warnings: [] }
  }
  const value = plainJson(state, '/state', faults)
  return { type: 'value', value, warnings: [...emptyWarnings(value), ...jsonWarnings(value), ...textWarnings(value)] }
}

/**
 * Reads what `checkState` gave, to a prompt that is of use only if there is no fault: `invalid_request`,
 * `invalid_image`, `invalid_video`, `image_too_large`, `unsupported_media_type`, `request_too_large`. The signal stops
 * decoders of videos, and its reason is thrown.
 */
export function readCheckedState(state: CheckedState, options: StateOptions, faults: Fault[], signal?: AbortSignal): Promise<ReadState> {
  return state.type === 'parts' ? readParts(state, settingsOf(options), faults, signal) : readValue(state, faults)
}

/** Throws `invalid_request` for options that are not known. */
export function checkStateOptions(options: StateOptions): void {
  checkOptionNames(options, 'state', DEFAULTS)
}

function settingsOf(options: StateOptions): PictureSettings {
  return { ...DEFAULTS, ...withoutUndefined(options) }
}

/** A text, or JSON. */
async function readValue({ value, warnings }: CheckedState & { readonly type: 'value' }, faults: Fault[]): Promise<ReadState> {
  const part = typeof value === 'string' ? { type: 'text' as const, index: 0, text: value } : { type: 'json' as const, index: 0, value }
  const prompt = await gather(faults, () => promptOf(part))
  return { prompt: prompt ?? { pieces: [] }, images: [], pictureIds: [], warnings }
}

async function readParts(
  { parts, warnings: said }: CheckedState & { readonly type: 'parts' },
  settings: PictureSettings,
  faults: Fault[],
  signal: AbortSignal | undefined,
): Promise<ReadState> {
  if (parts === null) return { prompt: { pieces: [] }, images: [], pictureIds: null, warnings: [] }
  const ids = idsOf(parts, faults)
  const texts: (readonly Piece[])[] = []
  for (const [i, part] of parts.entries()) {
    if (part.type === 'text') texts[i] = (await gather(faults, () => textPieces(part.text ?? '', i))) ?? []
    else if (part.type === 'json' && part.value !== undefined) {
      const { value, param } = part
      texts[i] = (await gather(faults, () => jsonPieces(value, i, param))) ?? []
    }
  }
  const characters = texts.flat().reduce((sum, piece) => sum + (piece.type === 'text' ? piece.text.length : 0), 0)
  if (characters > LONGEST_STATE) faults.push(...faultsOf(tooLong('/state')))
  const { seen, pictureIds, warnings } = await readPictures(parts, ids, settings, faults, signal)
  return {
    prompt: faults.length > 0 ? { pieces: [] } : assemble(parts, ids, texts, seen),
    images: seen.map(({ image }) => image),
    pictureIds,
    warnings: [...said, ...warnings, ...flatWarnings(seen.map(({ image, picture }) => ({ id: image.id, picture })))],
  }
}

/** A hash of what the model reads of a state: texts and pixels. 16 hex digits. */
export function hashOfState({ pieces }: Prompt): string {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(JSON.stringify(piece.type === 'text' ? piece.text : { pixels: piece.picture.sha256 }))
  return hash.digest('hex').slice(0, 16)
}
