// One wire in front of the engine: it turns a body into a request, and the engine's response into what that wire's
// clients read.
import type { AskResponse } from '../../wire/types.ts'

/** A request in the engine's own format, and how to turn its response into the dialect's. */
export interface Translated {
  /** For `engine.ask`, which checks it. Its `model` is as the client wrote it; aliases are resolved later. */
  readonly request: unknown
  /** The body of the answer. The response comes with `usage.cost` already exact. */
  reply(response: AskResponse): unknown
  /**
   * Turns a pointer into the engine's request into one into the body as sent, for the engine's errors. Absent where
   * they are equal.
   */
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
