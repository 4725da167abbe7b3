// Prints the results of the commands of `assay outcomes` for a person.
import type { DriftAlarm } from '../calibration/drift/drift.ts'
import type { RecordedOutcome } from '../calibration/outcomes/record-outcome.ts'
import type { VersionChange } from '../calibration/outcomes/versions.ts'
import type { RefitSaid } from './refit-store.ts'
import { plain } from './terminal.ts'

export function showRecorded(recorded: readonly RecordedOutcome[]): string {
  const labels = recorded.reduce((sum, one) => sum + one.recorded.length, 0)
  const replaced = recorded.reduce((sum, one) => sum + one.replaced.length, 0)
  const again = replaced === 0 ? '' : `, ${replaced} in place of earlier ones`
  return `${labels} ${labels === 1 ? 'outcome' : 'outcomes'} of ${recorded.length} ${recorded.length === 1 ? 'event' : 'events'} recorded${again}\n`
}

export function showRefit({ served, decision, current, candidate, heldOut, reason, learned }: RefitSaid): string {
  const before = current ?? 'none (probabilities as the model gives them)'
  const outcome = served
    ? `${candidate} is served now, before it ${before}`
    : decision === 'serve'
      ? `${candidate} would be served in place of ${before}`
      : `${before} stays`
  const right = heldOut?.right
  const lines = [
    outcome,
    reason,
    ...(right === undefined ? [] : [`right ${share(right.current)} -> ${share(right.candidate)} of ${heldOut?.labels} held-out labels`]),
    ...(decision === 'keep' || learned.length === 0 ? [] : [`learned by heads of their own: ${learned.map(plain).join(', ')}`]),
  ]
  return `${lines.join('\n')}\n`
}

function share(value: number): string {
  return `${(100 * value).toFixed(1)} %`
}

export function showRollBack({ version, from }: VersionChange): string {
  return `${from} is no longer served; ${version ?? 'what comes with the model'} is\n`
}

export interface DriftSaid {
  readonly calibration: string | null
  readonly events: number
  readonly labels: number
  readonly hasReference: boolean
  readonly alarms: readonly DriftAlarm[]
}

export function showDrift({ calibration, events, labels, hasReference, alarms }: DriftSaid): string {
  const about = `${calibration ?? 'no calibration'}: ${events} events and ${labels} labels since it is served`
  const unseen = hasReference ? [] : ['It does not say what decisions looked like, so only labels were looked at; a refit adds it.']
  const lines = alarms.map(
    ({ kind, value, threshold, message }) => `${kind} ${short(value)} (alarm above ${short(threshold)}): ${plain(message)}`,
  )
  return `${[about, ...unseen, ...(lines.length === 0 ? ['no sign of drift'] : lines)].join('\n')}\n`
}

function short(value: number): string {
  return value >= 1e6 ? value.toExponential(1) : value >= 100 ? value.toFixed(0) : value.toFixed(3)
}
