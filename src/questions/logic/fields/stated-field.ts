// "The order is paid." of { order: { paid: false } }: a claim that says in plain words what fields of a JSON value say.
// Claims that say anything more are left to the model.
import type { Json } from '../../../core/types.ts'
import { type ClaimReading, type FieldClaim, LONGEST, readClaim, withSubjects } from './claim.ts'
import { byCode } from './codes.ts'
import { comparedFields } from './compared-fields.ts'
import { byEach, eachListed } from './every.ts'
import { byFlag } from './flags.ts'
import { fieldsIn } from './json-fields.ts'
import { byMember } from './lists.ts'
import { byDay, byMoment } from './moments.ts'
import { heldOfNamed } from './named-object.ts'
import { objectLists } from './objects.ts'
import { byWhatIsThere } from './presence.ts'
import { byText } from './texts.ts'

const READINGS: readonly ClaimReading[] = [byFlag, byText, byMember, byWhatIsThere, byMoment, byDay, byCode, byEach(statedField)]

/** Whether a claim holds by the fields that it names; null where it names none, or they do not say the same. */
export function statedField(claim: string, values: readonly Json[]): boolean | null {
  if (claim.length > LONGEST) return null
  const state = fieldsIn(values)
  if (state.fields.length === 0 && objectLists(values).length === 0) return null
  const strict = readClaim(claim, state)
  const held = state.fields.length === 0 ? null : (heldAgainst(strict) ?? heldAgainst(withSubjects(strict)))
  return held ?? heldOfNamed(claim, values, statedField) ?? eachListed(strict.text, values, statedField)
}

function heldAgainst(claim: FieldClaim): boolean | null {
  const compared = comparedFields(claim)
  if (compared !== null) return compared
  const readings = READINGS.map((reading) => reading(claim)).filter((reading) => reading !== null)
  const found = claim.state.fields.flatMap((field) => readings.map((reading) => reading(field)).filter((holds) => holds !== null))
  return new Set(found).size === 1 ? (found[0] as boolean) : null
}
