// Writes texts token by token: the logits of the vocabulary and of copying each state token make one distribution,
// decoded under a grammar.
import { withLeadingSpace } from '../../../../constraint/automaton.ts'
import { decode } from '../../../../constraint/decode.ts'
import { compileGrammar } from '../../../../constraint/grammar.ts'
import {
  buildTokenTrie,
  constrainTokens,
  type TokenConstraint,
  type TokenTrie,
  type TokenVocabulary,
} from '../../../../constraint/token-trie.ts'
import { type Constraint, type Grammar, LIST_SEPARATOR } from '../../../backend.ts'
import { byteOfCharacter } from '../../runtime/byte-level.ts'
import type { ControlTokens } from './control-tokens.ts'
import type { PackedState } from './pack.ts'
import type { PieceTokenizer } from './piece-tokenizer.ts'
import { guidedByQuote, type PointerGeneratorLogits, type QuotePointers } from './quote-guidance.ts'

/** The pieces as a trie of bytes. Control tokens have no bytes, so no grammar allows one. */
function pieceTrie(tokenizer: PieceTokenizer): TokenTrie {
  const bytes = byteOfCharacter()
  const vocabulary: TokenVocabulary = Array.from({ length: tokenizer.control.from }, (_, id) => {
    const spelling = tokenizer.spelling(id)
    return spelling === '' ? null : Uint8Array.from(spelling, (character) => bytes.get(character) ?? 0)
  })
  return buildTokenTrie(vocabulary)
}

/** A grammar compiled to what it allows in pieces. */
interface CompiledGrammar {
  readonly tokens: TokenConstraint
  /** Some value of the grammar starts with a space of its own. */
  readonly hasOwnSpace: boolean
}

const MOST_CACHED_GRAMMARS = 32
const SPACE_BYTE = 0x20

/**
 * Compiles grammars and caches the last ones: their token masks are computed while writing, which takes longer than the
 * writing itself.
 */
export class GrammarCache {
  readonly #tokenizer: PieceTokenizer
  readonly #compiled = new Map<string, CompiledGrammar>()
  #trie: TokenTrie | null = null

  constructor(tokenizer: PieceTokenizer) {
    this.#tokenizer = tokenizer
  }

  get control(): ControlTokens {
    return this.#tokenizer.control
  }

  of(grammar: Grammar): CompiledGrammar {
    const key = JSON.stringify(grammar)
    const known = this.#compiled.get(key)
    if (known !== undefined) return known
    this.#trie ??= pieceTrie(this.#tokenizer)
    const automaton = compileGrammar(grammar)
    const compiled = {
      tokens: constrainTokens(this.#trie, withLeadingSpace(automaton)),
      hasOwnSpace: automaton.step(automaton.start, SPACE_BYTE) !== null,
    }
    if (this.#compiled.size >= MOST_CACHED_GRAMMARS) this.#compiled.delete(this.#compiled.keys().next().value as string)
    this.#compiled.set(key, compiled)
    return compiled
  }
}

/** Logits behind the tokens written so far. */
export type NextPointerGeneratorLogits = (written: readonly number[]) => Promise<PointerGeneratorLogits>

export interface WrittenText {
  readonly text: string
  readonly complete: boolean
  readonly tokens: number
  readonly logProbability: number
}

/**
 * Decodes greedily under the grammar. The model writes lower case, as it reads; words of the state get their own case
 * back. `quote` guides what is copied (quote-guidance.ts); null where there is nothing to quote.
 */
export async function write(
  logitsOf: NextPointerGeneratorLogits,
  constraint: Constraint & { type: 'grammar' },
  grammars: GrammarCache,
  state: PackedState,
  quote: QuotePointers | null,
): Promise<WrittenText> {
  const { control } = grammars
  const { tokens, hasOwnSpace } = grammars.of(constraint.grammar)
  const next = async (written: readonly number[]): Promise<Float32Array> => {
    const logits = await logitsOf(written)
    return addCopies(quote === null ? logits : guidedByQuote(logits, written, state.ids, quote, control), state.ids, control)
  }
  const decoded = await decode(next, tokens, { maxTokens: constraint.maxTokens, endTokens: [control.end] })
  // A space in front belongs to the first piece, unless the grammar itself has values that start with one.
  const text = !hasOwnSpace && decoded.text.startsWith(' ') ? decoded.text.slice(1) : decoded.text
  return {
    text: restored(text, constraint.grammar, state),
    complete: decoded.complete,
    tokens: decoded.tokens.length,
    logProbability: decoded.constrainedLogProbability,
  }
}

/** The text with the words that stand in the state as they stand there: the model reads and writes lower case. */
function restored(text: string, grammar: Grammar, state: PackedState): string {
  if (grammar.type === 'text') return asWritten(text, state)
  if (grammar.type !== 'list' || grammar.item.type !== 'text') return text
  return text
    .split(LIST_SEPARATOR)
    .map((item) => asWritten(item, state))
    .join(LIST_SEPARATOR)
}

/** One distribution over ids: the weight of a token that may be copied is the sum of writing and copying it. */
function addCopies({ vocabulary, copy }: PointerGeneratorLogits, ids: readonly number[], control: ControlTokens): Float32Array {
  const logits = vocabulary.slice()
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number
    if (id >= control.from) continue
    const a = logits[id] as number
    const b = copy[i] as number
    const top = Math.max(a, b)
    logits[id] = top + Math.log(Math.exp(a - top) + Math.exp(b - top))
  }
  return logits
}

/** The same words as they first stand in the state, on one line; the text itself when they are not there. */
function asWritten(text: string, state: PackedState): string {
  const key = withoutSpaces(text).squeezed
  if (key === '') return text
  const searched = new Set<string>()
  for (const origin of state.origins) {
    if (origin === null || searched.has(origin.text)) continue
    searched.add(origin.text)
    const { squeezed, from } = withoutSpaces(origin.text)
    for (let at = squeezed.indexOf(key); at >= 0; at = squeezed.indexOf(key, at + 1)) {
      const [start, end] = [from[at] as number, (from[at + key.length - 1] as number) + 1]
      if (isWhole(origin.text, start, end)) return origin.text.slice(start, end).replaceAll(/\s+/g, ' ')
    }
  }
  return text
}

const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u

/** Whether a stretch starts and ends where words do: "art" is not in "start"; "movies" is in "FindMovies". */
function isWhole(text: string, start: number, end: number): boolean {
  const isInside = (at: number): boolean => {
    const [before, after] = [text[at - 1] ?? '', text[at] ?? '']
    return WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after) && !(/\p{Ll}/u.test(before) && /\p{Lu}/u.test(after))
  }
  return !isInside(start) && !isInside(end)
}

/** The text in lower case without spaces and underscores, and the index each unit came from. */
function withoutSpaces(text: string): { squeezed: string; from: number[] } {
  let squeezed = ''
  const from: number[] = []
  for (let i = 0; i < text.length; i++) {
    const unit = text[i] as string
    if (/[\s_]/.test(unit)) continue
    const lower = unit.toLowerCase()
    squeezed += lower.length === 1 ? lower : unit
    from.push(i)
  }
  return { squeezed, from }
}
