// The contract on the tiny random Idefics3 model, on the calling thread and through a worker (which needs `npm run
// build`, as `npm test` does).
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

const MODEL = fileURLToPath(new URL('../golden/idefics3/model', import.meta.url))
const isBuilt = existsSync(new URL('../../dist/backends/onnx/workers/worker.js', import.meta.url))

describeBackend('idefics3 on the calling thread', () => loadForSuite(MODEL))

if (isBuilt) describeBackend('idefics3 in a worker', () => loadOnnxModel(MODEL, { threads: 1 }))
else describe.skip('idefics3 in a worker', () => it('needs dist/: run `npm run build`', () => {}))
