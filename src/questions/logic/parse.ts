// English that puts statements together: "It is not true that …", "At least two of these hold: …", "… AND NOT (…)".
// What such a sentence says beside the statements, its frame, is made of nothing but words of logic. So "All of these
// are correct: …" is put together, and "All of the items are correct" is a claim, which is read as it is written.
import { capitalised, SMALL_NUMBERS } from '../../core/as-written.ts'
import { comparisonOf } from './comparison.ts'
import { allOf, anyOf, claimsOf, depthOf, type Formula, type Group, MOST_CLAIMS, not } from './formula.ts'

/** The formula of a statement; the statement itself where nothing is put together in it, or not plainly. */
export function formulaOf(statement: string): Formula {
  const text = statement.trim()
  const formula = read(text, 0)
  return formula === text || depthOf(formula) > DEEPEST || claimsOf(formula).length > MOST_CLAIMS ? statement : formula
}

/** Statements inside each other; what is deeper is read as it is written. */
const DEEPEST = 6

function read(text: string, depth: number): Formula {
  if (depth > DEEPEST || text.length > LONGEST) return text
  const inner = (part: string): Formula => read(part, depth + 1)
  return withOperators(text, inner) ?? ofQuestions(text, inner) ?? framed(text, inner) ?? text
}

/** Of a statement that is looked at, in UTF-16 units: what is longer is a text. */
const LONGEST = 2000

type Inner = (part: string) => Formula

// ── Operators in capitals: A AND B, A OR NOT (B); between sentences also "And:", "Or:" ──

function withOperators(text: string, inner: Inner): Formula | null {
  if (!/\p{Ll}/u.test(text)) return null
  for (const [operator, join] of [
    [/\s(?:OR:?|\|\||∨)\s+|(?<=[.?!])\s+Or:\s+/g, anyOf],
    [/\s(?:AND:?|&&|∧)\s+|(?<=[.?!])\s+And:\s+/g, allOf],
  ] as const) {
    const parts = cutAt(text, operator)
    if (parts.length === 1) continue
    const made = joinable(parts, inner)
    if (made !== null) return join(made)
  }
  const denied = /^NOT:?\s+(.+)$|^(?:NOT|not|!|¬)\s*(\(.+\))[.?]?$/s.exec(text)
  return denied === null ? null : not(inner(bare((denied[1] ?? denied[2]) as string)))
}

/** Each part read; null at the first that is neither a sentence nor made of comparisons: then it is no statement. */
function joinable(parts: readonly string[], inner: Inner): Formula[] | null {
  const made: Formula[] = []
  for (const part of parts) {
    const formula = inner(bare(part))
    if (!isClause(part) && !claimsOf(formula).every(isComparison)) return null
    made.push(formula)
  }
  return made
}

/** Cut where the pattern stands outside of quotes and parentheses; whole where a parenthesis has no other end. */
function cutAt(text: string, pattern: RegExp): string[] {
  const outside = masked(text)
  if (/[()]/.test(outside)) return [text]
  const parts: string[] = []
  let from = 0
  for (const { index, 0: found } of outside.matchAll(pattern)) {
    parts.push(text.slice(from, index).trim())
    from = index + found.length
  }
  return [...parts, text.slice(from).trim()]
}

