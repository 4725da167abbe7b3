// Lines of "name: value" as objects, those that stand deeper inside the others, as YAML writes them; several groups of
// the same names as a list.
import type { Json } from '../../../core/types.ts'
import { type PairGroup, type PairLine, pairRuns } from './pair-lines.ts'
import { typedOf } from './typed.ts'

type Fields = Readonly<Record<string, Json>>

/** One pair may be anything: "Note: closed on Mondays". */
const FEWEST_PAIRS = 2
const FEWEST_WORDS_OF_SENTENCE = 5
/** Of a group whose title names it. */
const TITLE = 'name'

/** What the pairs of a text say: objects, and lists of them. */
export function pairRecords(text: string): Json[] {
  return pairRuns(text).flatMap(recordsOf)
}

function recordsOf(run: readonly PairGroup[]): Json[] {
  if (run.flatMap(({ lines }) => lines).filter(({ key }) => key !== null).length < FEWEST_PAIRS) return []
  const groups = run.flatMap((group) => repeated(group))
  const made = groups.map(({ title, lines }) => ({ title, value: areTurns(lines) ? null : recordOf(lines) }))
  if (made.some(({ value }) => value === null)) return made.flatMap(({ value }) => value ?? [])
  const objects = made.map(({ value }) => value as Json)
  if (made.length > 1 && areAlike(objects)) {
    return [made.map(({ title, value }) => (title === null ? (value as Json) : { [TITLE]: title, ...(value as Fields) }))]
  }
  if (made.length > 1 && objects.every(isFields)) {
    const merged = made.map(({ title, value }) => (title === null ? (value as Fields) : { [title]: value as Fields }))
    return areDisjoint(merged) ? [Object.fromEntries(merged.flatMap((one) => Object.entries(one)))] : merged
  }
  return objects
}

/** A group whose first name comes again begins anew there. */
function repeated({ title, lines }: PairGroup): PairGroup[] {
  const first = lines[0] as PairLine
  const starts = lines.flatMap((line, i) => (line.key === first.key && line.indent === first.indent && !line.isItem ? [i] : []))
  if (starts.length < 2 || starts.some((start, i) => (starts[i + 1] ?? lines.length) - start < 3)) return [{ title, lines }]
  return starts.map((start, i) => ({ title: null, lines: lines.slice(start, starts[i + 1]) }))
}

/** Whether what is said is said by people: "Anna: I am on my way." */
function areTurns(lines: readonly PairLine[]): boolean {
  const sentences = lines.filter(({ value }) => /[.!?]["'”)]?$/.test(value) && value.split(/\s+/).length >= FEWEST_WORDS_OF_SENTENCE)
  return 2 * sentences.length > lines.length
}

const isFields = (value: Json): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value)

/** Objects that have half of the names of the first one, at least, in common. */
function areAlike(objects: readonly Json[]): boolean {
  const [first, ...rest] = objects
  if (first === undefined || !isFields(first)) return false
  const names = Object.keys(first)
  return rest.every((one) => isFields(one) && 2 * names.filter((name) => Object.hasOwn(one, name)).length >= names.length)
}

const areDisjoint = (objects: readonly Fields[]): boolean => {
  const names = objects.flatMap((one) => Object.keys(one))
  return new Set(names).size === names.length
}

/** Null where a name comes twice, or items and names stand side by side. */
function recordOf(lines: readonly PairLine[]): Json | null {
  const [first] = lines
  if (first === undefined) return null
  const blocks = blocksOf(lines)
  if (blocks.some(([{ indent }]) => indent !== first.indent)) return null
  // Marks in front of all names are ornaments: "* Status: open".
  const isList = blocks.some(
    ([{ isItem, key }, ...inner]) => isItem && (key === null || inner.some((line) => line.key !== null && !line.isItem)),
  )
  if (isList) return blocks.every(([{ isItem }]) => isItem) ? listOf(blocks) : null
  const fields = blocks.map(([{ key, value }, ...inner]): readonly [string, Json | null] => {
    if (inner.length === 0) return [key as string, typedOf(key as string, value)]
    return [key as string, value === '' ? recordOf(inner) : null]
  })
  const names = fields.map(([key]) => key)
  const isWhole = fields.every(([, value], i) => value !== null || (blocks[i] as Block).length === 1)
  return isWhole && new Set(names).size === names.length ? Object.fromEntries(fields) : null
}

type Block = readonly [PairLine, ...PairLine[]]

/** Each line with those that stand deeper behind it; items under a name may stand as deep as it does. */
function blocksOf(lines: readonly PairLine[]): Block[] {
  const blocks: [PairLine, ...PairLine[]][] = []
  const outer = (lines[0] as PairLine).indent
  for (const line of lines) {
    const block = blocks.at(-1)
    const isItemOfName = block !== undefined && line.isItem && !block[0].isItem && block[0].value === ''
    if (block !== undefined && (line.indent > outer || isItemOfName)) block.push(line)
    else blocks.push([line])
  }
  return blocks
}

function listOf(blocks: readonly Block[]): Json | null {
  const values = blocks.map(([first, ...inner]) => {
    if (first.key === null) return inner.length === 0 ? typedOf('', first.value) : null
    const depth = inner[0]?.indent ?? first.indent + 2
    return recordOf([{ ...first, indent: depth, isItem: false }, ...inner])
  })
  return values.includes(null) ? null : values
}
