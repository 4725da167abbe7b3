// The parts of a state once they were looked at.
import type { Json } from '../../core/types.ts'
import type { CheckedSource } from '../../media/sources.ts'

/** The fields of a part before they are checked. */
export type PartFields = Readonly<Record<string, unknown>>

/**
 * A part that was looked at. `id` is as given, null when it was not. A source is null, and a text or value undefined,
 * where it left a fault. A JSON value is a copy.
 */
export type CheckedPart =
  | { readonly type: 'text'; readonly text: string | undefined }
  | { readonly type: 'json'; readonly value: Json | undefined; readonly param: string }
  | { readonly type: 'image'; readonly id: string | null; readonly source: CheckedSource | null; readonly param: string }
  | ({ readonly type: 'video'; readonly id: string | null; readonly param: string } & (
      | { readonly frames: readonly CheckedFrame[]; readonly file: null }
      | { readonly frames: null; readonly file: CheckedVideoFile }
    ))

export interface CheckedFrame {
  readonly source: CheckedSource | null
  /** Milliseconds from the start of the video; that of the frame before where it left a fault. */
  readonly timeMs: number
}

/** A video file, and what was said of its frames; null where nothing was, or where it left a fault. */
export interface CheckedVideoFile {
  readonly source: CheckedSource | null
  readonly fps: number | null
  readonly maxFrames: number | null
  readonly startMs: number
  readonly endMs: number | null
}
