// Checks the parts of a state: every field must be known, and all faults are reported together.
import { EngineError, type ErrorCode, type Problem, pointer } from '../../core/errors.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { isObject } from '../../core/untrusted.ts'
import { type CheckedSource, checkSource, checkUrl, type Reporter } from '../../media/sources.ts'
import { PART_TYPES, typeOf } from '../../wire/part-types.ts'

/** A part whose shape is right. `id` is as given, null when it was not. JSON values are checked where they are read. */
export type CheckedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly value: Json; readonly param: string }
  | { readonly type: 'image'; readonly id: string | null; readonly source: CheckedSource; readonly param: string }
  | { readonly type: 'video'; readonly id: string | null; readonly frames: readonly CheckedFrame[]; readonly param: string }

export interface CheckedFrame {
  readonly source: CheckedSource
  /** Milliseconds from the start of the video. */
  readonly timeMs: number
}

export interface PartLimits {
  /** Image parts of a state; default 16. */
  readonly images: number
  /** Frames of all videos of a state; default 64. */
  readonly videoFrames: number
}

const VIDEO_FILE_FIELDS = ['source', 'fps', 'max_frames', 'start_ms', 'end_ms']
const LONGEST_ID = 128

type Fields = Readonly<Record<string, unknown>>

/** Warnings about a state that is read as JSON although it seems to hold pictures. */
export function jsonWarnings(state: unknown): string[] {
  const isPicture = (value: unknown): boolean => {
    const type = typeOf(value)
    const fields = value as Fields
    if (type === 'image' || type === 'video') return isObject(fields.source) || Array.isArray(fields.frames)
    return (type === 'image_url' || type === 'input_image') && Object.hasOwn(fields, 'image_url')
  }
  if (isPicture(state))
    return ['The state is one object that looks like a picture, and was read as JSON; put it in an array to have it seen.']
  if (!Array.isArray(state) || !state.some(isPicture)) return []
  const odd = state.findIndex((element) => !PART_TYPES.includes(typeOf(element) ?? ''))
  const type = typeOf(state[odd])
  const what =
    type === null ? 'has no part type' : `has the unknown type ${JSON.stringify(type.slice(0, 40))}.${didYouMean(type, PART_TYPES)}`
  return [
    `The state was read as JSON and its pictures as text, because element ${odd} ${what}${what.endsWith('?') || what.endsWith('.') ? '' : '.'}`,
  ]
}

/** Collects problems; the code is that of the first. */
class Problems implements Reporter {
  private readonly all: (Problem & { code: ErrorCode })[] = []

  report(code: ErrorCode, param: string, message: string): void {
    this.all.push({ code, param, message })
  }

  unknownFields(value: object, known: readonly string[], param: string): void {
    for (const field of Object.keys(value)) {
      if (known.includes(field)) continue
      const hint = didYouMean(field, known) || ` Known here: ${known.join(', ')}.`
      this.report('invalid_request', pointer(param, field), `The field ${JSON.stringify(field.slice(0, 80))} is not known.${hint}`)
    }
  }

  throwIfAny(): void {
    const [first] = this.all
    if (first === undefined) return
    const problems = this.all.map(({ param, message }) => ({ param, message }))
    throw new EngineError(first.code, first.message, { param: first.param, problems })
  }
}

function checkId(fields: Fields, param: string, reporter: Reporter): string | null {
  const { id } = fields
  if (id === undefined) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (typeof id === 'string' && id.length >= 1 && id.length <= LONGEST_ID && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id)) return id
  reporter.report('invalid_request', pointer(param, 'id'), `An id is a string of 1 to ${LONGEST_ID} characters without control characters.`)
  return null
}

function checkImage(fields: Fields, param: string, reporter: Reporter): CheckedPart | null {
  const id = checkId(fields, param, reporter)
  let source: CheckedSource | null
  if (fields.type === 'image') {
    reporter.unknownFields(fields, ['type', 'id', 'source'], param)
    source = checkSource(fields.source, pointer(param, 'source'), reporter)
  } else {
    // The shapes of other vendors: a URL, or (image_url) an object with one. `detail` says how finely to look, which is
    // not ours to honour.
    reporter.unknownFields(fields, ['type', 'id', 'image_url', 'detail'], param)
    const at = pointer(param, 'image_url')
    const given = fields.image_url
    if (isObject(given)) {
      reporter.unknownFields(given, ['url', 'detail'], at)
      source = checkUrl(given.url, pointer(at, 'url'), reporter)
    } else source = checkUrl(given, at, reporter)
  }
  return source === null ? null : { type: 'image', id, source, param }
}

