// The programs of docs/recipes.md, each run by plain Node on the shipped model: it prints what the paper says. They
// import the package by its name, so they run the code in dist/.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const paper = readFileSync(`${root}docs/recipes.md`, 'utf8')
const files = readdirSync(`${root}examples/recipes`).sort()
const shown = new Map(
  [...paper.matchAll(/^\[`node examples\/recipes\/(.+?)`\].*\n\n```\n([\s\S]*?)^```$/gm)].map(([, file, out]) => [file, out]),
)
const hasModel = existsSync(`${root}models/service-1-pro/texts/onnx`)

describe('the recipes', () => {
  it('are eleven, each with its output in the paper', () => {
    expect(files).toHaveLength(11)
    expect([...shown.keys()].sort()).toEqual(files)
  })

  it.each(files)('%s is short, and imports the package and Node alone', (file) => {
    const code = readFileSync(`${root}examples/recipes/${file}`, 'utf8')
    for (const [, from] of code.matchAll(/^import .* from '(.+)'$/gm)) expect(from).toMatch(/^(assay-engine|node:)/)
    expect(code.split('\n').length).toBeLessThan(80)
  })

  it.skipIf(!hasModel).each(files)(
    '%s prints what the paper shows',
    async (file) => {
      const { stdout } = await promisify(execFile)(process.execPath, [`examples/recipes/${file}`], { cwd: root })
      expect(stdout).toBe(shown.get(file))
    },
    240_000,
  )
})
