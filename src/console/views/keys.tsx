// The API keys: a list, a form for a new one (its secret is shown once), and revoking.
import { useState } from 'preact/hooks'
import type { CreatedKeyReply, KeyReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { ago, count, day } from '../format.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure, Nothing, Shown } from '../ui/notice.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { NewKey } from './new-key.tsx'

type Open =
  | { readonly dialog: 'new' }
  | { readonly dialog: 'secret'; readonly made: CreatedKeyReply }
  | { readonly dialog: 'revoke'; readonly key: KeyReply }

export function Keys() {
  const { api, service } = useConsole()
  const keys = useLoaded(() => api.keys(), [api])
  const [shown, setShown] = useState<Open | null>(null)
  const close = () => setShown(null)
  return (
    <section class="panel" aria-label="API keys">
      <header>
        <p class="soft">Programs sign in with a key and pay from its account. Several keys may share one account.</p>
        <button type="button" class="primary" onClick={() => setShown({ dialog: 'new' })}>
          Create key…
        </button>
      </header>
      <Shown loaded={keys}>
        {({ keys: all }) =>
          all.length === 0 ? (
            <Nothing>There are no keys yet. Create one, and a program can ask with it.</Nothing>
          ) : (
            <DataTable
              isWide
              columns={columnsOf(service.requests_per_minute, (key) => setShown({ dialog: 'revoke', key }))}
              rows={all}
              keyOf={({ id }) => id}
              classOf={(key) => (key.revoked_at === null ? undefined : 'done')}
            />
          )
        }
      </Shown>
      {shown?.dialog === 'new' ? (
        <NewKey
          onClose={close}
          onCreated={(made) => {
            setShown({ dialog: 'secret', made })
            keys.reload()
          }}
        />
      ) : null}
      {shown?.dialog === 'secret' ? <Secret made={shown.made} onClose={close} /> : null}
      {shown?.dialog === 'revoke' ? <Revoke apiKey={shown.key} onClose={close} onRevoked={keys.reload} /> : null}
    </section>
  )
}

/** `most`: requests a minute of keys without a limit of their own; 0: no limit. */
function columnsOf(most: number, onRevoke: (key: KeyReply) => void): readonly Column<KeyReply>[] {
  const now = Date.now()
  const rate = (key: KeyReply) => key.requests_per_minute ?? most
  return [
    { id: 'name', title: 'Name', kind: 'words', show: ({ name }) => name },
    { id: 'key', title: 'Key', show: ({ prefix }) => <code>{prefix}…</code> },
    { id: 'account', title: 'Account', kind: 'words', show: ({ account }) => account },
    { id: 'may', title: 'May', kind: 'words', show: ({ scopes }) => scopes.join(', ') },
    { id: 'rate', title: 'Requests a minute', kind: 'number', show: (key) => (rate(key) === 0 ? 'no limit' : count(rate(key))) },
    { id: 'made', title: 'Made', show: (key) => day(key.created_at) },
    { id: 'used', title: 'Last used', show: (key) => (key.last_used_at === null ? 'never' : ago(key.last_used_at, now)) },
    {
      id: 'revoke',
      title: null,
      kind: 'number',
      show: (key) =>
        key.revoked_at === null ? (
          <button type="button" class="danger" onClick={() => onRevoke(key)} aria-label={`Revoke ${key.name}`}>
            Revoke
          </button>
        ) : (
          <span class="tag bad">revoked {day(key.revoked_at)}</span>
        ),
    },
  ]
}

function Secret({ made: { key, secret }, onClose }: { readonly made: CreatedKeyReply; readonly onClose: () => void }) {
  return (
    <Dialog title="Your new key" onClose={onClose}>
      <p>
        The key <b class="data">{key.name}</b> works from now on.
      </p>
      <p class="secret" data-copied>
        {secret}
      </p>
      <p class="notice warn">You will not see it again: only its hash is kept. Store it where your secrets are.</p>
      <div class="actions">
        <CopyButton text={secret} label="Copy key" />
        <button type="button" class="primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  )
}

function Revoke({
  apiKey: key,
  onClose,
  onRevoked,
}: {
  readonly apiKey: KeyReply
  readonly onClose: () => void
  readonly onRevoked: () => void
}) {
  const { api, say } = useConsole()
  const [error, setError] = useState<Error | null>(null)
  const revoke = async () => {
    try {
      await api.revokeKey(key.id)
      say(`The key ${key.name} is revoked.`)
      onRevoked()
      onClose()
    } catch (failure) {
      setError(failure as Error)
    }
  }
  return (
    <Dialog title="Revoke this key?" onClose={onClose}>
      <p>
        <b class="data">{key.name}</b> (<code>{key.prefix}…</code>) stops working at once, everywhere. This cannot be undone.
      </p>
      {error === null ? null : <Failure error={error} />}
      <div class="actions">
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" class="danger" onClick={revoke}>
          Revoke key
        </button>
      </div>
    </Dialog>
  )
}
