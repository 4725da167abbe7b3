// Checks the parts of a state: every field must be known, and all faults are reported together.
import { MOST_FAULTS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean, MOST_HINTS } from '../../core/suggest.ts'
import { isObject, jsonTypeOf } from '../../core/untrusted.ts'
import { HOW_TO_OPEN_URLS } from '../../media/fetch-url.ts'
import { type CheckedSource, checkSource, checkUrl, type Reporter } from '../../media/sources.ts'
import type { Fault } from '../../questions/shared/checked-question.ts'
import { isParts, PART_TYPES, typeOf } from '../../wire/part-types.ts'
import { refuse } from '../faults.ts'
import type { CheckedPart, PartFields } from './checked-parts.ts'
import { plainJson } from './plain-json.ts'
import { checkFilePart, checkVideo } from './video-parts.ts'

export interface PartLimits {
  /** Image parts of a state; default 16. */
  readonly images: number
  /** Frames of all videos of a state; default 64. */
  readonly videoFrames: number
}

const LONGEST_ID = 128

/** White space, control characters and characters without a width. */
const INVISIBLE = /^[\s\p{Cc}\p{Cf}]*$/u

function isEmpty(value: unknown): boolean {
  if (typeof value === 'string') return INVISIBLE.test(value)
  if (typeof value !== 'object' || value === null) return value === null
  return Object.keys(value).length === 0
}

/** A warning about a state with nothing in it: a blank text, null, `{}`, `[]`, or parts that hold nothing else. */
export function emptyWarnings(state: unknown): string[] {
  const isPicture = (part: PartFields) => part.type !== 'text' && part.type !== 'json'
  const isNothing = isParts(state)
    ? state.every((part) => !isPicture(part) && isEmpty(part.type === 'text' ? part.text : part.value))
    : isEmpty(state)
  return isNothing ? ['The state is empty: the answers rest on the questions alone.'] : []
}

