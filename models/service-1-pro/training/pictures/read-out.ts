/**
 * Questions whose answer stands on the page and is to be quoted or written: labels, what is in a field, what stands
 * beside or below something.
 */
import { type Asked, type Asker, type Context, has, ofRole, uniquelyNamed } from './asking.ts'
import type { Box, PageLabels, WordLabel } from './page-labels.ts'

interface PageLine {
  readonly text: string
  readonly box: Box
}

/** Words further apart than this, in heights, are on different lines. */
const WIDEST_GAP = 0.8
const MOST_WORDS = 9

/** The words of a page as lines: words close to each other at one height. */
function linesOf({ words }: Pick<PageLabels, 'words'>): PageLine[] {
  const lines: { words: WordLabel[]; box: [number, number, number, number] }[] = []
  for (const word of [...words].sort((a, b) => a.box[0] - b.box[0])) {
    const [left, top, right, bottom] = word.box
    const height = bottom - top
    const own = lines.find(({ box }) => {
      const gap = left - box[2]
      const lower = Math.min(height, box[3] - box[1])
      return gap > -3 && gap <= WIDEST_GAP * lower && Math.abs((box[1] + box[3] - top - bottom) / 2) < 0.2 * lower
    })
    if (own === undefined) lines.push({ words: [word], box: [left, top, right, bottom] })
    else {
      own.words.push(word)
      own.box = [own.box[0], Math.min(own.box[1], top), right, Math.max(own.box[3], bottom)]
    }
  }
  return lines.map(({ words: own, box }) => ({ text: own.map(({ text }) => text).join(' '), box }))
}

const isShort = (text: string): boolean => text.split(' ').length <= MOST_WORDS

/** Three in four are to be quoted, the others to be written. */
function reading({ random }: Context, instructions: string, truth: string | null): Asked {
  const type = truth === null || random.chance(0.75) ? 'extract' : 'fill'
  return { question: { type, kind: 'text', instructions }, truth }
}

const unique = (lines: readonly PageLine[]): PageLine[] =>
  lines.filter(({ text }) => lines.filter((other) => other.text.toLowerCase() === text.toLowerCase()).length === 1)

/** What an element says: the only one of its kind, or null when there is none. */
export const label: Asker = (context) => {
  const { page, random } = context
  const [role, flags, questions] = random.pick([
    ['heading', [], ['What is the heading?', 'The title of the page']],
    ['dialog', [], ['The title of the dialog', 'What does the dialog ask?']],
    ['tab', ['selected', 'checked'], ['Which tab is open?', 'The name of the selected tab']],
    ['button', ['primary', 'danger'], ['The label of the main button', 'What does the primary button say?']],
    ['button', [], ['What does the button say?', 'The label of the button']],
    ['radio', ['checked', 'selected'], ['Which option is chosen?', 'The picked option']],
    ['toggle', ['checked'], ['The setting that is turned on', 'What is enabled?']],
    ['checkbox', ['checked'], ['The label of the ticked box', 'What is checked?']],
    ['error', [], ['The error message', 'What went wrong?', 'What does the error say?']],
    ['success', [], ['The message that says it worked', 'What was done?']],
    ['badge', [], ['What does the badge say?', 'The label beside it']],
    ['link', [], ['What does the link say?', 'The text of the link']],
  ] as const)
  const all = ofRole(page, role).filter((element) => flags.length === 0 || flags.some((flag) => has(element, flag)))
  const [only] = uniquelyNamed(all)
  if (all.length === 0 && random.chance(0.08)) return reading(context, random.pick(questions), null)
  return all.length === 1 && only !== undefined && isShort(only.name) ? reading(context, random.pick(questions), only.name) : null
}

/** What is in a field of a form; null for an empty one. */
export const fieldValue: Asker = (context) => {
  const { page, random } = context
  const fields = uniquelyNamed(ofRole(page, 'input'))
  if (fields.length === 0) return null
  const { name, box, flags } = random.pick(fields)
  const inside = linesOf({ words: page.words.filter((word) => contains(box, word.box)) })
  const isFilled = flags.some((flag) => flag === 'filled')
  if (inside.length > 1 || (inside.length === 1 && !isFilled) || (inside.length === 0 && random.chance(0.7))) return null
  const truth = inside[0]?.text ?? null
  if (truth !== null && (/^[•*]+$/.test(truth) || !isShort(truth))) return null
  const questions = [`What is entered in the field "${name}"?`, `The value of ${name}`, `${name}`, `What does the ${name} field hold?`]
  return reading(context, random.pick(questions), truth)
}

