// Asks what was true of one decision: true or false, an option, a level, or the options that held.
import type { DecisionReply } from '../../service/console/replies.ts'
import { Field, SelectField, Tick } from '../ui/field.tsx'

export type Truth = boolean | string | number | readonly string[]

export interface OutcomeFieldProps {
  readonly decision: DecisionReply
  /** As marked now; null: not marked. */
  readonly truth: Truth | null
  readonly pointer: string
  readonly onChange: (truth: Truth | null) => void
}

export function OutcomeField({ decision, truth, pointer, onChange }: OutcomeFieldProps) {
  const { name, readout, candidates } = decision
  const recorded = decision.truth === null ? undefined : `Recorded: ${wordsOf(decision)}. Marking again replaces it.`
  const shared = { label: `What was true of ${name}`, pointer, ...(recorded === undefined ? {} : { hint: recorded }) }
  const unmarked = ['', 'not marked'] as const
  if (readout === 'independent') return <SetField {...{ decision, truth, onChange, shared, unmarked }} />
  if (readout === 'exclusive' || readout === 'ordinal') {
    // Options may be any text: a place in the list is what the page works with.
    const options = candidates.map((candidate, i) => [String(i), readout === 'ordinal' ? `${i} · ${candidate}` : candidate] as const)
    const chosen = truth === null ? '' : String(readout === 'ordinal' ? truth : candidates.indexOf(String(truth)))
    return (
      <SelectField
        {...shared}
        value={chosen}
        options={[unmarked, ...options]}
        onChange={(value) => onChange(value === '' ? null : readout === 'ordinal' ? Number(value) : candidates[Number(value)]!)}
      />
    )
  }
  const [yes, no] = readout === 'binary' ? ['true', 'false'] : ['it was right', 'it was wrong']
  return (
    <SelectField
      {...shared}
      value={truth === null ? '' : String(truth)}
      options={[unmarked, ['true', yes!] as const, ['false', no!] as const]}
      onChange={(value) => onChange(value === '' ? null : value === 'true')}
    />
  )
}

interface SetFieldProps extends Pick<OutcomeFieldProps, 'decision' | 'truth' | 'onChange'> {
  readonly shared: { readonly label: string; readonly pointer: string; readonly hint?: string }
  readonly unmarked: readonly [string, string]
}

function SetField({ decision: { candidates }, truth, onChange, shared, unmarked }: SetFieldProps) {
  const held = truth as readonly string[] | null
  return (
    <>
      <Field {...shared}>
        {(control) => (
          <select
            {...control}
            value={held === null ? '' : 'set'}
            onChange={(event) => onChange(event.currentTarget.value === '' ? null : [])}
          >
            <option value={unmarked[0]}>{unmarked[1]}</option>
            <option value="set">exactly those ticked below</option>
          </select>
        )}
      </Field>
      {held === null ? null : (
        <div class="ticks">
          {candidates.map((candidate) => (
            <Tick
              key={candidate}
              label={candidate}
              isTicked={held.includes(candidate)}
              onChange={(isTicked) => onChange(candidates.filter((other) => (other === candidate ? isTicked : held.includes(other))))}
            />
          ))}
        </div>
      )}
    </>
  )
}

function wordsOf({ truth, readout, candidates }: DecisionReply): string {
  if (Array.isArray(truth)) return truth.length === 0 ? 'none of them' : truth.join(', ')
  if (typeof truth === 'number' && readout === 'ordinal') {
    return Number.isInteger(truth) ? `${truth} · ${candidates[truth] ?? ''}` : truth.toFixed(2)
  }
  return String(truth)
}
