// The contract on the tiny random Gemma 3 that sees.
import { fileURLToPath } from 'node:url'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'
import { describeBackend } from './backend-suite.ts'

const MODEL = fileURLToPath(new URL('../golden/gemma3/model', import.meta.url))

describeBackend('Gemma 3 with pictures', () => loadOnnxModel(MODEL, { inProcess: true, threads: 1 }))
