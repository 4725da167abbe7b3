// The contract on tiny random decision encoders, one of each published line. They choose among options and read
// nothing, so the cases that read are left out; test/backends/onnx/families/option-markers.test.ts holds what is said
// instead.
import { fileURLToPath } from 'node:url'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

const reason = 'it reads nothing'
const skip = {
  'scores the same branch the same after reads on the prefix': reason,
  'answers on an empty state': reason,
  'quotes spans verbatim at their offsets': reason,
  'writes what its grammar can parse': reason,
  'writes the same again': reason,
  'rejects with the reason of a signal that aborts, and goes on': reason,
}

for (const line of ['laya', 'jevhome']) {
  const folder = fileURLToPath(new URL(`../golden/option-markers/${line}`, import.meta.url))
  describeBackend(line, () => loadForSuite(folder), { skip })
}
