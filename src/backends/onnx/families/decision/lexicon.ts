// Corrects words with a wrong letter. An unknown word is compared with the known words near it, by the probability of
// each at that position: the probability that CTC gives all its paths together (Graves et al. 2006).
import { capitalised } from '../../../../core/as-written.ts'

/** Known words may be one letter away, and two from this length on. */
const LONG_WORD_LETTERS = 6
const SHORTEST_WORD_LETTERS = 3
/** How much likelier a known word is than an unknown one, as a difference of logarithms. */
const LOG_ODDS_OF_KNOWN = 3

export class Lexicon {
  readonly #words: ReadonlySet<string>
  /** Made when a word is first looked for near others, since it would be an eighth of the time to a first answer. */
  #without: ReadonlyMap<string, readonly string[]> | null = null

  /** `words`: in lower case. */
  constructor(words: Iterable<string>) {
    this.#words = new Set([...words].filter((word) => word.length >= SHORTEST_WORD_LETTERS))
  }

  has(word: string): boolean {
    return this.#words.has(word)
  }

  near(word: string): string[] {
    this.#without ??= withoutLetters(this.#words)
    const known = this.#without
    return [...new Set(shortened(word).flatMap((shorter) => known.get(shorter) ?? []))]
  }
}

/** A word without one or two of its letters -> the known words it may be (as in SymSpell, Garbe 2012). */
function withoutLetters(words: Iterable<string>): Map<string, string[]> {
  const without = new Map<string, string[]>()
  for (const word of words) {
    for (const shorter of shortened(word)) {
      const known = without.get(shorter)
      if (known === undefined) without.set(shorter, [word])
      else known.push(word)
    }
  }
  return without
}

/** The word, and the word without each of its letters, and without each two if it is long. */
function shortened(word: string): string[] {
  const once = withoutOne(word)
  return [...new Set([word, ...once, ...(word.length >= LONG_WORD_LETTERS ? once.flatMap(withoutOne) : [])])]
}

const withoutOne = (word: string): string[] => Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))

/**
 * The likeliest word near the one that was read. It is the word itself where that is known, is no word or has no
 * likelier neighbour, and two words where the space between them may have been missed. `logProbability` is that of a
 * word standing at this position.
 */
export function corrected(word: string, lexicon: Lexicon, logProbability: (word: string) => number): string {
  const lower = word.toLowerCase()
  if (!/^\p{L}+$/u.test(word) || word.length < SHORTEST_WORD_LETTERS || lexicon.has(lower)) return word
  let best = { word, value: logProbability(word) - LOG_ODDS_OF_KNOWN }
  for (const other of [...lexicon.near(lower).map((known) => likeCase(known, word)), ...inTwo(word, lexicon)]) {
    const value = logProbability(other)
    if (value > best.value) best = { word: other, value }
  }
  return best.word
}

/** The word in two: between two known words, or before a capital letter behind a small one. */
function inTwo(word: string, lexicon: Lexicon): string[] {
  return Array.from({ length: Math.max(0, word.length - 3) }, (_, i) => i + 2).flatMap((at) => {
    const [first, second] = [word.slice(0, at), word.slice(at)]
    const isHump = /\p{Ll}$/u.test(first) && /^\p{Lu}\p{Ll}/u.test(second)
    const areKnown = [first, second].every((part) => lexicon.has(part.toLowerCase()))
    return isHump || areKnown ? [`${first} ${second}`] : []
  })
}

/** The other word in the case of the word: all capitals, with a capital first, or all small. */
function likeCase(other: string, word: string): string {
  const capitals = [...word].filter((letter) => letter !== letter.toLowerCase()).length
  if (capitals > word.length / 2) return other.toUpperCase()
  return word[0] === word[0]?.toLowerCase() ? other : capitalised(other)
}
