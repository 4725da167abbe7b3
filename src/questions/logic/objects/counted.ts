// "How many items are returned?" of a list of objects, "How many guests are there?": questions for how many there are,
// which no number of the JSON value says.
import type { Json } from '../../../core/types.ts'
import { type FieldClaim, isNamed, questionText, readClaim, withSubjects } from '../fields/claim.ts'
import { countNamed, countOf } from '../fields/compared-fields.ts'
import { contentOf, fieldsIn, wordsOf } from '../fields/json-fields.ts'
import { spelledOut } from '../fields/key-words.ts'
import { statedField } from '../fields/stated-field.ts'
import { heldOfEach, heldOfMeant } from './every.ts'
import { objectCalled } from './named-object.ts'
import { areSingle, isListed, listsNamed, objectLists } from './objects.ts'
import { heldOf, kindOfSome } from './said-of-objects.ts'

/** No verb is among what is counted: "shifts does Ben have". */
const NOUN = '(?!(?:does|do|did|has|have|had|can|will|should|need|needs)\\b)\\p{L}+'
const WHAT = `(?<what>${NOUN}(?: ${NOUN}){0,2}?)`
const HERE = '(?: (?:in|on) (?:it|the list|this list))?(?: (?:in all|in total|altogether))?'
const NUMBER_OF = '(?:the )?number of '
/** All that there are of something, of an object that may be named. */
const ALL = [
  `how many ${WHAT} (?:are|were) (?:there|listed|configured|defined|set)${HERE}`,
  `how many ${WHAT} (?:does|has|did|do) (?<owner>(?:the|this) \\p{L}+|it|he|she|they)(?: (?:have|has|contain|list|include|hold))?${HERE}`,
  `how many ${WHAT}`,
  `${NUMBER_OF}${WHAT}${HERE}`,
].map(whole)
/** All that an object has of something, which is called by its name: "are in Engineering", "does table T2 have". */
const IN_ONE = [
  `how many ${WHAT} (?:are|were) (?:in|on|at) (?<called>.+?)(?: (?:in all|in total|altogether))?`,
  `how many ${WHAT} (?:does|did|do) (?<called>.+?) (?:have|contain|include|hold|list)(?: (?:in all|in total|altogether))?`,
].map(whole)
/** Those of which something is so. */
const SOME = [
  `how many (?:of the )?${WHAT} (?<says>(?:(?:is|are|was|were|has|have|had) (?:not )?(?:been )?.+|(?:not |did not )?\\p{L}+ed))`,
  `${NUMBER_OF}${WHAT} (?:that|who|which) (?<says>.+)`,
].map(whole)

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'iu')
}

/** How many a question asks for; null where it asks for something else, or the value does not say it of all things. */
export function countAsked(question: string, values: readonly Json[]): number | null {
  const text = questionText(question)
  const state = fieldsIn(values)
  for (const { what = '', owner = 'it' } of matches(ALL, text)) {
    const claim = readClaim(`${owner} has ${what}`, state)
    const count = countNamed(what, claim) ?? countNamed(what, withSubjects(claim)) ?? countOfKind(what, values)
    if (count !== null) return count
  }
  for (const { what = '', called = '' } of matches(IN_ONE, text)) {
    const count = countInOne(what, called, values)
    if (count !== null) return count
  }
  for (const { what = '', says = '' } of matches(SOME, text)) {
    const claim = readClaim(text, state)
    const known = countHeld(what, says, claim) ?? countHeld(what, says, withSubjects(claim))
    const count = known ?? countListed(what, says, values) ?? countMeant(what, says, values)
    if (count !== null) return count
  }
  return null
}

function matches(forms: readonly RegExp[], text: string): Readonly<Record<string, string | undefined>>[] {
  return forms.map((form) => form.exec(text)?.groups).filter((groups) => groups !== undefined)
}

/** "employees" of the one object that is called "Engineering": how many its list of them holds. */
function countInOne(what: string, called: string, values: readonly Json[]): number | null {
  const one = objectCalled(called, objectLists(values))
  const words = contentOf(what).join(' ')
  const own = Object.entries(one?.list.objects[one.at] ?? {}).find(([key]) => wordsOf(key).map(spelledOut).join(' ') === words)
  return own === undefined ? null : countOf(own[1])
}

function countHeld(what: string, says: string, claim: FieldClaim): number | null {
  const fields = claim.state.fields.filter(
    (field) => isNamed(contentOf(what), field, claim) && (!Array.isArray(field.value) || areSingle(field.value.filter(isListed))),
  )
  return onlyCount(fields.map((field) => heldOfEach(what, says, field, statedField)))
}

/** "How many editors are there?" of objects with a `role`, "incremental backups" of backups with a `kind`. */
function countOfKind(what: string, values: readonly Json[]): number | null {
  const words = contentOf(what)
  return onlyCount(
    objectLists(values).map(({ name, objects }) => {
      if (!areSingle(objects)) return null
      const own = words.length > 1 && words.at(-1) === name.at(-1) ? words.slice(0, -1) : words
      return kindOfSome(own.join(' '), objects)
    }),
  )
}

/** Of lists that are no fields: that are the state, or stand in other lists. */
function countListed(what: string, says: string, values: readonly Json[]): number | null {
  const lists = listsNamed(contentOf(what), values).filter(({ objects }) => areSingle(objects))
  return onlyCount(lists.map((list) => heldOf(what, says, list, statedField)))
}

/** "login attempts", "failed": of those objects that words mean by what their fields say. */
function countMeant(what: string, says: string, values: readonly Json[]): number | null {
  return onlyCount(objectLists(values).map((list) => (areSingle(list.objects) ? heldOfMeant(what, says, list, statedField, 1) : null)))
}

/** How many of them are so; null where nothing is known, or places say different things. */
function onlyCount(found: readonly (readonly boolean[] | null)[]): number | null {
  const counts = found.flatMap((held) => held?.filter((isSo) => isSo).length ?? [])
  return new Set(counts).size === 1 ? (counts[0] as number) : null
}
