// What the fields of states tell by themselves, without a model, beside what is true: claims, choices, selections and
// written values of rows as `assay eval` takes them. Statements that are put together, and quotes, are left out.
// Usage: npx tsx bench/quality/worked-out.ts [--wrong] ROWS.jsonl...
// The rows of worked-out/ were written against the rules, by readers of their code: what is told of them says how
// generous rules are, not how often an answer to a usual question is wrong.
import { readFileSync } from 'node:fs'
import type { Json } from '../../src/core/types.ts'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'
import { formulaOf } from '../../src/questions/logic/parse.ts'
import { recordsInText } from '../../src/questions/logic/records/records-in-text.ts'
import { toldHeld, toldOption, toldValue } from '../../src/questions/logic/told.ts'

interface Question {
  readonly type: string
  readonly kind?: string
  readonly instructions: string
  readonly criteria?: readonly (string | { readonly name: string })[] | Readonly<Record<string, unknown>>
}

interface Row {
  readonly id: string
  readonly state: Json
  readonly questions: Readonly<Record<string, Question>>
  readonly truth: Readonly<Record<string, Json>>
}

const flags = process.argv.slice(2)
const files = flags.filter((flag) => flag !== '--wrong')
if (files.length === 0) throw new Error('usage: npx tsx bench/quality/worked-out.ts [--wrong] ROWS.jsonl...')

const counts = new Map<string, { questions: number; told: number; wrong: number }>()
for (const row of files.flatMap(rowsOf)) {
  const values = typeof row.state === 'string' ? recordsInText(row.state) : [row.state]
  for (const [name, question] of Object.entries(row.questions)) {
    const told = toldOf(question, values)
    const wanted = row.truth[name] ?? null
    const count = counts.get(question.type) ?? { questions: 0, told: 0, wrong: 0 }
    const isWrong = told !== undefined && !isSame(told, wanted)
    counts.set(question.type, {
      questions: count.questions + 1,
      told: count.told + Number(told !== undefined),
      wrong: count.wrong + Number(isWrong),
    })
    if (isWrong && flags.includes('--wrong'))
      console.log(`${row.id} ${question.instructions} ${JSON.stringify(told)}, not ${JSON.stringify(wanted)}`)
  }
}
console.table(Object.fromEntries(counts))

function rowsOf(file: string): Row[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Row)
}

/** Undefined where the model has to be asked. */
function toldOf({ type, kind = 'text', instructions, criteria = [] }: Question, values: readonly Json[]): Json | undefined {
  const options = Array.isArray(criteria) ? criteria.map((one) => (typeof one === 'string' ? one : one.name)) : Object.keys(criteria)
  if (type === 'noul') return typeof formulaOf(instructions) === 'string' ? (statedField(instructions, values) ?? undefined) : undefined
  if (type === 'choice') return options[toldOption(instructions, options, values) ?? -1]
  if (type === 'select') {
    const held = toldHeld(instructions, options, values)
    return held === null ? undefined : options.filter((_, i) => held[i])
  }
  return type === 'fill' ? toldValue(instructions, kind, values) : undefined
}

function isSame(told: Json, wanted: Json): boolean {
  const plain = (value: Json): string => (Array.isArray(value) ? value.map(String).sort().join('\n') : String(value))
  return plain(told) === plain(wanted)
}
