// The calibration that answers an account: how good it is, what changed, and buttons to fit it again and to go back.
// Above it, labels that came in bursts.
import { useState } from 'preact/hooks'
import type { ChangeReply, FitReply, ModelCalibrationReply } from '../../service/calibration/replies.ts'
import type { CalibrationViewReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { ago, count, counted, time } from '../format.ts'
import { AccountSelect } from '../ui/account-select.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Failure, Nothing, Shown } from '../ui/notice.tsx'
import { ReliabilityChart } from '../ui/reliability-chart.tsx'
import { Explained } from '../ui/term.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { Quarantine } from './quarantine.tsx'

/** What decisions are called where they are asked for, and what they are. */
const READOUTS: Readonly<Record<string, readonly [name: string, meaning: string]>> = {
  binary: ['noul', 'Statements: is it true? A noul is the probability that it is.'],
  composed: ['noul of others', 'Statements that are put together from others ("both of these are true: …"), which alone were read.'],
  compared: ['noul of a number', 'Statements that compare a number, which the model read.'],
  exclusive: ['choice', 'Questions that one of several options answers.'],
  ordinal: ['score', 'Questions that a level on a scale answers.'],
  independent: ['select', 'Options of which any number may hold; each is its own yes or no.'],
  check: ['check of a value', 'The model was asked once more whether a value that it read is right.'],
  absence: ['check that nothing is there', 'The model found no value, and was asked once more whether there is none.'],
  check_quote: [
    'check of quoted words',
    'How sure the model was of words that it quoted, and whether they are right, which it was asked once more.',
  ],
  check_written: [
    'check of a written value',
    'How sure the model was of a value that it wrote, and whether it is right, which it was asked once more.',
  ],
  check_not_there: [
    'check that nothing was found',
    'How sure the model was that nothing is there, and whether that is right, which it was asked once more.',
  ],
  quote: ['quoted words', 'The model quoted words from the state; how sure it was of them.'],
  written: ['written value', 'The model wrote a value; how sure it was of it.'],
  not_there: ['nothing found', 'The model found nothing to quote; how sure it was of that.'],
}

const SOURCE_WORDS: Readonly<Record<ModelCalibrationReply['source'], string>> = {
  shipped: 'came with the model',
  refitted: 'fitted from outcomes',
  none: "none: probabilities are the model's own",
}

export function Calibration() {
  const { api, account, chooseAccount } = useConsole()
  const accounts = useLoaded(() => api.accounts(), [api])
  return (
    <>
      <Quarantine />
      <Shown loaded={accounts}>
        {({ accounts: all }) => {
          const chosen = all.find(({ id }) => id === account) ?? all[0]
          if (chosen === undefined) return <Nothing>There is no account yet; the first key makes one.</Nothing>
          return (
            <>
              <div class="bar">
                <AccountSelect accounts={all} value={chosen.id} onChange={chooseAccount} />
              </div>
              <OfAccount key={chosen.id} account={chosen.id} />
            </>
          )
        }}
      </Shown>
    </>
  )
}

function OfAccount({ account }: { readonly account: string }) {
  const { api } = useConsole()
  const loaded = useLoaded(() => api.calibration(account), [api, account])
  return (
    <Shown loaded={loaded}>
      {({ calibration, diagrams }) => (
        <>
          {calibration.models.length === 0 ? (
            <section class="panel">
              <Nothing>No model is loaded yet; the first question loads one.</Nothing>
            </section>
          ) : null}
          {calibration.is_pooled ? <p class="hint">Accounts of its pool lend labels to the fits of this account.</p> : null}
          {calibration.models.map((model) => (
            <ModelPanel
              key={model.model}
              account={account}
              model={model}
              diagrams={diagrams.find((diagram) => diagram.model === model.model) ?? null}
              canRollBack={calibration.history[0]?.version != null}
              onChanged={loaded.reload}
            />
          ))}
          <History changes={calibration.history} />
        </>
      )}
    </Shown>
  )
}

interface ModelPanelProps {
  readonly account: string
  readonly model: ModelCalibrationReply
  readonly diagrams: CalibrationViewReply['diagrams'][number] | null
  readonly canRollBack: boolean
  readonly onChanged: () => void
}

function ModelPanel({ account, model, diagrams, canRollBack, onChanged }: ModelPanelProps) {
  const { api, say } = useConsole()
  const [busy, setBusy] = useState(false)
  const [fitted, setFitted] = useState<FitReply | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isAsking, setAsking] = useState(false)
  const work = async (job: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    setFitted(null)
    try {
      await job()
      onChanged()
    } catch (failure) {
      setError(failure as Error)
    }
    setBusy(false)
  }
  const { version, source, served_since: since, fitted_on: fittedOn, outcomes, drift, notes } = model
  return (
    <section class="panel" aria-label={`Calibration of ${model.model}`}>
      <header>
        <h2 class="data">{model.model}</h2>
        <div class="bar">
          {canRollBack ? (
            <button type="button" onClick={() => setAsking(true)} disabled={busy}>
              Roll back…
            </button>
          ) : null}
          <button
            type="button"
            class="primary"
            disabled={busy}
            onClick={() => work(async () => setFitted(await api.fit(account, model.model)))}
          >
            {busy ? 'Working…' : 'Fit from outcomes'}
          </button>
        </div>
      </header>
      {error === null ? null : <Failure error={error} />}
      {fitted === null ? null : (
        <p class={fitted.decision === 'serve' ? 'notice' : 'notice warn'} role="status">
          <b>{fitted.decision === 'serve' ? 'A new calibration is served.' : 'Nothing changed.'}</b> {fitted.reason}
        </p>
      )}
      {notes.map((note) => (
        <p class="notice warn" key={note}>
          {note}
        </p>
      ))}
      <Alarms messages={[...new Set(drift.alarms.map(({ message }) => message))]} />
      <dl class="facts">
        <dt>
          <Explained word="calibration">Served</Explained>
        </dt>
        <dd>
          {version === null ? null : <code>{version}</code>} {SOURCE_WORDS[source]}
          {since === null ? '' : `, since ${time(since)} (${ago(since, Date.now())})`}
        </dd>
        {fittedOn === null ? null : (
          <>
            <dt>Fitted on</dt>
            <dd>
              {counted(fittedOn.decisions, 'decision')} about {counted(fittedOn.states, 'state')}
            </dd>
          </>
        )}
        <dt>
          <Explained word="outcome">Outcomes</Explained>
        </dt>
        <dd>
          {counted(outcomes.labels, 'label')} kept, {count(outcomes.waiting)} of them not <Explained word="fit">fitted</Explained> on yet
        </dd>
        <dt>
          <Explained word="drift">Drift</Explained>
        </dt>
        <dd>
          {drift.alarms.length === 0 ? 'no alarm' : counted(drift.alarms.length, 'alarm')} in {counted(drift.events, 'event')} and{' '}
          {counted(drift.labels, 'label')}
        </dd>
      </dl>
      <Diagrams diagrams={diagrams} />
      {isAsking ? (
        <Dialog title="Serve what was served before?" onClose={() => setAsking(false)}>
          <p>
            {version === null ? 'The calibration' : <code>{version}</code>} stops answering this account within seconds, on every replica.
            What was served before it answers again.
          </p>
          <div class="actions">
            <button type="button" onClick={() => setAsking(false)}>
              Keep it
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                setAsking(false)
                work(async () => {
                  await api.rollBack(account)
                  say('Rolled back.')
                })
              }}
            >
              Roll back
            </button>
          </div>
        </Dialog>
      ) : null}
    </section>
  )
}

