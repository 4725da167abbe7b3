// "The order is paid." of { order: { paid: false } }: a claim that says in plain words what fields of a JSON value say.
// Claims that say anything more are left to the model.
import type { Json } from '../../core/types.ts'
import { comparedFields } from './compared-fields.ts'
import { contentOf, fieldsIn, isNamedBy, type JsonField, wordSet, wordsOf, writtenWords } from './json-fields.ts'

/** UTF-16 units of a claim that is looked at: what is longer says more than fields do. */
const LONGEST_CLAIM = 120

/** Whether a claim holds by the fields that it names; null where it names none, or it is not clear which. */
export function statedField(claim: string, values: readonly Json[]): boolean | null {
  if (claim.length > LONGEST_CLAIM) return null
  const { fields, known } = fieldsIn(values)
  if (fields.length === 0) return null
  const said = readClaim(claim)
  const compared = comparedFields(said.text, fields)
  if (compared !== null) return compared
  for (const reading of [byFlag, byText, byMember, byWhatIsThere]) {
    const found = fields.map((field) => reading(said, field, known)).filter((result) => result !== null)
    if (found.length > 0) return found.length === 1 ? (found[0] as boolean) : null
  }
  return null
}

interface Claim {
  /** Without its last mark. */
  readonly text: string
  /** Its words, but for those that say nothing by themselves, and "not". */
  readonly content: readonly string[]
  readonly isDenied: boolean
}

const DENYING = wordSet('not no never')

