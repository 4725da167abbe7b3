// What names stood for, newest first: from when until when a model answered for a name, and why that was changed.
import { useState } from 'preact/hooks'
import type { AliasChangeReply, AliasesReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { time } from '../format.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { SelectField } from '../ui/field.tsx'
import { Nothing, Shown } from '../ui/notice.tsx'
import { useLoaded } from '../ui/use-loaded.ts'

const AT_FIRST = 20
/** The service gives no more of one name at once. */
const MOST = 1000

interface Period extends AliasChangeReply {
  /** Null: it is so now. */
  readonly until: number | null
}

/** A change of `reply` reads the history anew. */
export function AliasHistory({ reply }: { readonly reply: AliasesReply }) {
  const { api } = useConsole()
  const [name, setName] = useState<string | null>(null)
  const [most, setMost] = useState(AT_FIRST)
  const names = [...new Set([...reply.aliases, ...reply.history].map((one) => one.name))].sort()
  const loaded = useLoaded(
    async () => periods((await api.aliases({ name, limit: Math.min(most + 1, MOST) })).history),
    [api, name, most, reply],
  )
  return (
    <section class="panel" aria-label="History">
      <header>
        <h2>What answered when</h2>
        <div class="filters">
          <SelectField
            label="Name"
            value={name === null ? '' : `=${name}`}
            options={[['', 'all names'], ...names.map((one) => [`=${one}`, one] as const)]}
            onChange={(chosen) => {
              setName(chosen === '' ? null : chosen.slice(1))
              setMost(AT_FIRST)
            }}
          />
        </div>
      </header>
      <Shown loaded={loaded}>
        {(all) =>
          all.length === 0 ? (
            <Nothing>Nothing was changed yet: each change of a name is listed here, with its reason.</Nothing>
          ) : (
            <DataTable
              isWide
              columns={COLUMNS}
              rows={all.slice(0, most)}
              keyOf={(period) => `${period.at} ${period.until} ${period.name}`}
            />
          )
        }
      </Shown>
      {(loaded.data?.length ?? 0) > most && most < MOST ? (
        <button type="button" onClick={() => setMost(Math.min(most * 5, MOST))}>
          Earlier changes
        </button>
      ) : null}
      {most === MOST ? <p class="hint">Changes before the last {MOST} are in the database: choose a name to see more of it.</p> : null}
    </section>
  )
}

/** A change holds until the next one of its name. */
function periods(newestFirst: readonly AliasChangeReply[]): Period[] {
  const next = new Map<string, number>()
  return newestFirst.map((change) => {
    const until = next.get(change.name) ?? null
    next.set(change.name, change.at)
    return { ...change, until }
  })
}

const NONE = <span class="soft">–</span>

const COLUMNS: readonly Column<Period>[] = [
  { id: 'from', title: 'From', show: ({ at }) => time(at) },
  { id: 'until', title: 'Until', show: ({ until }) => (until === null ? <span class="tag">now</span> : time(until)) },
  { id: 'name', title: 'Name', kind: 'words', show: ({ name }) => name },
  {
    id: 'model',
    title: 'Stood for',
    kind: 'words',
    show: ({ model }) => model ?? <span class="tag quiet">taken away</span>,
  },
  { id: 'before', title: 'Before', kind: 'words', show: ({ from }) => from ?? NONE },
  { id: 'why', title: 'Why', kind: 'words', show: ({ why }) => why || NONE },
]