function contains([left, top, right, bottom]: Box, [l, t, r, b]: Box): boolean {
  const [x, y] = [(l + r) / 2, (t + b) / 2]
  return x > left && x < right && y > top && y < bottom
}

const WHAT = [
  [/^[$€£]\d/, ['price', 'amount', 'cost']],
  [/@/, ['email address', 'email']],
  [/^\d{4}-\d\d-\d\d$|^\d+ [A-Z][a-z]{2}$|^[A-Z][a-z]{2} \d+, \d{4}$/, ['date', 'day']],
  [/^\d+$/, ['number', 'value']],
] as const

/** What stands in the same row to the right: the price of a thing, the date of a mail. */
export const besideIt: Asker = (context) => {
  const { page, random } = context
  const lines = linesOf(page)
  const heads = unique(lines).filter(({ text }) => /[a-z]{3}/i.test(text) && isShort(text))
  if (heads.length === 0) return null
  const head = random.pick(heads)
  const right = lines
    .filter(({ box }) => box[0] > head.box[2] && Math.abs(box[1] + box[3] - head.box[1] - head.box[3]) < 0.6 * (head.box[3] - head.box[1]))
    .sort((a, b) => a.box[0] - b.box[0])
  const kinds = right.map(({ text }) => WHAT.find(([pattern]) => pattern.test(text))?.[1])
  const at = kinds.findIndex((kind) => kind !== undefined)
  const named = kinds[at]
  if (named !== undefined && kinds.filter((kind) => kind === named).length === 1 && random.chance(0.7)) {
    const what = random.pick(named)
    return reading(
      context,
      random.pick([`The ${what} of ${head.text}`, `What is the ${what} of ${head.text}?`, `${head.text}: ${what}`]),
      right[at]!.text,
    )
  }
  const [next] = right
  if (next === undefined || !isShort(next.text) || next.box[0] - head.box[2] > 0.5 * page.width) return null
  return reading(context, random.pick([`What stands to the right of "${head.text}"?`, `What is beside ${head.text}?`]), next.text)
}

/** A cell of a table, named by the first cell of its row and the header of its column. */
export const tableCell: Asker = (context) => {
  const { page, random } = context
  if (page.kind !== 'table') return null
  const lines = linesOf(page)
  const sameRow = (a: PageLine, b: PageLine): boolean => Math.abs(a.box[1] + a.box[3] - b.box[1] - b.box[3]) < 8
  const cell = random.pick(lines)
  const first = lines.filter((line) => sameRow(line, cell)).sort((a, b) => a.box[0] - b.box[0])[0]
  const above = lines.filter(
    ({ box }) => box[3] < cell.box[1] && (Math.abs(box[0] - cell.box[0]) < 5 || Math.abs(box[2] - cell.box[2]) < 5),
  )
  const head = above.sort((a, b) => a.box[1] - b.box[1])[0]
  if (head === undefined || first === undefined || first === cell || !isShort(cell.text) || above.length === 0) return null
  if (lines.filter(({ text }) => text === first.text).length > 1 || !/^[A-Z][a-z]+$/.test(head.text)) return null
  const what = head.text.toLowerCase()
  return reading(
    context,
    random.pick([`The ${what} of ${first.text}`, `What is the ${what} of ${first.text}?`, `${first.text}: ${head.text}`]),
    cell.text,
  )
}

/** The one address, price or date on the page. */
export const onlyOne: Asker = (context) => {
  const { page, random } = context
  const [pattern, names] = random.pick(WHAT.slice(0, 3))
  const found = linesOf(page).filter(({ text }) => pattern.test(text))
  const name = random.pick(names)
  if (found.length > 1 || (found.length === 0 && random.chance(0.94))) return null
  return reading(context, random.pick([`The ${name}`, `Which ${name} is shown?`, `What ${name} is there?`]), found[0]?.text ?? null)
}
