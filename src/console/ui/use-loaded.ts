// Loads data for a view and keeps its error and a way to load again. A reply that a newer one has overtaken is dropped.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<T> {
  /** Of the last load that came; stays while it loads again. */
  readonly data: T | null
  readonly error: Error | null
  readonly isLoading: boolean
  reload(): void
}

/** Loads at once, and again whenever one of `about` changes. */
export function useLoaded<T>(load: () => Promise<T>, about: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({ data: null, error: null, isLoading: true })
  const turn = useRef(0)
  const reload = useCallback(() => {
    const own = ++turn.current
    setState((before) => ({ ...before, isLoading: true }))
    load().then(
      (data) => own === turn.current && setState({ data, error: null, isLoading: false }),
      (error: Error) => own === turn.current && setState((before) => ({ ...before, error, isLoading: false })),
    )
  }, about)
  useEffect(reload, [reload])
  return { ...state, reload }
}
