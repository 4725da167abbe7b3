// "Which of these fields have a value?", "Which fields are empty?": a question for the keys of an object that options
// name, by whether something stands under them.
import type { Json } from '../../../core/types.ts'
import { questionText } from './claim.ts'
import { contentOf, fieldsIn, isScalar, type JsonField } from './json-fields.ts'
import { keyNamed } from './key-words.ts'

const OF_FIELDS =
  '^(?:which|what)(?: of (?:these|the))?(?: (?:fields?|keys?|details?|values?|columns?|settings?|entries|things|contact details))?'
const FILLED = new RegExp(
  `${OF_FIELDS} (?:(?:have|has) (?:a|any) values?|(?:are|is) (?:filled(?: in| out)?|given|set|present|known|there|not (?:empty|missing|null)))$`,
  'iu',
)
const EMPTY = new RegExp(
  `${OF_FIELDS} (?:(?:have|has) no values?|(?:are|is) (?:empty|missing|null|blank|not (?:filled(?: in| out)?|given|set|known|there)))$`,
  'iu',
)

/** Of each option whether its field is filled, or empty; null where one names no field, or nothing is so. */
export function heldOfFields(question: string, options: readonly string[], values: readonly Json[]): readonly boolean[] | null {
  const text = questionText(question)
  const isFilled = FILLED.test(text)
  if (!isFilled && !EMPTY.test(text)) return null
  const { fields } = fieldsIn(values)
  const named = options.map((option) => fieldNamed(option, fields))
  if (named.includes(null)) return null
  const held = named.map((field) => isThere((field as JsonField).value) === isFilled)
  // "What is missing?" may be asked of what the fields say.
  return held.includes(true) ? held : null
}

function fieldNamed(option: string, fields: readonly JsonField[]): JsonField | null {
  const words = contentOf(option)
  const found = fields.filter((field) => {
    const key = words.filter((word) => !field.around.has(word) || field.name.includes(word))
    return keyNamed(key, [field.key]) !== null && (isScalar(field.value) || Array.isArray(field.value))
  })
  return found.length === 1 ? (found[0] as JsonField) : null
}

const isThere = (value: Json): boolean => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
