// The overview of an account: balance, charts of use, and the ledger. Credits are added here.
import { useState } from 'preact/hooks'
import type { AccountReply, UsageBucketReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { count, counted, day, dollars, time } from '../format.ts'
import { AccountSelect } from '../ui/account-select.tsx'
import { BarChart } from '../ui/bar-chart.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Segmented } from '../ui/field.tsx'
import { Nothing, Shown } from '../ui/notice.tsx'
import { Explained } from '../ui/term.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { AddCredits } from './add-credits.tsx'
import { LedgerPanel } from './ledger.tsx'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const SPANS = {
  day: { words: '24 hours', bucketMs: HOUR_MS, buckets: 24 },
  week: { words: '7 days', bucketMs: 6 * HOUR_MS, buckets: 28 },
  month: { words: '30 days', bucketMs: DAY_MS, buckets: 30 },
} as const
type MarkedSpan = keyof typeof SPANS

export function Overview() {
  const { api } = useConsole()
  const accounts = useLoaded(() => api.accounts(), [api])
  return (
    <Shown loaded={accounts}>
      {({ accounts: all }) =>
        all.length === 0 ? (
          <section class="panel">
            <Nothing>
              Nothing has happened yet. <a href="#/keys">Make an API key</a> to begin; its account appears here.
            </Nothing>
          </section>
        ) : (
          <Accounts accounts={all} onChanged={accounts.reload} />
        )
      }
    </Shown>
  )
}

function Accounts({ accounts, onChanged }: { readonly accounts: readonly AccountReply[]; readonly onChanged: () => void }) {
  const { api, account, chooseAccount } = useConsole()
  const [span, setSpan] = useState<MarkedSpan>('day')
  const [isAdding, setAdding] = useState(false)
  const chosen = accounts.find(({ id }) => id === account) ?? (accounts.length === 1 ? accounts[0]! : null)
  const about = chosen?.id ?? null
  const usage = useLoaded(() => {
    const { bucketMs, buckets } = SPANS[span]
    // Buckets end with the one that runs now.
    const to = Math.ceil(Date.now() / bucketMs) * bucketMs
    return api.usage({ account: about, from: to - buckets * bucketMs, to, bucket_ms: bucketMs })
  }, [api, span, about])
  return (
    <>
      <div class="bar end">
        <div class="filters">
          <AccountSelect
            accounts={accounts}
            value={about}
            all={accounts.length === 1 ? undefined : 'all accounts'}
            onChange={chooseAccount}
          />
        </div>
        <Segmented
          label="Time shown"
          value={span}
          options={(Object.keys(SPANS) as MarkedSpan[]).map((name) => [name, SPANS[name].words] as const)}
          onChange={setSpan}
        />
      </div>
      <Shown loaded={usage}>{({ buckets, bucket_ms: bucketMs }) => <Usage buckets={buckets} bucketMs={bucketMs} account={chosen} />}</Shown>
      {chosen === null ? (
        <Balances accounts={accounts} onChoose={chooseAccount} />
      ) : (
        <LedgerPanel key={chosen.id} account={chosen} onAdd={() => setAdding(true)} />
      )}
      {isAdding && chosen !== null ? <AddCredits account={chosen} onClose={() => setAdding(false)} onAdded={onChanged} /> : null}
    </>
  )
}

interface UsageProps {
  readonly buckets: readonly UsageBucketReply[]
  readonly bucketMs: number
  readonly account: AccountReply | null
}

function Usage({ buckets, bucketMs, account }: UsageProps) {
  const sum = (of: (bucket: UsageBucketReply) => number) => buckets.reduce((all, bucket) => all + of(bucket), 0)
  const requests = sum((bucket) => bucket.requests)
  const failed = sum((bucket) => bucket.failed)
  const label = ({ at }: UsageBucketReply) => (bucketMs < DAY_MS ? time(at).slice(5) : day(at).slice(5))
  const bars = (of: (bucket: UsageBucketReply) => number, marked: (bucket: UsageBucketReply) => number = () => 0) =>
    buckets.map((bucket) => ({ label: label(bucket), value: of(bucket), marked: marked(bucket) }))
  const money = (value: number) => dollars(value.toFixed(9))
  const cost = sum((bucket) => Number(bucket.cost))
  return (
    <>
      <div class="tiles">
        {account === null ? null : (
          <div class="tile">
            <b>{dollars(account.balance)}</b>
            <span>balance</span>
          </div>
        )}
        <div class="tile">
          <b>{count(requests)}</b>
          <span>{requests === 1 ? 'request' : 'requests'}</span>
        </div>
        <div class="tile">
          <b>{count(failed)}</b>
          <span>failed{requests === 0 ? '' : ` · ${((failed / requests) * 100).toFixed(1)} %`}</span>
        </div>
        <div class="tile">
          <b>{count(sum((bucket) => bucket.input_tokens))}</b>
          <span>
            <Explained word="token">input tokens</Explained>
          </span>
        </div>
        <div class="tile">
          <b>{money(cost)}</b>
          <span>cost</span>
        </div>
      </div>
      <section class="panel" aria-label="Usage">
        <div class="charts">
          <BarChart
            title="Requests"
            total={counted(requests, 'request')}
            bars={bars(
              (b) => b.requests,
              (b) => b.failed,
            )}
            show={count}
          />
          <BarChart title="Input tokens" total={count(sum((b) => b.input_tokens))} bars={bars((b) => b.input_tokens)} show={count} />
          <BarChart title="Cost" total={money(cost)} bars={bars((b) => Number(b.cost))} show={money} />
        </div>
        <p class="hint">
          <span class="swatch" />
          answered <span class="swatch bad" />
          failed; a request that failed is not charged
        </p>
      </section>
    </>
  )
}

function Balances({ accounts, onChoose }: { readonly accounts: readonly AccountReply[]; readonly onChoose: (account: string) => void }) {
  const columns: readonly Column<AccountReply>[] = [
    { id: 'account', title: 'Account', kind: 'words', show: ({ id }) => id },
    { id: 'balance', title: 'Balance', kind: 'number', show: ({ balance }) => dollars(balance) },
    { id: 'since', title: 'Since', kind: 'number', show: (account) => day(account.created_at) },
    {
      id: 'open',
      title: null,
      kind: 'number',
      show: ({ id }) => (
        <button type="button" class="plain" onClick={() => onChoose(id)} aria-label={`Open account ${id}`}>
          Open
        </button>
      ),
    },
  ]
  return (
    <section class="panel" aria-label="Balances">
      <header>
        <h2>Balances</h2>
      </header>
      <DataTable columns={columns} rows={accounts} keyOf={({ id }) => id} />
    </section>
  )
}
