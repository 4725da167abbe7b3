// Loads a list in pages, newest first.
import { useState } from 'preact/hooks'
import { type Loaded, useLoaded } from './use-loaded.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** What to ask for the next page with; null at the end. */
  readonly next: string | null
}

export interface Pages<T> extends Loaded<readonly T[]> {
  /** Null at the end. */
  readonly more: (() => void) | null
}

/** Starts again from the newest whenever one of `about` changes. */
export function usePages<T>(load: (before: string | null) => Promise<Page<T>>, about: readonly unknown[]): Pages<T> {
  const first = useLoaded(() => load(null), about)
  // Later pages belong to the first page they were asked after; a new first page drops them.
  const [later, setLater] = useState<{ readonly after: Page<T>; readonly items: readonly T[]; readonly next: string | null } | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const own = later !== null && later.after === first.data ? later : null
  const next = own === null ? (first.data?.next ?? null) : own.next
  const more = () => {
    const after = first.data
    if (after === null) return
    setError(null)
    load(next).then(
      (page) => setLater({ after, items: [...(own?.items ?? []), ...page.items], next: page.next }),
      (failure: Error) => setError(failure),
    )
  }
  return {
    data: first.data === null ? null : [...first.data.items, ...(own?.items ?? [])],
    error: first.error ?? error,
    isLoading: first.isLoading,
    reload: first.reload,
    more: next === null ? null : more,
  }
}
