// Maps question types to answer types, at compile time only: `{ type: 'choice', criteria: ['calm', 'angry'] }` has the
// answer `choice: 'calm' | 'angry'`. Plain object literals are enough; where a type is wide (a request read from a
// file), the answers are wide too.
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
 * fields behind a type parameter, so without this a typo in `criteria` would compile. So are fields whose literal value
 * the engine refuses (`KindTypes.refuses`). A choice inside `args` may not have `args` itself.
 */
export type StrictQuestions<Q, Arguments = false> = {
  readonly [K in keyof Q]: Question extends Q[K] ? Q[K] : StrictQuestion<Q[K], Arguments>
}

type StrictQuestion<Q, Arguments> = Q extends { readonly type: infer T extends QuestionType }
  ? {
      readonly [F in keyof Q]: F extends KeysOfAny<QuestionKinds[T]['question']>
        ? F extends (QuestionKinds[T] & { readonly asked: Q })['refuses']
          ? never
          : F extends 'args'
            ? Arguments extends true
              ? never
              : Q[F] extends Questions
                ? StrictQuestions<Q[F], true>
                : Q[F]
            : Q[F]
        : never
    }
  : Q

/**
 * A literal state whose parts the engine would refuse turned into `never`: an array whose every element has the type of
 * a part is parts, so a misspelt source may not pass as JSON.
 */
export type StrictState<S> = S extends readonly { readonly type: Part['type'] }[] ? (S extends readonly Part[] ? S : readonly Part[]) : S

/** `engine.ask`: answers typed by the questions they answer. The HTTP client has the same one. */
export type Ask<Options = unknown> = <
  const Q extends Questions,
  const D extends Derives = Record<never, never>,
  const S extends State = State,
>(
  request: TypedRequest<Q, D, S>,
  options?: Options,
) => Promise<AskResponse<AnswersOf<Q, D>>>

/** A request whose questions are checked field by field. */
export type TypedRequest<Q extends Questions, D extends Derives = Record<never, never>, S extends State = State> = Omit<
  AskRequest<Q, D>,
  'state'
> & {
  readonly state: S & StrictState<S>
  readonly questions: StrictQuestions<Q>
}
