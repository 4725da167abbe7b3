/** Pages that list things: tables, mails, products, entries. */
import type { Elements } from './elements.ts'
import { icons } from './icons.ts'
import { COLOURS, maybeNavigation, notice, page } from './page-parts.ts'
import { capital } from './vocabulary.ts'

function cell(e: Elements, column: string): string {
  const { random, words } = e
  if (/name|owner|customer/i.test(column)) return words.person()
  if (/mail/i.test(column)) return words.email()
  if (/date|due/i.test(column)) return words.date()
  if (/amount|total|price/i.test(column)) return words.money()
  if (/product/i.test(column)) return words.product()
  if (/quantity|score|rating|stock|order|size|progress/i.test(column)) return String(random.int(1, 999))
  if (/status|priority|type|role|category/i.test(column)) {
    const status = words.pick('statuses')
    return random.chance(0.4) ? e.badge(status, random.pick(COLOURS)) : status
  }
  return capital(words.words(1))
}

export function table(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const first = random.pick(['Name', 'Product', 'Customer', 'Project'])
  const columns = [first, ...words.sample('columns', random.int(1, isNarrow ? 2 : 5)).filter((column) => column !== first)]
  const count = random.pick([0, 1, 2, 3, 4, 5, 6, 8, 10, 12])
  const rows = Array.from({ length: count }, () => columns.map((column) => cell(e, column)))
  const content =
    count === 0
      ? `${e.table(columns, [])}${e.text(random.pick(['No results found', 'Nothing here yet', 'No data']), 'muted')}`
      : e.table(columns, rows, random.chance(e.mood === 'any' ? 0.3 : 0.6) ? random.int(0, count - 1) : -1)
  const tools = `<div class="row between">${e.heading(words.label('headings'), 2)}<div class="row">${words
    .labels('actions', random.int(1, 3))
    .map((label, i) => e.button(label, { primary: i === 0 }))
    .join('')}</div></div>`
  return maybeNavigation(e, isNarrow) + page(`${tools}${notice(e, 0.2)}<div class="card">${content}</div>`)
}

export function inbox(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const count = random.int(1, 9)
  const selected = random.chance(e.mood === 'any' ? 0.4 : 0.6) ? random.int(0, count - 1) : -1
  const unreadShare = random.pick([0, 0.2, 0.6])
  const rows = Array.from({ length: count }, (_, i) => {
    const isUnread = random.chance(unreadShare)
    const subject = random.chance(0.7) ? words.pick('mailSubjects') : capital(words.words(random.int(2, 5)))
    const box = random.chance(0.4) ? `<span class="box"></span>` : ''
    const html = `${box}<span class="cut" style="width:${isNarrow ? 6 : 9}em;flex:none">${words.person()}</span><span class="cut grow">${subject}</span><span class="small muted">${words.date()}</span>`
    return e.wrap('row', subject, html, `item ${i === selected ? 'selected' : ''} ${isUnread ? 'unread' : ''}`, [
      i === selected && 'selected',
      isUnread && 'unread',
    ])
  })
  const labels = ['Inbox', ...random.sample(['Sent', 'Drafts', 'Spam', 'Trash', 'Starred', 'Archive', 'Important'], random.int(2, 5))]
  const open = random.chance(0.6) ? 0 : random.int(0, labels.length - 1)
  const side = labels.map((label, i) => e.tab(label, i === open)).join('')
  const list = `<div class="grow col" style="gap:0;min-width:0"><div class="row" style="padding:8px">${e.button(random.pick(['Compose', 'New message', 'Write']), { primary: true, icon: 'edit' })}${words
    .labels('actions', random.int(0, 2))
    .map((label) => e.button(label))
    .join('')}</div>${notice(e, 0.15)}${rows.join('')}</div>`
  return isNarrow
    ? `<div class="bar row">${side}</div>${list}`
    : `<div style="display:flex;height:100%"><div class="side">${side}</div>${list}</div>`
}

export function shop(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const columns = isNarrow ? 2 : random.int(2, 4)
  const buy = random.pick(['Add to cart', 'Buy now', 'View details', 'Add', 'Reserve'])
  const cards = Array.from({ length: random.int(1, columns * 2) }, () => {
    const name = words.product()
    const isGone = random.chance(0.15)
    const body = `${e.image(random.int(70, 130), random.int(50, 110), name)}<div>${name}</div><b>${words.money()}</b>${isGone ? e.badge('Sold out', 'red') : random.chance(0.15) ? e.badge(random.pick(['Sale', 'New', 'Popular']), random.pick(COLOURS)) : ''}${e.button(buy, { primary: random.chance(0.6), disabled: isGone })}`
    return e.wrap('card', name, body, 'card col')
  })
  return `${maybeNavigation(e, isNarrow, 0.7)}${page(`<div class="row between">${e.heading(words.label('headings'), 2)}${random.chance(0.5) ? e.icon('cart') : ''}</div>${notice(e, 0.15)}<div class="grid" style="grid-template-columns:repeat(${columns},1fr)">${cards.join('')}</div>`)}`
}

export function cart(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const rows = Array.from({ length: random.int(0, 5) }, () => {
    const name = words.product()
    return e.wrap(
      'row',
      name,
      `${e.image(40, 40, name)}<span class="grow">${name}</span><span>${random.int(1, 5)}</span><b>${words.money()}</b>${e.icon('trash')}`,
      'item',
    )
  })
  const list = rows.length > 0 ? rows.join('') : e.text('Your cart is empty', 'muted')
  return (
    maybeNavigation(e, isNarrow) +
    page(
      `${e.heading(random.pick(['Your cart', 'Shopping cart', 'Basket']))}${notice(e, 0.25)}<div class="card">${list}</div>${e.field('Coupon code', random.chance(0.3) ? { value: words.word() } : {})}<div class="row between"><b>Total</b><b class="metric">${words.money()}</b></div>${e.buttons(random.pick(['Checkout', 'Place order', 'Pay now']), words.labels('actions', 1))}`,
    )
  )
}

export function receipt(e: Elements): string {
  const { random, words } = e
  const items = Array.from({ length: random.int(1, 8) }, () => {
    const name = words.product()
    return e.wrap('row', name, `<span>${random.int(1, 4)} ${name}</span><span>${words.money()}</span>`, 'row between')
  })
  const line = '<div style="border-top:1px dashed #777;margin:6px 0"></div>'
  const body = `<div style="text-align:center">${e.heading(words.pick('shops'), 2)}${e.text(`${random.int(1, 200)} ${capital(words.word())} Street`, 'small')}${e.text(words.date(), 'small')}</div>${line}${items.join('')}${line}<div class="row between"><b>${random.pick(['Total', 'TOTAL', 'Amount due'])}</b><b>${words.money()}</b></div><div class="row between small"><span>${random.pick(['Cash', 'Card', 'Visa', 'Credit card'])}</span><span>${words.money()}</span></div>${line}<div style="text-align:center" class="small">${random.pick(['Thank you!', 'Please come again', 'Thank you for your visit'])}</div>`
  return page(`<div class="paper">${body}</div>`)
}

export function menu(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const entries = words
    .labels('actions', random.int(3, 8))
    .map((label) =>
      e.wrap('menu', label, `${random.chance(0.4) ? e.icon(random.pick(Object.keys(icons)), false) : ''}<span>${label}</span>`, 'item'),
    )
  return (
    maybeNavigation(e, isNarrow, 0.7) +
    page(
      `${e.heading(words.label('headings'), 2)}<div class="card" style="width:${random.int(160, 260)}px;padding:4px">${entries.join('')}</div>${notice(e, 0.2)}`,
    )
  )
}
