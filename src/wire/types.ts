// The wire: what a request holds and what a response says, as JSON, snake_case where the JSON is. Types only;
// `request.ts` checks them at run time.
import type { Json } from '../core/types.ts'

/** Words for the model. Absent or null: the model is told the question's id instead. A JSON value is shown as JSON. */
export type Instructions = Json

/**
 * The types of one kind of question. `typed` is the answer to the question `asked`: an interface sees `this['asked']`
 * once it is intersected with `{ asked: Q }` (see `AnswerOf`). `refuses` has the fields of `asked` whose literal value
 * the engine would refuse, each with words of why; `unknown` where there are none.
 */
export interface KindTypes {
  readonly asked: unknown
  readonly question: object
  /** Every form of the answer. */
  readonly answer: object
  readonly typed: object
  readonly refuses: unknown
}

/**
 * The kinds of questions by their type. It is empty here: the file of each kind adds its own entry by declaration
 * merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the kinds fill it
export interface QuestionKinds {}

export type QuestionType = keyof QuestionKinds
export type Question = { [T in QuestionType]: QuestionKinds[T]['question'] }[QuestionType]
export type Questions = Readonly<Record<string, Question>>

/** An expression over the answers. */
export type DeriveInput = string | { readonly expr: string }
export type Derives = Readonly<Record<string, DeriveInput>>

/**
 * Where the bytes of an image or a video are. `path` and `bytes` only in-process; `url` only from hosts that are open:
 * `urls` in the `state` options of an engine or of one `ask`. `bytes` are not copied; leave them as they are until the
 * answer is there.
 */
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
  | { readonly type: 'video'; readonly id?: string; readonly frames: readonly { readonly source: Source; readonly t_ms: number }[] }
  | ({ readonly type: 'video'; readonly id?: string; readonly source: Source } & FrameSampling)
  | ({
      readonly type: 'file'
      readonly id?: string
      readonly mediaType: string
      readonly data: FileData
      readonly filename?: string
    } & FrameSampling)

/** A data URL or base64; bytes only in-process and in the client. */
export type FileData = string | Uint8Array

/**
 * Which frames of a video file are looked at. `fps`: of each second. `max_frames`: at most so many, evenly over the
 * stretch when fps is absent or asks for more (default 8, with fps as many as one request may have). The stretch:
 * milliseconds from the first frame.
 */
export interface FrameSampling {
  readonly fps?: number
  readonly max_frames?: number
  readonly start_ms?: number
  readonly end_ms?: number
}

/**
 * A string is text; an array whose every element has a known part `type` is parts in reading order; anything else is
 * JSON.
 */
export type State = Json | readonly Part[]

/** One state and named questions about it. */
export interface AskRequest<Q extends Questions = Questions, D extends Derives = Derives> {
  /** Default: what answers where none is named, which is `service-1-pro` unless the engine has another first. */
  readonly model?: string | null
  readonly state: State
  readonly questions: Q
  readonly derive?: D
  readonly simo?: RequestSimo | null
}

/**
 * How a request wants to be answered, where whoever runs the engine does not say otherwise. Anything else in it is
 * refused.
 */
export interface RequestSimo {
  /**
   * When to look again; default `automatic`: where it pays, by the calibration (what is uncertain, or short). Never
   * charged.
   */
  readonly deliberation?: 'automatic' | 'never' | 'always'
  /** Adds to each decision the set that holds the truth in this share of them, between 0 and 1. */
  readonly sets?: { readonly coverage: number }
  /** Abstains where answers would be wrong more often than this share, between 0 and 1. */
  readonly abstain?: { readonly max_risk: number }
}

// Answers. Every probability is finite and strictly between 0 and 1, unrounded. A read that failed alone says so
// (`valid: false`, and `error` when the model gave nothing at all); the rest of the request stands.

/**
 * What is said besides when `ask` was given `sets` or `abstain`. `set`: the names (as in `probabilities`; of a noul
 * 'true' and 'false') that cannot be ruled out at the coverage asked for; of a select, the options that may hold.
 * `abstained`: too unsure for the risk asked for.
 */
export interface SetAndAbstention {
  readonly set?: readonly string[]
  readonly abstained?: boolean
}

/**
 * Where a value stands: UTF-16 units from the start of the string it was taken from. That string is the text of part
 * `part` (absent: part 0, or a state that is not parts), or the JSON string (or number, as written) at the pointer
 * `path` in it (absent: the text itself).
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

/** left, top, right, bottom: pixels of the image as sent. */
export type Coordinates = readonly [number, number, number, number]
export type Point = readonly [number, number]

/** `error` says why when `valid` is false; `value` is null then. */
export interface DeriveAnswer {
  readonly type: 'derive'
  readonly value: number | string | boolean | null
  readonly valid: boolean
  readonly error?: string
}

export type QuestionAnswer = { [T in QuestionType]: QuestionKinds[T]['answer'] }[QuestionType]
export type Answer = QuestionAnswer | DeriveAnswer
/** Keyed by question id and derive name; made without a prototype, so that any id is safe. */
export interface Answers {
  readonly [id: string]: Answer
}

/** `cost` in US dollars. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost: number
}

/**
 * How one question was answered. `entropy` (bits, of the calibrated distribution), `mass` (probability on the listed
 * options before renormalising) and `calibration` are null where nothing was decided: boxes, and reads
 * that failed.
 */
export interface QuestionReport {
  readonly entropy: number | null
  readonly mass: number | null
  readonly deliberated: boolean
  readonly passes: number
  readonly calibration: CalibrationReport | null
  /** The stage whose answer it is; only of a chain. */
  readonly model?: string
}

/** The map behind the probabilities: its kind, how near the labels are it was fitted on, and how many they are. */
export interface CalibrationReport {
  /** `identity` (none), `blend` (a map with an isotonic mixture), `learned` (a head), or the name of a map. */
  readonly applied: string
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
  /** What each stage did, in their order; only of a chain. */
  readonly chain?: readonly StageReport[]
}

/**
 * What one stage of a chain did. `asked`: questions that came to it; `answered`: of those, whose answers stand.
 * `skipped`: it could not answer, and `reason` says why; its tokens are not counted. `revision` and `calibration` (its
 * version; null: probabilities are the model's own) of a stage that answered.
 */
export interface StageReport {
  readonly model: string
  readonly status: 'answered' | 'skipped' | 'not_needed'
  readonly asked: number
  readonly answered: number
  readonly revision: string | null
  readonly calibration: string | null
  readonly input_tokens: number
  readonly passes: number
  readonly ms: number
  readonly reason?: string
}

export interface AskResponse<A = Answers> {
  /** `evt_…` */
  readonly id: string
  readonly model: string
  readonly answers: A
  readonly usage: Usage
  readonly simo: Simo
}
