// A store of outcomes in memory, bounded by the number of its events.
import { EngineError } from '../../core/errors.ts'
import { evidenceOf, keptEvent, type LabelledEvent, type OutcomeStore, type StoredEvent } from './outcomes.ts'

export interface MemoryOutcomeOptions {
  /**
   * Events that are kept; default 10 000. The oldest without a label go first, but labelled ones never take more than
   * three quarters.
   */
  readonly events?: number
  /** Whether features are kept for learned heads; default false. */
  readonly keepsFeatures?: boolean
}

/** A store in memory, which ends with the process. */
export function memoryOutcomeStore({ events: most = 10_000, keepsFeatures = false }: MemoryOutcomeOptions = {}): OutcomeStore {
  if (!(Number.isInteger(most) && most >= 1)) {
    throw new EngineError('invalid_request', `A memory store keeps a whole number of events from 1 on, received ${most}.`)
  }
  // A Map keeps the order of insertion: its first entry is the oldest.
  const open = new Map<string, StoredEvent>()
  const labelled = new Map<string, LabelledEvent>()
  const makeRoom = (): void => {
    while (open.size + labelled.size > most) {
      const from = open.size === 0 || labelled.size > most * 0.75 ? labelled : open
      from.delete(from.keys().next().value as string)
    }
  }
  const inOrder = (items: Iterable<LabelledEvent>): LabelledEvent[] => [...items].sort((a, b) => a.event.at - b.event.at)
  return {
    async event(event) {
      if (open.has(event.id) || labelled.has(event.id)) return
      open.set(event.id, keptEvent(event, keepsFeatures))
      makeRoom()
    },
    async find(id) {
      const event = open.get(id)
      return event === undefined ? (labelled.get(id) ?? null) : { event, labels: {} }
    },
    async outcome(id, labels) {
      const known = labelled.get(id)
      const event = known?.event ?? open.get(id)
      if (event === undefined) return false
      labelled.set(id, { event, labels: { ...known?.labels, ...labels } })
      open.delete(id)
      return true
    },
    async *evidence() {
      for (const item of inOrder(labelled.values())) yield* evidenceOf(item)
    },
    async *recent(count) {
      const all = inOrder([...labelled.values(), ...[...open.values()].map((event) => ({ event, labels: {} }))])
      for (const { event } of all.reverse().slice(0, count)) yield event
    },
    retention: `in memory until ${most} newer ones came`,
    async close() {},
  }
}
