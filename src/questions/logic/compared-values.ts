// What claims have in common that compare one value of the state: each is asked as a question for that value.
import { SMALL_NUMBERS } from '../../core/as-written.ts'

/** A claim as a question for a value, and what the value makes of the claim. */
export interface Comparison {
  /** What the value looks like. */
  readonly format: 'number' | 'date'
  /** The claim as a question for its value. */
  readonly asked: string
  /** Whether the claim holds for a value of a text; null where the two cannot be compared. */
  holds(value: ReadValue): boolean | null
}

/** A value as it stands in a text, what stands around it there, and the name of its JSON value ('' in a text). */
export interface ReadValue {
  readonly text: string
  /** The last characters in front of it. */
  readonly ahead: string
  readonly behind: string
  readonly name: string
  /** The texts of JSON values of a name: in its own object and in those around it, from the inside; '' for none. */
  beside?(name: string): readonly string[]
}

/** How a value stands to the limit of a claim: below, at or above it. */
export type Sign = -1 | 0 | 1

/** The signs for which a claim holds, or those that a value may have. */
export type Signs = readonly Sign[]

export const BELOW: Signs = [-1]
export const UP_TO: Signs = [-1, 0]
export const AT: Signs = [0]
export const NOT_AT: Signs = [-1, 1]
export const FROM: Signs = [0, 1]
export const ABOVE: Signs = [1]

/** Whether a claim holds whichever of some signs a value has; null where it depends, or nothing is known. */
export function holdsFor(claimed: Signs, possible: Signs): boolean | null {
  const results = new Set(possible.map((sign) => claimed.includes(sign)))
  return results.size === 1 ? ([...results][0] as boolean) : null
}

export const signOf = (difference: number): Sign => Math.sign(difference) as Sign

const NOT_ONE = new RegExp(
  `\\b(?:${[
    'all any each every everybody everyone anybody anyone some somebody someone nobody none both either neither most',
    SMALL_NUMBERS.slice(0, 11).join(' '),
    'that which who whose',
    'average mean sum together combined altogether difference plus minus per ago',
    'no not never and or but if when while because than may might must should could would least',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\\b|n['’]t\\b|[,<>=≤≥≠]|\\bby$`,
  'i',
)

/**
 * False for a part of a claim that speaks of several things, of one that has to be looked for, of something that is
 * worked out first or compared already, or not of a plain fact: that is not about one value that stands in the state.
 */
export function isOfOne(part: string): boolean {
  return !NOT_ONE.test(part)
}
