// Turns a request, as the engine takes it, into what is sent: its JSON, and the pictures that were given as bytes or as
// files of this machine. Pictures travel beside the JSON, not in it: base64 would make them a third larger, and both
// sides would copy them once more.

import { EngineError } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import { memberOf, whyNotJson } from '../core/plain-json.ts'
import { pointer } from '../core/pointer.ts'
import { isObject, type UntrustedObject } from '../core/untrusted.ts'
import { isParts } from '../wire/part-types.ts'
import type { AskRequest } from '../wire/types.ts'

export interface RequestBody {
  readonly json: string
  /** Pictures by the names that the JSON calls them; empty: the JSON is all there is. */
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Deeper than any service reads, and shallow enough for the stack. */
const MAX_DEPTH = 256

/**
 * Makes the body. `path` sources are read here when `localFiles` is true: the state is the caller's, and so are its
 * files. Throws `EngineError`: `invalid_request` for what JSON cannot say (bytes elsewhere, NaN, cycles),
 * `invalid_image` for a file that cannot be read.
 */
export async function bodyOf(request: AskRequest, localFiles: boolean): Promise<RequestBody> {
  if (!isObject(request)) {
    throw new EngineError('invalid_request', 'A request is an object with state and questions.', { param: '' })
  }
  const files = new Files(request.state)
  const state = isParts(request.state)
    ? await Promise.all(request.state.map((part, i) => partOf(part, pointer('/state', i), files, localFiles)))
    : request.state
  const wire = { ...request, ...(state === undefined ? {} : { state }) }
  refuseUnsayable(wire, '', 0)
  return { json: JSON.stringify(wire), files: files.byName }
}

/** Gives files names that the request does not use itself. The same bytes twice are one file. */
class Files {
  readonly byName = new Map<string, Uint8Array>()
  readonly #names = new Map<Uint8Array, string>()
  readonly #taken: ReadonlySet<unknown>

  constructor(state: unknown) {
    const sources = isParts(state)
      ? state.flatMap(({ source, frames }) => [
          source,
          ...(Array.isArray(frames) ? frames.map((frame) => isObject(frame) && frame.source) : []),
        ])
      : []
    this.#taken = new Set(sources.map((source) => (isObject(source) && source.type === 'part' ? source.name : null)))
  }

  add(bytes: Uint8Array): string {
    const known = this.#names.get(bytes)
    if (known !== undefined) return known
    let number = this.byName.size + 1
    while (this.#taken.has(`picture_${number}`) || this.byName.has(`picture_${number}`)) number++
    const name = `picture_${number}`
    this.#names.set(bytes, name)
    this.byName.set(name, bytes)
    return name
  }
}

async function partOf(part: UntrustedObject, param: string, files: Files, localFiles: boolean): Promise<UntrustedObject> {
  if (part.type === 'file') return filePartOf(part, files)
  if (part.type !== 'image' && part.type !== 'video') return part
  const { source, frames } = part
  return {
    ...part,
    ...(source === undefined ? {} : { source: await sourceOf(source, pointer(param, 'source'), files, localFiles) }),
    ...(Array.isArray(frames)
      ? {
          frames: await Promise.all(
            frames.map(async (frame: unknown, i) =>
              isObject(frame)
                ? { ...frame, source: await sourceOf(frame.source, pointer(param, 'frames', i, 'source'), files, localFiles) }
                : frame,
            ),
          ),
        }
      : {}),
  }
}

/** Bytes of a file travel beside the JSON too: the part becomes the image or the video that its media type says. */
function filePartOf(part: UntrustedObject, files: Files): UntrustedObject {
  const { type: _type, data, mediaType, filename: _filename, ...rest } = part
  if (data instanceof URL) return { ...part, data: data.href }
  const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : data
  const [, type] = /^(image|video)(?:\/|$)/i.exec(String(mediaType)) ?? []
  if (!(bytes instanceof Uint8Array) || type === undefined) return part
  return { ...rest, type: type.toLowerCase(), source: { type: 'part', name: files.add(bytes) } }
}

/** What is neither bytes nor a path stays as it is: the service says what is wrong with it. */
async function sourceOf(source: unknown, param: string, files: Files, localFiles: boolean): Promise<unknown> {
  if (!isObject(source)) return source
  const { type, bytes, path, ...rest } = source
  if (type === 'bytes' && bytes instanceof ArrayBuffer) return { ...rest, type: 'part', name: files.add(new Uint8Array(bytes)) }
  if (type === 'bytes' && bytes instanceof Uint8Array) return { ...rest, type: 'part', name: files.add(bytes) }
  if (type === 'path' && typeof path === 'string' && path !== '') {
    const at = pointer(param, 'path')
    if (localFiles) return { ...rest, type: 'part', name: files.add(await readLocalFile(path, at)) }
    throw new EngineError('invalid_request', 'Files of this machine are not read for this request; send the image as base64.', {
      param: at,
    })
  }
  return source
}

/** The path itself is not said, as everywhere. */
async function readLocalFile(path: string, param: string): Promise<Uint8Array> {
  // On first use, so that a client which sends no files runs where there is no file system.
  const { readFile, stat } = await import('node:fs/promises')
  try {
    if (!(await stat(path)).isFile())
      throw new EngineError('invalid_image', 'The path leads to something that is no regular file.', { param })
    return await readFile(path)
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new EngineError('invalid_image', `The file cannot be read: ${fileFault(error)}; check the path and its rights.`, { param })
  }
}

/**
 * `JSON.stringify` would say NaN as null, bytes as a list of numbers and a Map as nothing at all; here they are errors.
 */
function refuseUnsayable(value: unknown, param: string, depth: number): void {
  const refuse = (message: string) => new EngineError('invalid_request', message, { param })
  const why = whyNotJson(value)
  if (why !== null) throw refuse(why)
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH) throw refuse(`The request is nested deeper than ${MAX_DEPTH} levels, or in a circle; flatten it.`)
  if (Array.isArray(value)) {
    // By index: holes count too, which JSON would fill with null.
    for (let i = 0; i < value.length; i++) refuseUnsayable(value[i], pointer(param, i), depth + 1)
    return
  }
  for (const key of Object.keys(value)) {
    const member = memberOf(value, key)
    const at = pointer(param, key)
    if ('why' in member) throw new EngineError('invalid_request', member.why, { param: at })
    // A field that is there and undefined is a field that is not there.
    if (member.value !== undefined) refuseUnsayable(member.value, at, depth + 1)
  }
}
