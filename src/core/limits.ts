// How much one request may ask for. Every check names the limit it applied.

export interface RequestLimits {
  /** Questions of a request, arguments of choices included. */
  readonly questions: number
  /** Characters of a question id or an argument name. */
  readonly idCharacters: number
  /** Options of a choice or a select, values of an enum. */
  readonly options: number
  readonly levels: number
  /** Tokens a `fill` may write. */
  readonly fillTokens: number
  /** Items of a `fill` of kind `list`. */
  readonly listItems: number
  /** Options and levels of all questions of a request together. */
  readonly allOptions: number
}

/**
 * Characters (UTF-16 units) of one text of a question: its instructions, a description, the name of an option. No model
 * reads more, and longer ones would be copied, hashed and tokenised for nothing.
 */
export const LONGEST_TEXT = 65_536

/** Levels of JSON in the instructions and descriptions of a question; deeper JSON is refused. */
export const DEEPEST_WORDS = 32

/** Containers of JSON inside one another. Deeper ones are refused: nobody reads them, and they overflow the stack. */
export const MAX_JSON_DEPTH = 64

/** Characters of all texts of a state, with what is written around JSON values. */
export const LONGEST_STATE = 2 ** 20

/** Problems that are collected: with more of them a request is refused at once, since listing them would take time. */
export const MOST_FAULTS = 100

/** Frames of all videos of a state together. */
export const VIDEO_FRAMES = 64
/** Bytes of one video file, and milliseconds that decoding it may take. */
export const VIDEO_FILE_LIMITS = { videoBytes: 64 * 2 ** 20, videoMs: 20_000 }
/** Frames of a video file when the request says neither how many nor how many a second. */
export const SAMPLED_FRAMES = 8
/** The most frames of each second that a request may ask for. */
export const MOST_FPS = 60

export const REQUEST_LIMITS: RequestLimits = {
  questions: 256,
  idCharacters: 128,
  options: 255,
  levels: 26,
  fillTokens: 256,
  listItems: 32,
  allOptions: 10_000,
}
