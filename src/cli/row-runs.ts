// What the commands that run labelled rows share: a warm engine, rows that are left, and how long one may take.
import type { Row } from '../evaluate/dataset.ts'
import type { RunBinding } from '../evaluate/results.ts'
import type { DecisionEvent } from '../questions/shared/decision.ts'
import type { CliEngine } from './command.ts'
import type { Terminal } from './terminal.ts'

/** Long enough for a large picture on a slow machine. */
export const ROW_DEADLINE_MS = 600_000

export interface Bound {
  readonly engine: string
  readonly model: RunBinding['model']
  readonly calibration: string | null
  readonly warnings: readonly string[]
}

/**
 * One small question: loads the model before any row is timed, and says which model, template and calibration the
 * results are bound to.
 */
export async function warmUp(engine: CliEngine, model: string | null): Promise<Bound> {
  let event: DecisionEvent | null = null
  const observe = (observed: DecisionEvent): void => {
    event = observed
  }
  const request = {
    ...(model === null ? {} : { model }),
    state: 'Warm up.',
    questions: { ready: { type: 'noul', instructions: 'It is warm.' } },
  } as const
  const response = await engine.ask(request, { deadlineMs: ROW_DEADLINE_MS, deliberation: 'never', observe })
  const { simo } = response
  const templateHash = (event as DecisionEvent | null)?.templateHash ?? ''
  return {
    engine: simo.engine,
    model: { id: response.model, revision: simo.model_revision, templateHash },
    calibration: simo.calibration.version,
    warnings: simo.warnings,
  }
}

/** Says of models that run on another device than was asked for why they do. */
export function sayOtherDevices(engine: Pick<CliEngine, 'models'>, terminal: Terminal): void {
  for (const { id, device } of engine.models()) {
    if (device?.reason !== undefined) terminal.warn(`${id} runs on ${device.name}: ${device.reason}\n`)
  }
}

/** Those that were chosen, but for those that are done. */
export async function* rowsLeft(rows: AsyncIterable<Row>, chosen: ReadonlySet<number>, done: ReadonlySet<number>): AsyncGenerator<Row> {
  for await (const row of rows) if (chosen.has(row.at) && !done.has(row.at)) yield row
}
