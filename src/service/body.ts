// Reads the body of a request into JSON, files, and a hash of what was asked. Not by fastify, for four reasons: the
// bytes of all incoming bodies are bounded together, a slow body times out, a body that is too large or broken is
// refused while it comes, whatever its headers announced, and a large one is read in steps that keep nobody waiting.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { type Deadline, startDeadline } from '../core/deadline.ts'
import { ServiceRefusal } from './errors.ts'
import { BYTES_AT_A_TIME, createJsonReader, JSON_LIMITS, type JsonReader } from './json.ts'
import { readMultipart } from './multipart.ts'

export interface BodyLimits {
  readonly bytes: number
  /** Of its JSON, without pictures in base64. */
  readonly textBytes: number
  readonly timeoutMs: number
  readonly files: number
  readonly fileBytes: number
}

export interface Body {
  readonly json: unknown
  readonly files: ReadonlyMap<string, Uint8Array>
  /**
   * Hex SHA-256 of the JSON text and of each file's name and bytes, whatever their order and the boundary between them.
   */
  readonly hash: string
}

/**
 * What bodies may hold in memory at the same time: bytes as they came, and values of JSON, of which three bytes can
 * make sixty.
 */
export interface BodyMemory {
  /** The share of a group (the account that pays). It is never so large that no other group's large body fits. */
  of(group: string): BodyShare
}

export interface BodyShare {
  /** Takes so many more; false when they are not there, and then none is taken. */
  take(bytes: number, values: number): boolean
  give(bytes: number, values: number): void
}

/** A body with this part of the most bytes and values is small. */
const SMALL = 512
/** Some 200 MB of values. */
const MOST_VALUES = 8 * JSON_LIMITS.values
/** The share of the memory that one group leaves to the others, as of the slots of the admission queue. */
const KEPT_FOR_OTHERS = 1 / 8

export function createBodyMemory(bytes: number): BodyMemory {
  const most = { bytes, values: MOST_VALUES }
  const mostOfOne = { bytes: most.bytes * (1 - KEPT_FOR_OTHERS), values: most.values * (1 - KEPT_FOR_OTHERS) }
  const all = { bytes: 0, values: 0 }
  const byGroup = new Map<string, { bytes: number; values: number }>()
  return {
    of: (group) => ({
      take(moreBytes, moreValues) {
        const own = byGroup.get(group) ?? { bytes: 0, values: 0 }
        const after = { bytes: own.bytes + moreBytes, values: own.values + moreValues }
        if (after.bytes > mostOfOne.bytes || after.values > mostOfOne.values) return false
        if (all.bytes + moreBytes > most.bytes || all.values + moreValues > most.values) return false
        all.bytes += moreBytes
        all.values += moreValues
        if (after.bytes > 0 || after.values > 0) byGroup.set(group, after)
        return true
      },
      give(backBytes, backValues) {
        all.bytes -= backBytes
        all.values -= backValues
        const own = byGroup.get(group)
        if (own === undefined) return
        own.bytes -= backBytes
        own.values -= backValues
        if (own.bytes === 0 && own.values === 0) byGroup.delete(group)
      },
    }),
  }
}

export type MediaKind = 'json' | 'multipart'

/** Which kind of body is announced. Throws `unsupported_media_type`, also for encodings: a body is taken as it is. */
export function mediaKind(headers: IncomingMessage['headers']): MediaKind {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') {
    const message = `Bodies are taken as they are, not encoded as ${JSON.stringify(encoding.slice(0, 40))}; leave Content-Encoding out.`
    throw new ServiceRefusal('unsupported_media_type', message)
  }
  const given = headers['content-type'] ?? ''
  const [type = '', ...parameters] = given.split(';').map((part) => part.trim().toLowerCase())
  if (type === 'multipart/form-data') {
    if (parameters.some((parameter) => parameter.startsWith('boundary=') && parameter.length > 'boundary='.length)) return 'multipart'
    throw new ServiceRefusal(
      'invalid_request',
      'Content-Type multipart/form-data names no boundary; let the HTTP library write this header.',
    )
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replace(/^charset="?|"$/g, '')
  if (type === 'application/json' && (charset === undefined || charset === 'utf-8' || charset === 'utf8')) return 'json'
  const received = given === '' ? 'no Content-Type came' : `received ${JSON.stringify(given.slice(0, 80))}`
  throw new ServiceRefusal('unsupported_media_type', `A body is application/json in UTF-8, or multipart/form-data; ${received}.`)
}

/** Throws `request_too_large` when the body is announced as larger than is taken. */
export function requireLength(headers: IncomingMessage['headers'], most: number): void {
  const length = Number(headers['content-length'] ?? 0)
  if (length > most) throw tooLarge(`The body has ${length} bytes`, most)
}

/**
 * Reads a body whose headers passed `mediaKind`. Throws what is wrong with it, `deadline_exceeded` when it comes too
 * slowly, and `overloaded` when all incoming bodies together take too much memory. The caller gives the memory back by
 * `release`, when the response is over.
 */
