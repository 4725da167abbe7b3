// Texts written token by token: the vocabulary's logits and those of copying each state token make one distribution, decoded under a grammar.
import { withLeadingSpace } from '../../../../constraint/automaton.ts'
import { decode } from '../../../../constraint/decode.ts'
import { compileGrammar, LIST_SEPARATOR } from '../../../../constraint/grammar.ts'
import {
  buildTokenTrie,
  constrainTokens,
  type TokenConstraint,
  type TokenTrie,
  type Vocabulary,
} from '../../../../constraint/token-trie.ts'
import type { Constraint, Grammar } from '../../../backend.ts'
import { byteOfCharacter } from '../../runtime/byte-level.ts'
import { CONTROL, VOCABULARY } from './control.ts'
import type { PackedState } from './pack.ts'
import { byQuote, type NextLogits, type Quote } from './quoting.ts'
import type { PieceTokenizer } from './text.ts'

/** The pieces as a trie of bytes. Control ids have no bytes: no grammar can want one. */
function pieceTrie(tokenizer: PieceTokenizer): TokenTrie {
  const bytes = byteOfCharacter()
  const vocabulary: Vocabulary = Array.from({ length: VOCABULARY }, (_, id) => {
    const spelling = tokenizer.spelling(id)
    return spelling === '' ? null : Uint8Array.from(spelling, (character) => bytes.get(character) ?? 0)
  })
  return buildTokenTrie(vocabulary)
}

/** What a grammar allows, in pieces. */
interface Language {
  readonly tokens: TokenConstraint
  /** Some value of the grammar starts with a space of its own. */
  readonly hasOwnSpace: boolean
}

const KEPT_LANGUAGES = 32
const SPACE = 0x20

/** Grammars in pieces. The last ones are kept: what may come next is worked out while writing, and takes longer than the writing. */
export class Languages {
  readonly #tokenizer: PieceTokenizer
  readonly #kept = new Map<string, Language>()
  #trie: TokenTrie | null = null

  constructor(tokenizer: PieceTokenizer) {
    this.#tokenizer = tokenizer
  }

  of(grammar: Grammar): Language {
    const key = JSON.stringify(grammar)
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    this.#trie ??= pieceTrie(this.#tokenizer)
    const automaton = compileGrammar(grammar)
    const language = {
      tokens: constrainTokens(this.#trie, withLeadingSpace(automaton)),
      hasOwnSpace: automaton.step(automaton.start, SPACE) !== null,
    }
    if (this.#kept.size >= KEPT_LANGUAGES) this.#kept.delete(this.#kept.keys().next().value as string)
    this.#kept.set(key, language)
    return language
  }
}

/** Logits behind what was written so far. */
export type WriteLogits = (written: readonly number[]) => Promise<NextLogits>

export interface Written {
  readonly text: string
  readonly complete: boolean
  readonly tokens: number
  readonly logProbability: number
}

/** Greedy under the grammar. What is written is lower case as the model reads; words of the state get their own case back. `quote`: see quoting.ts. */
export async function write(
  logitsOf: WriteLogits,
  constraint: Constraint & { type: 'grammar' },
  languages: Languages,
  state: PackedState,
  quote: Quote | null,
): Promise<Written> {
  const { tokens, hasOwnSpace } = languages.of(constraint.grammar)
  const next = async (written: readonly number[]): Promise<Float32Array> => {
    const logits = await logitsOf(written)
    return addCopies(quote === null ? logits : byQuote(logits, written, state.ids, quote), state.ids)
  }
  const decoded = await decode(next, tokens, { maxTokens: constraint.maxTokens, endTokens: [CONTROL.end] })
  // A space in front belongs to the first piece, unless the grammar itself has values that start with one.
  const text = !hasOwnSpace && decoded.text.startsWith(' ') ? decoded.text.slice(1) : decoded.text
  return {
    text: restored(text, constraint.grammar, state),
    complete: decoded.complete,
    tokens: decoded.tokens.length,
    logProbability: decoded.constrainedLogProbability,
  }
}

/** The model reads and writes lower case; words that stand in the state are given as they stand there. */
function restored(text: string, grammar: Grammar, state: PackedState): string {
  if (grammar.type === 'text') return asWritten(text, state)
  if (grammar.type !== 'list' || grammar.item.type !== 'text') return text
  return text
    .split(LIST_SEPARATOR)
    .map((item) => asWritten(item, state))
    .join(LIST_SEPARATOR)
}

/** One distribution over ids: a token that may be copied has the sum of writing and copying it. */
function addCopies({ vocabulary, copy }: NextLogits, ids: readonly number[]): Float32Array {
  const logits = vocabulary.slice()
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number
    if (id >= VOCABULARY) continue
    const a = logits[id] as number
    const b = copy[i] as number
    const top = Math.max(a, b)
    logits[id] = top + Math.log(Math.exp(a - top) + Math.exp(b - top))
  }
  return logits
}

/** The same words as they stand in the state, the first time they do, on one line; the text itself when they are not there. */
function asWritten(text: string, state: PackedState): string {
  const key = squeeze(text).squeezed
  if (key === '') return text
  const seen = new Set<string>()
  for (const origin of state.origins) {
    if (origin === null || seen.has(origin.text)) continue
    seen.add(origin.text)
    const { squeezed, from } = squeeze(origin.text)
    for (let at = squeezed.indexOf(key); at >= 0; at = squeezed.indexOf(key, at + 1)) {
      const [start, end] = [from[at] as number, (from[at + key.length - 1] as number) + 1]
      if (isWhole(origin.text, start, end)) return origin.text.slice(start, end).replaceAll(/\s+/g, ' ')
    }
  }
  return text
}

const WORD = /[\p{L}\p{N}\p{M}]/u

/** Whether a stretch starts and ends where words do: "art" is not in "start"; "movies" is in "FindMovies". */
function isWhole(text: string, start: number, end: number): boolean {
  const isInside = (at: number): boolean => {
    const [before, after] = [text[at - 1] ?? '', text[at] ?? '']
    return WORD.test(before) && WORD.test(after) && !(/\p{Ll}/u.test(before) && /\p{Lu}/u.test(after))
  }
  return !isInside(start) && !isInside(end)
}

/** Lower case without spaces and underscores, and where each unit came from. */
function squeeze(text: string): { squeezed: string; from: number[] } {
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