/** The text with "_" for all that stands in quotes or parentheses, and for these. */
function masked(text: string): string {
  let [before, after] = ['', text.replace(/"[^"]*"|“[^”]*”/g, hide)]
  while (after !== before) [before, after] = [after, after.replace(/\([^()]*\)/g, hide)]
  return after
}

const hide = (inside: string): string => '_'.repeat(inside.length)

/** Without the parentheses around all of it. */
function bare(text: string): string {
  return text.startsWith('(') && /^_+[.?]?$/.test(masked(text)) ? text.replace(/^\(|\)[.?]?$/g, '').trim() : text
}

const VERBS = 'is|are|was|were|does|do|did|has|have|had|can|could|will|would|shall|should|must|may|might'
const HAS_VERB = new RegExp(`\\b(?:${VERBS})\\b|\\p{L}(?:s|ed)\\b(?=.*\\p{L})|ed\\W*$|\\?$`, 'iu')

/** Whether it may well be a sentence of its own, not a part of one: "blue" is none, "the parcel is late" is. */
function isClause(text: string): boolean {
  return text.split(/\s+/).length >= 3 && HAS_VERB.test(text)
}

/** "qty > 1", 'status == "paid"': there is no verb. */
function isComparison(text: string): boolean {
  return AS_CODE.test(text) || comparisonOf(text) !== null
}

const AS_CODE = /^[\p{L}_][\p{L}\d_.[\]]*\s?(?:={1,3}|!==?|<>|[<>]=?)\s?(?:"[^"]+"|'[^']+'|[^\s"']+)$/u

// ── "Is the parcel late, and does the customer ask for it?" ──

const SUBJECT =
  'the|a|an|this|that|these|those|there|it|he|she|they|we|you|any|anyone|anything|some|someone|his|her|its|their|\\p{Lu}\\p{L}+'
const IS_QUESTION = new RegExp(`^(?:${VERBS})\\b[^:]*[^?:]\\?$`, 'iu')
const BETWEEN_QUESTIONS = new RegExp(`,?\\s+(and|or)\\s+(?=(?:${VERBS})\\s+(?:${SUBJECT})\\b)`, 'gu')

function ofQuestions(text: string, inner: Inner): Formula | null {
  if (!IS_QUESTION.test(text)) return null
  const joins = new Set([...text.matchAll(BETWEEN_QUESTIONS)].map((found) => found[1]))
  const parts = cutAt(text, BETWEEN_QUESTIONS)
  if (joins.size !== 1 || parts.length < 2 || !parts.every(isClause)) return null
  const asked = parts.map((part) => inner(`${capitalised(part)}${part.endsWith('?') ? '' : '?'}`))
  return joins.has('and') ? allOf(asked) : anyOf(asked)
}

// ── A frame and its statements: "Both of these are true: … …", "It is false that …", 'The claim "…" is untrue.' ──

function framed(text: string, inner: Inner): Formula | null {
  for (const { frame, claims } of readings(text)) {
    if (claims.length === 0 || !claims.every((claim) => claim.split(/\s+/).length > 1)) continue
    const said = logicOf(frame)
    // Most frames say more than logic, so what they hold is looked at last.
    const made = said === null ? null : meaningOf(said, frame !== '', claims.map(inner))
    if (made !== null) return made
  }
  return null
}

interface Reading {
  readonly frame: string
  readonly claims: readonly string[]
}

const DOUBLE_QUOTES = /"([^"]+)"|“([^”]+)”/g
const SINGLE_QUOTES = /(?<![\p{L}\d])['‘]((?:[^'’]|['’](?=\p{L}))+)['’](?!\p{L})/gu
const BRACKETS = /\(([^()]+)\)|\[([^[\]]+)\]/g
/** "(1)", "2.", "b)", "Statement 3:", "-" */
const NUMBERED =
  /(?:^|\s+)(?:(?:[Ss]tatement|[Cc]laim|[Qq]uestion|[Cc]ondition)?\s*(?:\(?(?:\d|[a-hA-H])\)|\b(?:\d|[a-hA-H])[.:]|Q\d:)|[-•*])\s+/

/** All ways in which a text may be a frame and its statements. */
function* readings(text: string): Generator<Reading> {
  for (const marks of [DOUBLE_QUOTES, SINGLE_QUOTES, BRACKETS]) {
    const quoted = [...text.matchAll(marks)].map((found) => found.slice(1).join('').trim())
    const frame = text.replace(marks, ' ; ')
    if (quoted.length > 0 && !/[()[\]]/.test(frame)) yield { frame, claims: quoted }
  }
  const [before = '', ...numbered] = text.split(NUMBERED).map((part) => part.replace(/[;,]$/, '').trim())
  // An "and" before the last number belongs to the frame.
  const ends = numbered.map((part, i) => (i === numbered.length - 1 ? part : part.replace(/[;,]?\s+(?:and|or)$/, '')))
  if (numbered.length > 1) yield { frame: before, claims: ends }
  const clause = /^([^:]*\bit\b[^:]*?)\s+that:?\s+(.+)$/is.exec(text)
  if (clause !== null) yield { frame: clause[1] as string, claims: [sentence(clause[2] as string)] }
  const headed = /^([^:?.\n]+)(?:[:?]\s|(?<=\s.+\s.+)\.\s|\n)\s*(.+)$/s.exec(text)
  if (headed !== null) yield* listed(headed[1] as string, headed[2] as string)
  const footed = /^(.+[.?!])\s+([^.?!:]*\b(?:this|that|it|these|those|both|neither|none|all|answer)\b[^.?!:]*)[.?!]$/is.exec(text)
  if (footed !== null) yield* listed(footed[2] as string, footed[1] as string)
}

/** The clause behind "that" as a sentence of its own. */
function sentence(clause: string): string {
  return capitalised(clause).replace(/\?$/, '.')
}