function readClaim(claim: string): Claim {
  const text = claim
    .trim()
    .replace(/[.?!]+$/, '')
    .replace(/n['’]t\b/g, ' not')
  const content = contentOf(wordsOf(text))
  const isDenied = content.filter((word) => DENYING.has(word)).length === 1
  // What is denied twice is not plain: "not" stays, and no field has it.
  return { text, content: isDenied ? content.filter((word) => !DENYING.has(word)) : content, isDenied }
}

// ── A field that is true or false: "The order is paid.", "Two-factor is disabled.", "isn't active" ──

const YES = wordSet('yes true')
const NO = wordSet('no false')
const ON = wordSet('on true yes set enabled')
const OFF = wordSet('off false disabled')
const OPPOSITES = [
  'online offline',
  'open closed',
  'open shut',
  'passed failed',
  'enabled disabled',
  'public private',
  'connected disconnected',
  'required optional',
  'mandatory optional',
  'visible hidden',
].map((pair) => pair.split(' '))

/** Null where the claim says anything but the words of the field, those around it, and what the field is about. */
function byFlag({ text, content, isDenied }: Claim, { name, around, value }: JsonField, known: ReadonlySet<string>): boolean | null {
  const flag = flagOf(value)
  if (flag === null) return null
  const [missing, ...others] = name.filter((word) => !content.includes(word))
  const turned = missing === undefined ? undefined : content.find((word) => isOpposite(word, missing))
  if (others.length > 0 || (missing !== undefined && turned === undefined)) return null
  const rest = content.filter((word) => !name.includes(word) && word !== turned && !around.has(word))
  const isOff = rest.length > 0 && rest.every((word) => OFF.has(word))
  if (!isOff && !rest.every((word) => ON.has(word)) && !isSubject(rest, text, known)) return null
  const turns = [isDenied, turned !== undefined, isOff].filter((turn) => turn).length
  return flag === (turns % 2 === 0)
}

function flagOf(value: Json): boolean | null {
  if (typeof value === 'boolean') return value
  const said = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return YES.has(said) ? true : NO.has(said) ? false : null
}

/** "unpaid" is not paid, "offline" is not online. */
function isOpposite(word: string, of: string): boolean {
  if (['un', 'in', 'dis'].some((before) => word === before + of || of === before + word)) return true
  return OPPOSITES.some((pair) => pair.includes(word) && pair.includes(of))
}

const BEGINS =
  /^(?:(?:is|are|was|were|has|have) )?(?:the|this|an?) (\p{L}+)(?: (?:is|are|was|were|has|have)\b| (?:not )?(?:been )?\p{L}+$)/iu

/** "The order" of "The order is paid.", where the state does not say what is an order. */
function isSubject(rest: readonly string[], text: string, known: ReadonlySet<string>): boolean {
  return rest.length === 1 && !known.has(rest[0]!) && BEGINS.exec(text)?.[1]?.toLowerCase() === rest[0]
}

// ── A field that is a text: "The status is shipped.", 'status != "shipped"' ──

const IS_TEXT = /^(.+?)(?: (is|was|equals)(?: (not))? | ?(={1,3}|!==?|≠|<>) ?)["'“”]?(.+?)["'“”]?$/iu

/** Said in words, another text may mean the same ("shut", "closed"); written as code it does not. */
function byText({ text }: Claim, field: JsonField): boolean | null {
  if (typeof field.value !== 'string') return null
  const [, before = '', , not, mark, wanted = ''] = IS_TEXT.exec(text) ?? []
  if (!isNamedBy(wordsOf(before), field)) return null
  const isSame = plain(wanted) === plain(field.value) && plain(wanted) !== ''
  if (!isSame && mark === undefined && !(isCode(wanted) && isCode(field.value))) return null
  return isSame === (not === undefined && (mark === undefined || mark.startsWith('=')))
}

/** "EUR", "P1", "SEV-2": nothing else means the same. */
const isCode = (text: string): boolean => /^[A-Z\d]+(?:[_-][A-Z\d]+)*$/.test(text) && /[A-Z]/.test(text)
const plain = (text: string): string => wordsOf(text).join(' ')

// ── A list that holds something: "The tags include gift.", '"gift" in tags' ──

const HOLDS = [
  /^(?<list>.+?) (?:(?:do|does) (?<not>not) )?(?:contains?|includes?) (?<item>.+)$/iu,
  /^(?<item>.+?) (?:(?:is|are) )?(?<not>not )?in (?<list>.+)$/iu,
]
/** As code writes it: a number, or in quotes. */
const AS_CODE = /^(?:-?\d+(?:\.\d+)?|"[^"]+"|'[^']+')$/

/** In words, what is not there may be there in another word. */
function byMember({ text }: Claim, field: JsonField): boolean | null {
  const { value } = field
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' || typeof one === 'number')) return null
  const found = HOLDS.map((form) => form.exec(text)?.groups).find(
    (groups) => groups !== undefined && isNamedBy(wordsOf(groups.list ?? ''), field),
  )
  if (found === undefined || plain(found.item ?? '') === '') return null
  const isThere = value.some((one) => plain(String(one)) === plain(found.item ?? ''))
  return isThere || AS_CODE.test((found.item ?? '').trim()) ? isThere === (found.not === undefined) : null
}

// ── What is there: "There are errors.", "The email is missing.", "No checks failed." ──

const MISSING = wordSet('missing null unknown unset absent empty')
const PRESENT = wordSet('present given known provided')
/** Words that a text may say in other ways: "unknown, Lagos" is not empty, and nothing is known. */
const OF_NO_TEXT = new Set([...MISSING, ...PRESENT].filter((word) => word !== 'empty' && word !== 'null'))
const SAYS_NOTHING = wordSet('none no null unknown nothing')
/** By itself a name claims nothing: "errors" may ask how many there are. */
const SAYS_WHETHER = /^(?:(?:(?:are|is|was|were) )?there|(?:(?:are|is|was|were) )?(?:no|some|any))\b/i

/** Of lists, counts, texts and what is null. */
function byWhatIsThere({ text, content, isDenied }: Claim, field: JsonField): boolean | null {
  const { value } = field
  const said = content.find((word) => MISSING.has(word) || PRESENT.has(word))
  const isThere = holdsSomething(value, said)
  if (isThere === null || (said === undefined && !SAYS_WHETHER.test(text))) return null
  const others = content.filter((word) => word !== said)
  if (!isNamedBy(others, field)) return null
  // "A slot is empty" is not about the list of slots.
  if (said !== undefined && Array.isArray(value) && !writtenWords(text).includes(writtenWords(field.key).at(-1)!)) return null
  return isThere === ((said !== undefined && MISSING.has(said)) === isDenied)
}

/** Null where it is not clear. `said`: the word for it, where there is one. */
function holdsSomething(value: Json, said: string | undefined): boolean | null {
  if (value === null || value === '') return false
  if (typeof value === 'string') return said === undefined || OF_NO_TEXT.has(said) ? null : true
  if (typeof value === 'number') return said === undefined && Number.isInteger(value) && value >= 0 ? value > 0 : null
  if (!Array.isArray(value)) return null
  return value.length === 0 ? false : value.every(saysNothing) ? null : true
}

function saysNothing(value: Json): boolean {
  return typeof value === 'string' && wordsOf(value).every((word) => SAYS_NOTHING.has(word))
}
