// That the package installs where only the registry can be reached: nothing it depends on runs a script, and it works
// without the packages that a clone has besides.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleRuntime } from '../../packaging/bundle-runtime.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LockedPackage {
  readonly dev?: true
  readonly hasInstallScript?: true
  readonly dependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
/** Paths of what a dependent installs, as `node_modules/zod`. */
const installed = Object.entries(packages).flatMap(([path, { dev }]) => (path === '' || dev === true ? [] : [path]))

describe('an install of the package', () => {
  it('runs no script of a package', () => {
    expect(installed).toContain('node_modules/sharp')
    expect(installed.filter((path) => packages[path]?.hasInstallScript === true)).toEqual([])
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([])
  })
})

const isBuilt = existsSync(join(root, 'dist/index.js'))

describe.skipIf(!isBuilt)(`the packed runtime${isBuilt ? '' : ' (skipped: not built; npm run build)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-package-'))
  const packed = join(folder, 'node_modules/assay-engine')

  // As an install lays it out: our files are copied, so that nothing is found by a path back into this clone.
  beforeAll(async () => {
    for (const path of installed) {
      if (!existsSync(join(root, path)) || path.split('node_modules/').length > 2) continue
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      symlinkSync(join(root, path), join(folder, path))
    }
    mkdirSync(packed, { recursive: true })
    for (const path of ['package.json', 'recommended-models.json', 'dist', 'models', 'calibration-data']) {
      cpSync(join(root, path), join(packed, path), { recursive: true, filter: (from) => !/training|onnxruntime-node/.test(from) })
    }
    await bundleRuntime(join(packed, 'dist/onnxruntime-node'))
  })
  const run = (code: string) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('answers without onnxruntime-node beside it', async () => {
    expect(existsSync(join(folder, 'node_modules/onnxruntime-node'))).toBe(false)
    const code = `
      import { createEngine, noul } from 'assay-engine'
      const engine = await createEngine()
      const { answers } = await engine.ask({ state: 'Status: delayed.', questions: { late: noul('It is delayed.') } })
      await engine.close()
      console.log(answers.late.noul > 0.5)`
    expect(await run(code)).toEqual({ stdout: 'true\n', stderr: '' })
  })

  it('gives way to onnxruntime-node of the same version, which cannot be loaded twice', async () => {
    symlinkSync(join(root, 'node_modules/onnxruntime-node'), join(folder, 'node_modules/onnxruntime-node'))
    const code = `
      import 'onnxruntime-node'
      import { loadOnnxModel } from 'assay-engine/backends/onnx'
      const model = await loadOnnxModel('node_modules/assay-engine/models/service-1-pro', { inProcess: true })
      console.log(model.info.id)
      await model.close()`
    expect(await run(code)).toEqual({ stdout: 'service-1-pro\n', stderr: '' })
  })

  it('has the libraries of every system, and none for GPUs', () => {
    const files = readdirSync(join(packed, 'dist/onnxruntime-node'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => path.endsWith('.node'))).toHaveLength(5)
    expect(files.filter((path) => /DirectML|dxcompiler|providers|script|\.map$/.test(path))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'package.json', join('dist', 'index.js')]))
  })
})
