// "The order is paid." of { order: { paid: false } }: a claim that says in plain words what fields of a JSON value say.
// Claims that say anything more are left to the model.
import type { Json } from '../../../core/types.ts'
import { comparedObjects, rankedClaim } from '../objects/compared-objects.ts'
import { countedClaim } from '../objects/counted-claims.ts'
import { byEach, eachListed, eachMeant } from '../objects/every.ts'
import { heldOfNamed } from '../objects/named-object.ts'
import { objectLists } from '../objects/objects.ts'
import { saidTogether } from '../objects/said-together.ts'
import { allTheSame } from '../objects/the-same.ts'
import { ticked } from '../objects/ticked.ts'
import { type ClaimReading, type FieldClaim, IS_AHEAD, LONGEST, questionText, readClaim, withSubjects } from './claim.ts'
import { byCode } from './codes.ts'
import { comparedFields } from './compared-fields.ts'
import { byFlag } from './flags.ts'
import { fieldsIn } from './json-fields.ts'
import { byMember } from './lists.ts'
import { byDay, byMoment } from './moments.ts'
import { byWhatIsThere } from './presence.ts'
import { byText } from './texts.ts'
import { byTime } from './times.ts'

const READINGS: readonly ClaimReading[] = [byFlag, byText, byMember, byWhatIsThere, byMoment, byDay, byTime, byCode, byEach(statedField)]

/** Whether a claim holds by the fields that it names; null where it names none, or they do not say the same. */
export function statedField(said: string, values: readonly Json[]): boolean | null {
  if (said.length > LONGEST) return null
  if (IS_AHEAD.test(said)) return ticked(questionText(said), values)
  const claim = withoutAnybody(said)
  const state = fieldsIn(values)
  if (state.fields.length === 0 && objectLists(values).length === 0) return null
  const strict = readClaim(claim, state)
  const held = state.fields.length === 0 ? null : (heldAgainst(strict) ?? heldAgainst(withSubjects(strict)))
  return (
    held ?? heldOfNamed(claim, values, statedField) ?? eachListed(strict.text, values, statedField) ?? ofListed(claim, strict.text, values)
  )
}

/** What is said of the objects of lists by what their fields say together. */
function ofListed(claim: string, text: string, values: readonly Json[]): boolean | null {
  return (
    saidTogether(claim, values) ??
    comparedObjects(claim, values) ??
    rankedClaim(claim, values) ??
    countedClaim(claim, values) ??
    eachMeant(text, values, statedField) ??
    allTheSame(text, values) ??
    ticked(text, values)
  )
}

const BY_SOMEBODY =
  /^(?:(?<none>nobody|no one|no-one)|somebody|someone) (?:is|was|has|have)(?: been)? (?<done>\p{L}+ed|down)(?: (?:to|for|by))?(?: (?<what>.+?))?(?=[.?!]*$)/iu

const OF_EVERYBODY = /^(?:(?<all>everyone|everybody|everything)|nobody|no one) /i

/** "Nobody has booked B12." as "B12 is not booked." */
function withoutAnybody(claim: string): string {
  const everyOne = claim.trim().replace(OF_EVERYBODY, (_, all: string | undefined) => (all === undefined ? 'No one ' : 'Every one '))
  if (!BY_SOMEBODY.test(claim.trim())) return everyOne
  return claim.trim().replace(BY_SOMEBODY, (...found) => {
    const { none, done, what } = found.at(-1) as Readonly<Record<string, string | undefined>>
    return `${what ?? 'It'} is ${none === undefined ? '' : 'not '}${done}`
  })
}

function heldAgainst(claim: FieldClaim): boolean | null {
  const compared = comparedFields(claim)
  if (compared !== null) return compared
  const readings = READINGS.map((reading) => reading(claim)).filter((reading) => reading !== null)
  const found = claim.state.fields.flatMap((field) => readings.map((reading) => reading(field)).filter((holds) => holds !== null))
  return new Set(found).size === 1 ? (found[0] as boolean) : null
}
