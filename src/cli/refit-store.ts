// What `assay outcomes refit` and `assay learn` share: a fit on the labels of a store, served where held-out labels say
// that it is not worse, and where it spoils no questions that nobody labelled.
import { createHash } from 'node:crypto'
import type { Calibration } from '../calibration/calibration.ts'
import type { RecordedEvidence } from '../calibration/evidence/evidence.ts'
import type { CalibrationVersions } from '../calibration/outcomes/versions.ts'
import { type RefitOptions, type RefitResult, refit } from '../calibration/refit/refit.ts'
import type { CalibratedModel } from '../questions/shared/decision.ts'

/** What a refit came to, as it is printed. */
export interface RefitSaid extends Omit<RefitResult, 'candidate'> {
  readonly served: boolean
  readonly current: string | null
  readonly candidate: string | null
  /** Questions that the candidate answers by heads of their own, by the names that they had when they were asked. */
  readonly learned: readonly string[]
}

export interface RefitStoreOptions extends RefitOptions {
  /** Says what would be served, and changes nothing. */
  readonly isDryRun: boolean
}

/**
 * Fits on the evidence of a store, on top of `against`, and serves what is not worse than that. `current`: what is
 * served now.
 */
export async function refitStore(
  versions: CalibrationVersions,
  { current, against = current }: { readonly current: Calibration | null; readonly against?: Calibration | null },
  evidence: readonly RecordedEvidence[],
  model: CalibratedModel,
  { isDryRun, ...options }: RefitStoreOptions,
): Promise<RefitSaid> {
  const { candidate, decision, heldOut, reason } = refit(against, evidence, model, options)
  const isServed = decision === 'serve' && candidate !== null && !isDryRun
  if (isServed) await versions.serve(candidate, { at: Date.now(), why: reason, heldOut, labels: hashOfLabels(evidence) })
  return {
    decision,
    served: isServed,
    current: current?.version ?? null,
    candidate: candidate?.version ?? null,
    heldOut,
    reason,
    learned: namesOf(candidate?.heads ?? {}, evidence),
  }
}

/** The same for the same labels. */
export function hashOfLabels(evidence: readonly RecordedEvidence[]): string {
  const hash = createHash('sha256')
  for (const { at, state, question, truth, weight = 1 } of evidence)
    hash.update(`${JSON.stringify([at, state, question, truth, weight])}\n`)
  return hash.digest('hex').slice(0, 16)
}

function namesOf(heads: NonNullable<Calibration['heads']>, evidence: readonly RecordedEvidence[]): string[] {
  return [...new Set(evidence.flatMap(({ question, task }) => (Object.hasOwn(heads, question) ? [task] : [])))]
}
