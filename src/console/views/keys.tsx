// The API keys: a list, a form for a new one (its secret is shown once), and revoking.
import { useState } from 'preact/hooks'
import type { CreatedKeyReply, KeyReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { ago, count, day } from '../format.ts'
import { CopyButton } from '../ui/copy-button.tsx'
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
  const now = Date.now()
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
            <Nothing>There are no keys yet.</Nothing>
          ) : (
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Key</th>
                    <th scope="col">Account</th>
                    <th scope="col">May</th>
                    <th scope="col" class="number">
                      Requests a minute
                    </th>
                    <th scope="col">MadeRequest</th>
                    <th scope="col">Last used</th>
                    <th scope="col" />
                  </tr>
                </thead>
                <tbody>
                  {all.map((key) => (
                    <KeyRow
                      key={key.id}
                      apiKey={key}
                      now={now}
                      most={service.requests_per_minute}
                      onRevoke={() => setShown({ dialog: 'revoke', key })}
                    />
                  ))}
                </tbody>
              </table>
            </div>
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

interface KeyRowProps {
  readonly apiKey: KeyReply
  readonly now: number
  /** Of keys without their own; 0: no limit. */
  readonly most: number
  readonly onRevoke: () => void
}

function KeyRow({ apiKey: key, now, most, onRevoke }: KeyRowProps) {
  const own = key.requests_per_minute ?? most
  return (
    <tr class={key.revoked_at === null ? undefined : 'done'}>
      <td class="words">{key.name}</td>
      <td>
        <code>{key.prefix}…</code>
      </td>
      <td class="words">{key.account}</td>
      <td>{key.scopes.join(', ')}</td>
      <td class="number">{own === 0 ? 'no limit' : count(own)}</td>
      <td>{day(key.created_at)}</td>
      <td>{key.last_used_at === null ? 'never' : ago(key.last_used_at, now)}</td>
      <td class="number">
        {key.revoked_at === null ? (
          <button type="button" class="danger" onClick={onRevoke} aria-label={`Revoke ${key.name}`}>
            Revoke
          </button>
        ) : (
          <span class="tag bad">revoked {day(key.revoked_at)}</span>
        )}
      </td>
    </tr>
  )
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
