// The lines of an account's ledger, newest first: credits, charges with their request, and the balance after each.
import type { AccountReply, LedgerEntryReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { dollars, time } from '../format.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Nothing, Shown } from '../ui/notice.tsx'
import { usePages } from '../ui/use-pages.ts'

const COLUMNS: readonly Column<LedgerEntryReply>[] = [
  { id: 'time', title: 'Time', show: ({ at }) => time(at) },
  { id: 'for', title: 'For', kind: 'words', show: (entry) => <Reason entry={entry} /> },
  { id: 'amount', title: 'Amount', kind: 'number', show: ({ amount }) => dollars(amount) },
  { id: 'balance', title: 'Balance after', kind: 'number', show: (entry) => dollars(entry.balance_after) },
]

export function LedgerPanel({ account, onAdd }: { readonly account: AccountReply; readonly onAdd: () => void }) {
  const { api } = useConsole()
  const pages = usePages(
    async (before) => {
      const { entries, next } = await api.ledger({ account: account.id, before, limit: 25 })
      return { items: entries, next }
    },
    [api, account.id, account.balance],
  )
  return (
    <section class="panel" aria-label="Ledger">
      <header>
        <h2>Ledger</h2>
        <button type="button" onClick={onAdd}>
          Add credits…
        </button>
      </header>
      <Shown loaded={pages}>
        {(entries) =>
          entries.length === 0 ? (
            <Nothing>No lines yet: credits and charges are listed here.</Nothing>
          ) : (
            <DataTable columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
          )
        }
      </Shown>
      {pages.more === null ? null : (
        <button type="button" onClick={pages.more}>
          Earlier lines
        </button>
      )}
    </section>
  )
}

function Reason({ entry: { kind, request, note } }: { readonly entry: LedgerEntryReply }) {
  return (
    <>
      {kind === 'credit' ? <span class="tag">credit</span> : null} {note}{' '}
      {request === null ? null : (
        <a href={`#/requests/${encodeURIComponent(request)}`} aria-label={`Open ${request}`}>
          <code>{request.slice(0, 14)}…</code>
        </a>
      )}
    </>
  )
}
