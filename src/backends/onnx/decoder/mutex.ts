// What a past grows by goes in a line, one line for each caller: only one at a time finds room behind a past, and each of the others would take a copy of all
// of it. Passes of one caller come one after the other anyway, so nobody waits longer.
export type Lines = <T>(caller: object, work: () => Promise<T>) => Promise<T>

export function makeLines(): Lines {
  const ends = new WeakMap<object, Promise<void>>()
  return (caller, work) => {
    const done = (ends.get(caller) ?? Promise.resolve()).then(work)
    const end = (): void => {}
    ends.set(caller, done.then(end, end))
    return done
  }
}
