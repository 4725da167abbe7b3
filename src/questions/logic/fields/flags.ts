// A field that is true or false: "The order is paid.", "Two-factor is disabled.", "isn't active"
import type { Json } from '../../../core/types.ts'
import { type ClaimReading, isAbout } from './claim.ts'
import { wordSet } from './json-fields.ts'
import { isOpposite } from './opposites.ts'

const YES = wordSet('yes true')
const NO = wordSet('no false')
const ON = wordSet('on true yes set enabled switched turned in')
const OFF = wordSet('off false disabled switched turned')

/** Null where the claim says anything but the words of the field, those around it, and what the field is about. */
export const byFlag: ClaimReading = (claim) => (field) => {
  const { content, isDenied } = claim
  const { name, around, value } = field
  const flag = flagOf(value)
  if (flag === null) return null
  const [missing, ...others] = name.filter((word) => !content.includes(word))
  const opposite = missing === undefined ? undefined : content.find((word) => isOpposite(word, missing))
  if (others.length > 0 || (missing !== undefined && opposite === undefined)) return null
  const rest = content.filter((word) => !name.includes(word) && word !== opposite && !around.has(word))
  const isOff = rest.length > 0 && rest.every((word) => OFF.has(word))
  if (!isOff && !rest.every((word) => ON.has(word)) && !isAbout(rest, field, claim)) return null
  const turns = [isDenied, opposite !== undefined, isOff].filter((turn) => turn).length
  return flag === (turns % 2 === 0)
}

function flagOf(value: Json): boolean | null {
  if (typeof value === 'boolean') return value
  const said = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return YES.has(said) ? true : NO.has(said) ? false : null
}
