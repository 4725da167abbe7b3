// The models of the service and the names that stand for them: each can be pointed to another model, or taken away.
import { useState } from 'preact/hooks'
import type { AliasesReply, AliasReply, ListedModelReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { time } from '../format.ts'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Nothing, Shown } from '../ui/notice.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { AliasHistory } from './alias-history.tsx'
import { PointName, TakeAway } from './point-name.tsx'

type Open =
  | { readonly dialog: 'add' }
  | { readonly dialog: 'point'; readonly alias: AliasReply }
  | { readonly dialog: 'take'; readonly alias: AliasReply }

export function Models() {
  const { api } = useConsole()
  const loaded = useLoaded(() => api.aliases(), [api])
  const [opened, setOpened] = useState<Open | null>(null)
  const close = () => setOpened(null)
  return (
    <Shown loaded={loaded}>
      {(reply) => (
        <>
          <section class="panel" aria-label="Models">
            <header>
              <h2>What the service serves</h2>
              <button type="button" onClick={loaded.reload}>
                Refresh
              </button>
            </header>
            <DataTable columns={modelColumns(reply)} rows={reply.models} keyOf={({ id }) => id} />
          </section>
          <section class="panel" aria-label="Names">
            <header>
              <h2>Names that stand for models</h2>
              <button type="button" class="primary" onClick={() => setOpened({ dialog: 'add' })}>
                Add name…
              </button>
            </header>
            <p class="soft">
              A request may give a name in place of a model. The name <code>default</code> is for requests that give none; where nothing
              stands for it, <span class="data">{reply.default_model}</span> answers those.
            </p>
            {reply.aliases.length === 0 ? (
              <Nothing>No name stands for a model yet. Add one, and programs need not know which model it is.</Nothing>
            ) : (
              <DataTable isWide columns={nameColumns(reply, setOpened)} rows={reply.aliases} keyOf={({ name }) => name} />
            )}
          </section>
          <AliasHistory reply={reply} />
          {opened?.dialog === 'add' ? <PointName reply={reply} alias={null} onClose={close} onDone={loaded.reload} /> : null}
          {opened?.dialog === 'point' ? <PointName reply={reply} alias={opened.alias} onClose={close} onDone={loaded.reload} /> : null}
          {opened?.dialog === 'take' ? <TakeAway alias={opened.alias} onClose={close} onDone={loaded.reload} /> : null}
        </>
      )}
    </Shown>
  )
}

function modelColumns({ aliases, models }: AliasesReply): readonly Column<ListedModelReply>[] {
  const namesOf = (id: string) => aliases.filter(({ name, model }) => model === id && !isModel(models, name)).map(({ name }) => name)
  return [
    { id: 'model', title: 'Model', kind: 'words', show: ({ id }) => <b class="data">{id}</b> },
    {
      id: 'names',
      title: 'Names for it',
      kind: 'words',
      show: ({ id }) => namesOf(id).join(', ') || <span class="soft">none</span>,
    },
    {
      id: 'served',
      title: 'Served',
      kind: 'words',
      show: ({ is_available, stages }) => (
        <>
          {is_available ? <span class="tag">served</span> : <span class="tag quiet">not yet</span>}{' '}
          {stages.length === 0 ? null : <span class="soft">asks {stages.join(', then ')}</span>}
        </>
      ),
    },
  ]
}

function nameColumns({ models }: AliasesReply, onOpen: (open: Open) => void): readonly Column<AliasReply>[] {
  return [
    { id: 'name', title: 'Name', kind: 'words', show: ({ name }) => <b class="data">{name}</b> },
    { id: 'model', title: 'Stands for', kind: 'words', show: ({ model }) => model },
    {
      id: 'since',
      title: 'Since',
      kind: 'words',
      show: ({ since }) => (since === null ? <span class="soft">settings of the service</span> : time(since)),
    },
    { id: 'served', title: 'Served', kind: 'words', show: (alias) => <State alias={alias} models={models} /> },
    {
      id: 'change',
      title: null,
      kind: 'number',
      show: (alias) => (
        <span class="actions">
          <button type="button" onClick={() => onOpen({ dialog: 'point', alias })} aria-label={`Point ${alias.name} to another model`}>
            Point…
          </button>
          {alias.since === null ? null : (
            <button type="button" class="danger" onClick={() => onOpen({ dialog: 'take', alias })} aria-label={`Take away ${alias.name}`}>
              Take away…
            </button>
          )}
        </span>
      ),
    },
  ]
}

function State({ alias: { name, is_served }, models }: { readonly alias: AliasReply; readonly models: AliasesReply['models'] }) {
  if (isModel(models, name)) return <span class="tag warn">not used: a model is called so</span>
  return is_served ? <span class="tag">served</span> : <span class="tag bad">not served: refused</span>
}

/** A model goes before a name. */
const isModel = (models: AliasesReply['models'], name: string): boolean => models.some(({ id }) => id === name)
