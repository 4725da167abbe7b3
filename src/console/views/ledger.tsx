// The lines of an account's ledger, newest first: credits, charges with their request, and the balance after each.
import type { AccountReply, LedgerEntryReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { dollars, time } from '../format.ts'
import { Nothing, Shown } from '../ui/notice.tsx'
import { usePages } from '../ui/use-pages.ts'

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
            <Nothing>No lines yet.</Nothing>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Time</th>
                    <th scope="col">For</th>
                    <th scope="col" class="number">
                      Amount
                    </th>
                    <th scope="col" class="number">
                      Balance after
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry) => (
                    <tr key={entry.id}>
                      <td>{time(entry.at)}</td>
                      <td class="words">
                        <Reason entry={entry} />
                      </td>
                      <td class="number">{dollars(entry.amount)}</td>
                      <td class="number">{dollars(entry.balance_after)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
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
        <a href={`#/requests/${encodeURIComponent(request)}`}>
          <code>{request}</code>
        </a>
      )}
    </>
  )
}
