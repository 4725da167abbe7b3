// The source of a picture or a video, as a request gives it: checked (`checkSource`), then read as bytes
// (`readSource`). The network is used only where URLs are open.
import { constants, open } from 'node:fs/promises'
import { EngineError, type ErrorCode } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import { pointer } from '../core/pointer.ts'
import { isObject } from '../core/untrusted.ts'
import { decodeBase64 } from './base64.ts'
import { checkUrlIsOpen, type FetchUrl, type UrlOptions, urlsAreClosed } from './fetch-url.ts'
import { checkFileBytes, type FileLimit } from './images.ts'

export interface SourceOptions {
  /**
   * Whether `path` sources are read. True by default: the engine runs in the caller's process. Say false where requests
   * come from elsewhere.
   */
  readonly localFiles: boolean
  /** Files that came with the request, for `part` sources: name to bytes. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Fetches what `url` sources name; null where URLs are not open to the request. */
  readonly fetchUrl: FetchUrl | null
}

/** What is wrong with a file that should be one of these. */
const INVALID: Readonly<Record<FileLimit['what'], ErrorCode>> = { image: 'invalid_image', video: 'invalid_video' }

/** A source whose shape is right. `param` is the JSON Pointer to name when its bytes are not. */
export type CheckedSource = { readonly param: string } & (
  | { readonly type: 'base64'; readonly data: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'part'; readonly name: string }
  | { readonly type: 'url'; readonly url: string }
)

/** Collects the problems of one request; `param` is a JSON Pointer. */
export interface Reporter {
  report(code: ErrorCode, param: string, message: string): void
  /** Reports every field of `value` that is not known; `otherwise` is said where no known one is near. */
  unknownFields(value: object, known: readonly string[], param: string, otherwise?: string): void
}

const FIELDS = {
  base64: ['type', 'media_type', 'data'],
  bytes: ['type', 'media_type', 'bytes'],
  path: ['type', 'media_type', 'path'],
  part: ['type', 'media_type', 'name'],
  url: ['type', 'media_type', 'url'],
} as const
const TYPES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]

function describe(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : value === undefined ? 'nothing' : `a value of type ${typeof value}`
}

/**
 * A data URL (RFC 2397) in base64, any other URL as it is, or a reported problem. Whether it may be fetched is said by
 * `refuseClosedUrls`.
 */
export function checkUrl(url: unknown, param: string, reporter: Reporter, what: FileLimit['what'] = 'image'): CheckedSource | null {
  if (typeof url !== 'string') {
    reporter.report('invalid_request', param, `A URL is a string, received ${describe(url)}.`)
    return null
  }
  if (!/^data:/i.test(url)) return { type: 'url', url, param }
  const comma = url.indexOf(',')
  // Parameters such as charset may stand before `;base64`, which is last.
  if (comma === -1 || comma > 256 || !/;\s*base64$/i.test(url.slice(0, comma))) {
    reporter.report(INVALID[what], param, `A data: URL of a file reads data:<media type>;base64,<data>.`)
    return null
  }
  return { type: 'base64', data: url.slice(comma + 1), param }
}

