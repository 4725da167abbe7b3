// Which pictures of a prompt are frames of one video, for families with a video input of their own. Frames are joined
// where there are several and all have one size, since such an input takes no others; else they stay pictures.
import type { Picture, Piece } from '../../../core/types.ts'
import { imageReference } from '../../prompted/prompt-template.ts'

export interface VideoFrame {
  readonly picture: Picture
  /** From the start of the video. */
  readonly timeMs: number
}

type ImagePiece = Piece & { readonly type: 'image' }

/** What a family with a video input reads. Texts leave out when joined frames are shown. */
export type JoinedPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly picture: Picture }
  | { readonly type: 'video'; readonly frames: readonly VideoFrame[] }

/** The frames that are joined, by the id of their video. */
export function joinedFrames(pieces: readonly Piece[]): ReadonlyMap<string, readonly ImagePiece[]> {
  const videos = new Map<string, ImagePiece[]>()
  for (const piece of pieces) {
    if (piece.type !== 'image' || piece.frame === undefined) continue
    videos.set(piece.frame.video, [...(videos.get(piece.frame.video) ?? []), piece])
  }
  for (const [video, [first, ...others]] of videos) {
    const isLike = ({ picture }: ImagePiece) => picture.width === first?.picture.width && picture.height === first.picture.height
    if (others.length === 0 || !others.every(isLike)) videos.delete(video)
  }
  return videos
}

export function joinVideos(pieces: readonly Piece[]): JoinedPiece[] {
  const videos = joinedFrames(pieces)
  const framesOf = (piece: Piece | undefined): readonly ImagePiece[] | undefined =>
    piece?.type === 'image' && piece.frame !== undefined ? videos.get(piece.frame.video) : undefined
  return pieces.flatMap((piece, i): JoinedPiece[] => {
    if (piece.type === 'text') {
      const { text, frameTimeFrom } = piece
      const own = framesOf(pieces[i + 1]) === undefined ? text : text.slice(0, frameTimeFrom)
      return own === '' ? [] : [{ type: 'text', text: own }]
    }
    const frames = framesOf(piece)
    if (frames === undefined) return [{ type: 'image', picture: piece.picture }]
    if (piece !== frames[0]) return []
    return [{ type: 'video', frames: frames.map(({ picture, frame }) => ({ picture, timeMs: frame?.timeMs ?? 0 })) }]
  })
}

/** Names the picture that a branch is about, as `imageReference` does; a joined frame by its time. */
export function pictureReference(image: string | null, pieces: readonly Piece[], joinsVideos: boolean): string | null {
  const frames = joinsVideos ? [...joinedFrames(pieces).values()].flat() : []
  const asked = frames.find(({ id }) => id === image)
  if (asked !== undefined) return `the frame at ${((asked.frame?.timeMs ?? 0) / 1000).toFixed(1)} seconds of the video (${asked.id})`
  const joined = new Set<Piece>(frames)
  return imageReference(
    image,
    pieces.flatMap((piece) => (piece.type === 'image' && !joined.has(piece) ? [piece.id] : [])),
  )
}
