// Decisions and events for tests of outcomes.
import type { StoredEvent } from '../../src/calibration/outcomes/outcomes.ts'
import type { Decision } from '../../src/questions/shared/decision.ts'

export function decision(names: readonly string[], more: Partial<Decision> = {}): Decision {
  const row = names.map((_, i) => (i === 0 ? Math.log(0.6) : Math.log(0.4 / (names.length - 1))))
  const key = { readout: 'exclusive', hasImage: false, candidates: names.length, wording: 'aaaaaaaaaaaaaaaa' } as const
  return {
    ...key,
    question: 'bbbbbbbbbbbbbbbb',
    names,
    single: [row],
    deliberated: null,
    mass: 0.9,
    tokens: 40,
    features: null,
    value: null,
    ...more,
  }
}

export const BINARY = decision(['true', 'false'], { readout: 'binary' })

export function event(id: string, at: number, decisions: Readonly<Record<string, Decision>> = { urgent: BINARY }): StoredEvent {
  const state = `${id}0000000000000000`.slice(-16)
  return { id, at, model: 'm', revision: 'r1', templateHash: 't1', state, decisions }
}

export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