/** Warnings about a state that is read as JSON although it seems to hold pictures. */
export function jsonWarnings(state: unknown): string[] {
  const isPicture = (value: unknown): boolean => {
    const type = typeOf(value)
    const fields = value as PartFields
    if (type === 'image' || type === 'video') return isObject(fields.source) || Array.isArray(fields.frames)
    if (type === 'file') return typeof fields.mediaType === 'string' && Object.hasOwn(fields, 'data')
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

const DATA_URL = /^data:(image|video)\/[^,]{0,200},/i
const IMAGE_NAME = /\.(?:png|jpe?g|webp|gif|avif|bmp|tiff?|heic)(?:[?#]\S*)?$/i
const VIDEO_NAME = /\.(?:mp4|mov|webm|mkv)(?:[?#]\S*)?$/i
/** What a name begins with that may have spaces in it: a path or a URL. */
const PLACE = /^(?:\.{0,2}\/|~\/|[a-z]:[\\/]|(?:https?|file):\/\/)/i
const LONGEST_PLACE = 2_000

/** A warning about a state that is one text, and that text a picture in base64, its path or its URL. */
export function textWarnings(state: unknown): string[] {
  if (typeof state !== 'string') return []
  const [, data] = DATA_URL.exec(state.slice(0, LONGEST_PLACE).trimStart()) ?? []
  const name = data === undefined && state.length <= LONGEST_PLACE ? state.trim() : ''
  const isName = !/[\n\r]/.test(name) && (PLACE.test(name) || !/\s/.test(name))
  const named = !isName ? null : IMAGE_NAME.test(name) ? 'image' : VIDEO_NAME.test(name) ? 'video' : null
  const what = data?.toLowerCase() ?? named
  if (what === null) return []
  const [type, field] = data !== undefined ? ['base64', 'data'] : /^https?:/i.test(name) ? ['url', 'url'] : ['path', 'path']
  const sent = `[{"type": "${what}", "source": {"type": "${type}", "${field}": "…"}}]`
  const open = type === 'url' ? `, and ${HOW_TO_OPEN_URLS}` : ''
  return [`The state is a text that looks like a picture (${type}), and was read as text; to have it seen, send ${sent}${open}.`]
}

/** A reporter that adds to a list of faults, and throws at once when there are too many to go on. */
function reporterInto(faults: Fault[]): Reporter {
  const report: Reporter['report'] = (code, param, message) => {
    faults.push({ code, param, message })
    if (faults.length >= MOST_FAULTS) refuse(faults)
  }
  return {
    report,
    unknownFields(value, known, param, otherwise = `Known here: ${known.join(', ')}.`) {
      for (const field of Object.keys(value)) {
        if (known.includes(field)) continue
        const hint = (faults.length < MOST_HINTS && didYouMean(field, known)) || ` ${otherwise}`
        report('invalid_request', pointer(param, field), `The field ${JSON.stringify(field.slice(0, 80))} is not known.${hint}`)
      }
    },
  }
}

function checkId(fields: PartFields, param: string, reporter: Reporter): string | null {
  const { id } = fields
  if (id === undefined) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (typeof id === 'string' && id.length >= 1 && id.length <= LONGEST_ID && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id)) return id
  reporter.report('invalid_request', pointer(param, 'id'), `An id is a string of 1 to ${LONGEST_ID} characters without control characters.`)
  return null
}

function checkImage(fields: PartFields, param: string, reporter: Reporter): CheckedPart {
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
  return { type: 'image', id, source, param }
}

/** For lists of JSON whose elements have a type of their own, as the fields of a form have. */
const IF_NO_PARTS = 'If the list is JSON and no parts, send [{"type": "json", "value": […]}].'

function checkPart(fields: PartFields, param: string, reporter: Reporter, faults: Fault[]): CheckedPart {
  switch (fields.type) {
    case 'text':
      reporter.unknownFields(fields, ['type', 'text'], param, IF_NO_PARTS)
      if (typeof fields.text !== 'string') {
        const message = `The text of a text part is a string, received ${jsonTypeOf(fields.text)}. ${IF_NO_PARTS}`
        reporter.report('invalid_request', pointer(param, 'text'), message)
      }
      return { type: 'text', text: typeof fields.text === 'string' ? fields.text : undefined }
    case 'json': {
      reporter.unknownFields(fields, ['type', 'value'], param)
      const at = pointer(param, 'value')
      if (fields.value !== undefined) return { type: 'json', value: plainJson(fields.value, at, faults), param: at }
      reporter.report('invalid_request', at, 'The value of a json part is missing.')
      return { type: 'json', value: undefined, param: at }
    }
    case 'video':
      return checkVideo(fields, checkId(fields, param, reporter), param, reporter)
    case 'file':
      return checkFilePart(fields, checkId(fields, param, reporter), param, reporter)
    default:
      return checkImage(fields, param, reporter)
  }
}

/**
 * The parts of a state, as many as were given. What is wrong is added to `faults`; params are pointers below `/state`.
 * Gives null when there are more pictures than are read.
 */
export function checkParts(state: readonly PartFields[], limits: PartLimits, faults: Fault[]): readonly CheckedPart[] | null {
  const reporter = reporterInto(faults)
  const parts = state.map((fields, i) => checkPart(fields, pointer('/state', i), reporter, faults))
  const images = parts.filter(({ type }) => type === 'image').length
  // Of a file whose frames are not said, those that are left are taken, but at least one.
  const framesOf = (part: CheckedPart) =>
    part.type !== 'video' ? 0 : part.frames !== null ? part.frames.length : (part.file.maxFrames ?? 1)
  const frames = parts.reduce((sum, part) => sum + framesOf(part), 0)
  if (images > limits.images) {
    reporter.report('request_too_large', '/state', `The state has ${images} images, at most ${limits.images} are taken; send fewer.`)
  }
  if (frames > limits.videoFrames) {
    reporter.report('request_too_large', '/state', `The videos have ${frames} frames, at most ${limits.videoFrames} are taken; send fewer.`)
  }
  return images > limits.images || frames > limits.videoFrames ? null : parts
}
