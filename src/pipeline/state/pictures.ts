// Reads what can be seen of a state: images, frames that were sent, and frames taken from video files. All headers come
// first, so that what is too large is refused before any pixel is decoded.
import { EngineError } from '../../core/errors.ts'
import { SAMPLED_FRAMES } from '../../core/limits.ts'
import type { Picture } from '../../core/types.ts'
import type { SentImage } from '../../media/coordinates.ts'
import { type UrlOptions, urlFetcher } from '../../media/fetch-url.ts'
import { decodeImage, type ImageHeader, readImageHeader } from '../../media/images.ts'
import { type CheckedSource, readSource, refuseClosedUrls, type SourceOptions } from '../../media/sources.ts'
import type { VideoLimits } from '../../media/video/decoder.ts'
import { type SampledVideo, sampleVideo } from '../../media/video/read-video.ts'
import type { Fault } from '../../questions/shared/checked-question.ts'
import { faultsOf, gather } from '../faults.ts'
import type { CheckedPart, CheckedVideoFile } from './checked-parts.ts'
import type { PartLimits } from './parts.ts'

export interface PictureSettings extends VideoLimits, PartLimits, Omit<SourceOptions, 'fetchUrl'> {
  readonly totalPixels: number
  readonly urls: UrlOptions | null
}

/** An image of the state. Boxes go back to its pixels through `toSentPixels(edges, image)`. */
export interface ReadImage extends SentImage {
  readonly id: string
  /** Index of the state part. */
  readonly part: number
  /** Milliseconds into the video for a frame; null for an image. */
  readonly timeMs: number | null
  /** Of the file that it came in, as its bytes say. */
  readonly mediaType: string
}

export interface SeenPicture {
  readonly image: ReadImage
  readonly picture: Picture
}

export interface ReadPictures {
  /** In reading order; frames of videos with the ids `<video id>#1`, `#2`, … Without those that left a fault. */
  readonly seen: readonly SeenPicture[]
  /** The ids of all pictures that were sent, also where they could not be read. Null where they cannot be told. */
  readonly pictureIds: readonly string[] | null
  readonly warnings: readonly string[]
}

/** A picture that was sent as one, before it is decoded. */
interface Still {
  readonly id: string
  readonly part: number
  readonly timeMs: number | null
  /** Null where it left a fault. */
  readonly source: CheckedSource | null
}

/** A picture and its file. */
interface OpenStill extends Still {
  readonly source: CheckedSource
  readonly data: Uint8Array
  readonly header: ImageHeader
}

interface Clip {
  readonly id: string
  readonly part: number
  readonly file: CheckedVideoFile
}

interface OpenClip extends Clip {
  readonly video: SampledVideo
}

/** Pictures decoded at the same time. */
const AT_ONCE = 4

/**
 * The pictures of parts, which have the ids beside them. What is wrong is added to `faults`. Nothing is fetched, and no
 * video opened, for a request that is refused anyway. Throws the reason of the signal.
 */
export async function readPictures(
  parts: readonly CheckedPart[],
  ids: readonly (string | null)[],
  settings: PictureSettings,
  faults: Fault[],
  signal: AbortSignal | undefined,
): Promise<ReadPictures> {
  const stills = stillsOf(parts, ids)
  const clips = parts.flatMap((part, i): Clip[] =>
    part.type === 'video' && part.file !== null ? [{ id: ids[i] as string, part: i, file: part.file }] : [],
  )
  const sources = [...stills, ...clips.map(({ file }) => file)].flatMap(({ source }) => source ?? [])
  await gather(faults, () => refuseClosedUrls(sources, settings.urls))
  const fetcher = settings.urls !== null && sources.some(({ type }) => type === 'url') ? urlFetcher(settings.urls) : null
  const options: SourceOptions = { ...settings, fetchUrl: fetcher?.fetch ?? null }
  const openClips: OpenClip[] = []
  try {
    const openStills = await inBatches(stills, faults, (still) => openStill(still, settings, options, faults))
    // One after the other, since each takes memory; whatever fails, what is open by then is closed.
    let framesLeft = settings.videoFrames - stills.filter(({ timeMs }) => timeMs !== null).length
    for (const [i, clip] of clips.entries()) {
      if (faults.length > 0) break
      const kept = clips.slice(i + 1).reduce((sum, { file }) => sum + (file.maxFrames ?? 1), 0)
      const video = await gather(faults, () => openClip(clip, framesLeft - kept, settings, options, signal))
      if (video === null) break
      framesLeft -= video.timesMs.length
      openClips.push({ ...clip, video })
    }
    const frameIds = openClips.flatMap(({ id, part, video }) => video.timesMs.map((_, n) => ({ id: `${id}#${n + 1}`, part })))
    const pictureIds = openClips.length < clips.length ? null : byPart([...stills, ...frameIds], ({ part }) => part).map(({ id }) => id)
    const warnings: string[] = []
    const areTooMany = (await gather(faults, () => checkPixels(openStills, openClips, settings))) === null
    const seen = areTooMany ? [] : await decodeAll(openStills, openClips, settings, faults, warnings, signal)
    return { seen: byPart(seen, ({ image }) => image.part), pictureIds, warnings }
  } finally {
    fetcher?.stop()
    for (const { video } of openClips) await video.close()
  }
}

