// Parts of a state with numbers, under headings ("=== Document 17 (letter) ===", "Email 3: ...") or in lists of JSON,
// and which of them a question names. Vectors of passages do not tell number 17 from number 16, so words are compared.
import type { StateText } from './state-writer.ts'

/** From its heading to before the next of its kind, or an element of a list; UTF-16 offsets in the text. */
export interface NumberedPart {
  readonly start: number
  /** Behind its number, or behind its heading where that says no more than a title in brackets. */
  readonly content: number
  readonly end: number
}

/** By their labels, as a question writes them: "document 17". In reading order. */
export type NumberedParts = ReadonlyMap<string, NumberedPart>

export interface NamedParts {
  /** In reading order. */
  readonly parts: readonly NumberedPart[]
  /** Whether the question is about them and nothing else. */
  readonly areAll: boolean
  /** The question without the parts that it begins with. */
  readonly rest: string
}

interface Heading {
  readonly word: string
  readonly label: string
  readonly start: number
  readonly content: number
  readonly mostEnd: number
}

const WORD = String.raw`(\p{L}[\p{L}-]{1,30})[ \t]+(?:no\.?[ \t]*|number[ \t]+|#)?`
/** "17", "2.1", "T-17", "2024/117". */
const NUMBER = String.raw`(?:\p{L}{1,5}[-_]?)?\d{1,9}(?:[./_-]\d{1,6}){0,3}`
/** A line that begins with a numbered word, marks before it or not; nothing follows the number, or a mark does. */
const HEADING = new RegExp(String.raw`^[^\p{L}\p{N}\n]{0,6}${WORD}(${NUMBER})(?=[ \t]*(?:$|[:(|=*–—\])-]|\.(?:\s|$)))`, 'gimu')
const AFTER_NUMBER = /[^\p{L}\p{N}(\n]*(?:\([^()\n]*\)[^\p{L}\p{N}\n]*)?(?:\n|$)|[ \t]*[:.|=*–—\])-]*[ \t]*/uy
/** "document 3", "Documents 3, 5 and 7". */
const MENTION = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${WORD}(${NUMBER}(?:(?:,|,?[ \t]+(?:and|or|&))[ \t]*${NUMBER})*)(?![\p{L}\p{N}])`,
  'giu',
)
const EVERY_NUMBER = new RegExp(NUMBER, 'gu')
const IS_NUMBER = new RegExp(`^${NUMBER}$`, 'u')
/** The name of a list's elements: "supportTickets", "support tickets" -> "tickets". */
const LAST_WORD = /\p{L}[\p{L}-]{1,30}$/u
/** A question that begins with its parts: "In document 3, ...", "Documents 3 and 5: ...". */
const BEGINNING = /^[^\p{L}\p{N}]*(?:(?:in|of|from|for|on|under|per|within|about|according to|regarding)\s+)?(?:the\s+)?$/iu
const AFTER_BEGINNING = /^\s*[:,)\]–—-]+\s*/u
/** A read that says where to look: "the invoice number in document 3". */
const WHERE = /(?:^|\s)(?:in|of|from|on|under|within)\s+(?:the\s+)?$/iu

/** Left out: kinds of which a label comes twice (`Speaker 1` in a transcript), and kinds with a single part. */
export function numberedParts(state: Pick<StateText, 'text' | 'elements'>): NumberedParts {
  const headings = [...headingsOf(state), ...elementsOf(state)].sort((a, b) => a.start - b.start || b.mostEnd - a.mostEnd)
  const labels = new Map<string, Set<string>>()
  const repeated = new Set<string>()
  for (const { word, label } of headings) {
    const own = labels.get(word) ?? new Set()
    if (own.has(label)) repeated.add(word)
    labels.set(word, own.add(label))
  }
  const numbered = headings.filter(({ word }) => !repeated.has(word) && (labels.get(word) as Set<string>).size > 1)
  const ends = endsOf(numbered)
  return new Map(numbered.map(({ label, start, content }, i) => [label, { start, content, end: ends[i] as number }]))
}

/** An element that is empty or a single value is written like a heading ("tickets 2: none"), and is none. */
function headingsOf({ text, elements }: Pick<StateText, 'text' | 'elements'>): Heading[] {
  const areElements = new Set(elements.map(({ start }) => start))
  const headings = Array.from(text.matchAll(HEADING), ({ 0: heading, 1: word, 2: number, index: start }) => {
    AFTER_NUMBER.lastIndex = start + heading.length
    const content = AFTER_NUMBER.lastIndex + (AFTER_NUMBER.exec(text)?.[0].length ?? 0)
    return { word: singular(word as string), label: labelOf(word as string, number as string), start, content, mostEnd: text.length }
  })
  return headings.filter(({ start }) => !areElements.has(start))
}

function elementsOf({ elements }: Pick<StateText, 'elements'>): Heading[] {
  return elements.flatMap(({ list, id, start, end }) => {
    const word = lastWord(list)
    if (word === null || !IS_NUMBER.test(id)) return []
    return [{ word: singular(word), label: labelOf(word, id), start, content: start, mostEnd: end }]
  })
}

/** A kind that began later is the inner one: a section ends with its chapter, a chapter not with its sections. */
function endsOf(headings: readonly Heading[]): number[] {
  const ends = headings.map(({ mostEnd }) => mostEnd)
  const depths = new Map<string, number>()
  const open: { readonly heading: number; readonly depth: number }[] = []
  headings.forEach(({ word, start }, heading) => {
    const depth = depths.get(word) ?? depths.size
    depths.set(word, depth)
    while (open.length > 0 && (open.at(-1) as { depth: number }).depth >= depth) {
      const before = (open.pop() as { heading: number }).heading
      ends[before] = Math.min(ends[before] as number, start)
    }
    open.push({ heading, depth })
  })
  return ends
}

/** `isRead`: whether what is asked for stands in the text, so that "in document 3" says where. */
export function namedParts(question: string, parts: NumberedParts, isRead: boolean): NamedParts {
  const named = new Set<NumberedPart>()
  let areAll = false
  let rest = question
  for (const { mention, labels, index } of mentionsIn(question)) {
    const own = labels.flatMap((label) => parts.get(label) ?? [])
    if (own.length === 0) continue
    for (const part of own) named.add(part)
    const [before, behind] = [question.slice(0, index), question.slice(index + mention.length)]
    const isBeginning = BEGINNING.test(before) && AFTER_BEGINNING.test(behind)
    areAll ||= isBeginning || (isRead && WHERE.test(before))
    if (isBeginning) rest = behind.replace(AFTER_BEGINNING, '')
  }
  return { parts: [...named].sort((a, b) => a.start - b.start), areAll, rest: rest === '' ? question : rest }
}

/** Where a question calls things by number: "documents 3 and 5" -> "document 3", "document 5". */
export function mentionsIn(question: string): { readonly mention: string; readonly index: number; readonly labels: readonly string[] }[] {
  return Array.from(question.matchAll(MENTION), ({ 0: mention, 1: word, 2: numbers, index }) => {
    const found = (numbers as string).match(EVERY_NUMBER) as string[]
    return { mention, index, labels: found.map((number) => labelOf(word as string, number)) }
  })
}

/** The last word of what a list is called, for one of its elements: "supportTickets" -> "tickets"; null for none. */
export function lastWord(name: string): string | null {
  return LAST_WORD.exec(name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '))?.[0] ?? null
}

/** What one of a kind is called by its number: "tickets", "17" -> "ticket 17". */
export const labelOf = (word: string, number: string): string => `${singular(word)} ${number.toLowerCase()}`
const singular = (word: string): string =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '')
