// A list that holds something: "The tags include gift.", '"gift" in tags', "The ticket is tagged sso."
import { type ClaimReading, type FieldClaim, isAbout, isNamed } from './claim.ts'
import { contentOf, type JsonField, plain } from './json-fields.ts'

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
