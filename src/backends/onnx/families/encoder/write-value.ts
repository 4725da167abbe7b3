// What a model that points writes: the option of a grammar that fits best, a value that stands in the text, or a number
// that some of its numbers come to.
import { argmax } from '../../../../core/math.ts'
import { type Branch, type Candidate, type Grammar, LIST_SEPARATOR, type Scores } from '../../../backend.ts'
import { asksForAll } from './all-of-a-kind.ts'
import { readingOf } from './asked-numbers.ts'
import { everyQuote, everyValue } from './every-answer.ts'
import { numbersOf, oneQuote, oneValue, type SpanLogits } from './quotes.ts'
import { likeliestSum, STANDS, sumsOf } from './worked-out.ts'

/** A written answer before its grammar has seen it; null where nothing was found, for the reason if one is known. */
export interface WrittenAnswer {
  readonly text: string | null
  readonly logProbability: number
  readonly reason?: string
}

/** The state that a value is asked of. */
export interface ValueSource {
  readonly worksOut: boolean
  readonly weighsNothing: boolean
  score(branches: readonly Branch[]): Promise<Scores[]>
  pointers(): Promise<SpanLogits>
}

/** `branch` says what is asked; its readout and candidates are those of the grammar. */
export async function writeValue(source: ValueSource, branch: Branch, grammar: Grammar): Promise<WrittenAnswer> {
  if (grammar.type === 'enum') return chooseOne(source, branch, grammar.values)
  if (grammar.type === 'list' && grammar.item.type === 'enum') return chooseSome(source, branch, grammar.item.values, grammar.maxItems)
  const pointers = await source.pointers()
  if (grammar.type === 'list') return listOf(pointers, branch, grammar.item, grammar.maxItems)
  if (grammar.type === 'text') {
    const { spans, logProbability } = oneQuote(pointers, 'text')
    return { text: spans[0] === undefined ? null : onOneLine(spans[0].text), logProbability }
  }
  const { type } = grammar
  const reading = readingOf(branch.instructions)
  if (type !== 'date' && source.worksOut) {
    const made = await workOut(source, branch, type, numbersOf(pointers, type, reading))
    if (made !== null) return made
  }
  const { weighsNothing } = source
  const { value, ...rest } = oneValue(pointers, type, { question: branch.instructions, numbers: reading, weighsNothing })
  return { text: value, ...rest }
}

async function chooseOne(source: ValueSource, branch: Branch, values: readonly string[]): Promise<WrittenAnswer> {
  const [scores] = await source.score([{ ...branch, readout: 'exclusive', candidates: values.map(named) }])
  const { logProbabilities } = (scores as Scores).rows[0] as Scores['rows'][number]
  const best = argmax(logProbabilities)
  return { text: values[best] as string, logProbability: logProbabilities[best] as number }
}

async function chooseSome(source: ValueSource, branch: Branch, values: readonly string[], most: number): Promise<WrittenAnswer> {
  const [scores] = await source.score([{ ...branch, readout: 'independent', candidates: values.map(named) }])
  const rows = (scores as Scores).rows.map(({ logProbabilities }) => logProbabilities as readonly [number, number])
  const taken = values.filter((_, i) => (rows[i] as readonly [number, number])[0] > Math.log(0.5)).slice(0, most)
  return { text: taken.join(LIST_SEPARATOR), logProbability: rows.reduce((sum, [yes, no]) => sum + Math.max(yes, no), 0) }
}

/** What some of the numbers come to, read in both looks; null where the answer is likelier to stand in the text. */
async function workOut(
  source: ValueSource,
  branch: Branch,
  kind: 'int' | 'number',
  numbers: readonly number[],
): Promise<WrittenAnswer | null> {
  const sums = sumsOf(numbers)
  if (sums === null) return null
  const asked: Branch = { ...branch, readout: 'exclusive', candidates: [STANDS, ...sums.keys()].map(named) }
  const looks = await source.score([asked, { ...asked, look: 'second' }])
  return likeliestSum(
    sums,
    looks.map(({ rows }) => (rows[0] as Scores['rows'][number]).logProbabilities),
    kind,
  )
}

function listOf(pointers: SpanLogits, { instructions }: Branch, item: Grammar, most: number): WrittenAnswer {
  const kind = item.type
  if (kind === 'enum' || kind === 'list') throw new TypeError(`${kind} is not quoted`)
  const isOfAll = asksForAll(instructions, kind)
  const { values, logProbability } =
    kind === 'text' ? everyText(pointers, isOfAll) : everyValue(pointers, kind, isOfAll, readingOf(instructions))
  const taken = values.filter((text) => !text.includes(';')).slice(0, most)
  return { text: taken.join(LIST_SEPARATOR), logProbability }
}

function everyText(pointers: SpanLogits, isOfAll: boolean) {
  const { spans, logProbability } = everyQuote(pointers, 'text', isOfAll)
  return { values: spans.map(({ text }) => onOneLine(text)), logProbability }
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
const named = (name: string): Candidate => ({ name, description: null })
