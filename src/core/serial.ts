// Work that runs one after the other, in the order in which it came.

/** Runs the work when all before it has ended. A failure is told to the caller alone, and holds up nobody. */
export type Serial = <T>(work: () => Promise<T>) => Promise<T>

export function serial(): Serial {
  let last: Promise<void> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    const settled = (): void => {}
    last = done.then(settled, settled)
    return done
  }
}
