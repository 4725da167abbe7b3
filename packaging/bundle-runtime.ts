// Copies the ONNX runtime into dist/ before `npm pack`, and removes it afterwards. As a dependency, onnxruntime-node runs
// an install script that downloads GPU libraries on Linux x64, and where that fails, npm takes the whole install back. A
// copy in the package has no script, and brings none of the packages that only the script needs.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Libraries that running on a CPU does not need. Windows loads the first three only for DirectML and WebGPU (they are
 * delay-loaded), the library for macOS is there twice under two names, and the providers are for GPUs.
 */
const LEFT_OUT = [/^DirectML\.dll$/, /^dxcompiler\.dll$/, /^dxil\.dll$/, /^libonnxruntime\.\d+\.\d+\.\d+\.dylib$/, /_providers_/]

/** Copies what runs of onnxruntime-node to the folder `to`, which need not exist. */
export async function bundleRuntime(to: string): Promise<void> {
  const from = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'))
  const { name, version, license } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  await rm(to, { recursive: true, force: true })
  await mkdir(join(to, 'dist'), { recursive: true })
  for (const file of await readdir(join(from, 'dist'))) if (file.endsWith('.js')) await cp(join(from, 'dist', file), join(to, 'dist', file))
  const isKept = (path: string): boolean => !LEFT_OUT.some((pattern) => pattern.test(basename(path)))
  await cp(join(from, 'bin'), join(to, 'bin'), { recursive: true, filter: isKept })
  // Our package is ESM, and this is not.
  const manifest = { name, version, license, type: 'commonjs', main: 'dist/index.js' }
  await writeFile(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await cp(new URL('onnxruntime-license.txt', import.meta.url), join(to, 'LICENSE'))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Where `src/backends/onnx/runtime/session.ts` looks for it.
  const to = fileURLToPath(new URL('../dist/onnxruntime-node', import.meta.url))
  if (process.argv[2] === 'remove') await rm(to, { recursive: true, force: true })
  else await bundleRuntime(to)
}
