// Runs the work of a form and keeps what the form shows of it: that it is running, and what was wrong.
import { useState } from 'preact/hooks'
import { ApiError } from '../api.ts'

/**
 * `submit` is for the form, which may begin with an `earlier` error. When the work succeeds, the form is expected to go
 * away.
 */
export function useSubmit(work: () => Promise<void>, earlier: Error | null = null) {
  const [error, setError] = useState<Error | null>(earlier)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(failure as Error)
      setBusy(false)
    }
  }
  return { submit, error, isBusy, problems: error instanceof ApiError ? error.problems : [] }
}
