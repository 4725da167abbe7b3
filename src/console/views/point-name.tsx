// The dialogs that make a name stand for a model, new or another, and that take it away. Both say first what requests
// will be answered by.
import { useId, useState } from 'preact/hooks'
import type { AliasesReply, AliasReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { Dialog } from '../ui/dialog.tsx'
import { isBelow, ProblemsContext, SelectField, TextField } from '../ui/field.tsx'
import { Failure } from '../ui/notice.tsx'
import { useSubmit } from '../ui/use-submit.ts'

const LONGEST_NAME = 128
const LONGEST_REASON = 500

interface Closing {
  readonly onClose: () => void
  readonly onDone: () => void
}

/** `alias` null: for a name that is written here. */
export function PointName({
  reply,
  alias,
  onClose,
  onDone,
}: Closing & { readonly reply: AliasesReply; readonly alias: AliasReply | null }) {
  const { api, say } = useConsole()
  const served = reply.models.filter(({ is_available }) => is_available).map(({ id }) => id)
  const [written, setWritten] = useState('')
  const [model, setModel] = useState(served.find((id) => id !== alias?.model) ?? served[0] ?? '')
  const [why, setWhy] = useState('')
  const name = (alias?.name ?? written).trim()
  const before = reply.aliases.find((one) => one.name === name) ?? null
  const { submit, error, isBusy, problems } = useSubmit(async () => {
    const { change } = await api.pointName({ name, model, why })
    say(change === null ? `${name} stood for ${model} already.` : `${name} stands for ${model} from now on.`)
    onDone()
    onClose()
  })
  const fields = alias === null ? ['/name', '/model', '/why'] : ['/model', '/why']
  const isShown = problems.length > 0 && problems.every(({ param }) => fields.some((field) => isBelow(param, field)))
  const effect = useId()
  return (
    <Dialog title={alias === null ? 'Add a name' : 'Point this name to another model'} onClose={onClose}>
      <ProblemsContext.Provider value={problems}>
        <form onSubmit={submit}>
          {error === null || isShown ? null : <Failure error={error} />}
          {alias === null ? (
            <TextField
              label="Name"
              pointer="/name"
              value={written}
              onChange={setWritten}
              placeholder="fast"
              hint="“default” is for requests that name no model. A * at the end stands for any ending, as in gpt-*."
              isRequired
              maxLength={LONGEST_NAME}
            />
          ) : (
            <p>
              <b class="data">{name}</b> stands for <b class="data">{alias.model}</b> now.
            </p>
          )}
          <SelectField
            label="Model that it stands for"
            pointer="/model"
            value={model}
            options={served.map((id) => [id, id] as const)}
            onChange={setModel}
          />
          <Reason value={why} onChange={setWhy} />
          <div class="effect" id={effect}>
            <p>
              <Requests name={name} /> are answered by <b class="data">{model}</b> from now on
              {before === null || before.model === model ? null : (
                <>
                  , no longer by <span class="data">{before.model}</span>
                </>
              )}
              . Those under way keep the model that they began with; other replicas follow within seconds.
            </p>
            <p>Calibrations are each model’s own: what one has learned from outcomes does not go with the name.</p>
          </div>
          <div class="actions">
            <button type="button" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" class="primary" disabled={isBusy} aria-describedby={effect}>
              {alias === null ? 'Add name' : 'Point name'}
            </button>
          </div>
        </form>
      </ProblemsContext.Provider>
    </Dialog>
  )
}

export function TakeAway({ alias: { name, model, otherwise }, onClose, onDone }: Closing & { readonly alias: AliasReply }) {
  const { api, say } = useConsole()
  const [why, setWhy] = useState('')
  const { submit, error, isBusy, problems } = useSubmit(async () => {
    await api.pointName({ name, model: null, why })
    say(`${name} no longer stands for ${model}.`)
    onDone()
    onClose()
  })
  const isShown = problems.length > 0 && problems.every(({ param }) => isBelow(param, '/why'))
  const effect = useId()
  return (
    <Dialog title="Take this name away?" onClose={onClose}>
      <ProblemsContext.Provider value={problems}>
        <form onSubmit={submit}>
          {error === null || isShown ? null : <Failure error={error} />}
          <div class="effect" id={effect}>
            <p>
              <b class="data">{name}</b> no longer stands for <b class="data">{model}</b>. <Requests name={name} />{' '}
              {otherwise === null ? (
                'are refused from now on: nothing else answers them.'
              ) : (
                <>
                  are answered by <b class="data">{otherwise}</b> from now on, with that model’s own calibration.
                </>
              )}
            </p>
            <p>Its history stays.</p>
          </div>
          <Reason value={why} onChange={setWhy} />
          <div class="actions">
            <button type="button" onClick={onClose}>
              Keep it
            </button>
            <button type="submit" class="danger" disabled={isBusy} aria-describedby={effect}>
              Take away
            </button>
          </div>
        </form>
      </ProblemsContext.Provider>
    </Dialog>
  )
}

function Reason({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const hint = 'For the history, which is never deleted.'
  return <TextField label="Reason" pointer="/why" value={value} onChange={onChange} hint={hint} maxLength={LONGEST_REASON} />
}

/** Which requests a name is about; begins a sentence. */
function Requests({ name }: { readonly name: string }) {
  if (name === '') return <>Requests that give this name</>
  if (name === 'default') return <>Requests that name no model</>
  if (!name.endsWith('*')) {
    return (
      <>
        Requests for <b class="data">{name}</b>
      </>
    )
  }
  return (
    <>
      Requests for names that begin with <b class="data">{name.slice(0, -1)}</b> and that nothing longer fits
    </>
  )
}
