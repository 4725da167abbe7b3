// The frame of the signed-in console: the views, the navigation, and the line that says what was done. The view stands
// in the address after #.
import type { ComponentType } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ServiceReply } from '../service/console/replies.ts'
import type { Api } from './api.ts'
import { ConsoleContext } from './context.ts'
import { Playground } from './playground/playground.tsx'
import { applyTheme, storedTheme, THEMES, type Theme } from './theme.ts'
import { Segmented } from './ui/field.tsx'
import { Mark } from './ui/mark.tsx'
import { Calibration } from './views/calibration.tsx'
import { Keys } from './views/keys.tsx'
import { Models } from './views/models.tsx'
import { Overview } from './views/overview.tsx'
import { Requests } from './views/requests.tsx'

/** `rest`: what follows the view's name in the address, e.g. the id of a request. */
export interface ViewProps {
  readonly rest: string
}

interface View {
  readonly name: string
  readonly title: string
  readonly Component: ComponentType<ViewProps>
}

const VIEWS: readonly View[] = [
  { name: 'overview', title: 'Overview', Component: Overview },
  { name: 'playground', title: 'Playground', Component: Playground },
  { name: 'keys', title: 'API keys', Component: Keys },
  { name: 'requests', title: 'Requests', Component: Requests },
  { name: 'calibration', title: 'Calibration', Component: Calibration },
  { name: 'models', title: 'Models', Component: Models },
]

const WORDS: Readonly<Record<Theme, string>> = { system: 'Auto', light: 'Light', dark: 'Dark' }
const SAID_MS = 5000

function useRoute(): { readonly view: View; readonly rest: string } {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const change = () => setHash(location.hash)
    addEventListener('hashchange', change)
    return () => removeEventListener('hashchange', change)
  }, [])
  const [name, ...rest] = hash.replace(/^#\/?/, '').split('/')
  return { view: VIEWS.find((view) => view.name === name) ?? VIEWS[0]!, rest: rest.join('/') }
}

export interface ShellProps {
  readonly api: Api
  readonly service: ServiceReply
  readonly onSignOut: () => Promise<void>
}

export function Shell({ api, service, onSignOut }: ShellProps) {
  const { view, rest } = useRoute()
  const [account, chooseAccount] = useState<string | null>(null)
  const [said, setSaid] = useState<string | null>(null)
  const [theme, setTheme] = useState(storedTheme)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const main = useRef<HTMLElement>(null)
  const tabs = useRef<HTMLElement>(null)
  const say = useCallback((message: string) => {
    setSaid(message)
    if (timer.current !== null) clearTimeout(timer.current)
    timer.current = setTimeout(() => setSaid(null), SAID_MS)
  }, [])
  const context = useMemo(() => ({ api, service, say, account, chooseAccount }), [api, service, say, account])
  const isFirst = useRef(true)
  // Before anything is painted: after it, the focus could be taken from where a quick hand has put it in the new view.
  useLayoutEffect(() => {
    document.title = `${view.title} · assay`
    // Screen readers go on from the new view, not from the link that led there.
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
    // On narrow screens the tabs scroll sideways; only they may move, not the page.
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current]')
    if (current) tabs.current!.scrollLeft = current.offsetLeft - (tabs.current!.clientWidth - current.offsetWidth) / 2
    scrollTo(0, 0)
  }, [view.name])

  return (
    <ConsoleContext.Provider value={context}>
      <div class="shell">
        <button type="button" class="skip" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <header class="side">
          <p class="wordmark">
            <Mark /> assay
          </p>
          <nav aria-label="Views" ref={tabs}>
            {VIEWS.map(({ name, title }) => (
              <a key={name} href={`#/${name}`} aria-current={name === view.name ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
          <div class="foot">
            <Segmented
              label="Theme"
              value={theme}
              options={THEMES.map((option) => [option, WORDS[option]] as const)}
              onChange={(chosen) => {
                applyTheme(chosen)
                setTheme(chosen)
              }}
            />
            <button type="button" class="plain" onClick={onSignOut}>
              Sign out
            </button>
            <p class="hint engine">
              {service.engine} · {service.database === 'postgres' ? 'PostgreSQL' : 'embedded database'}
            </p>
          </div>
        </header>
        <main id="main" tabIndex={-1} ref={main}>
          <h1>{view.title}</h1>
          <view.Component rest={rest} />
        </main>
        <p class={said === null ? 'said' : 'said shown'} role="status">
          {said}
        </p>
      </div>
    </ConsoleContext.Provider>
  )
}
