// Reads a multipart/form-data body into its JSON (the field `request`) and its files, by @fastify/multipart. Every part
// is read as a file, the JSON too, so that its bytes are as the client sent them: they are hashed, and parsed by the
// strict parser.
import type { FastifyRequest } from 'fastify'
import { ServiceRefusal } from './errors.ts'

export interface MultipartLimits {
  /** Files besides the JSON. */
  readonly files: number
  readonly fileBytes: number
  /** Bytes of the JSON. */
  readonly requestBytes: number
}

export interface MultipartBody {
  readonly json: Uint8Array
  readonly files: ReadonlyMap<string, Uint8Array>
}

const REQUEST = 'request'
const LONGEST_NAME = 200
const HEADERS_OF_PART = 16
const HEADER_BYTES = 8192

/** The parts. Throws `invalid_request`, `request_too_large` or `image_too_large`. */
export async function readMultipart(request: FastifyRequest, limits: MultipartLimits): Promise<MultipartBody> {
  const files = new Map<string, Uint8Array>()
  let json: Uint8Array | null = null
  try {
    const parts = request.parts({
      isPartAFile: () => true,
      // A part that is skipped (one without a name, say) stops the parser for good once it fills this buffer; so none
      // can. The body is held whole anyway.
      fileHwm: limits.requestBytes,
      limits: {
        files: limits.files + 1,
        parts: limits.files + 1,
        fields: 1,
        fieldNameSize: LONGEST_NAME,
        fileSize: Math.max(limits.fileBytes, limits.requestBytes),
        headerPairs: HEADERS_OF_PART,
        headerSize: HEADER_BYTES,
      },
    })
    for await (const part of parts) {
      const name = part.fieldname
      if (part.type !== 'file' || typeof name !== 'string' || name === '' || name.length > LONGEST_NAME) {
        throw new ServiceRefusal('invalid_request', `A part has no name, or one of more than ${LONGEST_NAME} characters; name each part.`)
      }
      if ((name === REQUEST && json !== null) || files.has(name)) {
        throw new ServiceRefusal('invalid_request', `Two parts are named ${JSON.stringify(name)}; names of parts are all different.`)
      }
      const bytes = await part.toBuffer()
      if (name === REQUEST) json = bytes
      else if (bytes.length <= limits.fileBytes) files.set(name, bytes)
      else {
        const message = `The file ${JSON.stringify(name)} has ${bytes.length} bytes, at most ${limits.fileBytes} are taken; send it smaller.`
        throw new ServiceRefusal('image_too_large', message)
      }
    }
  } catch (error) {
    throw limitError(error, limits)
  }
  if (json === null) {
    const message = `The body has no part named "${REQUEST}"; put the JSON of the request there, and files in parts of their own.`
    throw new ServiceRefusal('invalid_request', message)
  }
  return { json, files }
}

function limitError(error: unknown, limits: MultipartLimits): unknown {
  if (error instanceof ServiceRefusal) return error
  switch ((error as { code?: unknown } | null)?.code) {
    case 'FST_PARTS_LIMIT':
    case 'FST_FILES_LIMIT':
    case 'FST_FIELDS_LIMIT':
      return new ServiceRefusal('request_too_large', `The body has more than ${limits.files} files, which is the most; send fewer.`)
    case 'FST_REQ_FILE_TOO_LARGE':
      return new ServiceRefusal('image_too_large', `A file has more than ${limits.fileBytes} bytes, which is the most; send it smaller.`)
    case 'FST_PROTO_VIOLATION':
      return new ServiceRefusal('invalid_request', 'A part has a name that is reserved, such as "__proto__"; name it otherwise.')
    default: {
      const message =
        'The multipart body cannot be read: it ends early, or the headers of a part are damaged; let an HTTP library write it.'
      return new ServiceRefusal('invalid_request', message, { cause: error })
    }
  }
}
