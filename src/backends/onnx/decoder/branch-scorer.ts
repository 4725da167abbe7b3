// Scores branches behind a KV cache: one row of tokens gives the log-probabilities of all symbols of a question. Where
// candidates have no symbols of one token each, their texts are scored instead, by the mean log-probability of their
// tokens (so that long names are at no disadvantage).
//
// Rows of all branches, of all requests about the same state, go through the model together, as many at a time as are
// fastest (batcher.ts).
import { EngineError } from '../../../core/errors.ts'
import { logSumExp } from '../../../core/math.ts'
import type { Branch, ScoreRow, Scores } from '../../backend.ts'
import { inFull, rowOfSymbols, rowOfTexts, type SymbolTokens, symbolTokensOf } from '../../prompted/answer-tokens.ts'
import { type ScoredPrompt, scoredPrompts } from '../../prompted/prompt-template.ts'
import { divideOut } from '../../prompted/scoring.ts'
import { type Batcher, makeBatcher } from '../scheduling/batcher.ts'
import type { NextTokenLogits, TokenRow } from './contract.ts'
import { isLong, prefillBehind, prefilledTokens } from './decoder.ts'
import type { KvCache } from './kv-cache.ts'
import type { DecoderModel } from './model.ts'

/** Scores branches behind one KV cache. Branches that are scored at the same time share passes. */
export interface BranchScorer {
  /**
   * `about` names the image the branch is about, when there are several. Rejects with the signal's reason when that
   * aborts.
   */
  score(branch: Branch, about: string | null, signal?: AbortSignal): Promise<Scores>
}

/** Tokens of a pass: from here on, more at once are no faster, and others wait longer. */
export const MOST_TOKENS = 200
/**
 * Tokens that rows may repeat of each other before it pays to prefill them once: a pass that only prefills is short, so
 * slow for its tokens, and the KV cache is copied to grow.
 */
const MOST_REPEATED_TOKENS = 64

/** Log-probability of any of the tokens. */
function logOf({ logits, norm }: NextTokenLogits, ids: readonly number[]): number {
  if (!Number.isFinite(norm)) throw new EngineError('internal_error', 'the model gave logits that are not numbers; try another dtype')
  return logSumExp(ids.map((id) => logits[id] as number)) - norm
}

/** Log-probabilities of the symbols: spellings of one symbol are summed. */
const symbolLogs = (next: NextTokenLogits, ids: SymbolTokens['ids']): number[] => ids.map((spellings) => logOf(next, spellings))

/**
 * A row, and how the logits behind its last tokens are reduced to a few numbers. They are reduced within the pass: kept
 * for each token, logits over a vocabulary would take all memory for the options of a few questions.
 */
interface ScoredRow extends TokenRow {
  /** `from`: how many of the last tokens were in earlier parts of the row. The numbers of all parts are added up. */
  reduce(next: readonly NextTokenLogits[], from: number): readonly number[]
}

type RowBatcher = Batcher<ScoredRow, readonly number[]>

function batcherBehind({ decoder, scheduler }: DecoderModel, cache: KvCache): RowBatcher {
  return makeBatcher<ScoredRow, readonly number[]>({
    scheduler,
    // Where each row takes a pass of its own, it takes a turn of its own.
    mostTokens: decoder.sharesPasses ? MOST_TOKENS : 0,
    tokensOf: ({ ids }) => ids.length,
    groupOf: () => '',
    async pass(rows) {
      const next = await decoder.rowLogits(cache, rows)
      return rows.map((row, i) => row.reduce(next[i] as readonly NextTokenLogits[], 0))
    },
  })
}

/** The scorer of each KV cache: all requests about one cache get the same scorer, so that their rows share passes. */
export function makeScorers(model: DecoderModel): (cache: KvCache) => BranchScorer {
  const scorers = new WeakMap<KvCache, BranchScorer>()
  return (cache) => {
    const known = scorers.get(cache)
    if (known !== undefined) return known
    const batcher = batcherBehind(model, cache)
    const made: BranchScorer = { score: (branch, about, signal) => scoreBranch(model, { cache, batcher }, branch, about, signal) }
    scorers.set(cache, made)
    return made
  }
}

