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
  'open closed resolved',
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
  'pending paid refunded',
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

/** Words of a state for the same. */
export const isSame = (word: string, of: string): boolean => word !== of && SAME.some((group) => group.has(word) && group.has(of))

/** "unpaid" is not paid, "offline" is not online. */
export function isOpposite(word: string, of: string): boolean {
  if (['un', 'in', 'dis', 'not ', 'non '].some((before) => word === before + of || of === before + word)) return true
  return isExclusive(word, of, OPPOSITES)
}

/** Whether a thing that is one of them cannot be the other. */
export function areExclusive(word: string, other: string): boolean {
  return isOpposite(word, other) || isExclusive(word, other, EXCLUSIVE)
}

function isExclusive(word: string, other: string, groups: readonly ReadonlySet<string>[]): boolean {
  return word !== other && groups.some((group) => group.has(word) && group.has(other))
}
