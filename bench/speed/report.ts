// A run of the bench as it is kept: how it was made, then what each section found.
import type { Findings } from './context.ts'
import type { Environment } from './machine.ts'

export interface Report {
  readonly engine: string
  readonly environment: Environment & { readonly stolen: number | null }
  readonly settings: { readonly rounds: number; readonly threads: number; readonly dtype: 'q8' | 'fp32' }
  readonly sections: readonly SectionReport[]
}

/** Of its files: the float model has results of its own. */
export const nameOf = ({ settings }: Report): string => (settings.dtype === 'q8' ? 'speed' : 'speed-fp32')

export interface SectionReport extends Findings {
  readonly name: string
  readonly title: string
  /** Why there is nothing. */
  readonly error?: string
}
