// Finds where the words of a text begin and end, which is where a quoted span may. It uses Unicode classes only, so
// that every machine agrees (dictionaries of word breakers differ between releases).

const WORD = /[\p{L}\p{N}_]/u
const COMBINING_MARK = /\p{M}/u
const SPACE = /[\s\u0085]/u
const DIGIT = /\p{Nd}/u
const LETTER = /\p{L}/u
const UPPER = /\p{Lu}/u
/** Scripts written without spaces: every character may begin or end a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const THOUSANDS = /^,\d{3}(?!\d)/

export interface WordBoundaries {
  /** 1 at UTF-16 offsets where a span may start; length text.length + 1. */
  readonly starts: Uint8Array
  /** 1 at UTF-16 offsets where a span may end (the offset behind its last character). */
  readonly ends: Uint8Array
}

type CharacterKind = 'word' | 'unspaced' | 'mark' | 'space' | 'other'

function kindOf(character: string): CharacterKind {
  if (SPACE.test(character)) return 'space'
  if (COMBINING_MARK.test(character)) return 'mark'
  if (!WORD.test(character)) return 'other'
  return UNSPACED.test(character) ? 'unspaced' : 'word'
}

/**
 * Whether the character at this offset is punctuation inside a word: the apostrophe of "don't", the point of "12.50"
 * and "notes.md" (not of "done.Next", where a space was forgotten), the comma of "1,250".
 */
function joins(text: string, at: number): boolean {
  const before = text[at - 1]
  const after = text[at + 1]
  if (before === undefined || after === undefined) return false
  switch (text[at]) {
    case "'":
    case '\u2019':
      return LETTER.test(before) && LETTER.test(after)
    case '.':
      return kindOf(before) === 'word' && kindOf(after) === 'word' && (UPPER.test(before) || !UPPER.test(after))
    case ',':
      return DIGIT.test(before) && THOUSANDS.test(text.slice(at, at + 5))
    default:
      return false
  }
}

/**
 * A span starts before and ends behind a character that is no space, and never inside a word, a number ("1,250.50"), a
 * character, or before a combining mark. Punctuation is a word of its own; in scripts without spaces every character
 * is.
 */
export function wordBoundaries(text: string): WordBoundaries {
  const starts = new Uint8Array(text.length + 1)
  const ends = new Uint8Array(text.length + 1)
  let before: CharacterKind = 'space'
  let at = 0
  for (const character of text) {
    const kind = kindOf(character)
    const isInside =
      at > 0 && (kind === 'mark' || (kind === 'word' && before === 'word') || joins(text, at) || (at > 1 && joins(text, at - 1)))
    if (!isInside && kind !== 'space') starts[at] = 1
    if (!isInside && at > 0 && before !== 'space') ends[at] = 1
    // A combining mark belongs to the character before it.
    if (kind !== 'mark' || before === 'space') before = kind
    at += character.length
  }
  if (at > 0 && before !== 'space') ends[at] = 1
  return { starts, ends }
}
