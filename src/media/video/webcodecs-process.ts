// The program that decodes a video by mediabunny and node-webcodecs: `list <container> <path>` writes its packets as
// ffmpeg's format `framecrc` has them, `decode <container> <path> <seconds>…` the frames shown at those times as PPM.
import { readFile } from 'node:fs/promises'
import { MOST_FRAMES_OF_FILE } from './decoder.ts'
import { type Plane, rgbOf } from './yuv.ts'

// What is used of mediabunny. The packages are optional, so their types may not be there.

interface DecodedSample {
  readonly format: string | null
  readonly codedWidth: number
  readonly codedHeight: number
  readonly rotation: number
  readonly colorSpace: { readonly matrix: string | null; readonly fullRange: boolean | null }
  allocationSize(): number
  copyTo(target: Uint8Array): Promise<readonly Plane[]>
  close(): void
}

interface VideoTrack {
  getColorSpace(): Promise<{ readonly matrix?: string | null }>
  readonly codedWidth: number
  readonly codedHeight: number
}

interface Packet {
  readonly microsecondTimestamp: number
  readonly microsecondDuration: number
}

interface Mediabunny {
  readonly BufferSource: new (data: Uint8Array) => object
  readonly Input: new (options: { source: object; formats: readonly unknown[] }) => { getPrimaryVideoTrack(): Promise<VideoTrack | null> }
  readonly EncodedPacketSink: new (
    track: VideoTrack,
  ) => { packets(start: undefined, end: undefined, options: { metadataOnly: true }): AsyncIterable<Packet> }
  readonly VideoSampleSink: new (
    track: VideoTrack,
  ) => { samplesAtTimestamps(seconds: readonly number[]): AsyncIterable<DecodedSample | null> }
  readonly MP4: unknown
  readonly QTFF: unknown
  readonly WEBM: unknown
  readonly MATROSKA: unknown
}

const MICROSECONDS = 1_000_000
const HD_LINES = 720
const NAMES = { media: 'mediabunny', codecs: 'node-webcodecs' }

async function main([command, container, path, ...times]: readonly string[]): Promise<void> {
  const codecs = (await import(NAMES.codecs)) as Readonly<Record<string, unknown>>
  // mediabunny looks for them where browsers have them, as soon as it is loaded.
  for (const name of ['VideoDecoder', 'VideoFrame', 'VideoColorSpace', 'EncodedVideoChunk']) {
    Object.defineProperty(globalThis, name, { value: codecs[name], configurable: true, writable: true })
  }
  const media = (await import(NAMES.media)) as Mediabunny
  const formats = container === 'mp4' ? [media.MP4, media.QTFF] : [media.WEBM, media.MATROSKA]
  const input = new media.Input({ source: new media.BufferSource(await readFile(path as string)), formats })
  const track = await input.getPrimaryVideoTrack()
  if (track === null) return fail('The file matches no streams of pictures')
  await (command === 'list' ? list(media, track) : decode(media, track, times.map(Number)))
}

async function list(media: Mediabunny, track: VideoTrack): Promise<void> {
  const lines = [`#tb 0: 1/${MICROSECONDS}`, `#dimensions 0: ${track.codedWidth}x${track.codedHeight}`]
  for await (const packet of new media.EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true })) {
    lines.push(`0, 0, ${Math.round(packet.microsecondTimestamp)}, ${Math.round(packet.microsecondDuration)}, 0, 0x0`)
    // One more than is taken: the reader says so.
    if (lines.length > MOST_FRAMES_OF_FILE + 3) break
  }
  await write(Buffer.from(`${lines.join('\n')}\n`))
}

async function decode(media: Mediabunny, track: VideoTrack, seconds: readonly number[]): Promise<void> {
  const isTagged = (await track.getColorSpace()).matrix === 'bt709'
  for await (const sample of new media.VideoSampleSink(track).samplesAtTimestamps(seconds)) {
    if (sample === null) continue
    const data = new Uint8Array(sample.allocationSize())
    const picture = rgbOf({
      data,
      format: sample.format ?? '',
      planes: await sample.copyTo(data),
      width: sample.codedWidth,
      height: sample.codedHeight,
      // Where the file does not say, BT.709 is a guess, and a wrong one for small pictures.
      isHd: sample.colorSpace.matrix === 'bt709' && (isTagged || sample.codedHeight >= HD_LINES),
      isFullRange: sample.colorSpace.fullRange === true,
      rotation: sample.rotation,
    })
    sample.close()
    if (picture === null) return fail(`pixels of the format ${sample.format} are not read`)
    await write(Buffer.from(`P6\n${picture.width} ${picture.height}\n255\n`))
    await write(picture.data)
  }
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}

/** Waits until the reader has taken it, so that no more than one picture is held. */
function write(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

main(process.argv.slice(2)).catch((error: unknown) => fail(error instanceof Error ? error.message : 'unknown reason'))
