// The log of requests, newest first. An opened one shows its decisions and takes outcomes.

import { useState } from 'preact/hooks'
import type { RequestReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { count, counted, dollars, milliseconds, time } from '../format.ts'
import { AccountSelect } from '../ui/account-select.tsx'
import { SelectField } from '../ui/field.tsx'
import { Nothing, Shown } from '../ui/notice.tsx'
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
          {(requests) => (requests.length === 0 ? <Nothing>No requests here yet.</Nothing> : <Table requests={requests} opened={opened} />)}
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

function Table({ requests, opened }: { readonly requests: readonly RequestReply[]; readonly opened: string | null }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Request</th>
            <th scope="col">Account</th>
            <th scope="col">Key</th>
            <th scope="col">Status</th>
            <th scope="col">Model</th>
            <th scope="col" class="number">
              Questions
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number">
              Cost
            </th>
            <th scope="col" class="number">
              Time
            </th>
          </tr>
        </thead>
        <tbody>
          {requests.map((request) => (
            <tr key={request.id} class={request.id === opened ? 'open' : undefined}>
              <td>{time(request.at)}</td>
              <td>
                {request.status === 200 ? (
                  <a href={`#/requests/${encodeURIComponent(request.id)}`} aria-label={`Open ${request.id}`}>
                    <code>{request.id.slice(0, 14)}…</code>
                  </a>
                ) : (
                  <code class="soft">{request.id.slice(0, 14)}…</code>
                )}
              </td>
              <td class="words">{request.account}</td>
              <td class="words">{request.key === null ? <span class="soft">console</span> : request.key.name}</td>
              <td>
                {request.code === null ? (
                  <span class="tag">{request.status}</span>
                ) : (
                  <span class="tag bad">
                    {request.status} {request.code}
                  </span>
                )}
              </td>
              <td class="words">{request.model ?? <span class="soft">–</span>}</td>
              <td class="number" title={counted(request.questions, 'question')}>
                {count(request.questions)}
              </td>
              <td class="number">{count(request.input_tokens)}</td>
              <td class="number">{dollars(request.cost)}</td>
              <td class="number">{milliseconds(request.latency_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
