// The service as a library: what `assay serve` puts together, for those who run it inside a program of their own.

export { createLog } from './log.ts'
export { createMetrics } from './metrics.ts'
export type { Log, Metrics } from './parts.ts'
export { readSettings } from './read-settings.ts'
export { createService, type Service, type ServiceOptions } from './service.ts'
export { DEFAULT_SETTINGS, type Settings } from './settings.ts'
export { openStore } from './store/open.ts'
export type { Store } from './store/store.ts'
