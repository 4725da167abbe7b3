// Scored branches behind a past: one pass gives the log-probabilities of all symbols of a question. Where candidates have no symbols of one
// token each, their texts are scored instead, by the mean log-probability of their tokens (so that long names are not put behind short ones).
//
// Branches run one after the other. Packed into one pass under an attention bias they would cost more, not less: the bias hides the other
// branches but does not skip them (GroupQueryAttention, 1024 kept tokens: 400 rows at once 30 ms a layer, ten times 40 rows 14 ms).
import { EngineError } from '../../../../errors.ts'
import { logSoftmax, logSumExp } from '../../../../math.ts'
import type { Branch, ScoreRow, Scores } from '../../../backend.ts'
import { divideOut, type Reading } from '../../scoring.ts'
import type { TextTokenizer } from '../../tokenizer.ts'
import type { Chat } from './chat.ts'
import type { Decoder } from './decoder.ts'
import type { Past } from './past.ts'
import { listed, type Symbols, type Wording, wordScored } from './wording.ts'

export interface Scorer {
  tokenizer: TextTokenizer
  chat: Chat
  decoder: Decoder
  /** Ids that end an answer. */
  endTokens: readonly number[]
  /** Refuses what does not fit behind the past; throws `context_length_exceeded`. */
  fits(past: Past, added: number): void
  /** As the probe found best; null reads every symbol as the model gives it. */
  reading: Reading | null
}

/** Where symbols are read: tokens said before them (a lone space, for tokenizers that split it from digits), then the ids that say each one. */
export interface ReadOut {
  readonly lead: readonly number[]
  readonly ids: readonly (readonly number[])[] // [symbol][spelling]
}

/** Finds single tokens for all symbols; null when some symbol has none of its own. The first spelling decides, the others join when they are single too. */
export function readOutOf(symbols: Symbols, tokenizer: TextTokenizer, opensWithSpace: boolean): ReadOut | null {
  if (symbols === null) return null
  const front = opensWithSpace ? '' : ' '
  const first = symbols.map(([spelling]) => tokenizer.encode(`${front}${spelling}`))
  const lead = first[0]?.slice(0, -1) ?? []
  const behindLead = (ids: readonly number[]): number | null =>
    ids.length === lead.length + 1 && lead.every((id, i) => ids[i] === id) ? (ids.at(-1) as number) : null
  const taken = new Set<number>()
  const ids: number[][] = []
  for (const main of first) {
    const id = behindLead(main)
    if (id === null || taken.has(id)) return null
    taken.add(id)
    ids.push([id])
  }
  symbols.forEach((spellings, i) => {
    // Without a lead the model may also leave the space out.
    for (const text of spellings.flatMap((spelling) => [`${front}${spelling}`, ...(lead.length === 0 ? [spelling] : [])])) {
      const id = behindLead(tokenizer.encode(text))
      if (id === null || taken.has(id)) continue
      taken.add(id)
      ids[i]?.push(id)
    }
  })
  return { lead, ids }
}

/** Log-probabilities of the symbols: spellings of one symbol are summed. */
function symbolRow(logits: Float32Array, ids: ReadOut['ids']): ScoreRow {
  const norm = logSumExp(logits)
  if (!Number.isFinite(norm)) throw new EngineError('internal_error', 'the model gave logits that are not numbers; try another dtype')
  const logProbabilities = ids.map((spellings) => logSumExp(spellings.map((id) => logits[id] as number)) - norm)
  return { logProbabilities, mass: massOf(logProbabilities) }
}

const massOf = (logProbabilities: readonly number[]): number => Math.min(1, Math.exp(logSumExp(logProbabilities)))

/** Candidate texts behind the question. The row sums to the probability of all texts, each with its end; within it, shares go by mean log-probability. */
async function textRow(
  scorer: Scorer,
  past: Past,
  question: readonly number[],
  texts: readonly string[],
): Promise<{ row: ScoreRow; tokens: number }> {
  const { tokenizer, chat, decoder, endTokens } = scorer
  const answers = texts.map((text) => tokenizer.encode(chat.opensWithSpace ? text : ` ${text}`))
  const longest = Math.max(...answers.map((ids) => ids.length))
  scorer.fits(past, question.length + longest)
  const behind = await decoder.next(past, question, true)
  const sums: number[] = []
  for (const ids of answers) {
    const rows = [behind.logits, ...(await decoder.each(behind.past, ids))]
    const ofTokens = ids.map((id, i) => (rows[i]?.[id] as number) - logSumExp(rows[i] as Float32Array))
    const last = rows.at(-1) as Float32Array
    // The end belongs to the answer: without it "ash" would take its share of "ashtray".
    sums.push(ofTokens.reduce((a, b) => a + b, 0) + logSumExp(endTokens.map((id) => last[id] as number)) - logSumExp(last))
  }
  const mass = massOf(sums)
  const shares = logSoftmax(sums.map((sum, i) => sum / ((answers[i]?.length ?? 0) + 1)))
  return {
    row: { logProbabilities: shares.map((share) => share + logSumExp(sums)), mass },
    tokens: question.length + answers.reduce((sum, ids) => sum + ids.length, 0),
  }
}

/** Rows of a branch behind a past, by symbols and as the model gives them; null when some symbol is not a single token. For the probe. */
export async function plainSymbolRows(scorer: Scorer, past: Past, branch: Branch): Promise<readonly ScoreRow[] | null> {
  const { tokenizer, chat } = scorer
  if (wordScored(branch, null).some(({ symbols }) => readOutOf(symbols, tokenizer, chat.opensWithSpace) === null)) return null
  return (await scoreBranch({ ...scorer, reading: null }, past, branch, null)).rows
}

/** Scores one branch. `about` is the picture it is about, when there are several. */
export async function scoreBranch(scorer: Scorer, past: Past, branch: Branch, about: string | null): Promise<Scores> {
  const { tokenizer, chat, decoder, reading } = scorer
  const wordings = wordScored(branch, about)
  const isBySymbols = reading?.readsSymbols(branch) ?? true
  const logPrior = (await reading?.logPriorOf(branch)) ?? null
  const shared = tokenizer.encode(wordings[0]?.shared ?? '')
  let behind = past
  if (shared.length > 0) {
    scorer.fits(past, shared.length)
    behind = await decoder.read(past, await decoder.embed(shared))
  }
  const rows: ScoreRow[] = []
  let inputTokens = shared.length
  for (const wording of wordings) {
    const readOut = isBySymbols ? readOutOf(wording.symbols, tokenizer, chat.opensWithSpace) : null
    if (readOut === null) {
      const spelled = inFull(branch, wording, about)
      const { row, tokens } = await textRow(scorer, behind, chat.encodeQuestion(spelled.question), spelled.texts)
      rows.push(row)
      inputTokens += tokens
      continue
    }
    const ids = [...chat.encodeQuestion(wording.question), ...readOut.lead]
    scorer.fits(behind, ids.length)
    const row = symbolRow((await decoder.next(behind, ids)).logits, readOut.ids)
    rows.push(logPrior === null ? row : divideOut(row, logPrior))
    inputTokens += ids.length
  }
  return { rows, inputTokens }
}

/** The same question to be answered in words: candidate names, or the first spellings of yes and no. */
function inFull(branch: Branch, wording: Wording, about: string | null): { question: string; texts: string[] } {
  if (branch.readout === 'binary' || branch.readout === 'independent') {
    return { question: wording.question, texts: (wording.symbols ?? []).map(([spelling]) => spelling as string) }
  }
  return { question: listed(branch, about, null).question, texts: branch.candidates.map(({ name }) => name) }
}
