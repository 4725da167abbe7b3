// Text to the word pieces of BERT, each with the place it came from: lower case without accents, split at spaces and
// punctuation, then the longest known pieces from the left. Text never becomes a control token.
import { EngineError } from '../../../../core/errors.ts'
import { isObject } from '../../../../core/untrusted.ts'
import { ByteCache } from '../../caching/byte-cache.ts'
import type { JsonObject } from '../../runtime/layout.ts'

/** Pieces of a text; `starts` and `ends` are UTF-16 offsets into it. */
export interface PiecedText {
  readonly ids: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** One character of a word as it is looked up, and the stretch of the text it came from. */
interface WordCharacter {
  readonly character: string
  readonly start: number
  readonly end: number
}

/** Longer words become one unknown piece, as in training. */
const LONGEST_WORD = 100
const MOST_CACHED_WORDS = 50_000
/** For the pieces of lines, so that a state that grows costs what is new: some million characters. */
const LINE_CACHE_BYTES = 8 * 1024 * 1024
/** What a line takes beside its characters and pieces, and what each of these takes. */
const LINE_BYTES = 200
const BYTES_PER_UNIT = 2
const BYTES_PER_PIECE = 24

const ACCENT = /\p{Mn}/u
const OTHER = /\p{C}/u
const SPACE = /\s|\u0085/u
const PUNCTUATION = /[!-/:-@[-`{-~]|\p{P}/u
const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u

export class WordPieces {
  /** Marks of a block: its first and its last piece. */
  readonly first: number
  readonly last: number
  /** Most characters of a piece. */
  readonly longest: number
  readonly #ids: ReadonlyMap<string, number>
  readonly #unknown: number
  /** Word -> the pieces of it as id, characters, id, characters, ... */
  readonly #words = new Map<string, readonly number[]>()
  /** Line -> its pieces, as if it began the text: no word goes on in the next one. */
  readonly #lines = new ByteCache<PiecedText>(LINE_CACHE_BYTES)

  /** Throws `model_not_available` for a tokenizer of another kind. */
  constructor(tokenizerJson: JsonObject, folder: string) {
    const { model, normalizer } = tokenizerJson
    const vocabulary = isObject(model) && model.type === 'WordPiece' && isObject(model.vocab) ? model.vocab : null
    const isLowerCase = isObject(normalizer) && normalizer.type === 'BertNormalizer' && normalizer.lowercase === true
    if (vocabulary === null || !isLowerCase) {
      throw new EngineError(
        'model_not_available',
        `tokenizer.json of '${folder}' holds no lower-case word pieces; take the folder as it was published`,
      )
    }
    const ids = new Map<string, number>()
    for (const [piece, id] of Object.entries(vocabulary)) if (typeof id === 'number') ids.set(piece, id)
    const id = (name: string): number => {
      const found = ids.get(name)
      if (found !== undefined) return found
      throw new EngineError(
        'model_not_available',
        `tokenizer.json of '${folder}' has no piece ${name}; take the folder as it was published`,
      )
    }
    this.first = id('[CLS]')
    this.last = id('[SEP]')
    this.#unknown = id('[UNK]')
    for (const name of ['[CLS]', '[SEP]', '[UNK]', '[PAD]', '[MASK]']) ids.delete(name)
    this.#ids = ids
    this.longest = [...ids.keys()].reduce((most, piece) => Math.max(most, piece.length), 1)
  }

  encode(text: string): PiecedText {
    const pieces = { ids: [] as number[], starts: [] as number[], ends: [] as number[] }
    let begin = 0
    for (const line of text.split('\n')) {
      const { ids, starts, ends } = this.#line(line)
      for (let i = 0; i < ids.length; i++) {
        pieces.ids.push(ids[i] as number)
        pieces.starts.push(begin + (starts[i] as number))
        pieces.ends.push(begin + (ends[i] as number))
      }
      begin += line.length + 1
    }
    return pieces
  }

  #line(line: string): PiecedText {
    const known = this.#lines.get(line)
    if (known !== undefined) return known
    const pieces = { ids: [] as number[], starts: [] as number[], ends: [] as number[] }
    for (const word of wordsOf(line)) this.#split(word, pieces)
    // A copy: what was split off a text would keep the whole text.
    const key = Buffer.from(line, 'utf16le').toString('utf16le')
    this.#lines.set(key, pieces, LINE_BYTES + BYTES_PER_UNIT * line.length + BYTES_PER_PIECE * pieces.ids.length)
    return pieces
  }

  #split(word: readonly WordCharacter[], out: { ids: number[]; starts: number[]; ends: number[] }): void {
    const known = word.length > LONGEST_WORD ? [this.#unknown, word.length] : this.#known(word.map(({ character }) => character))
    let at = 0
    for (let i = 0; i < known.length; i += 2) {
      const count = known[i + 1] as number
      out.ids.push(known[i] as number)
      out.starts.push((word[at] as WordCharacter).start)
      out.ends.push((word[at + count - 1] as WordCharacter).end)
      at += count
    }
  }

  #known(word: readonly string[]): readonly number[] {
    const spelling = word.join('')
    const known = this.#words.get(spelling)
    if (known !== undefined) return known
    const pieces = this.#piecesOf(word)
    if (this.#words.size >= MOST_CACHED_WORDS) this.#words.clear()
    this.#words.set(spelling, pieces)
    return pieces
  }

  #piecesOf(word: readonly string[]): number[] {
    const out: number[] = []
    let at = 0
    while (at < word.length) {
      let end = Math.min(word.length, at + this.longest)
      let id: number | undefined
      for (; end > at; end--) {
        id = this.#ids.get((at > 0 ? '##' : '') + word.slice(at, end).join(''))
        if (id !== undefined) break
      }
      if (id === undefined) return [this.#unknown, word.length]
      out.push(id, end - at)
      at = end
    }
    return out
  }
}

/** Words of a text in reading order; a punctuation mark and a Chinese character are words of their own. */
function* wordsOf(text: string): Generator<WordCharacter[]> {
  let word: WordCharacter[] = []
  let start = 0
  for (const given of text) {
    const end = start + given.length
    const isSpace = SPACE.test(given)
    if (isSpace || CHINESE.test(given)) {
      if (word.length > 0) yield word
      word = []
      if (!isSpace) yield [{ character: given, start, end }]
    } else if (given !== '\ufffd' && !OTHER.test(given)) {
      for (const character of lowered(given)) {
        if (!PUNCTUATION.test(character)) {
          word.push({ character, start, end })
          continue
        }
        if (word.length > 0) yield word
        word = []
        yield [{ character, start, end }]
      }
    }
    start = end
  }
  if (word.length > 0) yield word
}

function lowered(character: string): string {
  if (character <= '\u007f') return character.toLowerCase()
  let plain = ''
  for (const part of character.normalize('NFD')) if (!ACCENT.test(part)) plain += part
  return plain.toLowerCase()
}
