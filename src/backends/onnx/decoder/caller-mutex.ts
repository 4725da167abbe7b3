// Runs the work of one caller one after the other. Only one continuation at a time finds room behind a KV cache, and
// each of the others would copy all of it. Passes of one caller follow each other anyway, so nobody waits longer.
export type CallerMutex = <T>(caller: object, work: () => Promise<T>) => Promise<T>

export function makeCallerMutex(): CallerMutex {
  const lastOf = new WeakMap<object, Promise<void>>()
  return (caller, work) => {
    const done = (lastOf.get(caller) ?? Promise.resolve()).then(work)
    const settled = (): void => {}
    lastOf.set(caller, done.then(settled, settled))
    return done
  }
}
