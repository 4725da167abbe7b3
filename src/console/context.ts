// What every view needs: the service, who is signed in, and a line at the foot of the page that says what was done.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ServiceReply } from '../service/console/replies.ts'
import type { Api } from './api.ts'

export interface Console {
  readonly api: Api
  readonly service: ServiceReply
  /** Says what was done, for a while; screen readers hear it. */
  say(message: string): void
  /** The account that views are about; null: all of them. Kept while the page is open. */
  readonly account: string | null
  chooseAccount(account: string | null): void
}

export const ConsoleContext = createContext<Console | null>(null)

export function useConsole(): Console {
  const found = useContext(ConsoleContext)
  if (found === null) throw new Error('There is no console around this view.')
  return found
}
