// The contract on a tiny encoder model with random weights.
import { fileURLToPath } from 'node:url'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

const MODEL = fileURLToPath(new URL('../golden/encoder/model', import.meta.url))

// Options are blocks of their own, sorted inside, so their order changes nothing at all.
describeBackend('a tiny encoder', () => loadForSuite(MODEL), { isOrderInvariant: true, tolerance: 1e-5 })
