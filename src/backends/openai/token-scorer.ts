// Scores branches behind a state by the log-probabilities of chosen next tokens: symbols by one request a row, options
// in words by a trie of their tokens. What a row means is that of the `onnx` decoders (prompted/answer-tokens.ts).
import { logSumExp } from '../../core/math.ts'
import type { Branch, ScoreRow, Scores } from '../backend.ts'
import { inFull, rowOfSymbols, rowOfTexts, type SymbolTokens, symbolTokensOf } from '../prompted/answer-tokens.ts'
import { type AnswerSymbols, type ScoredPrompt, scoredPrompts } from '../prompted/prompt-template.ts'
import { divideOut, type SymbolReading } from '../prompted/scoring.ts'
import type { NextTokens, RemoteModel, TokenDriver } from './driver.ts'
import { pathKey, trieSteps } from './option-trie.ts'
import type { PromptWriter } from './prompts.ts'

export interface TokenScorerOptions {
  readonly driver: TokenDriver
  readonly prompts: PromptWriter
  /** Throws `context_length_exceeded` when a prompt of so many tokens does not fit. */
  fits(tokens: number): void
  /** Null: symbols wherever there are any, no prior divided out. */
  readonly reading: SymbolReading | null
}

/** An encoded state, and what asks about it. */
export interface TokenState {
  readonly asked: RemoteModel
  readonly ids: readonly number[]
  /** Hears of every answer how much of its prompt came from the server's cache. */
  heard(next: Pick<NextTokens, 'cachedTokens'>): void
}

export type TokenScorer = (state: TokenState, branch: Branch, about: string | null) => Promise<Scores>

export function makeTokenScorer({ driver, prompts, fits, reading }: TokenScorerOptions): TokenScorer {
  async function symbolTokens(asked: RemoteModel, symbols: AnswerSymbols): Promise<SymbolTokens | null> {
    if (symbols === null) return null
    const texts = [...new Set(symbols.flat().flatMap((spelling) => (prompts.opensWithSpace ? [spelling] : [spelling, ` ${spelling}`])))]
    const encoded = new Map(await Promise.all(texts.map(async (text) => [text, await prompts.text(asked, text)] as const)))
    return symbolTokensOf(symbols, (text) => encoded.get(text) ?? [], prompts.opensWithSpace)
  }

  async function next(
    { asked, heard }: TokenState,
    ids: readonly number[],
    wanted: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    const answer = await driver.next(asked, ids, wanted)
    heard(answer)
    return answer.logs
  }

  async function symbolRow(state: TokenState, prompt: readonly number[], { lead, ids }: SymbolTokens): Promise<ScoreRow> {
    const logs = await next(state, [...state.ids, ...prompt, ...lead], ids.flat())
    return rowOfSymbols(ids.map((spellings) => logSumExp(spellings.map((id) => logs.get(id) as number))))
  }

  async function textRow(
    state: TokenState,
    question: readonly number[],
    texts: readonly string[],
  ): Promise<{ row: ScoreRow; tokens: number }> {
    const options = await Promise.all(texts.map((text) => prompts.text(state.asked, prompts.opensWithSpace ? text : ` ${text}`)))
    fits(state.ids.length + question.length + Math.max(...options.map((ids) => ids.length)))
    const steps = trieSteps(options, prompts.endTokens)
    const ask = ({ path, wanted }: (typeof steps)[number]) => next(state, [...state.ids, ...question, ...path], wanted)
    // The first fills the cache that the others then find.
    const [first, ...others] = steps as [(typeof steps)[number], ...typeof steps]
    const answers = [await ask(first), ...(await Promise.all(others.map(ask)))]
    const logsBehind = new Map(steps.map(({ path }, i) => [pathKey(path), answers[i] as ReadonlyMap<number, number>]))
    const logAt = (path: readonly number[], ids: readonly number[]): number => {
      const logs = logsBehind.get(pathKey(path)) as ReadonlyMap<number, number>
      return logSumExp(ids.map((id) => logs.get(id) as number))
    }
    // The end belongs to the option: without it "ash" would take its share of "ashtray".
    const sums = options.map((ids) => ids.reduce((sum, id, i) => sum + logAt(ids.slice(0, i), [id]), logAt(ids, prompts.endTokens)))
    const lengths = options.map((ids) => ids.length)
    return { row: rowOfTexts(sums, lengths), tokens: lengths.reduce((sum, length) => sum + length, question.length) }
  }

  return async (state, branch, about) => {
    const { asked } = state
    const written = scoredPrompts(branch, about)
    const isBySymbols = reading?.readsSymbols(branch) ?? true
    const logPrior = (await reading?.logPriorOf(branch)) ?? null
    const shared = await prompts.text(asked, written[0]?.shared ?? '')
    const scoreOne = async (prompt: ScoredPrompt): Promise<{ row: ScoreRow; tokens: number }> => {
      const tokens = isBySymbols ? await symbolTokens(asked, prompt.symbols) : null
      if (tokens === null) {
        const { question, texts } = inFull(branch, prompt, about)
        return textRow(state, [...shared, ...(await prompts.question(asked, question))], texts)
      }
      const ids = [...shared, ...(await prompts.question(asked, prompt.question))]
      fits(state.ids.length + ids.length + tokens.lead.length)
      const row = await symbolRow(state, ids, tokens)
      return { row: logPrior === null ? row : divideOut(row, logPrior), tokens: ids.length + tokens.lead.length }
    }
    const rows = await inTurn(written, scoreOne)
    const inputTokens = rows.reduce((sum, { tokens }) => sum + tokens - shared.length, shared.length)
    return { rows: rows.map(({ row }) => row), inputTokens }
  }
}

/** The first alone, so that the cache of the server has what all share; then the others at once. */
export async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const [first, ...others] = items
  if (first === undefined) return []
  return [await work(first), ...(await Promise.all(others.map(work)))]
}
