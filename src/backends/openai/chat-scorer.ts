// Scores branches by the likeliest tokens behind a chat message, where a server gives no others: letters and digits of
// up to ten candidates, yes and no. A symbol that is not among them gets the most that it can have.
//
// More candidates than that are each asked as a yes or no. They share by the odds of their yes, and the mass is the
// mean of what yes and no had.
import { logSumExp } from '../../core/math.ts'
import type { Branch, ScoreRow, Scores } from '../backend.ts'
import { rowOfSymbols } from '../prompted/answer-tokens.ts'
import { type ScoredPrompt, scoredPrompts } from '../prompted/prompt-template.ts'
import { shareOfClaims } from '../statements.ts'
import type { ChatDriver, ContentPart, RemoteChatModel, TopTokens, WrittenToken } from './driver.ts'
import { inTurn } from './token-scorer.ts'

/** The likeliest 20 tokens hold so many symbols with room for their spellings. */
const MOST_SYMBOLS = 10

export interface ChatState {
  readonly asked: RemoteChatModel
  readonly content: readonly ContentPart[]
  /** Hears of every answer what its prompt took. Returns the tokens behind the state. */
  heard(answer: Pick<TopTokens, 'promptTokens' | 'cachedTokens'>, behind: string): number
  /** How the user's text is written, for servers that read control tokens in it. */
  plain(text: string): string
}

export async function scoreByChat(driver: ChatDriver, state: ChatState, branch: Branch, about: string | null): Promise<Scores> {
  const { readout, candidates } = branch
  const isList = readout === 'exclusive' || readout === 'ordinal'
  const isOneByOne = isList && candidates.length > MOST_SYMBOLS
  const prompts = scoredPrompts(isOneByOne ? { ...branch, readout: 'independent' } : branch, about)
  const answers = await inTurn(prompts, async ({ shared, question, symbols }: ScoredPrompt) => {
    const text = state.plain(shared + question)
    const answer = await driver.top(state.asked, [...state.content, { type: 'text', text }])
    return { row: symbolRow(answer.top, symbols ?? []), tokens: state.heard(answer, text) }
  })
  const inputTokens = answers.reduce((sum, { tokens }) => sum + tokens, 0)
  const rows = answers.map(({ row }) => row)
  return { rows: isOneByOne ? [shareOfClaims(rows)] : rows, inputTokens }
}

/** A row over symbols, each by its spellings, as they stand alone or behind a space. */
export function symbolRow(top: readonly WrittenToken[], symbols: readonly (readonly string[])[]): ScoreRow {
  const found = symbols.map((spellings) =>
    logSumExp(top.filter(({ text }) => spellings.includes(text.trim())).map(({ logProbability }) => logProbability)),
  )
  const missing = found.filter((log) => log === Number.NEGATIVE_INFINITY).length
  if (missing === 0) return rowOfSymbols(found)
  // None that is missing can have more than the least of the likeliest, and all of them no more than what is left.
  const least = Math.min(...top.map(({ logProbability }) => logProbability))
  const rest = 1 - Math.exp(logSumExp(top.map(({ logProbability }) => logProbability)))
  const most = Math.max(LEAST, Math.min(least, Math.log(Math.max(0, rest) / missing)))
  return rowOfSymbols(found.map((log) => (log === Number.NEGATIVE_INFINITY ? most : log)))
}

const LEAST = -1000
