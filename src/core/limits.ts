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
}

/** Frames of all videos of a state together. */
export const VIDEO_FRAMES = 64

export const REQUEST_LIMITS: RequestLimits = {
  questions: 256,
  idCharacters: 128,
  options: 255,
  levels: 26,
  fillTokens: 256,
  listItems: 32,
}
