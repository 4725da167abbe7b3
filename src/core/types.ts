// Types that every room shares: a decoded picture, a piece of a prompt, a prompt, a JSON value. Nothing here computes.

/** An upright RGB picture. `data` is row-major [height][width][3], 0 to 255. `sha256` names the pixels, for caches. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
  readonly sha256: string
}

/**
 * Where a piece of prompt text stands in the state as it was sent: the index of the part (0 when the state is not a
 * list of parts), and for JSON the pointer of the string (null in a text part). Offsets in answers are UTF-16 units
 * from the start of that string.
 */
export interface TextSource {
  readonly part: number
  readonly path: string | null
}

/** Which video a picture is a frame of, by the id of the video, and when it is shown, from its start. */
export interface FrameOfVideo {
  readonly video: string
  readonly timeMs: number
}

/**
 * One stretch of the state. Text with a source is the user's and may be quoted; text without one is scaffold (keys,
 * dashes, times).
 *
 * `frameTimeFrom`: from this index on the text says when the frame behind it is shown, which models with a video input
 * of their own are told in their own way. Absent: it says no such thing.
 */
export type Piece =
  | { readonly type: 'text'; readonly text: string; readonly source: TextSource | null; readonly frameTimeFrom?: number }
  | { readonly type: 'image'; readonly id: string; readonly picture: Picture; readonly frame?: FrameOfVideo }

/**
 * The whole state, in reading order. A family turns it into tokens; user text never becomes a control token. `parts`
 * says the same as `pieces`, with JSON as values, for families that write JSON in their own way. Absent: there are only
 * the pieces.
 */
export interface Prompt {
  readonly pieces: readonly Piece[]
  readonly parts?: readonly PromptPart[]
}

/** A part of a state; `index` is its place in the state as it was sent. */
export type PromptPart =
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | { readonly type: 'json'; readonly index: number; readonly value: Json }
  | { readonly type: 'image'; readonly index: number }

/** A JSON value, as `JSON.parse` makes it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
