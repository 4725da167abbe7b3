// Reads the import lines of src/ and holds the direction of the house: leaves ← stages, questions, constraint, media, backends ← engine ← index ←
// evaluate, client, server, mcp ← cli.
// Types count too, so that a room can be understood, moved and tested without those after it.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../src', import.meta.url))

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.split(sep).join('/'))
  .sort()

/** Own files a source text imports, exports from, or loads, relative to src/. Comments and strings of code are not looked into beyond the pattern. */
function importsOf(file: string, text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const found = [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.[^'"]*)\1/g)].map((match) => match[2] as string)
  return [...new Set(found)].map((target) =>
    relative(root, resolve(root, dirname(file), target))
      .split(sep)
      .join('/'),
  )
}

const graph = new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]))

/** Nouns and small arithmetic: they import each other at most. */
const LEAVES = new Set([
  'types.ts',
  'errors.ts',
  'folders.ts',
  'math.ts',
  'random.ts',
  'near-names.ts',
  'part-types.ts',
  'limits.ts',
  'answers.ts',
  'infer.ts',
  'builders.ts',
])
/** What crosses between stages, questions and backends: the seam, and types of the questions' room. */
const SEAM = new Set(['backends/backend.ts', 'questions/asked.ts', 'questions/decision.ts', 'questions/inquiry.ts'])
const ROOMS = [
  'questions',
  'constraint',
  'media',
  'backends',
  'calibration',
  'evaluate',
  'client',
  'server',
  'console',
  'mcp',
  'cli',
] as const

type Room = 'leaf' | 'seam' | 'stage' | 'engine' | 'index' | (typeof ROOMS)[number]

function roomOf(file: string): Room {
  if (LEAVES.has(file)) return 'leaf'
  if (SEAM.has(file)) return 'seam'
  if (file === 'engine.ts') return 'engine'
  if (file === 'index.ts') return 'index'
  return ROOMS.find((room) => file.startsWith(`${room}/`)) ?? 'stage'
}

/** Which rooms a room may import from, itself aside. */
const MAY: Readonly<Record<Room, readonly Room[]>> = {
  leaf: [],
  seam: ['leaf'],
  // Stages are small steps of one flow and may lean on the one before; cycles among them are held off below.
  stage: ['leaf', 'seam', 'media'],
  questions: ['leaf', 'seam'],
  constraint: ['leaf', 'seam'],
  media: ['leaf', 'seam'],
  backends: ['leaf', 'seam', 'constraint', 'media'],
  calibration: ['leaf', 'seam'],
  engine: ['leaf', 'seam', 'stage', 'questions', 'constraint', 'media', 'calibration'],
  index: ['leaf', 'seam', 'stage', 'engine', 'backends', 'calibration'],
  // Both lean on what calibration learned, and on the engine as any caller does.
  evaluate: ['leaf', 'seam', 'stage', 'calibration', 'engine', 'index'],
  // Speaks to a service over HTTP: it knows the wire's types and nothing of the engine.
  client: ['leaf'],
  server: ['leaf', 'seam', 'stage', 'media', 'calibration', 'engine', 'index'],
  // Runs in a browser, and is bundled: types of the wire and of the service's own replies only.
  console: ['leaf', 'server'],
  mcp: ['leaf', 'seam', 'stage', 'engine', 'index', 'client'],
  // `assay serve --fake` runs on the fake backend.
  cli: ['leaf', 'seam', 'stage', 'backends', 'calibration', 'engine', 'index', 'evaluate', 'client', 'server', 'mcp'],
}

/** Families of backends do not know of each other. */
function backendOf(file: string): string | null {
  return /^backends\/([^/]+)\//.exec(file)?.[1] ?? null
}

describe('imports', () => {
  it('are found in every form they are written', () => {
    const text = [
      "import a from './a.ts'",
      "import type { B } from '../b.ts'",
      "export * from './c.ts'",
      "import './d.ts'",
      "const e = await import('./e.ts')",
      "import {\n  f,\n} from './f.ts'",
      "// import g from './g.ts'",
      "/* import h from './h.ts' */",
      "import i from 'node:fs'",
    ].join('\n')
    expect(importsOf('cli/main.ts', text).sort()).toEqual(['b.ts', 'cli/a.ts', 'cli/c.ts', 'cli/d.ts', 'cli/e.ts', 'cli/f.ts'])
  })

  it('lead to files that are there', () => {
    const missing = [...graph].flatMap(([file, targets]) =>
      targets.filter((target) => !graph.has(target)).map((target) => `${file} → ${target}`),
    )
    expect(missing).toEqual([])
  })

  it('point one way between rooms', () => {
    const wrong = [...graph].flatMap(([file, targets]) => {
      const room = roomOf(file)
      return targets
        .filter((target) => roomOf(target) !== room && !MAY[room].includes(roomOf(target)))
        .map((target) => `${file} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('stay inside one backend', () => {
    const wrong = [...graph].flatMap(([file, targets]) => {
      const own = backendOf(file)
      return own === null
        ? []
        : targets.filter((target) => backendOf(target) !== null && backendOf(target) !== own).map((target) => `${file} → ${target}`)
    })
    expect(wrong).toEqual([])
  })

  it('make no cycle, types included', () => {
    const done = new Set<string>()
    const cycles: string[] = []
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      else if (!done.has(file)) {
        for (const target of graph.get(file) ?? []) visit(target, [...path, file])
        done.add(file)
      }
    }
    for (const file of graph.keys()) visit(file, [])
    expect(cycles).toEqual([])
  })

  it('are written by files that open with what they do, and stay short', () => {
    const wrong = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const lines = text.split('\n').length
      const opening = text.replace(/^#!.*\n/, '')
      return [
        ...(opening.startsWith('//') ? [] : [`${file} opens without a line on what it does`]),
        ...(lines > 400 ? [`${file} has ${lines} lines`] : []),
      ]
    })
    expect(wrong).toEqual([])
  })
})
