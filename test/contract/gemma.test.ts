// The contract on the tiny random models of Gemma that see.
import { fileURLToPath } from 'node:url'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

for (const kind of ['gemma3', 'gemma3n', 'gemma4']) {
  const model = fileURLToPath(new URL(`../golden/${kind}/model`, import.meta.url))
  describeBackend(`${kind} with pictures`, () => loadForSuite(model))
}
