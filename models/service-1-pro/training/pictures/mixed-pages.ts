/**
 * Pages of several parts, as in products: a table above a form, facts beside options.
 * They are drawn for training only unless the kind is asked for, so dev and rare pages stay as they were.
 */
import type { Elements } from './elements.ts'
import { COLOURS, fields, navigation, notice, options, page, sideBar } from './page-parts.ts'
import { capital } from './vocabulary.ts'

/** A column of a table, or a fact: its name, and possible values. */
const values = {
  Number: code,
  Order: code,
  Reference: code,
  Id: code,
  Article: ({ words }: Elements) => words.product(),
  Product: ({ words }: Elements) => words.product(),
  Item: ({ words }: Elements) => words.product(),
  Customer: ({ words }: Elements) => words.person(),
  Name: ({ words }: Elements) => words.person(),
  Owner: ({ words }: Elements) => words.person(),
  Contact: ({ words }: Elements) => words.person(),
  Email: ({ words }: Elements) => words.email(),
  Status: ({ words }: Elements) => words.pick('statuses'),
  State: ({ words }: Elements) => words.pick('statuses'),
  Total: amount,
  Price: amount,
  Amount: amount,
  Cost: amount,
  'Unit price': amount,
  Balance: amount,
  Date: ({ words }: Elements) => words.date(),
  Due: ({ words }: Elements) => words.date(),
  Created: ({ words }: Elements) => words.date(),
  'Last login': ({ words }: Elements) => words.date(),
  Quantity: ({ random }: Elements) => String(random.int(1, 99)),
  Stock: ({ random }: Elements) => String(random.int(0, 500)),
  Role: ({ random }: Elements) => random.pick(['Admin', 'Member', 'Guest', 'Owner', 'Editor', 'Viewer', 'Manager']),
  Plan: ({ random }: Elements) => random.pick(['Free', 'Basic', 'Pro', 'Team', 'Business']),
  Carrier: ({ words }: Elements) => words.pick('brands'),
  City: ({ words }: Elements) => capital(words.word()),
  Notes: ({ words, random }: Elements) => capital(words.words(random.int(1, 3))),
} as const

type Column = keyof typeof values
const COLUMNS = Object.keys(values) as Column[]

function code({ random }: Elements): string {
  const number = String(random.int(10, 99999))
  return random.pick([
    `A-${number}`,
    `#${number}`,
    number,
    `INV-${number}`,
    `${capital(random.pick(['ord', 'ref', 'tk']))}-${number}`,
    `${number}/${random.int(1, 9)}`,
  ])
}

function amount({ random, words }: Elements): string {
  const plain = (random.next() ** 3 * 900 + 1).toFixed(2)
  return random.pick([words.money(), plain, plain, `${plain} EUR`, `${plain} USD`])
}

/** Names for the first column, which says what a row is about. */
function columnsOf({ random }: Elements, count: number): Column[] {
  const first = random.sample(COLUMNS.slice(0, 10), random.int(1, 2))
  return [...new Set([...first, ...random.sample(COLUMNS.slice(6), count)])].slice(0, Math.max(2, count))
}

function table(e: Elements, isNarrow: boolean): string {
  const { random } = e
  const columns = columnsOf(e, random.int(2, isNarrow ? 3 : 6))
  const renamed = columns.map((column) => (random.chance(0.08) ? capital(e.words.words(1)) : column))
  // A table writes all values of one kind in the same way.
  const shows = columns.map((column) => (column === 'Status' || column === 'State') && random.chance(0.5))
  const rows = Array.from({ length: random.int(1, 7) }, () =>
    columns.map((column, i) => {
      const value = values[column](e)
      return shows[i] ? e.badge(value, random.pick(COLOURS)) : value
    }),
  )
  const html = e.table(renamed, rows, random.chance(0.25) ? random.int(0, rows.length - 1) : -1, true)
  return random.chance(0.5) ? html : `<div class="card">${html}</div>`
}

