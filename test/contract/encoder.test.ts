// The contract on a tiny encoder model with random weights.
import { fileURLToPath } from 'node:url'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { describeBackend } from './backend-suite.ts'

const MODEL = fileURLToPath(new URL('../golden/encoder/model', import.meta.url))

// Options are blocks of their own, sorted inside, so their order changes nothing at all.
describeBackend('a tiny encoder', () => loadOnnxModel(MODEL, { inProcess: true, threads: 1 }), { isOrderInvariant: true, tolerance: 1e-5 })
