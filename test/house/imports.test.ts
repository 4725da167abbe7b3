// Reads the import lines of src/ and holds the direction of the house: core ← wire ← seam ← questions, constraint,
// media, calibration ← backends, pipeline ← engine ← index ← evaluate, client, service, console, mcp, hub ← cli; from
// which rooms each may import says `MAY`. Types count too, so that a room can be understood, moved and tested without
// those after it.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src', import.meta.url))

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.split(sep).join('/'))
  .sort()

/**
 * Own files a source text imports, exports from, or loads, relative to src/. Comments and strings of code are not
 * looked into beyond the pattern.
 */
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

/** Files shared by rooms that do not import each other: the interface of a model, and what the questions' room says of
 * decisions. */
const SEAM = new Set([
  'backends/backend.ts',
  'questions/shared/checked-question.ts',
  'questions/shared/coroutine.ts',
  'questions/shared/decision.ts',
  'questions/shared/decision-key.ts',
  'questions/shared/deliberation.ts',
  'questions/shared/readouts.ts',
  'questions/shared/truth.ts',
])
const ROOMS = [
  'core',
  'wire',
  'pipeline',
  'questions',
  'constraint',
  'media',
  'backends',
  'calibration',
  'evaluate',
  'client',
  'service',
  'console',
  'mcp',
  'hub',
  'cli',
] as const

type Room = 'seam' | 'engine' | 'index' | (typeof ROOMS)[number]

function roomOf(file: string): Room {
  if (SEAM.has(file)) return 'seam'
  if (file === 'pipeline/engine.ts' || file.startsWith('pipeline/asking/')) return 'engine'
  if (file === 'index.ts') return 'index'
  const room = ROOMS.find((name) => file.startsWith(`${name}/`))
  if (room === undefined) throw new Error(`${file} stands in no room`)
  return room
}

const LEAVES = ['core', 'wire'] as const

/** Which rooms a room may import from, itself aside. */
const MAY: Readonly<Record<Room, readonly Room[]>> = {
  core: [],
  wire: ['core'],
  seam: LEAVES,
  // The stages are small steps of one flow and may lean on the one before; cycles among them are held off below.
  pipeline: [...LEAVES, 'seam', 'media', 'questions'],
  questions: [...LEAVES, 'seam'],
  constraint: [...LEAVES, 'seam'],
  media: [...LEAVES, 'seam'],
  backends: [...LEAVES, 'seam', 'constraint', 'media'],
  calibration: [...LEAVES, 'seam'],
  engine: [...LEAVES, 'seam', 'pipeline', 'questions', 'constraint', 'media', 'calibration'],
  index: [...LEAVES, 'seam', 'questions', 'pipeline', 'engine', 'backends', 'calibration'],
  // Both lean on what calibration learned, and on the engine as any caller does.
  evaluate: [...LEAVES, 'seam', 'questions', 'pipeline', 'calibration', 'engine', 'index'],
  // Speaks to a service over HTTP: it knows the types of the wire and nothing of the engine.
  client: [...LEAVES, 'questions'],
  service: [...LEAVES, 'seam', 'questions', 'pipeline', 'media', 'calibration', 'engine', 'index'],
  // Runs in a browser, and is bundled: types of the wire and of the service's own replies only.
  console: [...LEAVES, 'questions', 'service'],
  mcp: [...LEAVES, 'seam', 'questions', 'pipeline', 'engine', 'index', 'client'],
  // Asks which graphs a family reads, and checks what it pulled as the loader does.
  hub: ['core', 'backends'],
  // `assay serve --fake` runs on the fake backend.
  cli: [
    ...LEAVES,
    'seam',
    'questions',
    'pipeline',
    'backends',
    'calibration',
    'engine',
    'index',
    'evaluate',
    'client',
    'service',
    'mcp',
    'hub',
  ],
}

/** Backends do not know of each other; `prompted` is shared by those whose models answer in text. */
function backendOf(file: string): string | null {
  const name = /^backends\/([^/]+)\//.exec(file)?.[1] ?? null
  return name === 'prompted' ? null : name
}

function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (node: string, path: readonly string[]): void => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node].join(' → '))
    else if (!done.has(node)) {
      for (const target of edges.get(node) ?? []) visit(target, [...path, node])
      done.add(node)
    }
  }
  for (const node of edges.keys()) visit(node, [])
  return cycles
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
        .map((target) => `${file} → ${target} (${room} may import: ${MAY[room].join(', ') || 'nothing'})`)
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

  it('let any backend read `prompted`, which knows of none', () => {
    const wrong = [...graph].flatMap(([file, targets]) =>
      file.startsWith('backends/prompted/')
        ? targets.filter((target) => backendOf(target) !== null).map((target) => `${file} → ${target}`)
        : [],
    )
    expect(wrong).toEqual([])
  })

  it('know a family of models in its own folder and in the list of families only', () => {
    const familyOf = (file: string) => /^backends\/onnx\/families\/([^/]+)\//.exec(file)?.[1] ?? null
    const wrong = [...graph].flatMap(([file, targets]) =>
      file === 'backends/onnx/families/index.ts'
        ? []
        : targets
            .filter((target) => familyOf(target) !== null && familyOf(target) !== familyOf(file))
            .map((target) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('make no cycle, types included', () => {
    expect(cyclesOf(graph)).toEqual([])
  })

  it('make no cycle between the folders of calibration', () => {
    const folderOf = (file: string): string => /^calibration\/[^/]+/.exec(file)?.[0] ?? 'elsewhere'
    const folders = new Map<string, string[]>()
    for (const [file, targets] of graph) {
      const folder = folderOf(file)
      if (folder === 'elsewhere') continue
      const others = targets.map(folderOf).filter((target) => target !== folder && target !== 'elsewhere')
      folders.set(folder, [...(folders.get(folder) ?? []), ...others])
    }
    expect(cyclesOf(folders)).toEqual([])
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
