// Finds every example that a newcomer reads, with a state and questions, where it stands: request files, programs and
// commands of the papers, the help of the command line, the playground and the OpenAPI document.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import type { CliEngine } from '../../src/cli/command.ts'
import { runCli } from '../../src/cli/program.ts'
import { readRequestFile } from '../../src/cli/request.ts'
import { EXAMPLES } from '../../src/console/playground/examples.ts'
import { createEngine } from '../../src/index.ts'
import { statePathsFrom } from '../../src/pipeline/state/paths.ts'
import * as builders from '../../src/questions/builders.ts'
import { decisions } from '../../src/service/dialects/decisions.ts'
import { systemone } from '../../src/service/dialects/systemone.ts'
import { ASK_PICTURE, ASK_TEXT, DECISION, SYSTEM_ONE } from '../../src/service/openapi/examples.ts'
import { fakeTerminal } from '../shared/terminal.ts'

export interface ShownRequest {
  readonly state: unknown
  readonly questions: Readonly<Record<string, unknown>>
  readonly derive?: Readonly<Record<string, string>>
}

export interface ShownExample {
  /** The file in which a reader finds it. */
  readonly where: string
  readonly request: ShownRequest
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const examples = join(root, 'examples')

/** Pictures that examples name without their being there. `settings.png` is what `drawSettings` draws in Chromium. */
const NAMED_FILES: Readonly<Record<string, string>> = {
  'shot.png': join(examples, 'shop.png'),
  'settings.png': fileURLToPath(new URL('settings.png', import.meta.url)),
}

export async function shownExamples(): Promise<readonly ShownExample[]> {
  const papers = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((path) => path.endsWith('.md'))
  const found: ShownExample[] = []
  const add = (where: string, request: unknown) => found.push({ where, request: request as ShownRequest })
  for (const name of readdirSync(examples).filter((file) => file.endsWith('.json'))) {
    add(`examples/${name}`, (await readRequestFile(name, { folder: examples, read: async () => '' })).request)
  }
  for (const where of papers) {
    const text = readFileSync(join(root, where), 'utf8')
    for (const request of programsIn(text)) add(where, request)
    for (const line of text.matchAll(/^(?:assay|node dist\/cli\/main\.js) (ask .+)$/gm)) {
      // Of other models nothing is held here.
      if (line[1]!.includes('--model')) continue
      for (const request of await askedBy(line[1]!)) add(where, request)
    }
    for (const [, body] of text.matchAll(/-d '(\{"state".+\})'/g)) add(where, JSON.parse(body!))
    for (const [, body] of text.matchAll(/\/v1\/decisions .+ -d '([^']+)'/g)) add(where, decisions.translate(JSON.parse(body!)).request)
  }
  const { terminal, heard } = fakeTerminal(root, { columns: 400 })
  await runCli(['ask', '--help'], terminal, async () => Promise.reject(new Error('help asks nothing')))
  for (const [, line] of heard.out.matchAll(/^ {2}\$ (?:cat mail\.txt \| )?assay (ask .+)$/gm)) {
    for (const request of await askedBy(line!)) add('src/cli/ask-command.ts', request)
  }
  for (const { request } of EXAMPLES) add('src/console/playground/examples.ts', withNamedFiles(request as ShownRequest))
  for (const request of [ASK_TEXT, ASK_PICTURE, systemone.translate(SYSTEM_ONE).request, decisions.translate(DECISION).request]) {
    add('src/service/openapi/examples.ts', request)
  }
  return found
}

/** What a program asks: the object in `ask({ … })`, read as JavaScript with the builders at hand. */
function programsIn(text: string): unknown[] {
  return [...text.matchAll(/^```ts\n([\s\S]+?)^```$/gm)].flatMap(([, code = '']) => {
    const at = code.indexOf('.ask({')
    if (at < 0) return []
    const object = balanced(code.slice(at + '.ask('.length))
    const shared = /^const questions = (\{.+\})(?: as const)?$/m.exec(code)?.[1] ?? '{}'
    const read = new Function(...Object.keys(builders), `const questions = ${shared}; return ${object}`)
    return [read(...Object.values(builders))]
  })
}

/** The text of the object that begins here. */
function balanced(text: string): string {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{') depth++
    if (text[i] === '}' && --depth === 0) return text.slice(0, i + 1)
  }
  throw new Error(`no object ends in ${text}`)
}

/** What a command line asks; nothing where it only names request files. */
async function askedBy(line: string): Promise<ShownRequest[]> {
  const words = [...line.replace(/\s+#.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
  if (!words.some((word) => ['--state', '--state-file', '--image'].includes(word))) return []
  const asked: ShownRequest[] = []
  const engine = await createEngine({ models: [createFakeBackend()] })
  const listening: CliEngine = {
    models: () => engine.models(),
    recordOutcome: (...given) => engine.recordOutcome(...given),
    close: () => engine.close(),
    ask(request, options) {
      asked.push(request as unknown as ShownRequest)
      return engine.ask(request, options)
    },
  }
  const mail = JSON.parse(readFileSync(join(examples, 'ask-text.json'), 'utf8')).state as string
  const named = words.map((word) => (word === 'mail.txt' ? '-' : (NAMED_FILES[word] ?? word)))
  const { terminal, heard } = fakeTerminal(root, { read: async () => mail })
  const code = await runCli(named, terminal, async () => listening)
  if (code !== 0) throw new Error(`${line}: ${heard.err}`)
  return asked
}

function withNamedFiles(request: ShownRequest): ShownRequest {
  if (!Array.isArray(request.state)) return request
  const state = request.state.map((part) =>
    part.type === 'image' ? { ...part, source: { type: 'path', path: NAMED_FILES[part.source.name] } } : part,
  )
  return { ...request, state }
}

/**
 * Equal for equal requests: pictures count by their bytes, wherever they lie. `folder` is where relative paths start.
 */
export function requestKey({ state, questions }: ShownRequest, folder: string): string {
  return JSON.stringify({ state: statePathsFrom(state, folder), questions }, (_name, value) => {
    const bytes = value?.type === 'path' ? readFileSync(resolve(folder, value.path)) : value?.data && Buffer.from(value.data, 'base64')
    return bytes ? createHash('sha256').update(bytes).digest('hex') : value
  })
}
