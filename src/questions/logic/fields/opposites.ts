// Words of which only one can hold at a time.
import { wordSet } from './json-fields.ts'

/** Of a field that is true or false. */
const OPPOSITES = [
  'online offline',
  'open closed',
  'open shut',
  'passed failed',
  'ok failed',
  'success failed',
  'successful failed',
  'succeeded failed',
  'enabled disabled',
  'enabled off',
  'active off',
  'public private',
  'connected disconnected',
  'required optional',
  'mandatory optional',
  'visible hidden',
].map(wordSet)

/** Of a field that is a text, and may have more than two. */
const EXCLUSIVE = [
  'open closed',
  'open resolved',
  'low medium high',
  'low medium critical',
  'low normal urgent',
  'succeeded failed',
  'success failure',
  'passing failing',
  'approved rejected pending',
  'accepted declined pending',
  'accepted rejected pending',
  'up down',
  'on off',
  'won lost',
  'male female',
  'free paid',
  'draft published',
  'positive negative neutral',
  'new used',
  'pass fail',
  'healthy unhealthy',
  'pending delivered cancelled',
  'pending paid',
  'pending refunded',
].map(wordSet)

const SAME = [
  'ok success successful succeeded succeed passed pass',
  'failure failed fail failing',
  'enabled on active',
  'cancelled canceled',
  'rejected declined refused',
  'carried passed adopted approved',
  'finished completed complete done',
  'shipped sent dispatched',
  'delivered arrived',
  'waiting pending',
].map(wordSet)

/** What comes one behind the other, so that what is at one has been at those before. */
const STEPS = [
  'ordered paid packed shipped sent delivered received returned refunded',
  'applied interviewed offered hired',
  'invited confirmed accepted arrived attended',
  'invited declined',
  'opened assigned started reviewed approved merged released deployed',
  'started running finished completed done',
  'reported triaged fixed verified closed',
  'boarding boarded departed landing landed arrived',
].map((steps) => steps.split(' '))

/** Whether what is at the other has been at a step before. */
export const isStepBefore = (step: string, other: string): boolean =>
  STEPS.some((steps) => steps.includes(step) && steps.indexOf(other) > steps.indexOf(step))

/** Words of a state for the same. */
export const isSame = (word: string, of: string): boolean => word !== of && SAME.some((group) => group.has(word) && group.has(of))

/** "unpaid" is not paid, "offline" is not online. */
export function isOpposite(word: string, of: string): boolean {
  if (['un', 'in', 'dis', 'not ', 'non '].some((before) => isPrefixed(word, before, of) || isPrefixed(of, before, word))) return true
  return isExclusive(word, of, OPPOSITES)
}

/** "discovered" is no opposite of what is covered. */
const IS_NO_OPPOSITE = wordSet('discovered dismissed disclosed discharged distressed inform invaluable')
const isPrefixed = (word: string, before: string, of: string): boolean => word === before + of && !IS_NO_OPPOSITE.has(word)

/** Whether a thing that is one of them cannot be the other. */
export function areExclusive(word: string, other: string): boolean {
  return isOpposite(word, other) || isExclusive(word, other, EXCLUSIVE)
}

function isExclusive(word: string, other: string, groups: readonly ReadonlySet<string>[]): boolean {
  return word !== other && groups.some((group) => group.has(word) && group.has(other))
}
