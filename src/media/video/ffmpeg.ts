// The arguments of the program `ffmpeg`: a run that lists the packets of a video without decoding any, and one that
// decodes the chosen frames as PPM.
import type { DecoderCommand, VideoContainer } from './process-decoder.ts'

/** The name of the format, as ffmpeg has it: given, so that no file can choose another one. */
const DEMUXERS: Readonly<Record<VideoContainer, string>> = { mp4: 'mov', webm: 'matroska' }
/** One file is open; nothing else is read, and no network. */
const PROTOCOLS = 'file'
/** What browsers play. The others are rarely used, and rarely tested. */
const CODECS = [
  ...['h264', 'hevc', 'av1', 'libdav1d', 'libaom-av1', 'vp8', 'vp9', 'libvpx', 'libvpx-vp9', 'mpeg4', 'mjpeg'],
  ...['aac', 'aac_fixed', 'opus', 'libopus', 'vorbis', 'libvorbis', 'mp3', 'mp3float', 'flac', 'ac3', 'alac', 'pcm_s16le'],
].join(',')
/** Address space of the program. A picture of 40 megapixels and the sixteen it may refer to take half of it. */
const MEMORY_BYTES = 2 * 1024 ** 3
/** Decoding begins so much before the first frame that is wanted: the streams of one file may begin at other times. */
const SEEK_MARGIN_SECONDS = 2
/** A frame counts as shown so much before its time: times are rounded in files. */
const EARLY_SECONDS = 0.0005

/** `program` is the path of an ffmpeg, 4.4 or newer. */
export function ffmpegCommand(program: string): DecoderCommand {
  return {
    program,
    memoryBytes: MEMORY_BYTES,
    // `-xerror`: a damaged file is an error, not a short one.
    list: ({ container, path, imagePixels }) => [
      ...['-xerror', ...inputArguments(container, imagePixels), '-i', `file:${path}`],
      ...['-map', '0:v:0', '-c', 'copy', '-f', 'framecrc', 'pipe:1'],
    ],
    decode: ({ container, path, imagePixels }, seconds, firstSeconds) => {
      // The filter lets through the first frame at or after each of the times, in turn.
      const chosen = seconds.map((second, i) => `eq(selected_n,${i})*gte(t,${(second - EARLY_SECONDS).toFixed(6)})`).join('+')
      const from = Math.max(0, (seconds[0] ?? 0) - firstSeconds - SEEK_MARGIN_SECONDS)
      return [
        ...inputArguments(container, imagePixels),
        ...(from > 0 ? ['-ss', from.toFixed(3)] : []),
        ...['-i', `file:${path}`, '-map', '0:v:0'],
        // A constant rate of frames that follow one another, so that none is repeated or dropped to keep time.
        ...['-vf', `select='${chosen}',setpts=N/(25*TB),format=rgb24`, '-r', '25', '-frames:v', String(seconds.length)],
        ...['-c:v', 'ppm', '-f', 'image2pipe', 'pipe:1'],
      ]
    },
  }
}

/** How the input may be read, and by what. Times stay as the file has them. */
function inputArguments(container: VideoContainer, imagePixels: number): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '2', '-copyts'],
    ...['-protocol_whitelist', PROTOCOLS, '-codec_whitelist', CODECS, '-max_pixels', String(imagePixels)],
    ...['-f', DEMUXERS[container]],
  ]
}
