// The log of requests, newest first. An opened one shows its decisions and takes outcomes.

import { useState } from 'preact/hooks'
import type { RequestReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { count, dollars, milliseconds, shortTime, time } from '../format.ts'
import { AccountSelect } from '../ui/account-select.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { SelectField } from '../ui/field.tsx'
import { Nothing, Shown } from '../ui/notice.tsx'
import { Explained } from '../ui/term.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { usePages } from '../ui/use-pages.ts'
import { EventPanel } from './event.tsx'

function idIn(rest: string): string | null {
  try {
    return rest === '' ? null : decodeURIComponent(rest)
  } catch {
    return rest
  }
}

export function Requests({ rest }: { readonly rest: string }) {
  const { api, account, chooseAccount } = useConsole()
  const [status, setStatus] = useState('')
  const accounts = useLoaded(() => api.accounts(), [api])
  const opened = idIn(rest)
  const pages = usePages(
    async (before) => {
      const { requests, next } = await api.requests({ account, status, before, limit: 30 })
      return { items: requests, next }
    },
    [api, account, status],
  )
  return (
    <>
      <div class="bar end">
        <div class="filters">
          <AccountSelect accounts={accounts.data?.accounts ?? []} value={account} all="all accounts" onChange={chooseAccount} />
          <SelectField
            label="Status"
            value={status}
            options={[
              ['', 'all'],
              ['succeeded', 'answered'],
              ['failed', 'failed'],
            ]}
            onChange={setStatus}
          />
        </div>
        <button type="button" onClick={pages.reload}>
          Refresh
        </button>
      </div>
      {opened === null ? null : <EventPanel key={opened} id={opened} />}
      <section class="panel" aria-label="Requests">
        <Shown loaded={pages}>
          {(requests) =>
            requests.length === 0 ? (
              <Nothing>
                {status === ''
                  ? 'No requests here yet: they appear as programs ask, or when you ask in the '
                  : 'No such requests here. Ask in the '}
                <a href="#/playground">playground</a>.
              </Nothing>
            ) : (
              <DataTable
                isWide
                columns={columnsOf()}
                rows={requests}
                keyOf={({ id }) => id}
                classOf={({ id }) => (id === opened ? 'open' : undefined)}
              />
            )
          }
        </Shown>
        {pages.more === null ? null : (
          <button type="button" onClick={pages.more}>
            Earlier requests
          </button>
        )}
      </section>
    </>
  )
}

function columnsOf(): readonly Column<RequestReply>[] {
  const now = Date.now()
  return [
    { id: 'time', title: 'Time', show: ({ at }) => <span title={time(at)}>{shortTime(at, now)}</span> },
    {
      id: 'request',
      title: 'Request',
      show: ({ id, status }) =>
        status === 200 ? (
          <a href={`#/requests/${encodeURIComponent(id)}`} aria-label={`Open ${id}`}>
            <code>{id.slice(0, 14)}…</code>
          </a>
        ) : (
          <code class="soft">{id.slice(0, 14)}…</code>
        ),
    },
    { id: 'account', title: 'Account', kind: 'words', show: ({ account }) => account },
    { id: 'key', title: 'Key', kind: 'words', show: ({ key }) => (key === null ? <span class="soft">console</span> : key.name) },
    {
      id: 'status',
      title: 'Status',
      kind: 'words',
      show: ({ status, code }) => (code === null ? <span class="tag">{status}</span> : <span class="tag bad">{`${status} ${code}`}</span>),
    },
    { id: 'model', title: 'Model', kind: 'words', show: ({ model }) => model ?? <span class="soft">–</span> },
    { id: 'questions', title: 'Questions', kind: 'number', show: ({ questions }) => count(questions) },
    { id: 'tokens', title: <Explained word="token">Tokens</Explained>, kind: 'number', show: (request) => count(request.input_tokens) },
    { id: 'cost', title: 'Cost', kind: 'number', show: ({ cost }) => dollars(cost) },
    { id: 'took', title: 'Took', kind: 'number', show: (request) => milliseconds(request.latency_ms) },
  ]
}
