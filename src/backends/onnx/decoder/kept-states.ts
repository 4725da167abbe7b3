// States of a hybrid graph at shorter lengths of a cache, where a continuation may start. They are large (those of
// Qwen3.5-0.8B have 20 MB, as much as its keys and values for 840 tokens), so only some are kept: at every chunk of the
// grid where that is little memory, else at every second, fourth, eighth … and at the last one.
import { bytesOf, type Feeds } from '../runtime/session.ts'

/** By the length that the cache had, ascending. */
export type KeptStates = ReadonlyMap<number, Readonly<Feeds>>

export const bytesOfStates = (states: Readonly<Feeds>): number => bytesOf(Object.values(states))

/**
 * `kept` and the states at `length`, a multiple of `chunk`, without those for which there is no room.
 * @param mostBytes what all of them may take together; the last ones are kept in any case.
 */
export function withStatesAt(kept: KeptStates, length: number, states: Readonly<Feeds>, chunk: number, mostBytes: number): KeptStates {
  const all = new Map([...kept, [length, states]])
  const most = Math.max(1, Math.floor(mostBytes / Math.max(1, bytesOfStates(states))))
  let [left, step] = [[...all.keys()], chunk]
  while (left.length > most) {
    step *= 2
    left = left.filter((at) => at % step === 0 || at === length)
  }
  return new Map(left.map((at) => [at, all.get(at) as Readonly<Feeds>]))
}
