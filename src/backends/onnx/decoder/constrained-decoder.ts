// Constrained greedy decoding behind a KV cache: one token a pass, each in its own turn, with the keys and values of
// the question and of the answer so far kept between them.
import type { Automaton } from '../../../constraint/automaton.ts'
import { type Decoded, decode } from '../../../constraint/decode.ts'
import { compileGrammar } from '../../../constraint/grammar.ts'
import { compileSpans, readSpans } from '../../../constraint/substring.ts'
import { buildTokenTrie, constrainTokens, type TokenConstraint, type TokenTrie } from '../../../constraint/token-trie.ts'
import { EngineError } from '../../../core/errors.ts'
import type { Prompt } from '../../../core/types.ts'
import type { Branch, Constraint, Generated } from '../../backend.ts'
import { boxPrompt, NO_SPAN, readPrompt, spanTokens } from '../../prompted/prompt-template.ts'
import { type BoxFormat, pictureAsked, readBoxes, tokensOfBoxes } from './boxes.ts'
import { prefillBehind, prefilledTokens } from './decoder.ts'
import type { KvCache } from './kv-cache.ts'
import type { DecoderModel } from './model.ts'
import { joinedFrames } from './videos.ts'

const tokensOf = (constraint: Constraint): number => {
  if (constraint.type === 'grammar') return constraint.maxTokens
  return constraint.type === 'box' ? tokensOfBoxes(constraint.many) : spanTokens(constraint)
}
/** How many compiled grammars are cached: the token masks are what costs. */
const MOST_CACHED_GRAMMARS = 16

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

export interface ConstrainedDecoder {
  /** Rejects with the signal's reason when that aborts, after the pass it is in. */
  generate(
    cache: KvCache,
    prompt: Prompt,
    branch: Branch,
    constraint: Constraint,
    about: string | null,
    signal?: AbortSignal,
  ): Promise<Generated>
}

export function makeConstrainedDecoder(model: DecoderModel): ConstrainedDecoder {
  const { tokenizer, prompts, decoder, scheduler, mutex } = model
  // A new line ends an answer of one line, where the constraint does not ask for one.
  const newLines = ['\n', '\n\n'].map((text) => tokenizer.encode(text)).flatMap((ids) => (ids.length === 1 ? ids : []))
  const endTokens = [...new Set([...model.endTokens, ...newLines])]
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
      found = constrainTokens(tokenTrie(), prompts.opensWithSpace ? automaton : afterSpace(automaton))
      if (grammars.size >= MOST_CACHED_GRAMMARS) grammars.delete(grammars.keys().next().value as string)
      grammars.set(key, found)
    }
    return found
  }

  /** Decodes an answer behind a question; each call of `next` is given the answer so far. */
  const answer = async (
    cache: KvCache,
    question: readonly number[],
    decodeWith: (next: (tokens: readonly number[]) => Promise<Float32Array>) => Promise<Decoded>,
    signal: AbortSignal | undefined,
  ): Promise<Decoded> => {
    let kept = cache
    try {
      const first = prefilledTokens(decoder, { ids: question, last: 1 })
      if (first > 0) kept = await prefillBehind(decoder, scheduler, cache, question.slice(0, first), signal)
      return await decodeWith(async (tokens) => {
        const ids = tokens.length === 0 ? question.slice(first) : [tokens.at(-1) as number]
        const read = await scheduler.run(() => decoder.next(kept, ids, true), signal)
        // An answer that outgrows the room behind the state continues in a copy, so the room is free again.
        const before = kept
        kept = read.cache
        decoder.release(before, cache)
        return read.logits
      })
    } finally {
      decoder.release(kept, cache)
    }
  }

  return {
    async generate(cache, prompt, branch, constraint, about, signal) {
      const { boxes } = model
      if (constraint.type === 'box' && boxes === null) {
        throw new EngineError('capability_not_supported', 'this model cannot point at pixels; use a model whose capabilities say boxes')
      }
      const written =
        constraint.type === 'box'
          ? boxPrompt(branch, (boxes as BoxFormat).ask(constraint.many), about)
          : readPrompt(branch, constraint, about)
      const question = prompts.encodeQuestion(written)
      const maxTokens = tokensOf(constraint)
      model.fits(cache, question.length + maxTokens)

      const decodeBy = (tokens: TokenConstraint): Promise<Decoded> =>
        mutex(signal ?? cache, () => answer(cache, question, (next) => decode(next, tokens, { maxTokens, endTokens }), signal))
      if (constraint.type === 'box') {
        const format = boxes as BoxFormat
        const asked = pictureAsked(prompt, branch.image)
        if (prompts.joinsVideos && [...joinedFrames(prompt.pieces).values()].flat().some(({ id }) => id === asked.id)) {
          throw new EngineError(
            'capability_not_supported',
            `${asked.id} is a frame of a video, which this model reads as a whole and points into no frame of; send the frame as an image, or load the model with pictures: { videos: 'frames' }`,
          )
        }
        const tokens = format.constraint(tokenTrie(), asked.picture, constraint.many, prompts.opensWithSpace)
        const decoded = await decodeBy(tokens)
        return { type: 'boxes', boxes: readBoxes(format, asked, decoded, tokens.bytesOf), ...counted(question, decoded) }
      }
      if (constraint.type === 'grammar') {
        const decoded = await decodeBy(grammarOf(constraint))
        const text = prompts.opensWithSpace ? decoded.text : decoded.text.replace(/^ /, '')
        return { type: 'text', text, complete: decoded.complete, ...counted(question, decoded) }
      }
      const spans = compileSpans(prompt, {
        format: constraint.format,
        many: constraint.many,
        nothing: NO_SPAN,
        leadingSpace: !prompts.opensWithSpace,
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
