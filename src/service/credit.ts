// Whether an account can pay, and the refusal when it cannot.
import { ServiceRefusal } from './errors.ts'
import { fromStore } from './from-store.ts'
import { dollarsText, type NanoDollars } from './money.ts'
import type { Store } from './store/store.ts'

/** What is left in an account. Throws `insufficient_balance` when that is nothing. */
export async function requireCredit(store: Store, account: string): Promise<NanoDollars> {
  const balance = (await fromStore(store.ledger.account(account)))?.balance ?? 0n
  if (balance <= 0n) throw insufficient(balance, null)
  return balance
}

/** The refusal. `cost`: of the answer that was too dear, as far as it was counted; null before anything was. */
export function insufficient(balance: NanoDollars, cost: NanoDollars | null): ServiceRefusal {
  const needs = cost === null ? '' : `, and this answer costs at least ${dollarsText(cost)}`
  const message = `The balance is ${dollarsText(balance)} US dollars${needs}; nothing was charged. Add credits to the account.`
  return new ServiceRefusal('insufficient_balance', message)
}
