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
}

const NOT_ONE = new RegExp(
  `\\b(?:${[
    'all any each every everybody everyone anybody anyone some somebody someone nobody none both either neither most',
    SMALL_NUMBERS.slice(0, 11).join(' '),
    'that which who whose',
    'average mean sum together combined altogether difference plus minus per ago',
    'no not never and or but if when while because than may might must should could would least',
  ]
    .join(' ')
    .replaceAll(' ', '|')})\\b|n['’]t\\b|,|\\bby$`,
  'i',
)

/**
 * False for a part of a claim that speaks of several things, of one that has to be looked for, of something that is
 * worked out first, or not of a plain fact: that is not about one value that stands in the state.
 */
export function isOfOne(part: string): boolean {
  return !NOT_ONE.test(part)
}
