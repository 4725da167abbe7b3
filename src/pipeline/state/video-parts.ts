// Checks the parts of a state that are videos: frames with their times, or a file and which of its frames to take.
import type { ErrorCode } from '../../core/errors.ts'
import { MOST_FPS } from '../../core/limits.ts'
import { pointer } from '../../core/pointer.ts'
import { isObject } from '../../core/untrusted.ts'
import { type CheckedSource, checkSource, type Reporter } from '../../media/sources.ts'
import type { CheckedFrame, CheckedPart, PartFields } from './checked-parts.ts'

const SAMPLING_FIELDS = ['fps', 'max_frames', 'start_ms', 'end_ms']
const VIDEO_FIELDS = ['type', 'id', 'frames', 'source', ...SAMPLING_FIELDS]
const FILE_FIELDS = ['type', 'id', 'mediaType', 'data', 'filename']

/** A part of type `video`. What is wrong with it is reported. */
export function checkVideo(fields: PartFields, id: string | null, param: string, reporter: Reporter): CheckedPart {
  reporter.unknownFields(fields, VIDEO_FIELDS, param)
  if (Object.hasOwn(fields, 'frames')) return checkFrames(fields, id, param, reporter)
  if (!Object.hasOwn(fields, 'source')) {
    reporter.report('invalid_video', param, 'A video has a source, which is its file, or frames: [{source, t_ms}].')
    return { type: 'video', id, frames: [], file: null, param }
  }
  return checkFile(fields, checkSource(fields.source, pointer(param, 'source'), reporter, 'video'), id, param, reporter)
}

/** A part of type `file`, as the AI SDK writes it: an image or a video, by its media type. */
export function checkFilePart(fields: PartFields, id: string | null, param: string, reporter: Reporter): CheckedPart {
  const { mediaType, data, filename } = fields
  const isVideo = typeof mediaType === 'string' && /^video(?:\/|$)/i.test(mediaType)
  const what = isVideo ? 'video' : 'image'
  reporter.unknownFields(fields, isVideo ? [...FILE_FIELDS, ...SAMPLING_FIELDS] : FILE_FIELDS, param)
  if (filename !== undefined && typeof filename !== 'string') {
    reporter.report('invalid_request', pointer(param, 'filename'), 'filename is a string.')
  }
  if (typeof mediaType !== 'string') {
    reporter.report(
      'invalid_request',
      pointer(param, 'mediaType'),
      'The mediaType of a file is a string such as "video/mp4" or "image/png".',
    )
    return { type: 'image', id, source: null, param }
  }
  if (!isVideo && !/^image(?:\/|$)/i.test(mediaType)) {
    const message = `Files of the type ${JSON.stringify(mediaType.slice(0, 80))} are not read; an image or a video is, with a mediaType that says so.`
    reporter.report('unsupported_media_type', pointer(param, 'mediaType'), message)
    return { type: 'image', id, source: null, param }
  }
  const at = pointer(param, 'data')
  const source = sourceOfData(data, at, reporter, what)
  if (isVideo) return checkFile(fields, source, id, param, reporter)
  return { type: 'image', id, source, param }
}

/** A URL (as an object too), base64, or bytes. */
function sourceOfData(data: unknown, at: string, reporter: Reporter, what: 'image' | 'video'): CheckedSource | null {
  if (data instanceof Uint8Array) return { type: 'bytes', bytes: data, param: at }
  if (data instanceof ArrayBuffer) return { type: 'bytes', bytes: new Uint8Array(data), param: at }
  const text = data instanceof URL ? data.href : data
  if (typeof text === 'string' && text !== '') {
    return /^(?:data:|https?:\/\/)/i.test(text) ? checkSource(text, at, reporter, what) : { type: 'base64', data: text, param: at }
  }
  reporter.report('invalid_request', at, 'The data of a file is base64, a data: URL, or bytes.')
  return null
}

function checkFile(fields: PartFields, source: CheckedSource | null, id: string | null, param: string, reporter: Reporter): CheckedPart {
  const wrong = (field: string, message: string) => reporter.report('invalid_video', pointer(param, field), message)
  const { fps, max_frames: maxFrames, start_ms: startMs = 0, end_ms: endMs } = fields
  const isFps = isNumber(fps) && fps > 0 && fps <= MOST_FPS
  const isMost = isNumber(maxFrames) && Number.isInteger(maxFrames) && maxFrames >= 1
  const isStart = isNumber(startMs) && startMs >= 0
  const isEnd = isNumber(endMs) && endMs > (isStart ? startMs : 0)
  if (fps !== undefined && !isFps) {
    wrong('fps', `fps is how many frames of each second are looked at: a number above 0, at most ${MOST_FPS}.`)
  }
  if (maxFrames !== undefined && !isMost) wrong('max_frames', 'max_frames is how many frames are looked at at most: a whole number from 1.')
  if (!isStart) wrong('start_ms', 'start_ms is where the stretch that is looked at begins, in milliseconds: a number from 0.')
  if (endMs !== undefined && !isEnd) {
    wrong('end_ms', 'end_ms is where the stretch that is looked at ends, in milliseconds: a number above start_ms.')
  }
  const numbers = {
    fps: isFps ? fps : null,
    maxFrames: isMost ? maxFrames : null,
    startMs: isStart ? startMs : 0,
    endMs: isEnd ? endMs : null,
  }
  return { type: 'video', id, frames: null, file: { source, ...numbers }, param }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function checkFrames(fields: PartFields, id: string | null, param: string, reporter: Reporter): CheckedPart {
  const report = (code: ErrorCode, at: string, message: string) => reporter.report(code, at, message)
  for (const field of ['source', ...SAMPLING_FIELDS]) {
    if (!Object.hasOwn(fields, field)) continue
    report('invalid_video', pointer(param, field), `${field} belongs to a video file; a video given as frames has only id and frames.`)
  }
  const at = pointer(param, 'frames')
  if (!Array.isArray(fields.frames) || fields.frames.length === 0) {
    report('invalid_video', at, 'frames is an array of at least 1 frame {source, t_ms}.')
    return { type: 'video', id, frames: [], file: null, param }
  }
  const frames: CheckedFrame[] = []
  fields.frames.forEach((given: unknown, i) => {
    frames.push(checkFrame(given, pointer(at, i), frames.at(-1)?.timeMs ?? 0, reporter))
  })
  return { type: 'video', id, frames, file: null, param }
}

function checkFrame(frame: unknown, param: string, afterMs: number, reporter: Reporter): CheckedFrame {
  if (!isObject(frame)) {
    reporter.report('invalid_video', param, 'A frame is an object with source and t_ms.')
    return { source: null, timeMs: afterMs }
  }
  reporter.unknownFields(frame, ['source', 't_ms'], param)
  const timeMs = frame.t_ms
  const source = checkSource(frame.source, pointer(param, 'source'), reporter)
  const at = pointer(param, 't_ms')
  if (typeof timeMs !== 'number' || !Number.isFinite(timeMs) || timeMs < 0) {
    reporter.report('invalid_video', at, 't_ms is the time of the frame in milliseconds: a number from 0.')
  } else if (timeMs < afterMs) {
    reporter.report('invalid_video', at, `Frames are in order of time; ${timeMs} ms comes after ${afterMs} ms.`)
  } else return { source, timeMs }
  return { source, timeMs: afterMs }
}
