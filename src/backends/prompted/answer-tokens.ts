// The tokens that answer a branch, and what their log-probabilities say of its candidates: the same for every model
// that answers in text, wherever it runs.
import { logSoftmax, logSumExp } from '../../core/math.ts'
import type { Branch, ScoreRow } from '../backend.ts'
import { type AnswerSymbols, listPrompt, type ScoredPrompt } from './prompt-template.ts'

/**
 * The tokens that answer with a symbol: those in front of all symbols (a lone space, for tokenizers that split it from
 * digits), then each symbol's ids.
 */
export interface SymbolTokens {
  readonly lead: readonly number[]
  readonly ids: readonly (readonly number[])[] // [symbol][spelling]
}

/**
 * Finds single tokens for all symbols; null when some symbol has none of its own. The first spelling of a symbol
 * decides, the others join when they are single tokens too.
 */
export function symbolTokensOf(
  symbols: AnswerSymbols,
  encode: (text: string) => readonly number[],
  opensWithSpace: boolean,
): SymbolTokens | null {
  if (symbols === null) return null
  const front = opensWithSpace ? '' : ' '
  const first = symbols.map(([spelling]) => encode(`${front}${spelling}`))
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
      const id = behindLead(encode(text))
      if (id === null || taken.has(id)) continue
      taken.add(id)
      ids[i]?.push(id)
    }
  })
  return { lead, ids }
}

const massOf = (logProbabilities: readonly number[]): number => Math.min(1, Math.exp(logSumExp(logProbabilities)))

/** A row from the log-probabilities of its symbols. */
export const rowOfSymbols = (logProbabilities: readonly number[]): ScoreRow => ({ logProbabilities, mass: massOf(logProbabilities) })

/**
 * A row from the log-probabilities of texts, each with its end; `lengths` are their tokens without the end. The row
 * sums to the probability of all texts; within it, candidates share by their mean log-probability, so that long names
 * are at no disadvantage.
 */
export function rowOfTexts(sums: readonly number[], lengths: readonly number[]): ScoreRow {
  const shares = logSoftmax(sums.map((sum, i) => sum / ((lengths[i] ?? 0) + 1)))
  return { logProbabilities: shares.map((share) => share + logSumExp(sums)), mass: massOf(sums) }
}

/** The same question to be answered in words: by candidate names, or by the first spellings of yes and no. */
export function inFull(branch: Branch, prompt: ScoredPrompt, about: string | null): { question: string; texts: string[] } {
  if (branch.readout === 'binary' || branch.readout === 'independent') {
    return { question: prompt.question, texts: (prompt.symbols ?? []).map(([spelling]) => spelling as string) }
  }
  return { question: listPrompt(branch, about, null).question, texts: branch.candidates.map(({ name }) => name) }
}