export const scorerOf = (model: DecoderModel, cache: KvCache): BranchScorer => makeScorers(model)(cache)

/** A KV cache, and what runs rows behind it. */
interface RowPosition {
  readonly cache: KvCache
  readonly batcher: RowBatcher
}

/**
 * Runs rows that all begin with `shared`; [row]. The shared tokens are prefilled once when that saves enough; otherwise
 * they are part of each row, and the rows share passes with those of others.
 */
async function runRows(
  model: DecoderModel,
  position: RowPosition,
  shared: readonly number[],
  own: readonly ScoredRow[],
  signal: AbortSignal | undefined,
): Promise<(readonly number[])[]> {
  const caller = signal ?? position.cache
  // Logits behind shared tokens come with the rows, so those tokens have to be part of the rows.
  const isWithin = own.every(({ ids, last }) => last <= ids.length)
  if (shared.length === 0 || !isWithin || (own.length - 1) * shared.length <= MOST_REPEATED_TOKENS) {
    const whole = own.map((row) => ({ ...row, ids: [...shared, ...row.ids] }))
    if (!whole.some((row) => isLong(model.decoder, row))) return position.batcher.run(whole, signal)
    return model.mutex(caller, () => runAll(model, position, whole, signal))
  }
  return model.mutex(caller, async () => {
    const cache = await prefillBehind(model.decoder, model.scheduler, position.cache, shared, signal)
    try {
      return await runAll(model, { cache, batcher: batcherBehind(model, cache) }, own, signal)
    } finally {
      model.decoder.release(cache, position.cache)
    }
  })
}

/** Runs rows of which some may be long: the long ones run one after the other. */
async function runAll(
  model: DecoderModel,
  position: RowPosition,
  own: readonly ScoredRow[],
  signal: AbortSignal | undefined,
): Promise<(readonly number[])[]> {
  const short = own.filter((row) => !isLong(model.decoder, row))
  const ofShort = (await position.batcher.run(short, signal)).values()
  const found: (readonly number[])[] = []
  for (const row of own) {
    found.push(isLong(model.decoder, row) ? await runLong(model, position, row, signal) : (ofShort.next().value as readonly number[]))
  }
  return found
}

/**
 * Runs a long row: the tokens whose logits are not wanted are prefilled, the others run in parts, each behind the one
 * before.
 */
async function runLong(
  model: DecoderModel,
  { cache: base }: RowPosition,
  row: ScoredRow,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const { decoder, scheduler } = model
  const { ids, last } = row
  const wantedFrom = ids.length - last
  let cache = base
  let sums: readonly number[] = []
  let at = 0
  let to = prefilledTokens(decoder, row)
  try {
    while (at < ids.length) {
      if (to > at) {
        const before = cache
        cache = await prefillBehind(decoder, scheduler, before, ids.slice(at, to), signal)
        decoder.release(before, base)
      }
      at = to
      to = ids.length - at > 2 * decoder.chunk ? at + decoder.chunk : ids.length
      const from = Math.max(at, wantedFrom)
      const part: ScoredRow = { ids: ids.slice(at, to), last: to - from, reduce: (next) => row.reduce(next, from - wantedFrom) }
      const [values = []] = await batcherBehind(model, cache).run([part], signal)
      sums = values.map((value, i) => value + (sums[i] ?? 0))
      if (to === ids.length) break
    }
    return sums
  } finally {
    decoder.release(cache, base)
  }
}

/**
 * Scores candidate texts behind the question. The row sums to the probability of all texts, each with its end; within
 * it, candidates share by their mean log-probability.
 */
