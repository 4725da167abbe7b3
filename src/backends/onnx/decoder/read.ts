// Reads behind a past: greedy decoding under a constraint, one token a pass, each at its own turn, with the keys and
// values of the question kept between them.
import type { Automaton } from '../../../constraint/automaton.ts'
import { type Decoded, decode } from '../../../constraint/decode.ts'
import { compileGrammar } from '../../../constraint/grammar.ts'
import { compileSpans, readSpans } from '../../../constraint/substring.ts'
import { buildTokenTrie, constrainTokens, type TokenConstraint, type TokenTrie } from '../../../constraint/token-trie.ts'
import { EngineError } from '../../../core/errors.ts'
import type { Prompt } from '../../../core/types.ts'
import type { Branch, Constraint, Generated } from '../../backend.ts'
import { NOTHING, wordRead } from '../../prompted/prompt-template.ts'
import { makeFairScheduler } from '../scheduling/fair-scheduler.ts'
import { readBehind, readFirst } from './decoder.ts'
import type { Past } from './kv-cache.ts'
import { makeLines } from './mutex.ts'
import type { Scorer } from './score.ts'

/** Tokens a quoted span, or all of several, may take. */
const SPAN_TOKENS = 128
const MANY_SPANS_TOKENS = 384
/** Compiled grammars kept: their masks are what costs. */
const KEPT_GRAMMARS = 16

/** The same language with an optional space in front, as most tokenizers write the first word of an answer. */
export function afterSpace(inner: Automaton): Automaton {
  const SPACE = 0x20
  const START = -1
  return {
    start: START,
    step: (state, byte) => (state !== START ? inner.step(state, byte) : byte === SPACE ? inner.start : inner.step(inner.start, byte)),
    accepts: (state) => inner.accepts(state === START ? inner.start : state),
  }
}

export interface Reader {
  /** Rejects with the signal's reason when that aborts, after the pass it is in. */
  generate(
    past: Past,
    prompt: Prompt,
    branch: Branch,
    constraint: Constraint,
    about: string | null,
    signal?: AbortSignal,
  ): Promise<Generated>
}

export function makeReader(scorer: Scorer): Reader {
  const { tokenizer, chat, decoder } = scorer
  const scheduler = scorer.scheduler ?? makeFairScheduler()
  const lines = scorer.lines ?? makeLines()
  // A new line ends an answer of one line, where the constraint does not ask for one.
  const newLines = ['\n', '\n\n'].map((text) => tokenizer.encode(text)).flatMap((ids) => (ids.length === 1 ? ids : []))
  const endTokens = [...new Set([...scorer.endTokens, ...newLines])]
  const grammars = new Map<string, TokenConstraint>()
  let trie: TokenTrie | null = null
  const tokenTrie = (): TokenTrie => {
    trie ??= buildTokenTrie(tokenizer.vocabulary)
    return trie
  }
  const grammarOf = (constraint: Constraint & { type: 'grammar' }): TokenConstraint => {
    const key = JSON.stringify(constraint.grammar)
    let found = grammars.get(key)
    if (found === undefined) {
      const automaton = compileGrammar(constraint.grammar)
      found = constrainTokens(tokenTrie(), chat.opensWithSpace ? automaton : afterSpace(automaton))
      if (grammars.size >= KEPT_GRAMMARS) grammars.delete(grammars.keys().next().value as string)
      grammars.set(key, found)
    }
    return found
  }

  /** What is decoded behind a question; each call of `next` is given the answer so far. */
  const answer = async (
    past: Past,
    question: readonly number[],
    decodeWith: (next: (tokens: readonly number[]) => Promise<Float32Array>) => Promise<Decoded>,
    signal: AbortSignal | undefined,
  ): Promise<Decoded> => {
    let kept = past
    try {
      const first = readFirst(decoder, { ids: question, last: 1 })
      if (first > 0) kept = await readBehind(decoder, scheduler, past, question.slice(0, first), signal)
      return await decodeWith(async (tokens) => {
        const ids = tokens.length === 0 ? question.slice(first) : [tokens.at(-1) as number]
        const read = await scheduler.run(() => decoder.next(kept, ids, true), signal)
        // An answer that outgrows the room behind the state has gone elsewhere, and leaves it.
        const before = kept
        kept = read.past
        decoder.release(before, past)
        return read.logits
      })
    } finally {
      decoder.release(kept, past)
    }
  }

  return {
    async generate(past, prompt, branch, constraint, about, signal) {
      if (constraint.type === 'box') {
        throw new EngineError('capability_not_supported', 'this model cannot point at pixels; use a model whose capabilities say boxes')
      }
      const question = chat.encodeQuestion(wordRead(branch, constraint, about))
      const maxTokens = constraint.type === 'grammar' ? constraint.maxTokens : constraint.many ? MANY_SPANS_TOKENS : SPAN_TOKENS
      scorer.fits(past, question.length + maxTokens)

      const decodeBy = (tokens: TokenConstraint): Promise<Decoded> =>
        lines(signal ?? past, () => answer(past, question, (next) => decode(next, tokens, { maxTokens, endTokens }), signal))
      if (constraint.type === 'grammar') {
        const decoded = await decodeBy(grammarOf(constraint))
        const text = chat.opensWithSpace ? decoded.text : decoded.text.replace(/^ /, '')
        return { type: 'text', text, complete: decoded.complete, ...counted(question, decoded) }
      }
      const spans = compileSpans(prompt, {
        format: constraint.format,
        many: constraint.many,
        nothing: NOTHING,
        leadingSpace: !chat.opensWithSpace,
      })
      const decoded = await decodeBy(constrainTokens(tokenTrie(), spans))
      return { type: 'spans', spans: readSpans(spans, decoded), ...counted(question, decoded) }
    },
  }
}

/** Log-probabilities are those under the constraint: how sure the model was among the answers it was allowed. */
function counted(question: readonly number[], { tokens, constrainedLogProbability }: Decoded) {
  return { inputTokens: question.length, outputTokens: tokens.length, logProbability: constrainedLogProbability }
}
