// How the contract suites load a folder. ASSAY_TEST_DEVICE=webgpu runs them there, so on that device's driver; a model
// that is answered on the CPU instead fails them with the reason. CONTRIBUTING.md says how.
import type { Backend } from '../../src/backends/backend.ts'
import { loadOnnxModel } from '../../src/backends/onnx/index.ts'

type Options = NonNullable<Parameters<typeof loadOnnxModel>[1]>

const DEVICE = process.env.ASSAY_TEST_DEVICE as Options['device']

/** On the calling thread; one thread unless `options` say otherwise. */
export async function loadForSuite(folder: string, options: Options = {}): Promise<Backend> {
  const backend = await loadOnnxModel(folder, {
    inProcess: true,
    threads: 1,
    ...options,
    ...(DEVICE === undefined ? {} : { device: DEVICE }),
  })
  const { device } = backend.info
  if (DEVICE === undefined || device?.name === DEVICE) return backend
  await backend.close()
  throw new Error(`${folder} does not run on ${DEVICE}: ${device?.reason ?? 'no reason is given'}`)
}