export async function readBody(
  request: FastifyRequest,
  kind: MediaKind,
  limits: BodyLimits,
  memory: BodyShare,
): Promise<{ readonly body: Body; readonly release: () => void }> {
  const stream = request.raw
  // Small bodies are not counted: the slots of the queue bound them, and large bodies of other accounts do not keep
  // them out.
  const free = { bytes: Math.floor(limits.bytes / SMALL), values: Math.floor(JSON_LIMITS.values / SMALL) }
  let came = { bytes: 0, values: 0 }
  let taken = { bytes: 0, values: 0 }
  const take = (moreBytes: number, moreValues: number) => {
    came = { bytes: came.bytes + moreBytes, values: came.values + moreValues }
    const bytes = Math.max(0, came.bytes - free.bytes) - taken.bytes
    const values = Math.max(0, came.values - free.values) - taken.values
    if (!memory.take(bytes, values)) {
      throw new ServiceRefusal(
        'overloaded',
        'Too many large bodies are coming in at once; nothing was charged. Try again after Retry-After.',
      )
    }
    taken = { bytes: taken.bytes + bytes, values: taken.values + values }
  }
  const release = () => {
    memory.give(taken.bytes, taken.values)
    taken = { bytes: 0, values: 0 }
  }
  const watch = watchStream(stream, limits, (bytes) => take(bytes, 0))
  try {
    const { reader, files } = await watch.race(kind === 'json' ? readJson(stream, limits) : readForm(request, limits))
    take(0, reader.values)
    return { body: { json: await reader.finish(), files, hash: await hashOf(reader.chunks, files) }, release }
  } catch (error) {
    release()
    throw error
  } finally {
    watch.end()
  }
}

/**
 * Counts the bytes and the time of a body. After an error the rest of the body is read and dropped, so that the client
 * can read the reply.
 */
function watchStream(
  stream: IncomingMessage,
  { bytes: most, timeoutMs }: BodyLimits,
  onBytes: (bytes: number) => void,
): Pick<Deadline, 'race' | 'end'> {
  let came = 0
  const late = () => {
    const announced = stream.headers['content-length']
    const message = `The body did not come in within ${timeoutMs} ms: ${came} bytes came${announced === undefined ? '' : ` of ${announced}`}.`
    return new ServiceRefusal('deadline_exceeded', `${message} Send it faster, or less.`)
  }
  const deadline = startDeadline({ ms: timeoutMs, late })
  const onData = (chunk: Buffer) => {
    came += chunk.length
    if (came > most) return deadline.stop(tooLarge('The body has not ended yet', most))
    try {
      onBytes(chunk.length)
    } catch (error) {
      deadline.stop(error)
    }
  }
  const breakOff = () => deadline.stop(new ServiceRefusal('invalid_request', `The body broke off after ${came} bytes.`))
  const onGone = () => {
    if (!stream.complete) breakOff()
  }
  stream.on('data', onData)
  stream.on('close', onGone)
  stream.on('error', onGone)
  // The client went away while the key was looked up: no event follows, and what had come is lost.
  if (stream.destroyed) breakOff()
  return {
    race(work) {
      work.catch(() => {})
      return deadline.race(work)
    },
    end() {
      deadline.end()
      stream.off('data', onData)
      stream.off('close', onGone)
      if (stream.readableEnded) return
      // Other readers of the stream would keep the chunks; from here on there are none.
      stream.unpipe()
      stream.removeAllListeners('data')
      stream.resume()
    },
  }
}

interface ReadParts {
  readonly reader: JsonReader
  readonly files: ReadonlyMap<string, Uint8Array>
}

async function readJson(stream: IncomingMessage, { textBytes }: BodyLimits): Promise<ReadParts> {
  const reader = createJsonReader('The body', { ...JSON_LIMITS, textBytes })
  await new Promise<void>((resolve, reject) => {
    stream.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk)
      } catch (error) {
        reject(error)
      }
    })
    stream.on('end', resolve)
    stream.on('error', reject)
  })
  return { reader, files: new Map() }
}

async function readForm(request: FastifyRequest, limits: BodyLimits): Promise<ReadParts> {
  const { json, files } = await readMultipart(request, { ...limits, requestBytes: limits.bytes })
  const reader = createJsonReader('The part "request"', { ...JSON_LIMITS, textBytes: limits.textBytes })
  for (const piece of inPieces(json)) {
    reader.push(piece)
    if (piece.length === BYTES_AT_A_TIME) await setImmediate()
  }
  return { reader, files }
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += BYTES_AT_A_TIME) yield bytes.subarray(from, from + BYTES_AT_A_TIME)
}

async function hashOf(json: readonly Uint8Array[], files: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  let since = 0
  const add = async (chunks: readonly Uint8Array[]) => {
    hash.update(`${chunks.reduce((sum, { length }) => sum + length, 0)}:`)
    for (const piece of chunks.flatMap((chunk) => [...inPieces(chunk)])) {
      hash.update(piece)
      since += piece.length
      if (since < BYTES_AT_A_TIME) continue
      since = 0
      await setImmediate()
    }
  }
  await add(json)
  for (const name of [...files.keys()].sort()) {
    await add([Buffer.from(name)])
    await add([files.get(name)!])
  }
  return hash.digest('hex')
}

function tooLarge(what: string, most: number): ServiceRefusal {
  return new ServiceRefusal('request_too_large', `${what}, at most ${most} bytes are taken; send fewer or smaller pictures.`)
}
