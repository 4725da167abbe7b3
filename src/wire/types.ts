// The wire: what a request holds and what a response says, as JSON, snake_case where the JSON is. Types only; `request.ts` checks them at run time.
import type { Json } from '../core/types.ts'

/** Words for the model. Absent or null: the model is told the question's id instead. A JSON value is shown as JSON. */
export type Instructions = Json

interface QuestionBase {
  readonly instructions?: Instructions
  /** Id of the image part the question is about. Required for `coordinates` when the state has several. */
  readonly image?: string
}

/** Name → description (or null). JavaScript moves integer-like names to the front of a map; where order matters, give an array. */
export type Criteria = Readonly<Record<string, Json>>

/** One option of a choice or a select, in order. `args` (choice only) are asked when this option wins. */
export type OptionInput = string | { readonly value: string; readonly description?: Json; readonly args?: Questions }

/** One level of a score, lowest first. */
export type LevelInput = string | { readonly label: string; readonly description?: Json }

/** Options are given once: as `options`, or as `criteria` (a map, or the same array). 2 to 255 of them, all different. */
export interface OptionsInput {
  readonly options?: readonly OptionInput[]
  readonly criteria?: Criteria | readonly OptionInput[]
}

/** Is the statement true? */
export interface NoulQuestion extends QuestionBase {
  readonly type: 'noul'
  readonly criteria?: { readonly true?: Json; readonly false?: Json }
}

/** Which one of the options holds? `args` are asked of the winner, whichever it is; an option may bring its own besides. */
export interface ChoiceQuestion extends QuestionBase, OptionsInput {
  readonly type: 'choice'
  /** Name → any question except a choice that has args itself. */
  readonly args?: Questions
}

/** Where on an ordered scale of 2 to 26 levels? */
export interface ScoreQuestion extends QuestionBase {
  readonly type: 'score'
  readonly criteria: readonly LevelInput[]
}

/** Which of the options hold? Each is its own yes or no. */
export interface SelectQuestion extends QuestionBase, OptionsInput {
  readonly type: 'select'
  /** Fewest options to select; default 0. */
  readonly min?: number
  /** Most options to select; default all. */
  readonly max?: number
  /** Probability from which an option is selected, strictly between 0 and 1; default 0.5. */
  readonly threshold?: number
}

export type FillItemKind = 'text' | 'int' | 'number' | 'date' | 'enum'
export type FillItem = FillItemKind | { readonly kind: FillItemKind; readonly values?: readonly string[] }
/** `json` and `pattern` are on the wire, and refused with `capability_not_supported` in this version. */
export type FillKind = FillItemKind | 'list' | 'json' | 'pattern'

/** Write a short value. */
export interface FillQuestion extends QuestionBase {
  readonly type: 'fill'
  /** Default `text`. */
  readonly kind?: FillKind
  /** `list` only: what the items are; default `text`. */
  readonly item?: FillItem
  /** `enum` only: 2 to 255 values, all different. */
  readonly values?: readonly string[]
  /** `json` only. */
  readonly schema?: Json
  /** `pattern` only. */
  readonly pattern?: string
  readonly self_check?: boolean
}

export type ExtractTextKind = 'text' | 'int' | 'number' | 'date' | 'email' | 'url' | 'money'
export type ExtractKind = ExtractTextKind | 'coordinates'

/** Point at the words (or the box) in the state, or say that they are not there. */
export interface ExtractQuestion extends QuestionBase {
  readonly type: 'extract'
  /** Default `text`. */
  readonly kind?: ExtractKind
  /** Every one of them instead of one; default false. */
  readonly many?: boolean
  /** Not with `coordinates`. */
  readonly self_check?: boolean
}

export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion | SelectQuestion | FillQuestion | ExtractQuestion
export type QuestionType = Question['type']
export type Questions = Readonly<Record<string, Question>>

/** An expression over the answers. */
export type DeriveInput = string | { readonly expr: string }
export type Derives = Readonly<Record<string, DeriveInput>>

