// Maps question types to answer types, at compile time only: `{ type: 'choice', criteria: ['calm', 'angry'] }` has the
// answer `choice: 'calm' | 'angry'`. Plain object literals are enough; where a type is wide (a request read from a
// file), the answers are wide too.
import type { Json } from '../core/types.ts'
import type {
  AskRequest,
  AskResponse,
  DeriveAnswer,
  Derives,
  Part,
  Question,
  QuestionKinds,
  Questions,
  QuestionType,
  State,
} from './types.ts'

/** The answers of a request: one per question id, and one per derive name. */
export type AnswersOf<Q, D = object> = string extends keyof D
  ? { readonly [K in keyof Q]: AnswerOf<Q[K]> } & Readonly<Record<string, AnswerOf<Q[keyof Q]> | DeriveAnswer>>
  : { readonly [K in keyof Q | keyof D]: K extends keyof Q ? AnswerOf<Q[K]> : DeriveAnswer }

/** The answer of one question. A union of questions gives the union of their answers. */
export type AnswerOf<Q> = Q extends { readonly type: infer T extends QuestionType }
  ? T extends unknown
    ? (QuestionKinds[T] & { readonly asked: Q })['typed']
    : never
  : never

// What must not compile

type KeysOfAny<T> = T extends unknown ? keyof T : never

/**
 * The same questions with every field that their type does not have turned into `never`: TypeScript checks no excess
 * fields behind a type parameter, so without this a typo in `criteria` would compile. Fields whose literal value the
 * engine refuses are turned into words of why (`KindTypes.refuses`). A choice inside `args` may not have `args` itself.
 */
export type StrictQuestions<Q, Arguments = false> = {
  readonly [K in keyof Q]: Question extends Q[K] ? Q[K] : StrictQuestion<Q[K], Arguments>
}

type StrictQuestion<Q, Arguments> = Q extends { readonly type: infer T extends QuestionType }
  ? {
      readonly [F in keyof Q]: F extends KeysOfAny<QuestionKinds[T]['question']>
        ? F extends keyof Refused<T, Q>
          ? Refused<T, Q>[F]
          : F extends 'args'
            ? StrictArgs<Q[F], Arguments>
            : F extends 'options' | 'criteria'
              ? StrictOptions<Q[F], Arguments>
              : Q[F]
        : never
    }
  : Q

type Refused<T extends QuestionType, Q> = (QuestionKinds[T] & { readonly asked: Q })['refuses']

type StrictArgs<A, Arguments> = Arguments extends true ? never : A extends Questions ? StrictQuestions<A, true> : A

/** A list of options; those that bring `args` may bring what a question may. */
type StrictOptions<L, Arguments> = L extends readonly unknown[]
  ? {
      readonly [I in keyof L]: L[I] extends { readonly args: infer A }
        ? { readonly [F in keyof L[I]]: F extends 'args' ? StrictArgs<A, Arguments> : L[I][F] }
        : L[I]
    }
  : L

/** What stands where JSON cannot say a value. Nothing has this member, so a compiler names it. */
interface NotJson {
  readonly 'no JSON value: send its text, or a plain copy of it': never
}

/** Objects that are read by their methods. */
type NotPlain = ((...args: never) => unknown) | Date | RegExp | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView

/**
 * The same value with what JSON cannot say turned into `NotJson`. Members that may be undefined pass, for they are left
 * out; what the compiler does not know (`unknown`, fields of a class) is left to the engine.
 */
type StrictJson<T> = [T] extends [Json]
  ? T
  : unknown extends T
    ? T
    : T extends string | number | boolean | null | undefined
      ? T
      : T extends bigint | symbol | NotPlain
        ? NotJson
        : { readonly [K in keyof T]: StrictJson<T[K]> }

/** Any value: an interface is no `Json`, and what came in is `unknown`. Parts are named so that editors complete. */
type GivenState = readonly Part[] | NonNullable<unknown> | null | undefined

type ValueOf<P> = P extends { readonly type: 'json'; readonly value: infer V } ? V : null

type GivenPart = Exclude<Part, { readonly type: 'json' }> | { readonly type: 'json'; readonly value: unknown }

/**
 * A state with what the engine would refuse turned into what nothing is. An array whose every element has the type of a
 * part is parts, so a misspelt source may not pass as JSON.
 */
export type StrictState<S> = unknown extends S
  ? S
  : S extends readonly { readonly type: Part['type'] }[]
    ? S extends readonly GivenPart[]
      ? ValueOf<S[number]> extends StrictJson<ValueOf<S[number]>>
        ? S
        : NotJson
      : readonly Part[]
    : S extends undefined
      ? never
      : StrictJson<S>

/** `engine.ask`: answers typed by the questions they answer. The HTTP client has the same one. */
export type Ask<Options = unknown> = <
  const Q extends Questions,
  const D extends Derives = Record<never, never>,
  const S extends GivenState = State,
>(
  request: TypedRequest<Q, D, S>,
  options?: Options,
) => Promise<AskResponse<AnswersOf<Q, D>>>

/**
 * A request whose state, questions and derives are checked field by field. A function that hands questions on takes
 * this, so that their types reach the answers: `<const Q extends Questions>(request: TypedRequest<Q>)`.
 */
export type TypedRequest<Q extends Questions, D extends Derives = Record<never, never>, S extends GivenState = State> = Omit<
  AskRequest<Q, D>,
  'state' | 'derive'
> & {
  readonly state: S & StrictState<S>
  readonly questions: [keyof Q] extends [never] ? 'a request asks at least one question' : StrictQuestions<Q>
  readonly derive?: D & StrictDerives<D, Q>
}

/** Derives with those that have the name of a question turned into words of why. */
type StrictDerives<D, Q> = string extends keyof Q
  ? D
  : { readonly [K in keyof D]: K extends keyof Q ? 'a question has this name; give the expression another' : D[K] }
