// Notices of a view: an error, an empty list, loading.
import type { ComponentChildren } from 'preact'
import { ApiError } from '../api.ts'
import type { Loaded } from './use-loaded.ts'

export interface FailureProps {
  readonly error: Error
  /** In place of the error's own. */
  readonly message?: string
  readonly onRetry?: () => void
}

export function Failure({ error, message = error.message, onRetry }: FailureProps) {
  const code = error instanceof ApiError ? error.code : null
  return (
    <div class="notice bad" role="alert">
      <p>{message}</p>
      {code === null ? null : <code>{code}</code>}
      {onRetry === undefined ? null : (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}

export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>
}

/** A loaded thing, or why it is not there yet. */
export function Shown<T>({ loaded, children }: { readonly loaded: Loaded<T>; readonly children: (data: T) => ComponentChildren }) {
  return (
    <>
      {loaded.error === null ? null : <Failure error={loaded.error} onRetry={loaded.reload} />}
      {loaded.data !== null ? (
        children(loaded.data)
      ) : loaded.error === null ? (
        <p class="nothing" aria-busy="true">
          Loading…
        </p>
      ) : null}
    </>
  )
}
