// Videos to pictures by a program: it lists when the frames are shown, then decodes those that were chosen. How it
// fails is said in our words; what it wrote is looked at, and its paths are never passed on.
import { EngineError } from '../../core/errors.ts'
import type { Picture } from '../../core/types.ts'
import { hashPixels } from '../images.ts'
import { type FramesToDecode, MOST_FRAMES_OF_FILE, type OpenedVideo, type VideoLimits } from './decoder.ts'
import { runLimited } from './limited-process.ts'
import { PacketList } from './packet-list.ts'
import { PixmapReader } from './pixmaps.ts'
import { type TempFile, writeTempFile } from './temp-file.ts'

/** The containers that programs decode. */
export type VideoContainer = 'mp4' | 'webm'

export interface DecoderInput {
  readonly container: VideoContainer
  readonly path: string
  /** The most pixels of one frame. */
  readonly imagePixels: number
}

/** A program that decodes videos, and its arguments. */
export interface DecoderCommand {
  readonly program: string
  /** Address space that it needs. */
  readonly memoryBytes: number
  /** To write the packets as ffmpeg's format `framecrc`. */
  list(input: DecoderInput): readonly string[]
  /** To write the frames that are shown at these times of the file as PPM. `firstSeconds`: when the first frame is. */
  decode(input: DecoderInput, seconds: readonly number[], firstSeconds: number): readonly string[]
}

export interface VideoFile {
  readonly container: VideoContainer
  readonly data: Uint8Array
  readonly limits: VideoLimits
  /** JSON Pointer of its source. */
  readonly param: string
  readonly signal: AbortSignal | undefined
}

/** Decoders go on after these, and have not seen the whole file. */
const CUT_SHORT = /ended prematurely|truncat|partial file|corrupt input packet/i

/**
 * Opens a video. Throws `invalid_video` for a file that is damaged, has no frames or takes too long,
 * `request_too_large` for one with too many frames, `capability_not_supported` when the program cannot be started.
 */
export async function openByProcess(command: DecoderCommand, video: VideoFile): Promise<OpenedVideo> {
  const { container, data, limits, param, signal } = video
  const file = await writeTempFile(data)
  try {
    const run = runnerOf(command, file, video)
    const input: DecoderInput = { container, path: file.path, imagePixels: limits.imagePixels }
    const list = new PacketList(MOST_FRAMES_OF_FILE, param)
    await run(command.list(input), (chunk) => list.push(chunk), signal)
    const { timesSeconds, timeline, width, height } = list.end()
    return {
      timeline,
      width,
      height,
      async decode({ indices, mostPixels, signal }: FramesToDecode): Promise<Picture[]> {
        const reader = new PixmapReader({ pictures: indices.length, imagePixels: limits.imagePixels, mostPixels }, param)
        const seconds = indices.map((index) => timesSeconds[index] as number)
        await run(command.decode(input, seconds, timesSeconds[0] as number), (chunk) => reader.push(chunk), signal)
        if (reader.pictures.length === 0) {
          throw new EngineError('invalid_video', 'No frame of the video can be decoded; it may be damaged, send it again.', { param })
        }
        const pictures: Picture[] = []
        for (const pixmap of reader.pictures) {
          pictures.push({ ...pixmap, sha256: await hashPixels(pixmap.width, pixmap.height, pixmap.data) })
        }
        return pictures
      },
      close: () => file.remove(),
    }
  } catch (error) {
    await file.remove()
    throw error
  }
}

type Run = (args: readonly string[], onOutput: (chunk: Buffer) => void, signal: AbortSignal | undefined) => Promise<void>

/** Runs the program to a good end, or throws. All runs on one video share the time that it may take. */
function runnerOf({ program, memoryBytes }: DecoderCommand, file: TempFile, { limits, param }: VideoFile): Run {
  const fail = (message: string) => new EngineError('invalid_video', message, { param })
  const notStarted = (cause?: unknown) =>
    new EngineError(
      'capability_not_supported',
      'The decoder of videos on this machine cannot be started; send frames, or an animated WebP.',
      {
        param,
        cause,
      },
    )
  let leftMs = limits.videoMs
  return async (args, onOutput, signal) => {
    const timeoutMs = Math.max(1, leftMs)
    const run = { program, arguments: args, input: file.handle.fd, timeoutMs, memoryBytes, signal, onOutput }
    const { isTimedOut, code, said, tookMs } = await runLimited(run).catch((cause: unknown) => {
      throw (cause as { readonly syscall?: unknown } | null)?.syscall === undefined ? cause : notStarted(cause)
    })
    leftMs -= tookMs
    if (isTimedOut) {
      const message = `The video could not be decoded within ${limits.videoMs / 1000} s; send a shorter or smaller one, or less of it by start_ms and end_ms.`
      throw fail(message)
    }
    if (/matches no streams/.test(said)) throw fail('The file has no pictures in it, only other streams; send a video.')
    // From the shell: the program is not there, or may not be run.
    if (code === 126 || code === 127) throw notStarted()
    if (code !== 0 || CUT_SHORT.test(said)) {
      const why = reasonOf(said)
      throw fail(`The video cannot be decoded${why === '' ? '' : ` (${why})`}; it may be cut short or damaged, send it again.`)
    }
  }
}

/** The first line that names no file, without where in the decoder it comes from. */
function reasonOf(said: string): string {
  const lines = said.split('\n').map((line) => line.replace(/^(?:\[[^\]]*\]\s*)+/, '').trim())
  const line = lines.find((candidate) => candidate !== '' && !/[\\/]|0x[0-9a-f]/i.test(candidate)) ?? ''
  return line
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/\.$/, '')
    .slice(0, 120)
}
