// Scored branches behind a past: one row of tokens gives the log-probabilities of all symbols of a question. Where candidates have no symbols of one
// token each, their texts are scored instead, by the mean log-probability of their tokens (so that long names are not put behind short ones).
//
// Rows of all branches, of all requests about the same past, go through the model together, as many at a time as are fastest (batches.ts).
import { EngineError } from '../../../core/errors.ts'
import { logSoftmax, logSumExp } from '../../../core/math.ts'
import type { Branch, ScoreRow, Scores } from '../../backend.ts'
import { listed, type Symbols, type Wording, wordScored } from '../../prompted/prompt-template.ts'
import { divideOut, type Reading } from '../../prompted/scoring.ts'
import type { Chat } from '../families/idefics3/chat.ts'
import type { TextTokenizer } from '../runtime/tokenizer.ts'
import { type Batcher, makeBatcher } from '../scheduling/batcher.ts'
import { type FairScheduler, makeFairScheduler } from '../scheduling/fair-scheduler.ts'
import type { Decoder, Row, Said } from './contract.ts'
import { isLong, readBehind, readFirst } from './decoder.ts'
import type { Past } from './kv-cache.ts'
import { type Lines, makeLines } from './mutex.ts'

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
  /** Of the model, which other requests take too. Default: its own. */
  scheduler?: FairScheduler
  /** One per model, like its scheduler. */
  lines?: Lines
}

/** Branches behind one past. Scores of many at the same time share passes. */
export interface BranchScorer {
  /** `about` is the picture the branch is about, when there are several. Rejects with the signal's reason when that aborts. */
  score(branch: Branch, about: string | null, signal?: AbortSignal): Promise<Scores>
}

/** Tokens of a pass: from here on, more at once are no faster, and others wait longer. */
export const MOST_TOKENS = 200
/**
 * Tokens that rows may repeat of each other before it pays to read them once: a pass that only reads is short, so slow for its tokens, and the past is
 * copied to grow.
 */
const MOST_REPEATED = 64

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

/** Log-probability of any of the tokens. */
function logOf({ logits, norm }: Said, ids: readonly number[]): number {
  if (!Number.isFinite(norm)) throw new EngineError('internal_error', 'the model gave logits that are not numbers; try another dtype')
  return logSumExp(ids.map((id) => logits[id] as number)) - norm
}

/** Log-probabilities of the symbols: spellings of one symbol are summed. */
const symbolsOf = (said: Said, ids: ReadOut['ids']): number[] => ids.map((spellings) => logOf(said, spellings))

const massOf = (logProbabilities: readonly number[]): number => Math.min(1, Math.exp(logSumExp(logProbabilities)))

/**
 * A row, and what is to be made of what is said behind its last tokens. That is made in its pass: with logits over a vocabulary kept for each token, the
 * options of a few questions would take all the memory there is.
 */
interface Asked extends Row {
  /** `from`: how many of the last tokens come before. What a row says in several parts is added up. */
  read(said: readonly Said[], from: number): readonly number[]
}

type Rows = Batcher<Asked, readonly number[]>

function rowsBehind({ decoder }: Scorer, scheduler: FairScheduler, past: Past): Rows {
  return makeBatcher<Asked, readonly number[]>({
    scheduler,
    // Where each row takes a pass of its own, it takes a turn of its own.
    mostTokens: decoder.sharesPasses ? MOST_TOKENS : 0,
    tokensOf: ({ ids }) => ids.length,
    groupOf: () => '',
    async pass(rows) {
      const said = await decoder.tails(past, rows)
      return rows.map((row, i) => row.read(said[i] as readonly Said[], 0))
    },
  })
}

