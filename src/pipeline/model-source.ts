// A model that is not loaded yet.
import type { Backend } from '../backends/backend.ts'

/** A model that is loaded when it is first asked. A failed load is tried again by the next request. */
export interface ModelSource {
  readonly id: string
  /** Default: the id. */
  readonly name?: string
  /** Bytes it takes when it is loaded, about, its caches included. Absent: it counts as none. */
  bytes?(): Promise<number>
  load(): Promise<Backend>
}
