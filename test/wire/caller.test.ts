// The types as a project sees them that is stricter than this one (`exactOptionalPropertyTypes`), and what its editor
// offers and says.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const file = `${here}caller-of-the-package.ts`
const HEAD = `
  import { type AskResponse, choice, type Engine, extract, fill, noul } from '../../src/index.ts'
  declare const engine: Engine
  const questions = { late: noul('It is late.') }
`

let text = ''
let version = 0
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: (name) => (name === file ? String(version) : '1'),
  getScriptSnapshot(name) {
    if (name !== file && !existsSync(name)) return undefined
    return ts.ScriptSnapshot.fromString(name === file ? text : readFileSync(name, 'utf8'))
  },
  getCurrentDirectory: () => here,
  getCompilationSettings: () => ({
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts'],
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
})

/** What the compiler says of the code, in its own words. */
function said(code: string): readonly string[] {
  text = HEAD + code
  version++
  return service.getSemanticDiagnostics(file).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

/** What an editor offers at the `|` in the code. */
function offered(code: string): readonly string[] {
  const marked = HEAD + code
  text = marked.replace('|', '')
  version++
  const found = service.getCompletionsAtPosition(file, marked.indexOf('|'), {})
  return (found?.entries ?? []).filter(({ kind }) => kind === 'property' || kind === 'string').map(({ name }) => name)
}

describe('a project with exactOptionalPropertyTypes', { timeout: 60_000 }, () => {
  it('keeps typed answers where any answer is kept', () => {
    const code = `
      const options = [{ value: 'refund', args: { amount: fill('How much?', { kind: 'number', self_check: true }), day: fill('When?') } }, 'wait'] as const
      const more = { word: extract('The number', { self_check: true }), boxes: extract('Rows', { kind: 'coordinates', many: true }) }
      const response = await engine.ask({ state: 'x', questions: { ...questions, ...more, what: choice('What?', options) }, derive: { a: 'late > .5' } })
      export const kept: AskResponse = response`
    expect(said(code)).toEqual([])
  })

  it('sends members that may be undefined', () => {
    const code = `
      interface Mail { readonly subject?: string | undefined; readonly body: string }
      export const send = (mail: Mail) => engine.ask({ state: mail, questions })`
    expect(said(code)).toEqual([])
  })
})

describe('docs/questions.md', { timeout: 60_000 }, () => {
  it('shows functions that hand questions on, and the types of their answers', () => {
    const paper = readFileSync(`${here}../../docs/questions.md`, 'utf8')
    const shown = /^## In TypeScript\n[\s\S]+?^```ts\n([\s\S]+?)^```$/m.exec(paper)?.[1] ?? ''
    expect(shown).toContain('TypedRequest<Q>')
    const code = `${shown.replace("{ Engine, Questions, TypedRequest } from 'assay-engine'", "{ Questions, TypedRequest } from '../../src/index.ts'")}
      const asked = { ...questions, what: choice('What?', ['a refund', 'a call']) }
      export const one: 'a refund' | 'a call' = (await ask(engine, { state: 'x', questions: asked })).what.choice
      export const other: 'a refund' | 'a call' = (await gate(engine, asked, 'x')).what.choice
      export const late: number = (await gate(engine, { late: { type: 'noul' } }, 'x')).late.noul`
    expect(said(code)).toEqual([])
  })
})

describe('an editor', { timeout: 60_000 }, () => {
  it('completes parts and questions', () => {
    const parts = ['json', 'text', 'image', 'image_url', 'input_image', 'video', 'file']
    expect(offered(`void engine.ask({ state: [{ type: '|' }], questions })`)).toEqual(parts)
    expect(offered(`void engine.ask({ state: [{ type: 'image', source: { type: 'base64', | } }], questions })`)).toEqual([
      'data',
      'media_type',
    ])
    expect(offered(`void engine.ask({ state: 'x', questions: { a: { type: 'fill', | } } })`)).toContain('self_check')
  })

  it.each([
    ['state: { at: new Date() }, questions', 'no JSON value: send its text, or a plain copy of it'],
    [`state: 'x', questions: { a: choice('x', ['a', 'b', 'a']) }`, 'a is given twice'],
    [`state: 'x', questions: { a: choice('x', ['a']) }`, 'two or more are needed'],
    [`state: 'x', questions: {}`, 'a request asks at least one question'],
    [`state: 'x', questions, derive: { late: 'late > .5' }`, 'a question has this name; give the expression another'],
  ])('says of { %s } what is wrong', (request, words) => {
    expect(said(`void engine.ask({ ${request} })`)).toEqual([expect.stringContaining(words)])
  })
})
