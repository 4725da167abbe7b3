// Labels that came in bursts and that no fit sees: one line an account, to be released or dropped.
import { useState } from 'preact/hooks'
import type { QuarantineReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { counted, time } from '../format.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/notice.tsx'
import { useLoaded } from '../ui/use-loaded.ts'

type Burst = QuarantineReply['bursts'][number]

/** Nothing where no label waits. */
export function Quarantine() {
  const { api } = useConsole()
  const loaded = useLoaded(() => api.quarantine(), [api])
  if (loaded.error !== null) return <Failure error={loaded.error} onRetry={loaded.reload} />
  return (
    <>
      {loaded.data?.bursts.map((burst) => (
        <BurstNotice key={burst.account} burst={burst} onEnded={loaded.reload} />
      ))}
    </>
  )
}

function BurstNotice({ burst, onEnded }: { readonly burst: Burst; readonly onEnded: () => void }) {
  const { api, say } = useConsole()
  const [isDropping, setDropping] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const { account, labels, since, until, events } = burst
  const end = async (how: 'release' | 'drop') => {
    setDropping(false)
    setError(null)
    try {
      const ended = await api.endQuarantine(account, how)
      say(`${counted(ended.labels, 'label')} ${how === 'release' ? 'released' : 'dropped'}.`)
      onEnded()
    } catch (failure) {
      setError(failure as Error)
    }
  }
  return (
    <section class="panel" aria-label={`Quarantine of ${account}`}>
      {error === null ? null : <Failure error={error} />}
      <p class="notice warn">
        <b>
          {counted(labels, 'label')} of {account} wait.
        </b>{' '}
        They came from {time(since)} to {time(until)}, more than usual within an hour, and no fit sees them before you have looked. Some of
        their requests:{' '}
        {events.map((id) => (
          <a key={id} href={`#requests/${encodeURIComponent(id)}`}>
            {`${id} `}
          </a>
        ))}
      </p>
      <div class="actions">
        <button type="button" onClick={() => end('release')}>
          Release
        </button>
        <button type="button" class="danger" onClick={() => setDropping(true)}>
          Drop…
        </button>
      </div>
      {isDropping ? (
        <Dialog title="Drop these labels?" onClose={() => setDropping(false)}>
          <p>
            {counted(labels, 'label')} of <b>{account}</b> are deleted. Decisions and earlier labels stay.
          </p>
          <div class="actions">
            <button type="button" onClick={() => setDropping(false)}>
              Keep them
            </button>
            <button type="button" class="danger" onClick={() => end('drop')}>
              Drop
            </button>
          </div>
        </Dialog>
      ) : null}
    </section>
  )
}
