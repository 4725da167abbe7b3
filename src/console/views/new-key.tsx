// The form of a new API key.
import { useState } from 'preact/hooks'
import type { CreatedKeyReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { Dialog } from '../ui/dialog.tsx'
import { ProblemsContext, TextField, Tick } from '../ui/field.tsx'
import { Failure } from '../ui/notice.tsx'
import { useSubmit } from '../ui/use-submit.ts'

/** UTF-16 units of a name that the service takes. */
const LONGEST_NAME = 128

const SCOPE_WORDS: Readonly<Record<string, string>> = {
  ask: 'ask questions',
  outcomes: 'record outcomes',
  calibration: 'refit the calibration that everyone is answered with',
}

export function NewKey({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: (made: CreatedKeyReply) => void }) {
  const { api, service, account: shownAccount } = useConsole()
  const [name, setName] = useState('')
  const [account, setAccount] = useState(shownAccount ?? 'default')
  const [scopes, setScopes] = useState<readonly string[]>(['ask', 'outcomes'])
  const [rate, setRate] = useState('')
  const { submit, error, isBusy, problems } = useSubmit(async () => {
    onCreated(await api.createKey({ name, account, scopes, requests_per_minute: rate === '' ? null : Number(rate) }))
  })
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <ProblemsContext.Provider value={problems}>
        <form onSubmit={submit}>
          {error === null || problems.length > 0 ? null : <Failure error={error} />}
          <TextField
            label="Name"
            pointer="/name"
            value={name}
            onChange={setName}
            placeholder="support inbox"
            isRequired
            maxLength={LONGEST_NAME}
          />
          <TextField
            label="Account that pays"
            pointer="/account"
            value={account}
            onChange={setAccount}
            isRequired
            maxLength={LONGEST_NAME}
          />
          <fieldset>
            <legend class="legend">The key may</legend>
            <div class="ticks">
              {service.scopes.map((scope) => (
                <Tick
                  key={scope}
                  label={SCOPE_WORDS[scope] ?? scope}
                  isTicked={scopes.includes(scope)}
                  onChange={(isTicked) =>
                    setScopes(service.scopes.filter((other) => (other === scope ? isTicked : scopes.includes(other))))
                  }
                />
              ))}
            </div>
            {problems
              .filter(({ param }) => param.startsWith('/scopes'))
              .map(({ message }) => (
                <p class="problems" key={message}>
                  {message}
                </p>
              ))}
          </fieldset>
          <TextField
            label="Requests a minute"
            type="number"
            pointer="/requests_per_minute"
            value={rate}
            onChange={setRate}
            placeholder={service.requests_per_minute === 0 ? 'no limit' : String(service.requests_per_minute)}
            hint="Empty: the limit of the service."
          />
          <div class="actions">
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" class="primary" disabled={isBusy}>
              Create key
            </button>
          </div>
        </form>
      </ProblemsContext.Provider>
    </Dialog>
  )
}
