// Measures the steps of something that is done in steps.
import type { Clock } from './deadline.ts'

export interface StepTimes {
  /** Ends a step: it took what passed since the lap before its own. Steps of one name are added up. */
  lap(step: string): void
  /** Milliseconds by step, and `total`, since the start. */
  all(): Readonly<Record<string, number>>
}

export function startTimes(clock: Clock): StepTimes {
  const start = clock.now()
  const timesMs: Record<string, number> = {}
  let last = start
  return {
    lap(step) {
      const now = clock.now()
      timesMs[step] = (timesMs[step] ?? 0) + now - last
      last = now
    },
    all: () => ({ ...timesMs, total: clock.now() - start }),
  }
}
