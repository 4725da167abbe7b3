// What a model family gives to this backend: a folder in Hugging Face layout to a `Backend`, and to a measurement of
// how it reads candidates.
import { type ModelCheck, notApplicable } from '../../core/model-check.ts'
import type { Backend } from '../backend.ts'
import type { ProbeProgress } from '../prompted/probe.ts'
import type { Scoring } from '../prompted/scoring.ts'
import type { OnnxOptions } from './options.ts'
import type { ModelFolder } from './runtime/layout.ts'
import type { Opening } from './runtime/opening.ts'

export interface ModelFamily {
  /** The graphs that `load` reads, by their names without a suffix; absent: any that the folder has. */
  readonly graphs?: readonly string[]
  /** Where in the folder they lie, ending in a slash; '' for beside config.json. Absent: `onnx/`. */
  readonly graphsAt?: string
  /**
   * Throws `model_not_available` when something in the folder is missing, or says what this family cannot do.
   * `opening`: when its graphs are opened, at load by default; a family may open them at load whatever it says.
   */
  load(folder: ModelFolder, options: OnnxOptions, opening?: Opening): Promise<Backend>
  /** Measures how candidates are to be read; null where there is only one way. */
  readonly probe: ((folder: ModelFolder, options: OnnxOptions, onProgress?: ProbeProgress) => Promise<Scoring>) | null
}

/** What loading checks of a model that has no symbols, and whose graphs are made for this engine. */
export const OPTIONS_ALONE: readonly ModelCheck[] = [
  notApplicable('symbols', 'each option is read by itself behind the state, so there are no symbols'),
  notApplicable('patches', 'graphs of this family are made for this engine, so there is nothing to try'),
]
