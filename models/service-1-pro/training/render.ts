// Labelled requests to training rows, by the engine's own reading of states and questions: tsx render.ts TOKENIZER OUT FILE...
// One JSON line a row: [source, ids, cases, segments, questions]; a question is [kind, ids, cases, options, truth]; an option is [ids, cases].
// Truths: a probability, the row of an option, a level, a list of 0/1, spans as [first, last] token (any of them for one, all for many), or answer ids.
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { Branch, Constraint } from '../../../src/backends/backend.ts'
import { CONTROL, kindOf } from '../../../src/backends/onnx/families/decision/control.ts'
import { type PackedState, packBranch, packState } from '../../../src/backends/onnx/families/decision/pack.ts'
import { PieceTokenizer } from '../../../src/backends/onnx/families/decision/text.ts'
import { jsonPieces } from '../../../src/state-json.ts'
import type { Json, Prompt } from '../../../src/types.ts'
import { type Labelled, toWork } from './labelled.ts'

const MOST_STATE_TOKENS = 288

interface Row {
  readonly id: string
  readonly source: string
  readonly state: Json
  readonly questions: Record<string, Labelled>
  readonly truth: Record<string, Json>
}

const [tokenizerPath, outPath, ...files] = process.argv.slice(2)
if (tokenizerPath === undefined || outPath === undefined) throw new Error('usage: tsx render.ts TOKENIZER OUT FILE...')
const tokenizer = new PieceTokenizer(JSON.parse(readFileSync(tokenizerPath, 'utf8')))
const out = createWriteStream(outPath)
const lost = new Map<string, number>()

for (const file of files) {
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) })
  let rows = 0
  for await (const line of lines) {
    const rendered = render(JSON.parse(line) as Row)
    if (rendered === null) continue
    rows++
    if (!out.write(`${JSON.stringify(rendered)}\n`)) await new Promise((resolve) => out.once('drain', () => resolve(null)))
  }
  console.log(`${basename(file)}: ${rows} rows`)
}
out.end()
console.log('left out:', Object.fromEntries(lost))

function render(row: Row): unknown[] | null {
  const prompt: Prompt = {
    pieces: typeof row.state === 'string' ? [{ type: 'text', text: row.state, source: { part: 0, path: null } }] : jsonPieces(row.state, 0),
  }
  const state = packState(prompt, tokenizer, () => 0)
  // A long dialogue is cut at its beginning, any other long state at its end; the first token always stays.
  const surplus = Math.max(0, state.ids.length - MOST_STATE_TOKENS)
  const [from, to] = isDialogue(row.state) ? [surplus + 1, state.ids.length] : [1, state.ids.length - surplus]
  const kept = (values: readonly number[]): number[] => [values[0] as number, ...values.slice(from, to)]
  const questions: unknown[] = []
  for (const [id, question] of Object.entries(row.questions)) {
    const work = toWork(question)
    const truth = row.truth[id]
    const target = work === null || truth === undefined ? null : targetOf(work.branch, work.constraint, truth, state, from, to)
    if (work === null || target === null) {
      const why = `${row.source} ${question.type}${question.kind === undefined ? '' : ` ${question.kind}`}`
      lost.set(why, (lost.get(why) ?? 0) + 1)
      continue
    }
    const packed = packBranch(work.branch, work.constraint, 0, tokenizer)
    const of = (owner: number): [number[], number[]] => {
      const tokens = packed.owners.flatMap((own, i) => (own === owner ? [i] : []))
      return [tokens.map((i) => packed.ids[i] as number), tokens.map((i) => packed.cases[i] as number)]
    }
    const options = packed.owners.includes(1) ? packed.marks.map((_, i) => of(i + 1)) : []
    const truthRow = typeof target === 'object' && 'option' in target ? packed.rowOf[target.option] : undefined
    const truthRows = typeof target === 'object' && 'options' in target ? packed.marks.map((_, r) => target.options[packed.rowOf.indexOf(r)]) : undefined
    questions.push([kindOf(work.branch, work.constraint), ...of(0), options, truthRow ?? truthRows ?? target])
  }
  return questions.length === 0 ? null : [row.source, kept(state.ids), kept(state.cases), kept(state.segments), questions]
}

type Target = number | number[] | number[][] | { readonly option: number } | { readonly options: readonly number[] }

function targetOf(
  branch: Branch,
  constraint: Constraint | null,
  truth: Json,
  state: PackedState,
  from: number,
  to: number,
): Target | null {
  const names = branch.candidates.map(({ name }) => name)
  switch (branch.readout) {
    case 'binary':
      return typeof truth === 'boolean' ? Number(truth) : null
    case 'exclusive': {
      const option = names.indexOf(String(truth))
      return option < 0 ? null : { option }
    }
    case 'ordinal':
      return typeof truth === 'number' ? truth : null
    case 'independent':
      return Array.isArray(truth) ? { options: names.map((name) => Number(truth.includes(name))) } : null
    default:
  }
  if (constraint?.type === 'grammar') {
    return [...tokenizer.encode(String(truth)).ids, CONTROL.end]
  }
  if (constraint?.type !== 'span') return null
  const wanted = truth === null ? [] : Array.isArray(truth) ? truth.map(String) : [String(truth)]
  const spans = wanted.map((text) => occurrences(state, text).flatMap(([first, last]) => (first >= from && last < to ? [[first - from + 1, last - from + 1]] : [])))
  if (spans.some((found) => found.length === 0)) return null
  return constraint.many ? spans.map((found) => found[0] as number[]) : (spans[0] ?? [])
}

/** Where a string stands in the state at word boundaries, as [first, last] token. */
function occurrences(state: PackedState, text: string): [number, number][] {
  const found: [number, number][] = []
  const texts = new Map<string, { text: string; tokens: number[] }>()
  state.origins.forEach((origin, token) => {
    if (origin === null) return
    const key = `${origin.source.part} ${origin.source.path}`
    const entry = texts.get(key) ?? { text: origin.text, tokens: [] }
    entry.tokens.push(token)
    texts.set(key, entry)
  })
  for (const { text: whole, tokens } of texts.values()) {
    for (let at = whole.indexOf(text); at >= 0 && text !== ''; at = whole.indexOf(text, at + 1)) {
      const end = at + text.length
      if (/[\p{L}\p{N}]/u.test(whole[at - 1] ?? '') && /[\p{L}\p{N}]/u.test(text[0] ?? '')) continue
      if (/[\p{L}\p{N}]/u.test(whole[end] ?? '') && /[\p{L}\p{N}]/u.test(text.at(-1) ?? '')) continue
      const inside = tokens.filter((token) => {
        const origin = state.origins[token]
        return origin != null && origin.end > at && origin.start < end && origin.end > origin.start
      })
      const [first, last] = [inside[0], inside.at(-1)]
      if (first !== undefined && last !== undefined) found.push([first, last])
    }
  }
  return found
}

function isDialogue(state: Json): boolean {
  return Array.isArray(state) || (typeof state === 'object' && state !== null && 'turns' in state)
}