/** Frames of a part are in order already, and sorting keeps that. */
function byPart<T>(items: readonly T[], partOf: (item: T) => number): T[] {
  return [...items].sort((a, b) => partOf(a) - partOf(b))
}

function stillsOf(parts: readonly CheckedPart[], ids: readonly (string | null)[]): Still[] {
  return parts.flatMap((part, i): Still[] => {
    const id = ids[i] as string
    if (part.type === 'image') return [{ id, part: i, timeMs: null, source: part.source }]
    if (part.type !== 'video' || part.frames === null) return []
    return part.frames.map(({ source, timeMs }, n) => ({ id: `${id}#${n + 1}`, part: i, timeMs, source }))
  })
}

/** The bytes of a picture, and what their header says. Null where there is nothing to read, or no use in doing so. */
async function openStill(
  still: Still,
  settings: PictureSettings,
  options: SourceOptions,
  faults: readonly Fault[],
): Promise<OpenStill | null> {
  const { source } = still
  if (source === null || (source.type === 'url' && faults.length > 0)) return null
  const data = await readSource(source, { what: 'image', bytes: settings.imageBytes }, options)
  return { ...still, source, data, header: await readImageHeader(data, settings, source.param) }
}

async function decodeAll(
  stills: readonly OpenStill[],
  clips: readonly OpenClip[],
  { totalPixels }: PictureSettings,
  faults: Fault[],
  warnings: string[],
  signal: AbortSignal | undefined,
): Promise<SeenPicture[]> {
  const seen = await inBatches(stills, faults, async ({ id, part, timeMs, source, data, header }): Promise<SeenPicture> => {
    return { image: { id, part, timeMs, ...header }, picture: await decodeImage(data, header, source.param) }
  })
  for (const clip of clips) {
    if (faults.length > 0) break
    const pictures = await gather(faults, () => clip.video.decode(totalPixels, signal))
    if (pictures !== null) seen.push(...framesOf(clip, pictures, warnings))
  }
  return seen
}

/** `framesLeft`: as many as there may be of it. */
async function openClip(
  { file }: Clip,
  framesLeft: number,
  settings: PictureSettings,
  options: SourceOptions,
  signal: AbortSignal | undefined,
): Promise<SampledVideo> {
  const { source, fps, startMs, endMs } = file
  if (source === null) throw new Error('A fault was lost.')
  const data = await readSource(source, { what: 'video', bytes: settings.videoBytes }, options)
  const maxFrames = file.maxFrames ?? (fps === null ? Math.min(SAMPLED_FRAMES, framesLeft) : framesLeft)
  return sampleVideo({ data, sampling: { fps, maxFrames, startMs, endMs }, limits: settings, param: source.param, signal })
}

function checkPixels(files: readonly OpenStill[], clips: readonly OpenClip[], { totalPixels }: PictureSettings): true {
  const ofFiles = files.reduce((sum, { header }) => sum + header.sentWidth * header.sentHeight, 0)
  const pixels = clips.reduce((sum, { video }) => sum + video.width * video.height * video.timesMs.length, ofFiles)
  if (pixels <= totalPixels) return true
  const fewer = clips.length === 0 ? 'send them smaller or fewer' : 'send them smaller or fewer, or take fewer frames by max_frames'
  const message = `The images have ${pixels} pixels together, at most ${totalPixels} are taken; ${fewer}.`
  throw new EngineError('image_too_large', message, { param: '/state' })
}

/** What is odd about the frames goes to the warnings. */
function framesOf({ id, part, file, video }: OpenClip, pictures: readonly Picture[], warnings: string[]): SeenPicture[] {
  const wanted = video.timesMs.length
  if (video.asked !== null) {
    warnings.push(
      `${id}: ${file.fps} frames a second would be ${video.asked}; ${wanted} were looked at, evenly. Take more by max_frames, or less of it by start_ms and end_ms.`,
    )
  }
  if (pictures.length < wanted) {
    warnings.push(`${id}: the last ${wanted - pictures.length} of ${wanted} frames could not be decoded; the others were looked at.`)
  }
  return pictures.map((picture, n) => ({
    image: {
      id: `${id}#${n + 1}`,
      part,
      timeMs: video.timesMs[n] as number,
      mediaType: video.mediaType,
      sentWidth: picture.width,
      sentHeight: picture.height,
      orientation: 1,
    },
    picture,
  }))
}

/**
 * Does the work on some items at a time and keeps their order. What goes wrong with an item is added to `faults`, and
 * leaves it out.
 */
async function inBatches<A, B>(items: readonly A[], faults: Fault[], work: (item: A) => Promise<B | null>): Promise<B[]> {
  const results: B[] = []
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const settled = await Promise.allSettled(items.slice(from, from + AT_ONCE).map((item) => work(item)))
    for (const outcome of settled) {
      if (outcome.status === 'rejected') faults.push(...faultsOf(outcome.reason))
      else if (outcome.value !== null) results.push(outcome.value)
    }
  }
  return results
}