/** Whoever asks about one past gets the same scorer, so that their rows share passes. */
export function makeScorers(scorer: Scorer): (past: Past) => BranchScorer {
  const scheduler = scorer.scheduler ?? makeFairScheduler()
  const lines = scorer.lines ?? makeLines()
  const scorers = new WeakMap<Past, BranchScorer>()
  return (past) => {
    const known = scorers.get(past)
    if (known !== undefined) return known
    const rows = rowsBehind(scorer, scheduler, past)
    const made: BranchScorer = {
      score: (branch, about, signal) => scoreRows(scorer, { scheduler, lines, past, rows }, branch, about, signal),
    }
    scorers.set(past, made)
    return made
  }
}

export const scorerOf = (scorer: Scorer, past: Past): BranchScorer => makeScorers(scorer)(past)

/** Where rows stand: a past, and who runs them behind it. */
interface Place {
  readonly scheduler: FairScheduler
  readonly lines: Lines
  readonly past: Past
  readonly rows: Rows
}

/**
 * Rows that all begin with `shared`, [row][token]: what is made of them. What they share is read once when that saves enough; else it is part of each row,
 * and they go in passes with others.
 */
async function runRows(
  scorer: Scorer,
  place: Place,
  shared: readonly number[],
  own: readonly Asked[],
  signal: AbortSignal | undefined,
): Promise<(readonly number[])[]> {
  const line = signal ?? place.past
  // Logits that are wanted of shared tokens come with the rows.
  const isWithin = own.every(({ ids, last }) => last <= ids.length)
  if (shared.length === 0 || !isWithin || (own.length - 1) * shared.length <= MOST_REPEATED) {
    const whole = own.map((row) => ({ ...row, ids: [...shared, ...row.ids] }))
    if (!whole.some((row) => isLong(scorer.decoder, row))) return place.rows.run(whole, signal)
    return place.lines(line, () => runAll(scorer, place, whole, signal))
  }
  return place.lines(line, async () => {
    const past = await readBehind(scorer.decoder, place.scheduler, place.past, shared, signal)
    try {
      return await runAll(scorer, { ...place, past, rows: rowsBehind(scorer, place.scheduler, past) }, own, signal)
    } finally {
      scorer.decoder.release(past, place.past)
    }
  })
}

/** Rows of which some may be long: those go one after the other. */
async function runAll(
  scorer: Scorer,
  place: Place,
  own: readonly Asked[],
  signal: AbortSignal | undefined,
): Promise<(readonly number[])[]> {
  const short = own.filter((row) => !isLong(scorer.decoder, row))
  const ofShort = (await place.rows.run(short, signal)).values()
  const found: (readonly number[])[] = []
  for (const row of own) {
    found.push(isLong(scorer.decoder, row) ? await runLong(scorer, place, row, signal) : (ofShort.next().value as readonly number[]))
  }
  return found
}

/** A long row: what nothing is wanted of is read, the others are run in parts, each behind those before it. */
async function runLong(
  scorer: Scorer,
  { scheduler, past: base }: Place,
  row: Asked,
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const { decoder } = scorer
  const { ids, last } = row
  const wantedFrom = ids.length - last
  let past = base
  let sums: readonly number[] = []
  let at = 0
  let to = readFirst(decoder, row)
  try {
    while (at < ids.length) {
      if (to > at) {
        const before = past
        past = await readBehind(decoder, scheduler, before, ids.slice(at, to), signal)
        decoder.release(before, base)
      }
      at = to
      to = ids.length - at > 2 * decoder.chunk ? at + decoder.chunk : ids.length
      const from = Math.max(at, wantedFrom)
      const part: Asked = { ids: ids.slice(at, to), last: to - from, read: (said) => row.read(said, from - wantedFrom) }
      const [values = []] = await rowsBehind(scorer, scheduler, past).run([part], signal)
      sums = values.map((value, i) => value + (sums[i] ?? 0))
      if (to === ids.length) break
    }
    return sums
  } finally {
    decoder.release(past, base)
  }
}