/** Where the bytes of an image or a video are. `path` and `bytes` only in-process; `url` only where it is turned on. */
export type Source =
  | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
  | { readonly type: 'part'; readonly name: string }
  | { readonly type: 'path'; readonly path: string }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'url'; readonly url: string }

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'json'; readonly value: Json }
  | { readonly type: 'image'; readonly id?: string; readonly source: Source }
  | { readonly type: 'image_url'; readonly id?: string; readonly image_url: string | { readonly url: string } }
  | { readonly type: 'input_image'; readonly id?: string; readonly image_url: string }
  | {
      readonly type: 'video'
      readonly id?: string
      readonly source: Source
      readonly fps?: number
      readonly max_frames?: number
      readonly start_ms?: number
      readonly end_ms?: number
    }
  | { readonly type: 'video'; readonly id?: string; readonly frames: readonly { readonly source: Source; readonly t_ms: number }[] }

/** A string is text; an array whose every element has a known part `type` is parts in reading order; anything else is JSON. */
export type State = Json | readonly Part[]

/** One state and named questions about it. */
export interface AskRequest<Q extends Questions = Questions, D extends Derives = Derives> {
  /** Default `service-1-pro`. */
  readonly model?: string | null
  readonly state: State
  readonly questions: Q
  readonly derive?: D
}

// Answers. Every probability is finite and strictly between 0 and 1, unrounded. A read that failed alone says so (`valid: false`, and `error` when
// the model gave nothing at all); the rest of the request stands.

/**
 * What is said besides when `ask` was given `sets` or `abstain`. `set`: the names (as in `probabilities`; of a noul 'true' and 'false') that cannot be
 * ruled out at the coverage asked for; of a select, the options that may hold. `abstained`: too unsure for the risk asked for.
 */
interface SetAndAbstention {
  readonly set?: readonly string[]
  readonly abstained?: boolean
}

/** `noul`: probability that the statement is true. */
export interface NoulAnswer extends SetAndAbstention {
  readonly type: 'noul'
  readonly noul: number
}

/** `probabilities` sum to one over all options; `choice` is the largest (the first of equals); `args` for the chosen option, when there are any. */
export interface ChoiceAnswer<Option extends string = string, Args = Answers> extends SetAndAbstention {
  readonly type: 'choice'
  readonly choice: Option
  readonly probabilities: Readonly<Record<Option, number>>
  readonly confidence: number
  readonly args?: Args
}

/** `score`: expected level, from 0 to the number of levels less one. `legend` and `probabilities` are keyed by level: "0", "1"… */
export interface ScoreAnswer<Label extends string = string> extends SetAndAbstention {
  readonly type: 'score'
  readonly score: number
  readonly legend: Readonly<Record<string, Label>>
  readonly probabilities: Readonly<Record<string, number>>
  readonly confidence: number
}

/** Independent `probabilities`; `selected` and `order` by falling probability; `confidence`: probability that exactly the selected set holds. */
export interface SelectAnswer<Option extends string = string> extends SetAndAbstention {
  readonly type: 'select'
  readonly selected: readonly Option[]
  readonly probabilities: Readonly<Record<Option, number>>
  readonly confidence: number
  readonly order: readonly Option[]
}

/** `value` as written; `parsed` for int, number and list; `valid`: it is complete and parses. `confidence` is the model's own; `check` with `self_check`. */
export interface FillAnswer<Value extends string = string, Parsed = FillParsed> {
  readonly type: 'fill'
  readonly value: Value
  readonly parsed?: Parsed
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
  readonly check?: number
}
export type FillParsed = number | readonly (string | number)[]

/**
 * Where a value stands: UTF-16 units from the start of the string it was taken from. That string is the text of part `part` (absent: part 0, or a
 * state that is not parts), or the JSON string (or number, as written) at the pointer `path` in it (absent: the text itself).
 */
