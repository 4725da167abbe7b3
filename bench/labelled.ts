// Rows of the labelled packs: a request with its truth. Image paths in a pack are relative to its folder.
import { join } from 'node:path'
import type { Json } from '../src/types.ts'

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
  if (!Array.isArray(state)) return state
  return state.map((part) => {
    const { type, source } = part as { type?: string; source?: { path: string } }
    return type === 'image' && source !== undefined ? { type, source: { type: 'path', path: join(root, source.path) } } : part
  }) as Json
}
