// Says which account pays for what the playground asks, and from how much. It is pure.
import type { AccountReply, ServiceReply } from '../../service/console/replies.ts'
import { dollars } from '../format.ts'

/** Dollars per million input tokens, as decimal text; null when the service names none. */
export function priceOf(prices: ServiceReply['prices'], model: string): string | null {
  const own = Object.hasOwn(prices, model) ? prices[model] : prices['*']
  return own ?? null
}

function isNothing(amount: string): boolean {
  return !/[1-9]/.test(amount)
}

/** The chosen account; while none is, the first one that has credit, or else the first. Null when there is none. */
export function payerOf(accounts: readonly AccountReply[], chosen: string | null): AccountReply | null {
  const found = accounts.find(({ id }) => id === chosen)
  return found ?? accounts.find(({ balance }) => !isNothing(balance) && !balance.startsWith('-')) ?? accounts[0] ?? null
}

export interface Spending {
  readonly text: string
  /** Whether a request would be refused for want of credit. */
  readonly isShort: boolean
}

/** Whose credit a request spends. `price`: as `priceOf` says. */
export function spendingOf({ id, balance }: AccountReply, price: string | null): Spending {
  if (price === null || isNothing(price)) return { text: `Asked as ${id}, free of charge: the price is $0.00.`, isShort: false }
  const isShort = isNothing(balance) || balance.startsWith('-')
  if (isShort) return { text: `Run would spend the credit of ${id}, which has none.`, isShort }
  return { text: `Run spends the credit of ${id}: ${dollars(balance)} left, ${dollars(price)} per million input tokens.`, isShort }
}
