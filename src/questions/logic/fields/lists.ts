// A list that holds something: "The tags include gift.", '"gift" in tags', "The ticket is tagged sso."
import type { Json } from '../../../core/types.ts'
import { type ClaimReading, type FieldClaim, isAbout, isNamed, questionText, readClaim } from './claim.ts'
import { contentOf, fieldsIn, isScalar, type JsonField, plain } from './json-fields.ts'

const HOLDS = [
  /^(?<list>.+?) (?:(?:do|does) (?<not>not) )?(?:contains?|includes?) (?<item>.+)$/iu,
  /^(?<item>.+?) (?:(?:is|are) )?(?<not>not )?in (?<list>.+)$/iu,
]
const TAGGED = /^(?<before>.+?) (?:is|are|was|were)(?: (?<not>not))? (?<as>tagged|labell?ed)(?: as| with)? (?<item>.+)$/iu
/** The list that each is in. */
const LIST_OF: Readonly<Record<string, string>> = { tagged: 'tag', labeled: 'label', labelled: 'label' }
/** As code writes it: a number, or in quotes. */
const AS_CODE = /^(?:-?\d+(?:\.\d+)?|"[^"]+"|'[^']+')$/

/** In words, what is not there may be there in another word. */
export const byMember: ClaimReading = (claim) => {
  const forms = [...HOLDS, TAGGED].map((form) => form.exec(claim.text)?.groups).filter((groups) => groups !== undefined)
  if (forms.length === 0) return null
  return (field) => {
    const { value } = field
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' || typeof one === 'number')) return null
    const { item = '', not } = forms.find((groups) => isList(groups, field, claim)) ?? {}
    const said = plain(item)
    if (said === '') return null
    const isThere = value.some((one) => plain(String(one)) === said)
    return isThere || AS_CODE.test(item.trim()) ? isThere === (not === undefined) : null
  }
}

function isList({ list, before = '', as = '' }: Readonly<Record<string, string>>, field: JsonField, claim: FieldClaim): boolean {
  if (list !== undefined) return isNamed(contentOf(list), field, claim)
  return field.name.length === 1 && field.name[0] === LIST_OF[as.toLowerCase()] && isAbout(contentOf(before), field, claim)
}

const MEMBERS =
  /^(?:(?:which|what) )?(?<list>\p{L}+(?: \p{L}+)?)(?: (?:does|do) (?:the|this) \p{L}+ (?:have|support|include|contain|use|carry|hold)| (?:has|have) (?:the|this) \p{L}+| are (?:there|set|listed|given|supported|included))?$/iu

/** "Which tags does the ticket have?": of each option whether it is in the list; null where not one list is named. */
export function heldOfMembers(question: string, options: readonly string[], values: readonly Json[]): readonly boolean[] | null {
  const { list } = MEMBERS.exec(questionText(question))?.groups ?? {}
  if (list === undefined) return null
  const claim = readClaim(list, fieldsIn(values))
  const named = claim.state.fields.filter((field) => Array.isArray(field.value) && isNamed(claim.content, field, claim))
  const [field, another] = named
  const members = field === undefined || another !== undefined ? [] : (field.value as readonly Json[])
  if (!members.every(isScalar)) return null
  const said = new Set(members.map((member) => plain(String(member))))
  const held = options.map((option) => said.has(plain(option)))
  // Where no option is a member, they may say it in other words.
  return held.includes(true) ? held : null
}
