// The form that adds to (or takes from) a balance.
import { useState } from 'preact/hooks'
import type { AccountReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { dollars } from '../format.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemsContext, TextField } from '../ui/field.tsx'
import { Failure } from '../ui/notice.tsx'
import { useSubmit } from '../ui/use-submit.ts'

export interface AddCreditsProps {
  readonly account: AccountReply
  readonly onClose: () => void
  readonly onAdded: () => void
}

export function AddCredits({ account, onClose, onAdded }: AddCreditsProps) {
  const { api, say } = useConsole()
  const [amount, setAmount] = useState('')
  const [note, setNote] = useState('')
  const { submit, error, isBusy, problems } = useSubmit(async () => {
    const { entry } = await api.credit({ account: account.id, dollars: amount.trim().replace(',', '.'), note })
    say(`${dollars(entry.amount)} booked; the balance of ${account.id} is ${dollars(entry.balance_after)}.`)
    onAdded()
    onClose()
  })
  return (
    <Dialog title="Add credits" onClose={onClose}>
      <ProblemsContext.Provider value={problems}>
        <form onSubmit={submit}>
          <p>
            Account <b class="data">{account.id}</b>, which has {dollars(account.balance)}.
          </p>
          {error === null || problems.length > 0 ? null : <Failure error={error} />}
          <TextField
            label="US dollars"
            pointer="/dollars"
            value={amount}
            onChange={setAmount}
            placeholder="25"
            isRequired
            hint="Up to nine digits after the point. A negative amount takes away, never below zero."
          />
          <TextField label="Note" pointer="/note" value={note} onChange={setNote} placeholder="invoice 2026-11" maxLength={200} />
          <div class="actions">
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" class="primary" disabled={isBusy}>
              Add credits
            </button>
          </div>
        </form>
      </ProblemsContext.Provider>
    </Dialog>
  )
}
