// Whether an account can pay, and the refusal when it cannot.
import { ServiceError } from './errors.ts'
import { dollarsText, type NanoDollars } from './money.ts'
import type { Store } from './store/store.ts'
import { stored } from './stored.ts'

/** Throws `insufficient_balance` when nothing is left in an account. */
export async function holdCredit(store: Store, account: string): Promise<void> {
  const balance = (await stored(store.ledger.account(account)))?.balance ?? 0n
  if (balance <= 0n) throw insufficient(balance, null)
}

/** The refusal. `cost`: of the answer that was too dear; null before there is one. */
export function insufficient(balance: NanoDollars, cost: NanoDollars | null): ServiceError {
  const needs = cost === null ? '' : `, and this answer costs ${dollarsText(cost)}`
  const message = `The balance is ${dollarsText(balance)} US dollars${needs}; nothing was charged. Add credits to the account.`
  return new ServiceError('insufficient_balance', message)
}