/** Candidate texts behind the question. The row sums to the probability of all texts, each with its end; within it, shares go by mean log-probability. */
async function textRow(
  scorer: Scorer,
  place: Place,
  question: readonly number[],
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ row: ScoreRow; tokens: number }> {
  const { tokenizer, chat, endTokens } = scorer
  const answers = texts.map((text) => tokenizer.encode(chat.opensWithSpace ? text : ` ${text}`))
  scorer.fits(place.past, question.length + Math.max(...answers.map((ids) => ids.length)))
  // The last token of the question says how an answer begins, so it is part of each row.
  const last = question.at(-1) as number
  // The end belongs to the answer: without it "ash" would take its share of "ashtray".
  const meant = (ids: readonly number[], at: number): readonly number[] => (at < ids.length ? [ids[at] as number] : endTokens)
  const own = answers.map(
    (ids): Asked => ({
      ids: [last, ...ids],
      last: ids.length + 1,
      read: (said, from) => [said.reduce((sum, one, i) => sum + logOf(one, meant(ids, from + i)), 0)],
    }),
  )
  const rows = await runRows(scorer, place, question.slice(0, -1), own, signal)
  const sums = rows.map(([sum]) => sum as number)
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
  return (await scorerOf({ ...scorer, reading: null }, past).score(branch, null)).rows
}

async function scoreRows(
  scorer: Scorer,
  place: Place,
  branch: Branch,
  about: string | null,
  signal: AbortSignal | undefined,
): Promise<Scores> {
  const { tokenizer, chat, reading } = scorer
  const { past } = place
  const wordings = wordScored(branch, about)
  const isBySymbols = reading?.readsSymbols(branch) ?? true
  const logPrior = (await reading?.logPriorOf(branch)) ?? null
  const shared = tokenizer.encode(wordings[0]?.shared ?? '')
  // Read by symbols: one row of tokens each, that all begin with what is shared.
  const readOuts = wordings.map(({ symbols }) => (isBySymbols ? readOutOf(symbols, tokenizer, chat.opensWithSpace) : null))
  const own = wordings.map((wording, i): Asked => {
    const { lead, ids } = readOuts[i] ?? { lead: [], ids: [] }
    return { ids: [...chat.encodeQuestion(wording.question), ...lead], last: 1, read: ([said]) => symbolsOf(said as Said, ids) }
  })
  for (const { ids } of own) scorer.fits(past, shared.length + ids.length)
  const isListed = (i: number): boolean => readOuts[i] !== null
  const listedRows = runRows(
    scorer,
    place,
    shared,
    own.filter((_, i) => isListed(i)),
    signal,
  )
  const spelledRows = wordings.flatMap((wording, i) => {
    if (isListed(i)) return []
    const { question, texts } = inFull(branch, wording, about)
    return [textRow(scorer, place, [...shared, ...chat.encodeQuestion(question)], texts, signal)]
  })
  const [said, spelled] = await Promise.all([listedRows, Promise.all(spelledRows)])

  let inputTokens = shared.length
  let [nextListed, nextSpelled] = [0, 0]
  const rows = wordings.map((_, i) => {
    const readOut = readOuts[i] ?? null
    if (readOut === null) {
      const { row, tokens } = spelled[nextSpelled++] as { row: ScoreRow; tokens: number }
      inputTokens += tokens - shared.length
      return row
    }
    const logProbabilities = said[nextListed++] as readonly number[]
    const row = { logProbabilities, mass: massOf(logProbabilities) }
    inputTokens += own[i]?.ids.length ?? 0
    return logPrior === null ? row : divideOut(row, logPrior)
  })
  return { rows, inputTokens }
}

/** The same question to be answered in words: candidate names, or the first spellings of yes and no. */
function inFull(branch: Branch, wording: Wording, about: string | null): { question: string; texts: string[] } {
  if (branch.readout === 'binary' || branch.readout === 'independent') {
    return { question: wording.question, texts: (wording.symbols ?? []).map(([spelling]) => spelling as string) }
  }
  return { question: listed(branch, about, null).question, texts: branch.candidates.map(({ name }) => name) }
}
