// The service's own wire: the engine's, word for word.
import type { Dialect } from './dialect.ts'

export const ask: Dialect = {
  name: 'ask',
  translate: (body) => ({ request: body, reply: (response) => response }),
}
