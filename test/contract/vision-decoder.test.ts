// The contract on the tiny random models that see, one of each family.
import { fileURLToPath } from 'node:url'
import { describeBackend } from './backend-suite.ts'
import { loadForSuite } from './load-for-suite.ts'

const FAMILIES = ['qwen2-vl', 'qwen2.5-vl', 'qwen3-vl', 'qwen3.5', 'lfm2-vl']
const folderOf = (family: string): string => fileURLToPath(new URL(`../golden/vision-decoders/${family}`, import.meta.url))

for (const family of FAMILIES) {
  // The probe asks 152 questions at each load: one family goes through it.
  const scoring = family === 'qwen2.5-vl' ? 'probe' : 'plain'
  describeBackend(family, () => loadForSuite(folderOf(family), { scoring }))
}
