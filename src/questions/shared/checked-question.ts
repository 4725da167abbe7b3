// What the pipeline knows of a checked question: what it needs from the state and the model, and how to run it.

import type { Grammar, Span } from '../../backends/backend.ts'
import type { ErrorCode } from '../../core/errors.ts'
import type { RequestLimits } from '../../core/limits.ts'
import type { Json, TextSource } from '../../core/types.ts'
import type { CalibrationReport, Coordinates, Point, QuestionAnswer } from '../../wire/types.ts'
import type { QuestionCoroutine } from './coroutine.ts'
import type { Calibrator, Decision, PredictionSets } from './decision.ts'
import type { Deliberation } from './deliberation.ts'
import type { DecisionReadout } from './readouts.ts'

/** One thing wrong, with its code from the closed list. */
export interface Fault {
  readonly code: ErrorCode
  readonly param: string
  readonly message: string
}

/** What a kind can use while it checks its input. */
export interface Checker {
  /** The question's id (or argument's name) and its pointer in the request. */
  readonly id: string
  readonly param: string
  readonly limits: RequestLimits
  /** How many more options, levels and values the request may have. Whoever reads some counts them. */
  readonly left: { options: number }
  /** True for a question that is an argument: a choice with arguments is refused there. */
  readonly isArgument: boolean
  report(fault: Fault): void
  /** Says what is no fault and may not be meant. */
  warn(message: string): void
  /**
   * Checks the questions of an `args` map through the same registry. Faults are reported, and those questions left out.
   */
  args(input: unknown, param: string): readonly CheckedQuestion[]
}

/** An image of the state, with the way from fractions of it to pixels. */
export interface QuestionImage {
  readonly id: string
  /** width, height of the image as sent. */
  readonly size: Point
  /** Fractions of the upright image (left, top, right, bottom) to pixels of the image as sent. */
  toSentPixels(edges: readonly [number, number, number, number]): Coordinates
}

/** What a question can use while it runs. */
export interface QuestionContext {
  /** The image that `CheckedQuestion.image` names; or the only image; or null. */
  image(id: string | null): QuestionImage | null
  /** The value a text stands for under a grammar; null when the text does not fit it. */
  parse(grammar: Grammar, text: string): number | string | readonly (number | string)[] | null
  /** Whether the state holds images. */
  readonly hasImages: boolean
  /** Tokens of the state. */
  readonly stateTokens: number
  /**
   * Whether `questions/logic` decides with the model: what fields say, and numbers and days that are read and compared.
   * True of models that find values better than they judge what is said of them.
   */
  readonly usesLogic: boolean
  /** Whether a self-check counts how probable the read was by itself. */
  readonly countsReads: boolean
  /** The JSON values of the state: itself, or those of its parts. */
  readonly jsonValues: readonly Json[]
  /** The same, and what its texts say in tables and lines of "name: value". */
  readonly records: readonly Json[]
  /** The text of the state that a source names; null for none. */
  textOf(source: TextSource): string | null
  /** Where a text stands in the state: as a whole string of JSON, or in a text between words. UTF-16 offsets. */
  placesOf(text: string): readonly Omit<Span, 'text' | 'logProbability'>[]
  readonly calibrator: Calibrator
  readonly deliberation: Deliberation
  readonly predictionSets: PredictionSets
  /** Hears of every decision of the question once it is made: whoever asks several models sees where one is unsure. */
  decided?(made: MadeDecision): void
}

/** A decision as it was made: calibrated probabilities, [row][candidate], and the mass on the candidates. */
export interface MadeDecision {
  readonly readout: DecisionReadout
  readonly probabilities: readonly (readonly number[])[]
  readonly mass: number
  /** By a head that was fitted on this very question. */
  readonly isLearned: boolean
}

/**
 * What the response reports of a decision beside its answer. `entropyBits` of the calibrated distribution; `mass` on
 * the listed candidates before renormalising.
 */
export interface DecisionReport {
  readonly entropyBits: number
  readonly mass: number
  readonly isDeliberated: boolean
  readonly calibration: CalibrationReport
}

/**
 * What a question found. `report` is null where nothing was decided: boxes, and reads on which the model failed.
 */
export interface QuestionResult<A extends QuestionAnswer = QuestionAnswer> {
  readonly answer: A
  readonly report: DecisionReport | null
  /** Its own decision under the empty name, those of its arguments under theirs. */
  readonly decisions: Readonly<Record<string, Decision>>
}

/** What an answer is in an expression (`derive`), as far as its question says. */
export interface PlainForm {
  /** Its plain value; `any` where it depends on what is read, `none` for lists and boxes. */
  readonly value: 'number' | 'text' | 'day' | 'any' | 'none'
  /** In words that follow "it is". */
  readonly is: string
  /** The texts that its value can be; null where they are not known: a text of these is then no number and no day. */
  readonly texts: readonly string[] | null
  readonly hasProbabilities: boolean
  /** Whether it holds several things, which can be counted. */
  readonly isList: boolean
}

/** A checked question. */
export interface CheckedQuestion {
  readonly id: string
  readonly param: string
  readonly type: QuestionAnswer['type']
  /** Id of the image it names; null when it names none. */
  readonly image: string | null
  /** True when it is answered in pixels: it needs one image, and a model that gives boxes. */
  readonly needsBoxes: boolean
  /** Questions that may be asked after it. */
  readonly args: readonly CheckedQuestion[]
  /** The names of its options or levels, in order; null when its answer has no probabilities by name. */
  readonly options: readonly string[] | null
  /** What its answer is in an expression; null where that is not known before it is there. */
  readonly plain: PlainForm | null
  run(context: QuestionContext): QuestionCoroutine<QuestionResult>
}

/** Where the faults go, and the limits that apply. */
export interface CheckSettings {
  readonly limits: RequestLimits
  report(fault: Fault): void
  /** Default: warnings go nowhere. */
  warn?(message: string): void
}
