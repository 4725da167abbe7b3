// What a decoder has read: keys and values, [1][heads][token][size] each, named as inputs of the next run. Nothing writes to them, so any number of
// continuations may start from one.
import type { Feeds } from '../../session.ts'

export interface Past {
  readonly length: number
  /** `past_key_values.0.key`, … */
  readonly tensors: Readonly<Feeds>
  readonly bytes: number
}