async function textRow(
  model: DecoderModel,
  position: RowPosition,
  question: readonly number[],
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ row: ScoreRow; tokens: number }> {
  const { tokenizer, prompts, endTokens } = model
  const answers = texts.map((text) => tokenizer.encode(prompts.opensWithSpace ? text : ` ${text}`))
  model.fits(position.cache, question.length + Math.max(...answers.map((ids) => ids.length)))
  // The logits behind the last token of the question are those of the first token of the answer, so that token is part
  // of each row.
  const last = question.at(-1) as number
  // The end belongs to the answer: without it "ash" would take its share of "ashtray".
  const meant = (ids: readonly number[], at: number): readonly number[] => (at < ids.length ? [ids[at] as number] : endTokens)
  const own = answers.map(
    (ids): ScoredRow => ({
      ids: [last, ...ids],
      last: ids.length + 1,
      reduce: (next, from) => [next.reduce((sum, one, i) => sum + logOf(one, meant(ids, from + i)), 0)],
    }),
  )
  const rows = await runRows(model, position, question.slice(0, -1), own, signal)
  const sums = rows.map(([sum]) => sum as number)
  return {
    row: rowOfTexts(
      sums,
      answers.map((ids) => ids.length),
    ),
    tokens: question.length + answers.reduce((sum, ids) => sum + ids.length, 0),
  }
}

/** Rows of a branch by symbols, as the model gives them; null when some symbol is not a single token. For the probe. */
export async function plainSymbolRows(model: DecoderModel, cache: KvCache, branch: Branch): Promise<readonly ScoreRow[] | null> {
  const { tokenizer, prompts } = model
  const hasTokens = ({ symbols }: ScoredPrompt) => symbolTokensOf(symbols, tokenizer.encode, prompts.opensWithSpace) !== null
  if (!scoredPrompts(branch, null).every(hasTokens)) return null
  return (await scorerOf({ ...model, reading: null }, cache).score(branch, null)).rows
}

async function scoreBranch(
  model: DecoderModel,
  position: RowPosition,
  branch: Branch,
  about: string | null,
  signal: AbortSignal | undefined,
): Promise<Scores> {
  const { tokenizer, prompts, reading } = model
  const written = scoredPrompts(branch, about)
  const isBySymbols = reading?.readsSymbols(branch) ?? true
  const logPrior = (await reading?.logPriorOf(branch)) ?? null
  const shared = tokenizer.encode(written[0]?.shared ?? '')
  // Prompts with symbols take one row of tokens each; all of them begin with the shared ones.
  const tokensOf = written.map(({ symbols }) => (isBySymbols ? symbolTokensOf(symbols, tokenizer.encode, prompts.opensWithSpace) : null))
  const own = written.map(({ question }, i): ScoredRow => {
    const { lead, ids } = tokensOf[i] ?? { lead: [], ids: [] }
    return {
      ids: [...prompts.encodeQuestion(question), ...lead],
      last: 1,
      reduce: ([next]) => symbolLogs(next as NextTokenLogits, ids),
    }
  })
  for (const { ids } of own) model.fits(position.cache, shared.length + ids.length)
  const hasSymbols = (i: number): boolean => tokensOf[i] !== null
  const symbolRows = runRows(
    model,
    position,
    shared,
    own.filter((_, i) => hasSymbols(i)),
    signal,
  )
  const textRows = written.flatMap((prompt, i) => {
    if (hasSymbols(i)) return []
    const { question, texts } = inFull(branch, prompt, about)
    return [textRow(model, position, [...shared, ...prompts.encodeQuestion(question)], texts, signal)]
  })
  const [bySymbol, byText] = await Promise.all([symbolRows, Promise.all(textRows)])

  let inputTokens = shared.length
  let [nextSymbol, nextText] = [0, 0]
  const rows = written.map((_, i) => {
    if (!hasSymbols(i)) {
      const { row, tokens } = byText[nextText++] as { row: ScoreRow; tokens: number }
      inputTokens += tokens - shared.length
      return row
    }
    const logProbabilities = bySymbol[nextSymbol++] as readonly number[]
    const row = rowOfSymbols(logProbabilities)
    inputTokens += own[i]?.ids.length ?? 0
    return logPrior === null ? row : divideOut(row, logPrior)
  })
  return { rows, inputTokens }
}
