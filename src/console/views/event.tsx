// One answered request: its decisions, and a form for what was true. States are not kept, so none is shown.
import { useEffect, useRef, useState } from 'preact/hooks'
import { pointer } from '../../core/pointer.ts'
import type { DecisionReply } from '../../service/console/replies.ts'
import { ApiError } from '../api.ts'
import { useConsole } from '../context.ts'
import { counted, percent, time } from '../format.ts'
import { Bars } from '../ui/bars.tsx'
import { ProblemsContext } from '../ui/field.tsx'
import { Failure, Nothing, Shown } from '../ui/notice.tsx'
import { Explained } from '../ui/term.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { OutcomeField } from './outcome-field.tsx'
import type { Truth } from './outcome-words.ts'

const READOUT_WORDS: Readonly<Record<DecisionReply['readout'], string>> = {
  binary: 'true or not',
  composed: 'true or not',
  compared: 'true or not',
  exclusive: 'one of the options',
  ordinal: 'a level',
  independent: 'any of the options',
  check: 'the value is right',
  absence: 'it is not there',
  check_quote: 'the words are right',
  check_written: 'the value is right',
  check_not_there: 'nothing is there',
  quote: 'the words are right',
  written: 'the value is right',
  not_there: 'nothing is there',
}

/** Reads and their checks. */
const VALUE_READOUTS: ReadonlySet<DecisionReply['readout']> = new Set([
  'check',
  'absence',
  'check_quote',
  'check_written',
  'check_not_there',
  'quote',
  'written',
  'not_there',
])
/** Their candidates, which are `true` and `false` in the record. */
const VALUE_WORDS = ['it is right', 'it is wrong']

export function EventPanel({ id }: { readonly id: string }) {
  const { api, say } = useConsole()
  const event = useLoaded(() => api.event(id), [api, id])
  const [truths, setTruths] = useState<ReadonlyMap<string, Truth>>(new Map())
  const [error, setError] = useState<Error | null>(null)
  const problems = error instanceof ApiError ? error.problems : []
  const save = async (submit: SubmitEvent) => {
    submit.preventDefault()
    setError(null)
    try {
      const { recorded } = await api.recordOutcome(id, Object.fromEntries(truths))
      say(`${counted(recorded.length, 'outcome')} recorded.`)
      setTruths(new Map())
      event.reload()
    } catch (failure) {
      setError(failure as Error)
    }
  }
  // It is opened from a line of the list below, which may be far down.
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.scrollIntoView({ block: 'nearest' }), [])
  const mark = (name: string, truth: Truth | null) => {
    const next = new Map(truths)
    if (truth === null) next.delete(name)
    else next.set(name, truth)
    setTruths(next)
  }
  return (
    <section class="panel" aria-label={`Request ${id}`} ref={panel}>
      <header>
        <h2>
          <code class="data">{id}</code>
        </h2>
        <a href="#/requests">Close</a>
      </header>
      <Shown loaded={event}>
        {({ at, model, calibration, decisions }) => (
          <ProblemsContext.Provider value={problems}>
            <form class="event" onSubmit={save}>
              <p class="hint">
                {time(at)} · <span class="data">{model}</span> ·{' '}
                {calibration === null ? (
                  'probabilities as the model gave them'
                ) : (
                  <>
                    probabilities by the <Explained word="calibration" /> <code>{calibration}</code>, which is served now; the lines on the
                    bars: before it
                  </>
                )}
                . The <Explained word="state" /> is not kept.
              </p>
              {decisions.length === 0 ? <Nothing>Nothing was decided here: reads without a check leave nothing to mark.</Nothing> : null}
              {decisions.map((decision) => (
                <Decision
                  key={decision.name}
                  decision={decision}
                  hasCalibration={calibration !== null}
                  truth={truths.get(decision.name) ?? null}
                  onChange={(truth) => mark(decision.name, truth)}
                />
              ))}
              {error === null || problems.length > 0 ? null : <Failure error={error} />}
              {decisions.length === 0 ? null : (
                <div class="actions">
                  <button type="submit" class="primary" disabled={truths.size === 0}>
                    {truths.size === 0 ? 'Record outcomes' : `Record ${counted(truths.size, 'outcome')}`}
                  </button>
                </div>
              )}
            </form>
          </ProblemsContext.Provider>
        )}
      </Shown>
    </section>
  )
}

interface DecisionProps {
  readonly decision: DecisionReply
  readonly hasCalibration: boolean
  readonly truth: Truth | null
  readonly onChange: (truth: Truth | null) => void
}

function Decision({ decision, hasCalibration, truth, onChange }: DecisionProps) {
  const { name, readout, candidates, probabilities, uncalibrated, is_deliberated: isDeliberated, mass } = decision
  const most = Math.max(...probabilities)
  const isOfValue = VALUE_READOUTS.has(readout)
  const isLeading = (probability: number) => (readout === 'independent' ? probability >= 0.5 : probability === most)
  return (
    <article class="decision">
      <header>
        <h3 class="data">{name}</h3>
        <span class="tag quiet">{READOUT_WORDS[readout]}</span>
        {isDeliberated ? (
          <span class="tag">
            <Explained word="deliberated" />
          </span>
        ) : null}
        <span class="hint">
          <Explained word="mass" /> {percent(mass)}
        </span>
      </header>
      <Bars
        rows={candidates.map((candidate, i) => ({
          name: readout === 'ordinal' ? `${i} · ${candidate}` : isOfValue ? VALUE_WORDS[i]! : candidate,
          probability: probabilities[i]!,
          isLeading: isLeading(probabilities[i]!),
          ...(hasCalibration ? { line: uncalibrated[i]! } : {}),
        }))}
      />
      <OutcomeField decision={decision} truth={truth} pointer={pointer('/outcomes', name)} onChange={onChange} />
    </article>
  )
}
