/** Questions about a cell of a table, or about the value of a fact: to be quoted, written, chosen or claimed. */
import { type Asked, type Asker, type Context, choice, noul, ofRole, sameName, uniquelyNamed } from './asking.ts'
import type { ElementLabel, PageLabels } from './page-labels.ts'

interface Said {
  /** How a question names it: "total of Desk lamp". */
  readonly what: string
  readonly value: string
  /** Wrong options: the other values of the column, or other facts. */
  readonly others: readonly string[]
}

const MOST_LETTERS = 40

const textIn = ({ words }: PageLabels, { box: [left, top, right, bottom] }: ElementLabel): string =>
  words
    .filter(({ box: [l, t, r, b] }) => l > left - 2 && r < right + 2 && (t + b) / 2 > top && (t + b) / 2 < bottom)
    .sort((a, b) => a.box[0] - b.box[0])
    .map(({ text }) => text)
    .join(' ')

const isBeside = (a: ElementLabel, b: ElementLabel): boolean => Math.abs(a.box[1] + a.box[3] - b.box[1] - b.box[3]) < a.box[3] - a.box[1]

function said({ page, random }: Context): Said | null {
  const cells = ofRole(page, 'cell')
  const facts = uniquelyNamed(ofRole(page, 'fact'))
  const isCell = cells.length > 0 && (facts.length === 0 || random.chance(0.7))
  if (!isCell && facts.length === 0) return null
  if (!isCell) {
    const fact = random.pick(facts)
    const others = facts.filter((other) => other !== fact).map((other) => textIn(page, other))
    return kept({ what: fact.name.toLowerCase(), value: textIn(page, fact), others })
  }
  const cell = random.pick(cells)
  const row = cells.filter((other) => isBeside(cell, other))
  const keys = row.filter((other) => other !== cell).map((other) => textIn(page, other))
  const texts = cells.map((other) => textIn(page, other))
  const usable = keys.filter((key) => /[a-z0-9]{2}/i.test(key) && texts.filter((text) => sameName(text, key)).length === 1)
  if (usable.length === 0) return null
  const key = random.chance(0.6) ? (usable[0] as string) : random.pick(usable)
  const others = cells.filter((other) => other !== cell && other.name === cell.name).map((other) => textIn(page, other))
  return kept({ what: `${cell.name.toLowerCase()} of ${key}`, value: textIn(page, cell), others })
}

const kept = ({ what, value, others }: Said): Said | null =>
  value === '' || value.length > MOST_LETTERS ? null : { what, value, others: others.filter((other) => other !== '') }

const asked = ({ random }: Context, what: string): string =>
  random.pick([`The ${what}`, `What is the ${what}?`, `${what}`, `Tell me the ${what}.`])

/** A name on the page, or sometimes one that is not on it. */
export const readSaid: Asker = (context) => {
  const { page, random, words } = context
  const one = said(context)
  if (one === null) return null
  const absent = random.pick([words.product(), words.person()])
  const isAbsent = one.what.includes(' of ') && random.chance(0.12) && !page.words.some(({ text }) => absent.includes(text))
  const what = isAbsent ? one.what.replace(/ of .*$/, ` of ${absent}`) : one.what
  const type = isAbsent || random.chance(0.75) ? 'extract' : 'fill'
  return { question: { type, kind: 'text', instructions: asked(context, what) }, truth: isAbsent ? null : one.value }
}

export const chooseSaid: Asker = (context) => {
  const one = said(context)
  return one === null ? null : choice(context, asked(context, one.what), one.value, one.others)
}

export const claimSaid: Asker = (context): Asked | null => {
  const { random } = context
  const one = said(context)
  const wrong = one?.others.filter((other) => !sameName(other, one.value)) ?? []
  if (one === null || wrong.length === 0) return null
  const truth = random.chance(0.5)
  const value = truth ? one.value : random.pick(wrong)
  return noul(random.pick([`The ${one.what} is ${value}.`, `Is the ${one.what} ${value}?`, `${value} is the ${one.what}.`]), truth)
}
