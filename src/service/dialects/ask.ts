// The service's own wire, which is the engine's.
import type { Dialect } from './dialect.ts'

export const ask: Dialect = {
  name: 'ask',
  translate: (body) => ({ request: body, reply: (response) => response }),
}
