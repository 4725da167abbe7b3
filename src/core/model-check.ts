// What was looked at in a model folder, and what came of it: said when it is loaded, and by `assay models verify`.

/**
 * `passed`: it holds. `noted`: the model answers rightly, in a slower or plainer way than it might. `failed`: it does
 * not hold. `not_applicable`: there is nothing of the kind in this model or folder. `skipped`: it could not be looked
 * at, since another check failed.
 */
export type ModelCheckStatus = 'passed' | 'noted' | 'failed' | 'not_applicable' | 'skipped'

/** The checks in the order in which they are made and shown. */
export const MODEL_CHECKS = ['files', 'load', 'symbols', 'patches', 'packing', 'device'] as const

export interface ModelCheck {
  readonly check: (typeof MODEL_CHECKS)[number]
  readonly status: ModelCheckStatus
  /** What was found, with its numbers. Names no path of this machine. */
  readonly detail: string
  /** The next step, where something does not hold. */
  readonly remedy?: string
  /** The folder of a model within a model (`texts`, `pictures`) that it is about. Absent: all of it. */
  readonly part?: string
}

export const notApplicable = (check: ModelCheck['check'], detail: string): ModelCheck => ({ check, status: 'not_applicable', detail })
