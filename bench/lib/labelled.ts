// Rows of the labelled packs: a request with its truth. Image paths in a pack are relative to its folder.

import type { Json } from '../../src/core/types.ts'
import { statePathsFrom } from '../../src/pipeline/state/paths.ts'

export interface LabelledRow {
  readonly id: string
  readonly source: string
  readonly state: Json
  readonly questions: Record<string, { readonly type: string; readonly kind?: string; readonly many?: boolean }>
  readonly truth: Record<string, Json>
  /** Further values that count as right. */
  readonly accept?: Record<string, readonly Json[]>
}

/** The state with its image paths under `root`. */
export function atRoot(state: Json, root: string): Json {
  return statePathsFrom(state, root) as Json
}
