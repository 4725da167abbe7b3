// Text to pieces, as the decision model reads it: every word starts with a space and is lower case, so that a word is
// the same piece wherever it stands ("FindMovies", "find_movies", "(find movies"). Each piece keeps its offsets in the
// original string, so spans stay verbatim.
import { Tokenizer } from '@huggingface/tokenizers'
import { type BranchKind, ControlTokens } from './control-tokens.ts'

/**
 * Pieces of one string. `starts`/`ends` are UTF-16 offsets into the string; `cases` is 0 (no capital), 1 (starts with
 * one), 2 (all capitals).
 */
export interface TextPieces {
  readonly ids: readonly number[]
  readonly cases: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Spaces, tabs and line breaks in the alphabet of byte-level pieces. */
const BLANKS = /^[ĠĉĊč]+$/
const NO_PIECES: TextPieces = { ids: [], cases: [], starts: [], ends: [] }
/** How many texts are cached, and the longest that is, in UTF-16 units. */
const MOST_CACHED_TEXTS = 20_000
const LONGEST_CACHED_TEXT = 120

/** A byte-level BPE over normalised text. Its vocabulary has no control tokens: no text can become one. */
export class PieceTokenizer {
  readonly #tokenizer: Tokenizer
  readonly #byteLength = new Map<number, number>()
  readonly #text = new Map<number, string>()
  readonly #cache = new Map<string, TextPieces>()
  /** Pieces in the vocabulary. */
  readonly size: number
  /** The control tokens behind the vocabulary. */
  readonly control: ControlTokens
  /** Bytes of the longest piece. */
  readonly longest: number
  /** Bytes of the longest piece that is blanks only. */
  readonly longestBlank: number

  /** `kinds`: the kinds of branches the model knows, in its order. Default: those of the shipped model. */
  constructor(tokenizerJson: { model: { vocab: Record<string, number> } }, kinds?: readonly BranchKind[]) {
    this.#tokenizer = new Tokenizer(tokenizerJson, {})
    const vocabulary = Object.entries(tokenizerJson.model.vocab)
    this.size = vocabulary.length
    this.control = new ControlTokens(vocabulary.length, kinds)
    this.longest = vocabulary.reduce((most, [piece]) => Math.max(most, piece.length), 1)
    this.longestBlank = vocabulary.reduce((most, [piece]) => (BLANKS.test(piece) ? Math.max(most, piece.length) : most), 1)
    // In the byte-level alphabet every character stands for one byte (GPT-2's table), so a piece has as many bytes as
    // characters.
    for (const [piece, id] of vocabulary) {
      this.#byteLength.set(id, piece.length)
      this.#text.set(id, piece)
    }
  }

  /** The bytes of a piece, each as its character of the byte-level alphabet; empty for ids that are no pieces. */
  spelling(id: number): string {
    return this.#text.get(id) ?? ''
  }

  /** The pieces of lower-case letters only that are whole words or begin one. */
  *words(): Generator<string> {
    for (const spelling of this.#text.values()) if (/^Ġ[a-z]+$/.test(spelling)) yield spelling.slice(1)
  }

  encode(text: string): TextPieces {
    const known = this.#cache.get(text)
    if (known !== undefined) return known
    const pieces = text === '' ? NO_PIECES : this.#encode(text)
    if (text.length <= LONGEST_CACHED_TEXT) {
      if (this.#cache.size >= MOST_CACHED_TEXTS) this.#cache.clear()
      this.#cache.set(text, pieces)
    }
    return pieces
  }

  #encode(text: string): TextPieces {
    const { normalised, from } = normalise(text)
    const offsets = byteOffsets(normalised)
    const ids = this.#tokenizer.encode(normalised, { add_special_tokens: false }).ids as number[]
    const cases: number[] = []
    const starts: number[] = []
    const ends: number[] = []
    let byte = 0
    for (const id of ids) {
      const first = offsets[byte] as number
      byte += this.#byteLength.get(id) ?? 0
      const last = offsets[byte] as number
      // An inserted or skipped space belongs to no word: a span starts at the first character that is no space.
      let start = first
      while (start < last && isSpace(normalised, start)) start++
      const [begin, end] =
        start < last ? [from[start] as number, (from[last - 1] as number) + 1] : [from[first] as number, from[first] as number]
      starts.push(begin)
      ends.push(end)
      cases.push(caseOf(text.slice(begin, end)))
    }
    if (byte !== offsets.length - 1) throw new Error(`the tokenizer is not lossless: ${byte} bytes of ${offsets.length - 1}`)
    return { ids, cases, starts, ends }
  }
}

const LETTER = /\p{L}/u
const LOWER = /\p{Ll}/u
const UPPER = /\p{Lu}/u

/**
 * The normalised text and, for each of its UTF-16 units, the index of the unit of the original it came from (an
 * inserted space points at the unit behind it). A space is put before a word that follows neither a space nor an
 * apostrophe (a new line counts as neither), and between `aB`; `_` becomes a space.
 */
export function normalise(text: string): { normalised: string; from: number[] } {
  let normalised = ' '
  const from = [0]
  let previous = ' '
  let at = 0
  for (const character of text) {
    const isLetter = LETTER.test(character)
    const startsWord = isLetter && !LETTER.test(previous) && !/[ '’]/.test(previous)
    const startsHump = isLetter && UPPER.test(character) && LOWER.test(previous)
    if (startsWord || startsHump) {
      if (!normalised.endsWith(' ')) {
        normalised += ' '
        from.push(at)
      }
    }
    const lower = character === '_' ? ' ' : character.toLowerCase()
    const kept = lower.length === character.length ? lower : character
    // The text starts with one space already; a double one would be a piece of its own.
    if (!(kept === ' ' && at === 0)) {
      normalised += kept
      for (let unit = 0; unit < character.length; unit++) from.push(at + unit)
    }
    previous = character === '_' ? ' ' : character
    at += character.length
  }
  return { normalised, from }
}

/** For each byte offset of the UTF-8 form (and its end), the index of the UTF-16 unit it belongs to. */
function byteOffsets(text: string): Int32Array {
  const offsets = new Int32Array(Buffer.byteLength(text) + 1)
  let byte = 0
  for (let unit = 0; unit < text.length; ) {
    const point = text.codePointAt(unit) as number
    const width = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    offsets.fill(unit, byte, byte + width)
    byte += width
    unit += point < 0x10000 ? 1 : 2
  }
  offsets[byte] = text.length
  return offsets
}

function isSpace(text: string, unit: number): boolean {
  const character = text[unit]
  return character === ' ' || character === '\n' || character === '\t' || character === '\r'
}

function caseOf(text: string): number {
  const first = text.match(/\p{L}/u)?.[0]
  if (first === undefined || !UPPER.test(first)) return 0
  return text.length > 1 && !LOWER.test(text) ? 2 : 1
}
