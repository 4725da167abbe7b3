// The first bytes of a file to its real format; the name that the sender gives it is ignored.

/** The image formats that are read. Of an animation that is sent as an image, only the first picture is read. */
export type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif'

export const IMAGE_MEDIA_TYPES: readonly ImageMediaType[] = ['image/jpeg', 'image/png', 'image/webp', 'image/gif']

/** The video formats that are read. `mp4` is the whole family (MOV too), `webm` is Matroska as well. */
export type VideoFormat = 'gif' | 'webp' | 'mp4' | 'webm'

export const VIDEO_MEDIA_TYPES: Readonly<Record<VideoFormat, string>> = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  gif: 'image/gif',
  webp: 'image/webp',
}

export interface Sniffed {
  /** Null for formats that are not read as an image. */
  readonly mediaType: ImageMediaType | null
  /** Null for formats that are not read as a video. */
  readonly video: VideoFormat | null
  /** The name of the format, for messages. */
  readonly name: string
}

/** [offset, bytes as Latin-1, what it is, its media type if read]. The first that fits wins. */
const SIGNATURES: readonly (readonly [number, string, string, ImageMediaType | null])[] = [
  [0, '\xff\xd8\xff', 'JPEG', 'image/jpeg'],
  [0, '\x89PNG\r\n\x1a\n', 'PNG', 'image/png'],
  [0, 'GIF87a', 'GIF', 'image/gif'],
  [0, 'GIF89a', 'GIF', 'image/gif'],
  [8, 'WEBP', 'WebP', 'image/webp'],
  [0, 'II*\0', 'TIFF', null],
  [0, 'MM\0*', 'TIFF', null],
  [0, 'BM', 'BMP', null],
  [0, '\0\0\x01\0', 'an icon (ICO)', null],
  [0, '%PDF', 'a PDF', null],
  [0, '8BPS', 'a Photoshop file', null],
  [0, '\xff\x0a', 'JPEG XL', null],
  [4, 'JXL ', 'JPEG XL', null],
  [4, 'ftypavif', 'AVIF', null],
  [4, 'ftyphei', 'HEIC', null],
  [4, 'ftypmif1', 'HEIC', null],
  [4, 'ftyp', 'a video (MP4 family)', null],
  [0, '\x1a\x45\xdf\xa3', 'a video (Matroska or WebM)', null],
  [8, 'AVI ', 'a video (AVI)', null],
  [0, 'FLV\x01', 'a video (FLV)', null],
  [0, 'OggS', 'an Ogg file', null],
  [0, '#EXTM3U', 'a playlist (HLS)', null],
  [0, 'ffconcat', 'a playlist (ffconcat)', null],
  [0, 'PK\x03\x04', 'a ZIP archive', null],
]

const VIDEO_FORMATS: Readonly<Record<string, VideoFormat>> = {
  GIF: 'gif',
  WebP: 'webp',
  'a video (MP4 family)': 'mp4',
  'a video (Matroska or WebM)': 'webm',
}

/** Looks at the first 512 bytes. */
export function sniff(data: Uint8Array): Sniffed {
  const head = Buffer.from(data.buffer, data.byteOffset, Math.min(512, data.length)).toString('latin1')
  for (const [offset, bytes, name, mediaType] of SIGNATURES) {
    if (head.startsWith(bytes, offset) && (mediaType !== 'image/webp' || head.startsWith('RIFF'))) {
      return { mediaType, video: VIDEO_FORMATS[name] ?? null, name }
    }
  }
  if (/^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!doctype svg|svg)/i.test(head) && /<svg|<\?xml/i.test(head))
    return { mediaType: null, video: null, name: 'SVG or XML' }
  return { mediaType: null, video: null, name: 'no format known here' }
}
