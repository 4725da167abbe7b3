// Question types to answer types, at compile time only: `{ type: 'choice', criteria: ['calm', 'angry'] }` has the answer `choice: 'calm' | 'angry'`.
// Plain object literals are enough; where a type is wide (a request read from a file), the answers are wide too.
import type {
  AskRequest,
  AskResponse,
  BoxAnswer,
  BoxManyAnswer,
  ChoiceAnswer,
  ChoiceQuestion,
  DeriveAnswer,
  Derives,
  ExtractAnswer,
  ExtractManyAnswer,
  ExtractQuestion,
  FillAnswer,
  FillParsed,
  FillQuestion,
  NoulAnswer,
  NoulQuestion,
  Question,
  Questions,
  QuestionType,
  ScoreAnswer,
  ScoreQuestion,
  SelectAnswer,
  SelectQuestion,
} from './types.ts'

/** The answers of a request: one per question id, and one per derive name. */
export type AnswersOf<Q, D = object> = string extends keyof D
  ? { readonly [K in keyof Q]: AnswerOf<Q[K]> } & Readonly<Record<string, AnswerOf<Q[keyof Q]> | DeriveAnswer>>
  : { readonly [K in keyof Q | keyof D]: K extends keyof Q ? AnswerOf<Q[K]> : DeriveAnswer }

/** The answer of one question. A union of questions gives the union of their answers. */
export type AnswerOf<Q> = Q extends { readonly type: 'noul' }
  ? NoulAnswer
  : Q extends { readonly type: 'choice' }
    ? ChoiceAnswerOf<Q>
    : Q extends { readonly type: 'score' }
      ? ScoreAnswerOf<Q>
      : Q extends { readonly type: 'select' }
        ? SelectAnswer<OptionsOf<Q>>
        : Q extends { readonly type: 'fill' }
          ? FillAnswerOf<Q>
          : Q extends { readonly type: 'extract' }
            ? ExtractAnswerOf<Q>
            : never

type Simplify<T> = { [K in keyof T]: T[K] }

/** The type of a field, or undefined where the question has none. */
type Field<Q, K extends string> = K extends keyof Q ? Q[K] : undefined

// Options

type OptionInputOf<Q> = Field<Q, 'options'> extends readonly (infer O)[] ? O : Field<Q, 'criteria'> extends readonly (infer O)[] ? O : never

type OptionName<O> = O extends string ? O : O extends { readonly value: infer V extends string } ? V : never

/** The option names of a choice or a select: the elements of `options`, or of `criteria`, or the keys of a `criteria` map. */
export type OptionsOf<Q> = [OptionInputOf<Q>] extends [never]
  ? Field<Q, 'criteria'> extends infer C extends object
    ? `${keyof C & (string | number)}`
    : string
  : OptionName<OptionInputOf<Q>>

// choice

type ArgsOf<Q> = Field<Q, 'args'> extends infer A extends object ? A : object

/** The args that option `Name` brings itself. */
type OwnArgs<O, Name> = O extends { readonly value: Name; readonly args: infer A extends object } ? A : never

type ArgsFor<Q, Name> = [OwnArgs<OptionInputOf<Q>, Name>] extends [never] ? ArgsOf<Q> : ArgsOf<Q> & OwnArgs<OptionInputOf<Q>, Name>

/** One shape per option, so that comparing `choice` says which `args` there are (none of its own: empty). Without any args, one shape for all. */
type ChoiceAnswerOf<Q> =
  string extends OptionsOf<Q>
    ? ChoiceAnswer
    : 'args' extends keyof Q | OptionKeys<OptionInputOf<Q>>
      ? { readonly [Name in OptionsOf<Q>]: Chosen<Q, Name> }[OptionsOf<Q>]
      : Simplify<Omit<ChoiceAnswer<OptionsOf<Q>>, 'args'>>

type OptionKeys<O> = O extends object ? keyof O : never

type Chosen<Q, Name extends string> = Simplify<
  Omit<ChoiceAnswer<Name>, 'args' | 'probabilities'> & {
    readonly probabilities: Readonly<Record<OptionsOf<Q>, number>>
  } & { readonly args: AnswersOf<ArgsFor<Q, Name>> }
>

// score

type LevelName<L> = L extends string ? L : L extends { readonly label: infer V extends string } ? V : never

/** A literal list of levels gives `probabilities` and `legend` their keys: "0", "1"… */
type ScoreAnswerOf<Q> =
  Field<Q, 'criteria'> extends infer C extends readonly unknown[]
    ? number extends C['length']
      ? ScoreAnswer<LevelName<C[number]>>
      : Simplify<
          Omit<ScoreAnswer, 'legend' | 'probabilities'> & {
            readonly legend: { readonly [I in keyof C as I extends `${number}` ? I : never]: LevelName<C[I]> }
            readonly probabilities: { readonly [I in keyof C as I extends `${number}` ? I : never]: number }
          }
        >
    : ScoreAnswer