function checkFrame(frame: unknown, param: string, afterMs: number, reporter: Reporter): CheckedFrame | null {
  if (!isObject(frame)) {
    reporter.report('invalid_video', param, 'A frame is an object with source and t_ms.')
    return null
  }
  reporter.unknownFields(frame, ['source', 't_ms'], param)
  const timeMs = frame.t_ms
  const source = checkSource(frame.source, pointer(param, 'source'), reporter)
  if (typeof timeMs !== 'number' || !Number.isFinite(timeMs) || timeMs < 0) {
    reporter.report('invalid_video', pointer(param, 't_ms'), 't_ms is the time of the frame in milliseconds: a number from 0.')
    return null
  }
  if (timeMs < afterMs) {
    reporter.report('invalid_video', pointer(param, 't_ms'), `Frames are in order of time; ${timeMs} ms comes after ${afterMs} ms.`)
    return null
  }
  return source === null ? null : { source, timeMs }
}

function checkVideo(fields: Fields, param: string, reporter: Reporter): CheckedPart | null {
  const id = checkId(fields, param, reporter)
  if (!Object.hasOwn(fields, 'frames')) {
    reporter.unknownFields(fields, ['type', 'id', 'frames', ...VIDEO_FILE_FIELDS], param)
    const message = 'Video files are not decoded in this version; take frames from it and send them as frames: [{source, t_ms}].'
    reporter.report('invalid_video', Object.hasOwn(fields, 'source') ? pointer(param, 'source') : param, message)
    return null
  }
  for (const field of VIDEO_FILE_FIELDS) {
    if (!Object.hasOwn(fields, field)) continue
    reporter.report(
      'invalid_video',
      pointer(param, field),
      `${field} belongs to a video file; a video given as frames has only id and frames.`,
    )
  }
  reporter.unknownFields(fields, ['type', 'id', 'frames', ...VIDEO_FILE_FIELDS], param)
  const at = pointer(param, 'frames')
  if (!Array.isArray(fields.frames) || fields.frames.length === 0) {
    reporter.report('invalid_video', at, 'frames is an array of at least 1 frame {source, t_ms}.')
    return null
  }
  const frames: CheckedFrame[] = []
  fields.frames.forEach((given: unknown, i) => {
    const frame = checkFrame(given, pointer(at, i), frames.at(-1)?.timeMs ?? 0, reporter)
    if (frame !== null) frames.push(frame)
  })
  return { type: 'video', id, frames, param }
}

function checkPart(fields: Fields, param: string, reporter: Reporter): CheckedPart | null {
  switch (fields.type) {
    case 'text':
      reporter.unknownFields(fields, ['type', 'text'], param)
      if (typeof fields.text === 'string') return { type: 'text', text: fields.text }
      reporter.report('invalid_request', pointer(param, 'text'), 'The text of a text part is a string.')
      return null
    case 'json':
      reporter.unknownFields(fields, ['type', 'value'], param)
      if (fields.value !== undefined) return { type: 'json', value: fields.value as Json, param: pointer(param, 'value') }
      reporter.report('invalid_request', pointer(param, 'value'), 'The value of a json part is missing.')
      return null
    case 'video':
      return checkVideo(fields, param, reporter)
    default:
      return checkImage(fields, param, reporter)
  }
}

/**
 * The parts of a state, as many as were given. Throws one `EngineError` with every problem; params are pointers below
 * `/state`.
 */
export function checkParts(state: readonly Fields[], limits: PartLimits): CheckedPart[] {
  const problems = new Problems()
  const checked = state.map((fields, i) => checkPart(fields, pointer('/state', i), problems))
  const parts = checked.filter((part) => part !== null)
  const images = parts.filter(({ type }) => type === 'image').length
  if (images > limits.images) {
    problems.report('request_too_large', '/state', `The state has ${images} images, at most ${limits.images} are taken; send fewer.`)
  }
  const frames = parts.reduce((sum, part) => sum + (part.type === 'video' ? part.frames.length : 0), 0)
  if (frames > limits.videoFrames) {
    problems.report('request_too_large', '/state', `The videos have ${frames} frames, at most ${limits.videoFrames} are taken; send fewer.`)
  }
  problems.throwIfAny()
  return parts
}
