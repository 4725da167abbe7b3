import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '../../src/service/log.ts'
import { startPurging } from '../../src/service/purge.ts'

const HOUR_MS = 3_600_000

/** A store that notes its purges and fails those it is told to. */
function purgeable(failing: readonly number[] = []) {
  const purges: number[] = []
  const lines: string[] = []
  const store = {
    async purge(keepMs: number): Promise<void> {
      purges.push(keepMs)
      if (failing.includes(purges.length)) throw new Error('away')
    },
  }
  return {
    purges,
    lines,
    start: () => startPurging(store, { keepMs: 7 }, createLog({ level: 'warn', write: (line) => void lines.push(line) })),
  }
}

describe('purging', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is done at the start and every hour, until it is stopped', async () => {
    const { purges, start } = purgeable()
    const purging = start()
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS + 1)
    expect(purges).toEqual([7, 7, 7])
    await purging.stop()
    await vi.advanceTimersByTimeAsync(5 * HOUR_MS)
    expect(purges).toHaveLength(3)
  })

  it('goes on after a failure, which is logged', async () => {
    const { purges, lines, start } = purgeable([1])
    const purging = start()
    await vi.advanceTimersByTimeAsync(HOUR_MS + 1)
    await purging.stop()
    expect(purges).toHaveLength(2)
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn'])
  })
})
