// The form that opens the console with a token.
import { useState } from 'preact/hooks'
import { TextField } from './ui/field.tsx'
import { Mark } from './ui/mark.tsx'
import { Failure } from './ui/notice.tsx'
import { useSubmit } from './ui/use-submit.ts'

export interface LoginProps {
  /** Why nobody is signed in; null when nobody was. */
  readonly why: string | Error | null
  readonly onLogin: (token: string) => Promise<void>
}

export function Login({ why, onLogin }: LoginProps) {
  const [token, setToken] = useState('')
  const { submit, error, isBusy } = useSubmit(() => onLogin(token.trim()), why instanceof Error ? why : null)
  return (
    <main class="login">
      <form class="panel" onSubmit={submit}>
        <p class="wordmark">
          <Mark /> assay
        </p>
        <h1>Sign in to the console</h1>
        {error === null && typeof why === 'string' ? (
          <p class="notice" role="status">
            {why}
          </p>
        ) : null}
        {error === null ? null : <Failure error={error} />}
        <TextField
          label="Token"
          type="password"
          value={token}
          onChange={setToken}
          isRequired
          hint="The token of a one-time link, or the standing admin token of this service. A new link is printed when the service starts, and by assay admin link."
        />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </main>
  )
}
