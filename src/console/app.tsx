// The page: a form for a token while signed out, the views while signed in. When it is opened by a one-time link, it
// uses the link's token first.
import { render } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { SessionReply } from '../service/console/replies.ts'
import { ApiError, createApi } from './api.ts'
import { Login } from './login.tsx'
import { forgetPlayground } from './playground/playground.tsx'
import { Shell } from './shell.tsx'
import { applyTheme, storedTheme } from './theme.ts'

type Session =
  | { readonly state: 'opening' }
  | { readonly state: 'closed'; readonly why: string | Error | null }
  | { readonly state: 'open'; readonly reply: SessionReply }

/** The token of a one-time link. It is taken out of the address (and of the history) before anything else happens. */
function takeLinkToken(): string | null {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (token === undefined) return null
  history.replaceState(null, '', location.pathname)
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}

function App({ linkToken }: { readonly linkToken: string | null }) {
  const [session, setSession] = useState<Session>({ state: 'opening' })
  const api = useMemo(() => createApi(() => setSession({ state: 'closed', why: 'Your session has ended. Sign in again.' })), [])

  useEffect(() => {
    const open = async () => {
      try {
        setSession({ state: 'open', reply: linkToken === null ? await api.session() : await api.login(linkToken) })
      } catch (error) {
        const isNew = linkToken === null && error instanceof ApiError && error.code === 'not_signed_in'
        setSession({ state: 'closed', why: isNew ? null : (error as Error) })
      }
    }
    open()
  }, [])

  if (session.state === 'opening') return <p class="nothing page">Opening…</p>
  if (session.state === 'closed') {
    return <Login why={session.why} onLogin={async (token) => setSession({ state: 'open', reply: await api.login(token) })} />
  }
  const signOut = async () => {
    await api.logout()
    forgetPlayground()
    setSession({ state: 'closed', why: 'You are signed out.' })
  }
  return <Shell api={api} service={session.reply.service} onSignOut={signOut} />
}

// A link that is opened where the console is open already only changes the address.
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#token=')) location.reload()
})
applyTheme(storedTheme())
render(<App linkToken={takeLinkToken()} />, document.getElementById('console')!)
