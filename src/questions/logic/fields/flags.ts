// A field that is true or false: "The order is paid.", "Two-factor is disabled.", "isn't active"
import type { Json } from '../../../core/types.ts'
import { type ClaimReading, isAbout } from './claim.ts'
import { wordSet } from './json-fields.ts'
import { isOpposite, isSame } from './opposites.ts'

const YES = wordSet('yes true on enabled')
const NO = wordSet('no false off disabled')
const ON = wordSet('on true yes set enabled switched turned in include included')
const OFF = wordSet('off false disabled switched turned')
/** What has no value is not switched on. */
const SWITCHED = wordSet('on off enabled disabled switched turned')
/** In front of what is around it: "for the server". */
const OF_AROUND = wordSet('for of at')
/** A key that says no more than that what is around it is on. */
const IS_ON = wordSet('enabled active on')

/** Null where the claim says anything but the words of the field, those around it, and what the field is about. */
export const byFlag: ClaimReading = (claim) => (field) => {
  const { content, isDenied } = claim
  const { name, around, value } = field
  const flag = flagOf(value) ?? (value === null && content.some((word) => SWITCHED.has(word)) ? false : null)
  if (flag === null) return null
  const isOpposed = content.some((word) => name.some((own) => isOpposite(word, own)))
  const isOfAround = IS_ON.has(name.join(' ')) && !isOpposed && content.some((word) => around.has(word))
  const [missing, ...others] = isOfAround ? [] : name.filter((word) => !content.includes(word))
  const same = missing === undefined ? undefined : content.find((word) => isSame(word, missing))
  const opposite = missing === undefined ? undefined : content.find((word) => isOpposite(word, missing))
  if (others.length > 0 || (missing !== undefined && opposite === undefined && same === undefined)) return null
  const isAround = content.some((word) => around.has(word))
  const rest = content.filter(
    (word) => !name.includes(word) && word !== opposite && word !== same && !around.has(word) && !(isAround && OF_AROUND.has(word)),
  )
  const isOff = opposite === undefined && rest.some((word) => NO.has(word)) && rest.every((word) => OFF.has(word))
  const about = rest.filter((word) => !ON.has(word))
  if (!isOff && !isAbout(about, field, claim)) return null
  const turns = [isDenied, opposite !== undefined, isOff].filter((turn) => turn).length
  return flag === (turns % 2 === 0)
}

function flagOf(value: Json): boolean | null {
  if (typeof value === 'boolean') return value
  const said = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return YES.has(said) ? true : NO.has(said) ? false : null
}