/** One says it all; of many, the first does until the rest is asked for. */
function Alarms({ messages: [first, ...rest] }: { readonly messages: readonly string[] }) {
  if (first === undefined) return null
  return (
    <div class="notice warn alarms">
      <p>
        <b>Drift.</b> {first}
      </p>
      {rest.length === 0 ? null : (
        <details>
          <summary>{counted(rest.length, 'more alarm')}</summary>
          <ul>
            {rest.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Diagrams({ diagrams }: Pick<ModelPanelProps, 'diagrams'>) {
  if (diagrams === null || diagrams.readouts.length === 0) {
    return <Nothing>Diagrams appear once 20 outcomes of a kind are recorded: what was said against what came true.</Nothing>
  }
  return (
    <>
      <div class="charts">
        {diagrams.readouts.map(({ readout, labels, before, after }) => {
          const [title, meaning] = READOUTS[readout] ?? [readout, '']
          return <ReliabilityChart key={readout} {...{ title, meaning, labels, before, after }} />
        })}
      </div>
      <p class="hint">
        <span class="swatch other" />
        as the model gives it <span class="swatch" />
        as answered; percent said (across) and come true (up); lines through the points: 95 %.{' '}
        {diagrams.is_unseen ? '' : 'Some of these outcomes were fitted on, so that “as answered” looks better than it is.'}
      </p>
    </>
  )
}

const CHANGES: readonly Column<ChangeReply>[] = [
  { id: 'time', title: 'Time', show: ({ at }) => time(at) },
  { id: 'change', title: 'Change', show: ({ action }) => <span class={action === 'serve' ? 'tag' : 'tag warn'}>{action}</span> },
  {
    id: 'version',
    title: 'Version',
    kind: 'words',
    show: ({ version }) => (version === null ? "the model's own" : <code>{version}</code>),
  },
  { id: 'why', title: 'Why', kind: 'words', show: ({ why }) => why },
  {
    id: 'unseen',
    title: <Explained word="unseen">Log-loss, unseen</Explained>,
    kind: 'number',
    show: ({ held_out: heldOut }) => (heldOut === null ? '–' : `${heldOut.current.toFixed(4)} → ${heldOut.candidate.toFixed(4)}`),
  },
]

function History({ changes }: { readonly changes: readonly ChangeReply[] }) {
  return (
    <section class="panel" aria-label="History">
      <header>
        <h2>What was served</h2>
      </header>
      {changes.length === 0 ? (
        <Nothing>Nothing was changed yet: what came with the model answers.</Nothing>
      ) : (
        <DataTable columns={CHANGES} rows={changes} keyOf={({ at, version }) => `${at} ${version}`} />
      )}
    </section>
  )
}
