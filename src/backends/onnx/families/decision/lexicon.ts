// Words that a letter read wrongly may have been. A word that nobody knows is compared with the known ones near it, by how likely each is to have been
// written there: the probability that CTC gives all its paths together (Graves et al. 2006).

/** Letters that a known word may be away: two for long ones. */
const LONG = 6
const SHORTEST = 3
/** How much likelier a known word is than an unknown one, as a logarithm. */
const KNOWN = 3

export class Lexicon {
  readonly #words: ReadonlySet<string>
  /** A word without one or two of its letters -> the words it may be (as in SymSpell, Garbe 2012). */
  readonly #without = new Map<string, string[]>()

  /** `words`: in lower case. */
  constructor(words: Iterable<string>) {
    this.#words = new Set([...words].filter((word) => word.length >= SHORTEST))
    for (const word of this.#words) {
      for (const shorter of shortened(word)) {
        const known = this.#without.get(shorter)
        if (known === undefined) this.#without.set(shorter, [word])
        else known.push(word)
      }
    }
  }

  has(word: string): boolean {
    return this.#words.has(word)
  }

  near(word: string): string[] {
    return [...new Set(shortened(word).flatMap((shorter) => this.#without.get(shorter) ?? []))]
  }
}

/** The word and what is left of it without a letter, or two if it is long. */
function shortened(word: string): string[] {
  const once = withoutOne(word)
  return [...new Set([word, ...once, ...(word.length >= LONG ? once.flatMap(withoutOne) : [])])]
}

const withoutOne = (word: string): string[] => Array.from(word, (_, i) => word.slice(0, i) + word.slice(i + 1))

/**
 * `logProbability` of what is written being a word as it is given. The word itself where it is known, is no word or has no better neighbour; two words where the space
 * between them may have been missed.
 */
export function corrected(word: string, lexicon: Lexicon, logProbability: (word: string) => number): string {
  const lower = word.toLowerCase()
  if (!/^\p{L}+$/u.test(word) || word.length < SHORTEST || lexicon.has(lower)) return word
  let best = { word, value: logProbability(word) - KNOWN }
  for (const other of [...lexicon.near(lower).map((known) => likeCase(known, word)), ...inTwo(word, lexicon)]) {
    const value = logProbability(other)
    if (value > best.value) best = { word: other, value }
  }
  return best.word
}

/** With a space between two known words, or before a capital behind a small letter. */
function inTwo(word: string, lexicon: Lexicon): string[] {
  return Array.from({ length: Math.max(0, word.length - 3) }, (_, i) => i + 2).flatMap((at) => {
    const [first, second] = [word.slice(0, at), word.slice(at)]
    const isHump = /\p{Ll}$/u.test(first) && /^\p{Lu}\p{Ll}/u.test(second)
    const areKnown = [first, second].every((part) => lexicon.has(part.toLowerCase()))
    return isHump || areKnown ? [`${first} ${second}`] : []
  })
}

/** In capitals, with a capital, or small, as most of the word is. */
function likeCase(other: string, word: string): string {
  const capitals = [...word].filter((letter) => letter !== letter.toLowerCase()).length
  if (capitals > word.length / 2) return other.toUpperCase()
  return word[0] === word[0]?.toLowerCase() ? other : other.charAt(0).toUpperCase() + other.slice(1)
}