export interface SpanAnswer {
  readonly start: number
  readonly end: number
  readonly part?: number
  readonly path?: string
}

/** Where a value was read in an image: pixels of the image as sent, and its width and height. */
export interface SeenAnswer {
  readonly image: string
  readonly coordinates: Coordinates
  readonly center: Point
  readonly image_size: Point
}

/** `value` is verbatim, with a `span` where it stands in a text and `seen` where it was read in an image; null when it is not there. */
export interface ExtractAnswer {
  readonly type: 'extract'
  readonly value: string | null
  readonly span?: SpanAnswer
  readonly seen?: SeenAnswer
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
  readonly check?: number
}

export interface ExtractItem {
  readonly value: string
  readonly span?: SpanAnswer
  readonly seen?: SeenAnswer
  readonly confidence: number
}

/** `values` in reading order; empty when there are none. */
export interface ExtractManyAnswer {
  readonly type: 'extract'
  readonly values: readonly string[]
  readonly items: readonly ExtractItem[]
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
  readonly check?: number
}

/** left, top, right, bottom: pixels of the image as sent. */
export type Coordinates = readonly [number, number, number, number]
export type Point = readonly [number, number]

export interface BoxAnswer {
  readonly type: 'extract'
  readonly coordinates: Coordinates | null
  readonly center: Point | null
  /** width, height of the image as sent. */
  readonly image_size: Point
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
}

export interface BoxItem {
  readonly coordinates: Coordinates
  readonly center: Point
  readonly confidence: number
}

export interface BoxManyAnswer {
  readonly type: 'extract'
  readonly boxes: readonly BoxItem[]
  readonly image_size: Point
  readonly valid: boolean
  readonly error?: string
  readonly confidence: number
}

/** `error` says why when `valid` is false; `value` is null then. */
export interface DeriveAnswer {
  readonly type: 'derive'
  readonly value: number | string | boolean | null
  readonly valid: boolean
  readonly error?: string
}

export type QuestionAnswer =
  | NoulAnswer
  | ChoiceAnswer
  | ScoreAnswer
  | SelectAnswer
  | FillAnswer
  | ExtractAnswer
  | ExtractManyAnswer
  | BoxAnswer
  | BoxManyAnswer
export type Answer = QuestionAnswer | DeriveAnswer
/** Keyed by question id and derive name; made without a prototype, so that any id is safe. */
export type Answers = Readonly<Record<string, Answer>>

/** `cost` in US dollars. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost: number
}

/**
 * How one question was answered. `entropy` (bits, of the calibrated distribution), `mass` (probability on the listed options before renormalising) and
 * `calibration` are null where nothing was decided: reads without a check.
 */
export interface QuestionReport {
  readonly entropy: number | null
  readonly mass: number | null
  readonly deliberated: boolean
  readonly passes: number
  readonly calibration: CalibrationReport | null
}

/** The map behind the probabilities: its kind, how near the labels are it was fitted on, and how many they are. */
export interface CalibrationReport {
  readonly applied: 'identity' | 'temperature' | 'affine' | 'tilt' | 'blend' | 'learned'
  readonly level: 'question' | 'wording' | 'kind' | 'readout' | 'none'
  readonly labels: number
}

/** Service metadata. `passes`: calls of the model behind the state; `timings_ms` by step. */
export interface Simo {
  readonly engine: string
  readonly model_revision: string
  /** `identity`: no calibration of this model is there, probabilities are its own. */
  readonly calibration: { readonly version: string | null; readonly applied: 'identity' | 'fitted' }
  readonly passes: number
  readonly cached_tokens: number
  readonly timings_ms: Readonly<Record<string, number>>
  readonly questions: Readonly<Record<string, QuestionReport>>
  readonly warnings: readonly string[]
}

export interface AskResponse<A = Answers> {
  /** `evt_…` */
  readonly id: string
  readonly model: string
  readonly answers: A
  readonly usage: Usage
  readonly simo: Simo
}
