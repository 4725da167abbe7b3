// The contract on the tiny random text decoders, one of each family.
import { fileURLToPath } from 'node:url'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

const FAMILIES = ['llama', 'smollm2', 'qwen2', 'qwen3', 'qwen3.5', 'smollm3', 'gemma3', 'granite', 'lfm2']
const folderOf = (family: string): string => fileURLToPath(new URL(`../golden/text-decoders/${family}`, import.meta.url))

for (const family of FAMILIES) {
  // The probe asks 152 questions at each load: one family of each kind of graph goes through it.
  const scoring = ['llama', 'lfm2'].includes(family) ? 'probe' : 'plain'
  describeBackend(family, () => loadForSuite(folderOf(family), { scoring }))
}