/** What a frame is about, by itself and as several sentences. */
function* listed(frame: string, rest: string): Generator<Reading> {
  yield { frame, claims: [rest] }
  for (const between of [/\s*\n\s*/, /\s*;\s*(?:(?:and|or)\s+)?/, /(?<=[.?!])\s+(?=\P{Ll})/u, /,?\s+(?:and|or)\s+/]) {
    const claims = rest.split(between).filter((part) => part !== '')
    if (claims.length > 1 && claims.every(isClause)) yield { frame, claims }
  }
}

const LOGIC = new Set([
  ...SMALL_NUMBERS.slice(2, 11),
  ...`a according all also altogether an and answer answered answers any apply applies are as assertion assertions at based be below
   both can case check claim claims condition conditions consider context correct decide determine do does each either every
   exactly fact facts fail fails false following for fulfilled given here hold holds if incorrect indeed information is it item
   items jointly least listed logical met more most negated negation neither next no none nor not of on once one only opposite or
   please point points proposition propositions question questions same satisfied simultaneously so state statement statements
   that the them there these this those time to together true untrue well whether with would yes`.split(/\s+/),
])
const NEGATIVE = new Set(['not', 'no', 'false', 'untrue', 'incorrect', 'fail', 'fails', 'negated', 'negation', 'opposite'])
const POSITIVE = new Set(['true', 'correct', 'hold', 'holds', 'so', 'yes'])
const NUMBER = `(${SMALL_NUMBERS.slice(1, 11).join('|')}|\\d+)`

/** How many of `n` have to hold; the first that is found. */
const QUANTIFIERS: readonly (readonly [RegExp, (k: number, n: number) => readonly [least: number, most: number]])[] = [
  [/\bone or (?:both|more)\b|\bone\b.*\bor both\b|\bany\b|\beither\b/, (_, n) => [1, n]],
  [new RegExp(`\\bat least ${NUMBER}\\b|\\b${NUMBER} or more\\b`), (k, n) => [k, n]],
  [new RegExp(`\\bat most ${NUMBER}\\b`), (k) => [0, k]],
  [new RegExp(`\\b(?:exactly|only) ${NUMBER}\\b`), (k) => [k, k]],
  [/\bneither\b|\bnone\b/, () => [0, 0]],
  [/\bboth\b|\ball\b|\beach\b|\bevery\b/, (_, n) => [n, n]],
]

/** The words of a frame; null where it says more than logic. */
function logicOf(frame: string): string | null {
  const said = frame
    .toLowerCase()
    .replace(/n['’]t\b/g, ' not')
    .replace(/['’]s\b/g, ' is')
    // Either is a way to answer, and neither is claimed.
    .replace(/\b(?:yes or no|true or false|or not)\b/g, ' ')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim()
  const words = said === '' ? [] : said.split(' ')
  if (!words.every((word) => LOGIC.has(word) || /^\d+$/.test(word)) || words.indexOf('if') !== words.lastIndexOf('if')) return null
  return said
}

/** What a frame of these words makes of its statements; null where it says nothing that fits them. */
function meaningOf(said: string, isFramed: boolean, of: readonly Formula[]): Formula | null {
  const words = said.split(' ')
  const isDenied = (part: string): boolean => part.split(' ').filter((word) => NEGATIVE.has(word)).length % 2 === 1
  for (const [pattern, rangeOf] of QUANTIFIERS) {
    const found = pattern.exec(said)
    if (found === null) continue
    const number = found[1] ?? found[2] ?? ''
    const [least, most] = rangeOf(SMALL_NUMBERS.includes(number) ? SMALL_NUMBERS.indexOf(number) : Number(number), of.length)
    if (of.length < 2 || least > of.length) return null
    // "Not both are true" denies the whole, "both are not true" each of them.
    const group: Group = { least, most: Math.min(most, of.length), of: isDenied(said.slice(found.index)) ? of.map(not) : of }
    return isDenied(said.slice(0, found.index)) ? not(group) : group
  }
  if (of.length === 1) {
    const isSaid = words.some((word) => NEGATIVE.has(word) || POSITIVE.has(word)) || /\bthe case\b/.test(said)
    const only = of[0] as Formula
    return isDenied(said) ? not(only) : isSaid || (isFramed && said === '') ? only : null
  }
  const joined = words.includes('or') ? anyOf(of) : words.includes('and') ? allOf(of) : null
  return joined !== null && isDenied(said) ? not(joined) : joined
}