// fill and extract

/**
 * A read, with the fields `Sure` there once `valid` is true: `if (answer.valid) answer.parsed + 1`. A read on which the model failed has neither
 * `parsed` nor `check`.
 */
type Validated<A, Sure extends keyof A> = [Sure] extends [never]
  ? A
  :
      | Simplify<Omit<A, Sure | 'valid' | 'error'> & { readonly valid: true; readonly error?: undefined } & Required<Pick<A, Sure>>>
      | Simplify<Omit<A, 'valid'> & { readonly valid: false }>

/** `check` comes with `self_check: true`, never without, and is open where the type does not say. */
type Checked<A extends { readonly check?: number }, Q, Sure extends keyof A = never> = [Field<Q, 'self_check'>] extends [true]
  ? Validated<A, Sure | 'check'>
  : [Field<Q, 'self_check'>] extends [false | undefined]
    ? Validated<Simplify<Omit<A, 'check'>>, Exclude<Sure, 'check'>>
    : Validated<A, Sure>

type ItemKind<I> = I extends { readonly kind: infer K } ? K : I
type ItemParsed<I> = [ItemKind<I>] extends ['int' | 'number'] ? readonly number[] : readonly string[]

type FillAnswerOf<Q> = FillByKind<Q, Field<Q, 'kind'>>

type FillByKind<Q, Kind> = [Kind] extends ['int' | 'number']
  ? Checked<FillAnswer<string, number>, Q, 'parsed'>
  : [Kind] extends ['list']
    ? Checked<FillAnswer<string, ItemParsed<Field<Q, 'item'>>>, Q, 'parsed'>
    : [Kind] extends ['enum']
      ? Checked<Unparsed<FillAnswer<Field<Q, 'values'> extends readonly (infer V extends string)[] ? V : string>>, Q>
      : [Kind] extends ['text' | 'date' | undefined]
        ? Checked<Unparsed<FillAnswer>, Q>
        : Checked<FillAnswer<string, FillParsed>, Q>

type Unparsed<A> = Simplify<Omit<A, 'parsed'>>

type ExtractAnswerOf<Q> = [Field<Q, 'kind'>] extends ['coordinates']
  ? OneOrMany<Q, BoxAnswer, BoxManyAnswer>
  : 'coordinates' extends Field<Q, 'kind'>
    ? OneOrMany<Q, Checked<ExtractAnswer, Q> | BoxAnswer, Checked<ExtractManyAnswer, Q> | BoxManyAnswer>
    : OneOrMany<Q, Checked<ExtractAnswer, Q>, Checked<ExtractManyAnswer, Q>>

type OneOrMany<Q, One, Many> = [Field<Q, 'many'>] extends [true] ? Many : [Field<Q, 'many'>] extends [false | undefined] ? One : One | Many

// What must not compile

interface QuestionByType {
  readonly noul: NoulQuestion
  readonly choice: ChoiceQuestion
  readonly score: ScoreQuestion
  readonly select: SelectQuestion
  readonly fill: FillQuestion
  readonly extract: ExtractQuestion
}

/**
 * The same questions with every field that their type does not have turned into `never`: TypeScript checks no excess fields behind a type parameter,
 * so without this a typo in `criteria` would compile. A choice inside `args` may not have `args` itself.
 */
export type StrictQuestions<Q, Arguments = false> = {
  readonly [K in keyof Q]: Question extends Q[K] ? Q[K] : StrictQuestion<Q[K], Arguments>
}

type StrictQuestion<Q, Arguments> = Q extends { readonly type: infer T extends QuestionType }
  ? {
      readonly [F in keyof Q]: F extends keyof QuestionByType[T]
        ? F extends 'args'
          ? Arguments extends true
            ? never
            : Q[F] extends Questions
              ? StrictQuestions<Q[F], true>
              : Q[F]
          : Q[F]
        : never
    }
  : Q

/** `engine.ask`: answers typed by the questions they answer. The HTTP client has the same one. */
export type Ask<Options = unknown> = <const Q extends Questions, const D extends Derives = Record<never, never>>(
  request: TypedRequest<Q, D>,
  options?: Options,
) => Promise<AskResponse<AnswersOf<Q, D>>>

/** A request whose questions are checked field by field. */
export type TypedRequest<Q extends Questions, D extends Derives = Record<never, never>> = AskRequest<Q, D> & {
  readonly questions: StrictQuestions<Q>
}
