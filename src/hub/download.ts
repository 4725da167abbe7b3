// Downloads one file of a repository: goes on where a cut connection left it, also in a later run; holds it to the size
// and the checksum that the list of files gave; and puts it in its place only when both are right.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { makeFolder } from '../core/files.ts'
import { get, type Hub, HubUnreachable, hostOf, PassingFault, patiently, type Reply, refusal } from './http.ts'
import { type Checksum, fileAddress, type RepositoryFile } from './repository.ts'

/** What a file is called until it is whole. */
export const PART = '.part'
const READ_BYTES = 1 << 20

export interface DownloadOptions {
  readonly hub: Hub
  readonly id: string
  readonly commit: string
  readonly file: RepositoryFile
  /** Where it goes. */
  readonly path: string
  /** Hears of bytes that are there now; fewer than none when they were not the right ones. */
  readonly onBytes: (bytes: number) => void
}

/**
 * Downloads the file, unless it is there with the right checksum. Throws `model_not_available` when what comes is not
 * what the list says; then nothing is kept of it.
 */
export async function downloadFile(options: DownloadOptions): Promise<void> {
  const { file, path, onBytes, hub } = options
  if (await hasChecksum(path, file)) return onBytes(file.bytes)
  await rm(path, { force: true })
  await makeFolder(dirname(path))
  const part = await openPart(path + PART, file)
  try {
    onBytes(part.bytes)
    await patiently(hub, () => fetchRest(options, part))
  } finally {
    await part.handle.close()
  }
  await rename(path + PART, path)
}

/** Whether this is the file, by its size and its checksum. */
export async function hasChecksum(path: string, { bytes, checksum }: Omit<RepositoryFile, 'path'>): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (found?.isFile() !== true || found.size !== bytes) return false
  const hash = hashOf(checksum, bytes)
  for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES })) hash.update(piece as Buffer)
  return hash.digest('hex') === checksum.hex
}

function hashOf({ kind }: Checksum, bytes: number): Hash {
  return kind === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${bytes}\0`)
}

/** What there is of a file. */
interface Part {
  readonly path: string
  readonly handle: FileHandle
  bytes: number
  hash: Hash
  /** Bytes of an earlier run or connection. When the checksum is wrong, they may be why. */
  isContinued: boolean
}

async function openPart(path: string, { bytes, checksum }: RepositoryFile): Promise<Part> {
  const found = await stat(path).catch(() => null)
  const isUsable = found?.isFile() === true && found.size <= bytes
  const part: Part = {
    path,
    handle: await open(path, isUsable ? 'r+' : 'w'),
    bytes: isUsable ? found.size : 0,
    hash: hashOf(checksum, bytes),
    isContinued: isUsable && found.size > 0,
  }
  if (part.bytes > 0) for await (const piece of createReadStream(path, { highWaterMark: READ_BYTES })) part.hash.update(piece as Buffer)
  return part
}

async function startAgain({ file, onBytes }: DownloadOptions, part: Part): Promise<void> {
  onBytes(-part.bytes)
  await part.handle.truncate(0)
  Object.assign(part, { bytes: 0, hash: hashOf(file.checksum, file.bytes), isContinued: false })
}

/** One connection: all that is missing, or as much as comes. */
async function fetchRest(options: DownloadOptions, part: Part): Promise<void> {
  const { hub, id, commit, file, onBytes } = options
  const what = `${id} ${file.path}`
  const wrong = (message: string): EngineError =>
    new EngineError('model_not_available', `${file.path} of ${id} is not what the hub at ${hostOf(hub)} lists: ${message}; try again later`)
  if (part.bytes < file.bytes) {
    const from = part.bytes
    const reply = await get(hub, fileAddress(hub, id, commit, file.path), from === 0 ? {} : { range: `bytes=${from}-` })
    try {
      await requireRest(options, part, reply, what, wrong)
      for await (const piece of reply.pieces()) {
        if (part.bytes + piece.length > file.bytes) throw wrong(`more than its ${file.bytes} bytes came`)
        await writeAll(part, piece)
        onBytes(piece.length)
      }
    } catch (error) {
      reply.drop()
      if (!(error instanceof PassingFault) || part.bytes === from) throw error
      throw new PassingFault(error.final, error.attempt, true)
    }
    if (part.bytes < file.bytes) {
      const message = `the connection to ${hostOf(hub)} ended after ${part.bytes} of ${file.bytes} bytes of ${file.path}; run the command again to go on from there`
      throw new PassingFault(new HubUnreachable('model_not_available', message), {}, part.bytes > from)
    }
  }
  const hex = part.hash.digest('hex')
  if (hex === file.checksum.hex) return
  const wasContinued = part.isContinued
  await startAgain(options, part)
  // The bytes of an earlier run may be of another file: once more from the start.
  if (wasContinued) return fetchRest(options, part)
  throw wrong(`its checksum is ${hex.slice(0, 12)}…, and ${file.checksum.hex.slice(0, 12)}… was expected`)
}

/** Throws unless the reply is the missing part of the file; starts again where the server sends all of it. */
async function requireRest(
  options: DownloadOptions,
  part: Part,
  reply: Reply,
  what: string,
  wrong: (message: string) => EngineError,
): Promise<void> {
  const { hub, file } = options
  const { status, headers } = reply
  if (status === 416 && part.bytes > 0) {
    await startAgain(options, part)
    throw new PassingFault(wrong('it cannot be continued'))
  }
  if (status !== 200 && status !== 206) throw refusal(hub, reply, what)
  if (/\bhtml\b/.test(headers.get('content-type') ?? '') && !/\.html?$/.test(file.path))
    throw wrong('a web page came in its place, so a proxy may want a sign-in')
  if (status === 200 && part.bytes > 0) await startAgain(options, part)
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '')
  if (status === 206 && (Number(range?.[1]) !== part.bytes || (range?.[2] !== '*' && Number(range?.[2]) !== file.bytes)))
    throw wrong(`bytes from ${part.bytes} on of ${file.bytes} were asked for, and ${headers.get('content-range')} came`)
  const length = headers.get('content-length')
  if (length !== null && Number(length) !== file.bytes - part.bytes)
    throw wrong(`${file.bytes - part.bytes} bytes were expected, and ${length} are announced`)
  if (part.bytes > 0) part.isContinued = true
}

async function writeAll(part: Part, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesWritten } = await part.handle.write(piece, at, piece.length - at, part.bytes + at)
    at += bytesWritten
  }
  part.hash.update(piece)
  part.bytes += piece.length
}
