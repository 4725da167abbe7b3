// Asks what was true of one decision: true or false, an option, a level, or the options that held.
import type { DecisionReply } from '../../service/console/replies.ts'
import { SelectField, Tick } from '../ui/field.tsx'
import { recordedIn, type Truth, truthWords, withRecorded } from './outcome-words.ts'

export interface OutcomeFieldProps {
  readonly decision: DecisionReply
  /** As marked now; null: left as it is. */
  readonly truth: Truth | null
  readonly pointer: string
  readonly onChange: (truth: Truth | null) => void
}

/** The field shows what is recorded already as its value; choosing something else replaces it. */
export function OutcomeField({ decision, truth, pointer, onChange }: OutcomeFieldProps) {
  const { name, readout, candidates } = decision
  const shared = { label: `What was true of ${name}`, pointer }
  if (readout === 'independent') return <SetField {...{ decision, truth, onChange, shared }} />
  const isOrdinal = readout === 'ordinal'
  // Options may be any text: a place in the list is what the page works with.
  const truths: readonly Truth[] = readout === 'exclusive' ? candidates : isOrdinal ? candidates.map((_, i) => i) : [true, false]
  const options = truths.map((one, i): readonly [string, string] => [String(i), truthWords(decision, one)])
  return (
    <SelectField
      {...shared}
      value={truth === null ? '' : String(truths.indexOf(truth))}
      options={withRecorded(options, recordedIn(decision), truths.indexOf(decision.truth as Truth))}
      onChange={(value) => onChange(value === '' ? null : truths[Number(value)]!)}
    />
  )
}

interface SetFieldProps extends Pick<OutcomeFieldProps, 'decision' | 'truth' | 'onChange'> {
  readonly shared: { readonly label: string; readonly pointer: string }
}

function SetField({ decision, truth, onChange, shared }: SetFieldProps) {
  const { candidates } = decision
  const held = truth as readonly string[] | null
  // Ticks begin with what is recorded, so that one of many is corrected by one click.
  const before = Array.isArray(decision.truth) ? (decision.truth as readonly string[]) : []
  return (
    <>
      <SelectField
        {...shared}
        value={held === null ? '' : 'set'}
        options={withRecorded([['set', 'exactly those ticked below']], recordedIn(decision), -1)}
        onChange={(value) => onChange(value === '' ? null : before)}
      />
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