/** The shape of a source, or null with the problems reported. A string is taken as a data URL. */
export function checkSource(source: unknown, param: string, reporter: Reporter, what: FileLimit['what'] = 'image'): CheckedSource | null {
  if (typeof source === 'string') return checkUrl(source, param, reporter, what)
  if (!isObject(source)) {
    reporter.report('invalid_request', param, `A source is an object with a type (${TYPES.join(', ')}), received ${describe(source)}.`)
    return null
  }
  const fields = source
  const type = TYPES.find((known) => known === fields.type)
  if (type === undefined) {
    const got = typeof fields.type === 'string' ? JSON.stringify(fields.type.slice(0, 40)) : describe(fields.type)
    reporter.report('invalid_request', pointer(param, 'type'), `The type of a source is one of ${TYPES.join(', ')}; received ${got}.`)
    return null
  }
  reporter.unknownFields(source, FIELDS[type], param)
  if (fields.media_type !== undefined && typeof fields.media_type !== 'string') {
    reporter.report('invalid_request', pointer(param, 'media_type'), `media_type is a string, received ${describe(fields.media_type)}.`)
  }
  if (type === 'url') return checkUrl(fields.url, pointer(param, 'url'), reporter, what)
  if (type === 'bytes') {
    const { bytes } = fields
    if (bytes instanceof Uint8Array) return { type, bytes, param: pointer(param, 'bytes') }
    if (bytes instanceof ArrayBuffer) return { type, bytes: new Uint8Array(bytes), param: pointer(param, 'bytes') }
    reporter.report('invalid_request', pointer(param, 'bytes'), `bytes is a Uint8Array, received ${describe(bytes)}; in JSON use base64.`)
    return null
  }
  const field = type === 'base64' ? 'data' : type === 'path' ? 'path' : 'name'
  const value = fields[field]
  if (typeof value !== 'string' || value === '') {
    reporter.report(
      'invalid_request',
      pointer(param, field),
      `${field} is a string that is not empty, received ${value === '' ? '""' : describe(value)}.`,
    )
    return null
  }
  const at = { param: pointer(param, field) }
  return type === 'base64' ? { type, data: value, ...at } : type === 'path' ? { type, path: value, ...at } : { type, name: value, ...at }
}

/** Throws everything that is wrong with the URLs among the sources, before any of them is fetched. */
export function refuseClosedUrls(sources: readonly CheckedSource[], urls: UrlOptions | null): void {
  const errors = sources.flatMap((source): EngineError[] => {
    if (source.type !== 'url') return []
    try {
      checkUrlIsOpen(source.url, urls, source.param)
      return []
    } catch (error) {
      if (error instanceof EngineError) return [error]
      throw error
    }
  })
  const [first] = errors
  if (first === undefined) return
  const problems = errors.map(({ message, param }) => ({ message, param: param ?? '' }))
  throw new EngineError(first.code, first.message, { param: first.param ?? '', problems })
}

/** Opening a pipe would wait for somebody who writes into it. Windows has neither the flag nor such files. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Reads a file, at most as many bytes as it may have. Messages never contain the path. */
async function readLocalFile(path: string, limit: FileLimit, param: string): Promise<Uint8Array> {
  const code = INVALID[limit.what]
  const fail = (cause: unknown): never => {
    if (cause instanceof EngineError) throw cause
    throw new EngineError(code, `The file cannot be read: ${fileFault(cause)}; check the path and its rights.`, { param })
  }
  const file = await open(path, READ_AT_ONCE).catch(fail)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new EngineError(code, 'The path leads to something that is no regular file.', { param })
    checkFileBytes(stats.size, limit, param)
    return await file.readFile()
  } catch (cause) {
    return fail(cause)
  } finally {
    await file.close()
  }
}

/**
 * The bytes of a source. Throws `invalid_image` or `invalid_video`, `image_too_large` or `request_too_large`, and
 * `invalid_request` for a source that is not open to this request.
 */
export async function readSource(source: CheckedSource, limit: FileLimit, options: SourceOptions): Promise<Uint8Array> {
  const { param } = source
  const { what } = limit
  switch (source.type) {
    case 'base64':
      return decodeBase64(source.data, {
        atLeast: (bytes) => checkFileBytes(bytes, limit, param),
        invalid: (message) => new EngineError(INVALID[what], message, { param }),
      })
    case 'bytes':
      checkFileBytes(source.bytes.length, limit, param)
      return source.bytes
    case 'path': {
      if (options.localFiles) return readLocalFile(source.path, limit, param)
      const message = `Files of this machine are not read for this request; send the ${what} as base64.`
      throw new EngineError('invalid_request', message, { param })
    }
    case 'url':
      if (options.fetchUrl === null) throw urlsAreClosed(param)
      return options.fetchUrl(source.url, limit, param)
    case 'part': {
      const file = options.files.get(source.name)
      if (file !== undefined) {
        checkFileBytes(file.length, limit, param)
        return file
      }
      const there = [...options.files.keys()].map((name) => JSON.stringify(name)).join(', ')
      const message = `No file ${JSON.stringify(source.name.slice(0, 80))} came with the request${there === '' ? `; send the ${what} as base64` : `; there are ${there}`}.`
      throw new EngineError('invalid_request', message, { param })
    }
  }
}
