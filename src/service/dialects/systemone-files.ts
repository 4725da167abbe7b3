// Turns the file parts that the AI SDK sends on the System One wire, `{type: "file", mediaType, data: {type: "data",
// data}}`, into pictures and videos of the state.
import { isObject, type UntrustedObject } from '../../core/untrusted.ts'
import type { Source } from '../../wire/types.ts'
import { Faults, presentField } from './faults.ts'

/** A state without such parts, and where in the body a pointer into it leads. */
export interface UnwrappedFiles {
  readonly state: unknown
  pointer(param: string): string
}

/** Null when the state has no such part. Throws `EngineError` for what is neither a picture nor a video. */
export function unwrapFiles(state: unknown): UnwrappedFiles | null {
  if (!Array.isArray(state) || !state.some((part) => tagOf(part) !== null)) return null
  const faults = new Faults()
  const wrapped = new Map<string, string>()
  const parts = state.map((part: unknown, i) => {
    const data = tagOf(part)
    if (data === null) return part
    const made = mediaOf(part as UntrustedObject, data, `/state/${i}`, faults)
    const field = made.source.type === 'url' ? 'url' : 'data'
    wrapped.set(`/state/${i}/source/${field}`, `/state/${i}/data/${field}`)
    return made
  })
  faults.throwIfAny()
  return { state: parts, pointer: (param) => wrapped.get(param) ?? param }
}

/** The data of a file part, where it says of what type it is. */
function tagOf(part: unknown): UntrustedObject | null {
  if (!isObject(part) || presentField(part, 'type') !== 'file') return null
  const data = presentField(part, 'data')
  return isObject(data) && typeof presentField(data, 'type') === 'string' ? data : null
}

function mediaOf(part: UntrustedObject, data: UntrustedObject, at: string, faults: Faults): { type: string; source: Source } {
  faults.unknownFields(part, ['type', 'mediaType', 'data', 'filename', 'providerOptions'], 'invalid_request', at, 'a file part')
  const mediaType = presentField(part, 'mediaType')
  const [, what] = (typeof mediaType === 'string' && /^(image|video)(?:\/|$)/i.exec(mediaType)) || []
  if (what === undefined) {
    const message = 'A file here is a picture or a video, with a mediaType of image/… or video/….'
    faults.report('unsupported_media_type', `${at}/mediaType`, message)
  }
  const made = (source: Source) => ({ type: what?.toLowerCase() ?? 'image', source })
  const [type, url, bytes] = ['type', 'url', 'data'].map((field) => presentField(data, field))
  if (type === 'url' && typeof url === 'string') return made({ type: 'url', url })
  if (type !== 'data') faults.report('invalid_request', `${at}/data/type`, 'The data of a file is of type data or url.')
  else if (typeof bytes !== 'string') {
    const message = 'The data of a file is base64; bytes come over this wire as an object of numbers, so give the client base64.'
    faults.report('invalid_request', `${at}/data/data`, message)
  }
  return made({ type: 'base64', media_type: String(mediaType), data: typeof bytes === 'string' ? bytes : '' })
}
