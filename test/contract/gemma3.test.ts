// The contract on the tiny random Gemma 3 that sees.
import { fileURLToPath } from 'node:url'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

const MODEL = fileURLToPath(new URL('../golden/gemma3/model', import.meta.url))

describeBackend('Gemma 3 with pictures', () => loadForSuite(MODEL))
