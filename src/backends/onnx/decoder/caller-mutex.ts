// Runs the work of one caller one after the other. Only one continuation at a time finds room behind a KV cache, and
// each of the others would copy all of it. Passes of one caller follow each other anyway, so nobody waits longer.
import { type Serial, serial } from '../../../core/serial.ts'

export type CallerMutex = <T>(caller: object, work: () => Promise<T>) => Promise<T>

export function makeCallerMutex(): CallerMutex {
  const queueOf = new WeakMap<object, Serial>()
  return (caller, work) => {
    const inTurn = queueOf.get(caller) ?? serial()
    queueOf.set(caller, inTurn)
    return inTurn(work)
  }
}