function facts(e: Elements): string {
  const { random } = e
  const width = random.pick(['6em', '9em', '14em'])
  const isBelow = random.chance(0.25)
  const columns = random.sample(COLUMNS, random.int(2, 6))
  const colon = random.chance(0.4) ? ':' : ''
  const lines = columns.map((column) => {
    const value = e.wrap('fact', column, values[column](e), '')
    const name = `<span class="muted" style="${isBelow ? '' : `width:${width}`}">${column}${colon}</span>`
    return isBelow ? `<div>${name}${value}</div>` : `<div class="row" style="flex-wrap:nowrap">${name}${value}</div>`
  })
  return `<div class="${random.chance(0.6) ? 'card ' : ''}${isBelow ? 'row' : 'col'}" style="${isBelow ? 'gap:2em' : ''}">${lines.join('')}</div>`
}

/** A field or two and a button, in one line. */
function inlineForm(e: Elements): string {
  const { random, words } = e
  const [main = 'Save', ...others] = words.labels('actions', random.int(1, 3))
  const buttons = [e.button(main, { primary: true }), ...others.map((label) => e.button(label))].join('')
  const inputs = words.labels('fields', random.int(1, 2)).map((label) => {
    const input = e.field(label, random.chance(0.7) ? { value: e.valueFor(label) } : {})
    return `<div style="${random.chance(0.5) ? 'flex:1' : `width:${random.int(10, 22)}em`}">${input}</div>`
  })
  return `<div class="row" style="align-items:${random.pick(['flex-end', 'center'])}">${inputs.join('')}${buttons}</div>`
}

function smallForm(e: Elements): string {
  const { random, words } = e
  const heading = random.chance(0.6) ? e.heading(words.label('headings'), 3) : ''
  const buttons = e.buttons(words.label('actions'), words.labels('actions', random.int(0, 2)))
  return `<div class="${random.chance(0.6) ? 'card ' : ''}col">${heading}${fields(e, words.labels('fields', random.int(1, 4)))}${random.chance(0.7) ? buttons : ''}</div>`
}

function choices(e: Elements): string {
  const { random, words } = e
  const heading = random.chance(0.6) ? e.heading(words.label('headings'), 3) : ''
  return `<div class="col">${heading}${options(e, random.pick(['checkbox', 'radio', 'toggle']), random.int(2, 4))}</div>`
}

function figures(e: Elements): string {
  const { random, words } = e
  const tiles = words
    .labels('metrics', random.int(2, 4))
    .map((name) =>
      e.wrap(
        'card',
        name,
        `<div class="muted small">${name}</div>${e.wrap('fact', name, random.pick([amount(e), String(random.int(1, 9999)), `${random.int(1, 99)}%`]), 'metric')}`,
        'card grow',
      ),
    )
  return `<div class="row">${tiles.join('')}</div>`
}

function text(e: Elements): string {
  const { random, words } = e
  const sentences = Array.from({ length: random.int(1, 3) }, () => words.sentence()).join(' ')
  return `${random.chance(0.4) ? e.heading(words.label('headings'), 3) : ''}${e.text(sentences, random.chance(0.3) ? 'muted' : '')}`
}

const parts = [facts, facts, inlineForm, inlineForm, smallForm, choices, figures, text] as const

function compose(e: Elements, isNarrow: boolean, own: readonly string[]): string {
  const { random, words } = e
  const beside = random.sample(parts, random.int(own.length > 0 ? 0 : 2, 3)).map((part) => part(e))
  const all = random.chance(0.7) ? [...own, ...beside] : random.shuffle([...own, ...beside])
  const title = random.chance(0.8) ? e.heading(words.label(random.pick(['headings', 'tabs']))) : ''
  const said = [title, notice(e, 0.25)]
  const body =
    random.chance(0.25) && !isNarrow && all.length > 1
      ? `<div class="grid" style="grid-template-columns:1fr 1fr;align-items:start">${all.map((part) => `<div>${part}</div>`).join('')}</div>`
      : all.join('')
  const main = page([...(random.chance(0.8) ? said : said.reverse()), body].join(''))
  if (isNarrow || random.chance(0.75)) return (random.chance(0.75) ? navigation(e, isNarrow) : '') + main
  return sideBar(e, 3, `<div style="flex:1;min-width:0">${main}</div>`)
}

export const pageWithTable = (e: Elements, isNarrow: boolean): string => compose(e, isNarrow, [table(e, isNarrow)])
export const mixedPage = (e: Elements, isNarrow: boolean): string => compose(e, isNarrow, [])
