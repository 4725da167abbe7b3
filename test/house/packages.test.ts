// Which packages the engine alone needs, and that whoever needs another one says what to install.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importOptional, OPTIONAL_PACKAGES } from '../../src/core/optional-packages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, Record<string, string>>
const optional = Object.keys(manifest.peerDependencies!)
/** Copied into the package by `npm pack`, without its install script. */
const BUNDLED = 'onnxruntime-node'

function manifestOf(name: string): Record<string, Record<string, string>> {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
}

/** What a file imports, types aside: own files as paths, packages by their names. */
function importsOf(file: string): readonly string[] {
  const code = readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^(import|export) type (\w+|\{[^}]*\}|\*( as \w+)?) from ['"][^'"]*['"]/gm, '')
  const found = [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)(['"])([@.\w][^'"\s]*)\1/g)].map((match) => match[2]!)
  return found
    .filter((target) => !target.startsWith('node:'))
    .map((target) => (target.startsWith('.') ? resolve(dirname(file), target) : packageOf(target)))
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

/** Packages that are reached from a file, by `import()` too. */
function packagesFrom(entry: string): readonly string[] {
  const seen = new Set<string>()
  const packages = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const target of importsOf(file)) {
      if (target.startsWith('/')) visit(target)
      else packages.add(target)
    }
  }
  visit(join(root, entry))
  return [...packages].sort()
}

describe('packages', () => {
  it('that are optional are reached neither from the engine, nor from calibration or the client', () => {
    for (const entry of [
      'src/index.ts',
      'src/calibration/index.ts',
      'src/client/index.ts',
      'src/backends/fake/index.ts',
      'src/backends/onnx/index.ts',
    ]) {
      expect(
        packagesFrom(entry).filter((name) => optional.includes(name)),
        entry,
      ).toEqual([])
    }
  })

  it('that are not optional are those of the engine, and what reads command lines', () => {
    // The worker of a model is started by its path, not imported.
    const engine = [...packagesFrom('src/index.ts'), ...packagesFrom('src/backends/onnx/workers/worker.ts')]
    // What is bundled is not installed, but what it needs itself is.
    const ofBundled = Object.keys(manifestOf(BUNDLED).dependencies!).filter((name) => name.startsWith('onnxruntime'))
    const needed = new Set([...engine, ...ofBundled, 'commander'])
    expect(Object.keys(manifest.dependencies!).sort()).toEqual([...needed].sort())
    for (const name of ofBundled) expect(manifest.dependencies![name], name).toBe(manifestOf(BUNDLED).dependencies![name])
  })

  it('that are optional each belong to a part that names them when they are missing', () => {
    expect(Object.values(OPTIONAL_PACKAGES).flat().sort()).toEqual([...optional].sort())
    expect(packagesFrom('src/service/index.ts').filter((name) => optional.includes(name))).toEqual([...OPTIONAL_PACKAGES.service].sort())
  })

  it('that are optional are so for npm, and are here at one version that others may have too', () => {
    expect(Object.keys(manifest.peerDependenciesMeta!).sort()).toEqual([...optional].sort())
    // Those that decode videos are built for some systems only; on the others an install of this repository would fail.
    const here = optional.filter((name) => !OPTIONAL_PACKAGES.video.includes(name))
    for (const name of here) expect(manifest.peerDependencies![name], name).toBe(`^${manifest.devDependencies![name]}`)
    expect(OPTIONAL_PACKAGES.video.filter((name) => Object.hasOwn(manifest.devDependencies!, name))).toEqual([])
  })

  it('that the sources name are all in package.json', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.ts$/.test(name) && !name.startsWith('console'),
    )
    const named = new Set(files.flatMap((name) => importsOf(join(root, 'src', name))).filter((target) => !target.startsWith('/')))
    const known = [...Object.keys(manifest.dependencies!), ...optional]
    expect([...named].filter((name) => !known.includes(name))).toEqual([])
  })
})

describe('a package that is missing', () => {
  const missing = (specifier: string) =>
    Object.assign(new Error(`Cannot find package '${specifier}' imported from /x.js`), { code: 'ERR_MODULE_NOT_FOUND' })

  it('is named with the command that installs it', async () => {
    const work = importOptional('assay serve', 'service', () => Promise.reject(missing('@libsql/linux-x64-gnu/index.js')))
    await expect(work).rejects.toMatchObject({
      code: 'capability_not_supported',
      message: 'assay serve needs packages that are not installed; install them with: npm install @libsql/linux-x64-gnu',
    })
  })

  it('changes no other error, and nothing that is there', async () => {
    const own = missing('./file.ts')
    const other = new TypeError('no')
    await expect(importOptional('It', 'mcp', () => Promise.reject(own))).rejects.toBe(own)
    await expect(importOptional('It', 'mcp', () => Promise.reject(other))).rejects.toBe(other)
    expect(await importOptional('It', 'parquet', async () => 5)).toBe(5)
  })
})
