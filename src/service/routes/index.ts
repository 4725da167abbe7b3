// The routes of the service, one line each. Everything that knows of routes reads this list: registration, the hints of
// 404 and 405, the names that the setting `legacyName` may not take, the labels of metrics, and the paths of the
// OpenAPI document.
import { askRoute } from './ask.ts'
import { calibrationRoute } from './calibration.ts'
import { calibrationFitRoute } from './calibration-fit.ts'
import { calibrationRollbackRoute } from './calibration-rollback.ts'
import { decisionsRoute } from './decisions.ts'
import { healthRoute } from './health.ts'
import { metricsRoute } from './metrics.ts'
import { modelsRoute } from './models.ts'
import { openApiRoute } from './openapi.ts'
import { outcomesRoute } from './outcomes.ts'
import { rootRoute } from './root.ts'
import type { Route } from './route.ts'
import { systemOneRoute } from './systemone.ts'

export const ROUTES: readonly Route[] = [
  askRoute,
  modelsRoute,
  decisionsRoute,
  systemOneRoute,
  outcomesRoute,
  calibrationRoute,
  calibrationFitRoute,
  calibrationRollbackRoute,
  healthRoute,
  metricsRoute,
  openApiRoute,
  rootRoute,
]

/** Names below /v1 that are in use: `ask` of /v1/ask. */
export function reservedNames(routes: readonly Route[] = ROUTES): readonly string[] {
  const names = routes.flatMap(({ path }) => /^\/v1\/([^/{]+)/.exec(path)?.[1] ?? [])
  return [...new Set(names)]
}
