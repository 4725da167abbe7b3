// One wire in front of the engine: a body to a request, and the engine's response to what that wire's clients read.
import type { AskResponse } from '../../wire/types.ts'

/** A request in the engine's own words, and how its response is said in the dialect's. */
export interface Translated {
  /** For `engine.ask`, which doubts it. Its `model` is as the client wrote it; aliases are the pipeline's. */
  readonly request: unknown
  /** The body of the answer. The response comes with `usage.cost` already exact. */
  reply(response: AskResponse): unknown
  /** A pointer into the engine's request to one into the body as sent, where they differ: for what the engine says of `request`. */
  pointer?(param: string): string
}

export interface Dialect {
  /** For logs and metrics. */
  readonly name: 'ask' | 'systemone' | 'decisions'
  /** Throws `EngineError` with everything that is wrong; pointers are into the body as sent. */
  translate(body: unknown): Translated
  /** Headers of every answer besides the common ones. */
  headers?(requestId: string): Readonly<Record<string, string>>
}
