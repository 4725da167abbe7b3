/** The kinds of page: each draws one page's HTML from the pieces in `elements.ts`. */
import type { Elements } from './elements.ts'
import { icons } from './icons.ts'
import { capital } from './vocabulary.ts'

/** `isNarrow`: a phone-like width, where side bars and wide tables do not fit. */
export interface PageKind {
  readonly name: string
  readonly weight: number
  /** True: no training page is of this kind. */
  readonly onlyDev?: boolean
  readonly draw: (elements: Elements, isNarrow: boolean) => string
}

const COLOURS = ['', 'green', 'red', 'orange', 'blue'] as const

const page = (html: string, style = ''): string => `<div class="page" style="${style}">${html}</div>`

function navigation(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const labels = words.labels('tabs', random.int(3, isNarrow ? 4 : 6))
  const open = random.int(0, labels.length - 1)
  const withIcons = random.chance(0.3)
  const tabs = labels.map((label, i) => e.tab(label, i === open, withIcons ? random.pick(Object.keys(icons)) : undefined)).join('')
  const extras = random.sample(['search', 'bell', 'cart', 'user', 'settings', 'menu', 'mail'], random.int(0, isNarrow ? 1 : 3))
  const brand = random.chance(0.6) && !isNarrow ? `<b>${words.pick('brands')}</b>` : ''
  return `<div class="bar row between ${random.chance(0.2) ? 'tinted' : ''}" style="flex-wrap:nowrap">${brand}<div class="row" style="gap:4px;flex-wrap:nowrap">${tabs}</div><div class="row">${extras.map((name) => e.icon(name)).join('')}</div></div>`
}

const maybeNavigation = (e: Elements, isNarrow: boolean, chance = 0.4): string => (e.random.chance(chance) ? navigation(e, isNarrow) : '')

function notice(e: Elements, chance: number): string {
  if (!e.random.chance(chance)) return ''
  const role = e.random.pick(['error', 'success', 'info', 'warning'] as const)
  const list = ({ error: 'errors', success: 'successes', info: 'infos', warning: 'infos' } as const)[role]
  return e.banner(role, e.words.pick(list))
}

/** Fields in one of the usual states: empty, filled, one focused, some wrong. */
function fields(e: Elements, labels: readonly string[]): string {
  const { random, words } = e
  const fill = random.pick([0, 0.5, 0.8, 1])
  const wrong = random.chance(0.4) ? random.int(0, labels.length - 1) : -1
  const alsoWrong = random.chance(0.2) ? random.int(0, labels.length - 1) : -1
  const focused = random.chance(0.2) ? random.int(0, labels.length - 1) : -1
  return labels
    .map((label, i) => {
      const error = wrong >= 0 && (i === wrong || i === alsoWrong) ? { error: words.pick('errors') } : {}
      const value = random.chance(fill) ? { value: e.valueFor(label) } : {}
      return e.field(label, {
        ...value,
        ...error,
        focused: i === focused,
        disabled: random.chance(0.05),
        area: /message|comment|description|notes|bio/i.test(label),
      })
    })
    .join('')
}

function form(e: Elements, isNarrow: boolean, title: string, labels: readonly string[], main: string, extras: string): string {
  const { random, words } = e
  const columns = !isNarrow && labels.length > 3 && random.chance(0.4) ? 'display:grid;grid-template-columns:1fr 1fr' : ''
  const body = `${e.heading(title)}${random.chance(0.3) ? e.text(words.sentence(), 'muted') : ''}${notice(e, 0.25)}<div class="col" style="${columns}">${fields(e, labels)}</div>${extras}${e.buttons(main, random.chance(0.6) ? words.labels('actions', random.int(1, 2)) : [], { disabled: random.chance(0.1) })}`
  const links = random.chance(0.5)
    ? `<div class="row">${e.link(random.pick(['Forgot password?', 'Create an account', 'Terms of service', 'Privacy policy', 'Need help?']))}</div>`
    : ''
  const width = isNarrow ? '100%' : `${random.int(300, 560)}px`
  const card = `<div class="${random.chance(0.7) ? 'card ' : ''}col" style="width:${width};${random.chance(0.7) ? 'margin:0 auto' : ''}">${body}${links}</div>`
  return maybeNavigation(e, isNarrow, 0.25) + page(card)
}

function options(e: Elements, role: 'checkbox' | 'radio' | 'toggle', count: number): string {
  const { random, words } = e
  const labels = words.labels(role === 'radio' ? 'choices' : 'options', count)
  const chosen = random.int(0, labels.length - 1)
  const share = random.pick([0.2, 0.5, 0.5, 0.8])
  const html = labels.map((label, i) => e.option(role, label, role === 'radio' ? i === chosen : random.chance(share), random.chance(0.05)))
  return `<div class="${random.chance(0.8) ? 'col' : 'row'}" style="${role === 'toggle' ? 'min-width:15em' : ''}">${html.join('')}</div>`
}

const login = (e: Elements, isNarrow: boolean): string =>
  form(
    e,
    isNarrow,
    e.random.pick(['Sign in', 'Log in', 'Welcome back', 'Sign in to your account', e.words.label('headings')]),
    [e.random.pick(['Email', 'Username', 'Email address']), 'Password'],
    e.random.pick(['Sign in', 'Log in', 'Continue', 'Next']),
    e.random.chance(0.7)
      ? e.option('checkbox', e.random.pick(['Remember me', 'Keep me signed in', 'Trust this device']), e.random.chance(0.5))
      : '',
  )

const signUp = (e: Elements, isNarrow: boolean): string =>
  form(
    e,
    isNarrow,
    e.random.pick(['Create your account', 'Sign up', 'Register', 'Join us']),
    [e.random.pick(['Full name', 'First name', 'Username']), 'Email', 'Password', ...(e.random.chance(0.5) ? ['Confirm password'] : [])],
    e.random.pick(['Sign up', 'Create account', 'Register', 'Join']),
    options(e, 'checkbox', e.random.int(1, 2)),
  )

const checkout = (e: Elements, isNarrow: boolean): string =>
  form(
    e,
    isNarrow,
    e.random.pick(['Checkout', 'Payment details', 'Shipping address', 'Payment']),
    e.words
      .sample('fields', 20)
      .filter((label) => /card|expiry|code|address|city|street|country|phone|name/i.test(label))
      .concat(['Card number'])
      .slice(0, e.random.int(3, 6)),
    e.random.pick(['Pay now', 'Place order', 'Continue', 'Buy now']),
    options(e, e.random.pick(['radio', 'checkbox']), e.random.int(2, 3)),
  )

const anyForm = (e: Elements, isNarrow: boolean): string =>
  form(
    e,
    isNarrow,
    e.words.label('headings'),
    e.words.labels('fields', e.random.int(2, 7)),
    e.words.label('actions'),
    e.random.chance(0.5) ? options(e, e.random.pick(['radio', 'checkbox', 'toggle']), e.random.int(1, 4)) : '',
  )

function settings(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const groups = Array.from({ length: random.int(1, 3) }, () => {
    const title = words.label('headings')
    return `<div class="card col">${e.heading(title, 3)}${options(e, random.pick(['toggle', 'toggle', 'checkbox', 'radio']), random.int(2, 5))}</div>`
  })
  const main = `<div class="col grow">${e.heading(random.pick(['Settings', 'Preferences', 'Account settings', words.label('headings')]))}${notice(e, 0.25)}${groups.join('')}${random.chance(0.7) ? e.buttons(words.label('actions'), words.labels('actions', 1)) : ''}</div>`
  if (isNarrow || random.chance(0.5)) return maybeNavigation(e, isNarrow) + page(main)
  const labels = words.labels('tabs', random.int(4, 7))
  const open = random.int(0, labels.length - 1)
  return `<div style="display:flex;height:100%"><div class="side">${labels.map((label, i) => e.tab(label, i === open)).join('')}</div>${page(main, 'flex:1')}</div>`
}

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

function table(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const first = random.pick(['Name', 'Product', 'Customer', 'Project'])
  const columns = [first, ...words.sample('columns', random.int(1, isNarrow ? 2 : 5)).filter((column) => column !== first)]
  const count = random.pick([0, 1, 2, 3, 4, 5, 6, 8, 10, 12])
  const rows = Array.from({ length: count }, () => columns.map((column) => cell(e, column)))
  const content =
    count === 0
      ? `${e.table(columns, [])}${e.text(random.pick(['No results found', 'Nothing here yet', 'No data']), 'muted')}`
      : e.table(columns, rows, random.chance(0.3) ? random.int(0, count - 1) : -1)
  const tools = `<div class="row between">${e.heading(words.label('headings'), 2)}<div class="row">${words
    .labels('actions', random.int(1, 3))
    .map((label, i) => e.button(label, { primary: i === 0 }))
    .join('')}</div></div>`
  return maybeNavigation(e, isNarrow) + page(`${tools}${notice(e, 0.2)}<div class="card">${content}</div>`)
}

function inbox(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const count = random.int(1, 9)
  const selected = random.chance(0.4) ? random.int(0, count - 1) : -1
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

function dashboard(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const tiles = words.labels('metrics', random.int(2, 5)).map((name) => {
    const value = random.pick([words.money(), String(random.int(1, 9999)), `${random.int(1, 99)}%`])
    return e.wrap(
      'card',
      name,
      `<div class="muted small">${name}</div><div class="metric">${value}</div>${random.chance(0.5) ? e.badge(`${random.pick(['+', '-'])}${random.int(1, 40)}%`, random.pick(['green', 'red'])) : ''}`,
      'card grow',
    )
  })
  const bars = Array.from(
    { length: random.int(4, 9) },
    () => `<div style="width:${random.int(16, 34)}px;height:${random.int(10, 120)}px" class="fill"></div>`,
  ).join('')
  const chart = e.wrap(
    'image',
    'chart',
    `<div class="row" style="align-items:flex-end;height:130px;flex-wrap:nowrap;overflow:hidden">${bars}</div>`,
    'card',
  )
  return (
    maybeNavigation(e, isNarrow, 0.7) +
    page(
      `${e.heading(random.pick(['Dashboard', 'Overview', words.label('headings')]))}${notice(e, 0.25)}<div class="row">${tiles.join('')}</div>${random.chance(0.7) ? chart : ''}${random.chance(0.5) ? e.buttons(words.label('actions'), words.labels('actions', 1)) : ''}`,
    )
  )
}

function shop(e: Elements, isNarrow: boolean): string {
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

function cart(e: Elements, isNarrow: boolean): string {
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

function chat(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const other = words.person()
  const bubbles = Array.from({ length: random.int(1, 8) }, () => {
    const isMine = random.chance(0.5)
    const text = random.chance(0.6) ? words.pick('chatLines') : words.sentence()
    return e.wrap('message', text, text, `bubble ${isMine ? 'mine' : ''}`, [isMine && 'mine'])
  })
  const head = `<div class="bar row between"><div class="row">${e.avatar(other)}${e.heading(other, 3)}</div><div class="row">${random
    .sample(['phone', 'camera', 'info', 'search'], 2)
    .map((name) => e.icon(name))
    .join('')}</div></div>`
  return `${head}${page(`${bubbles.join('')}${notice(e, 0.12)}<div class="row" style="flex-wrap:nowrap">${e.field(random.pick(['Message', 'Type a message', 'Write a reply']), random.chance(0.3) ? { value: words.words(3) } : {})}${e.button('Send', { primary: true })}</div>`, isNarrow ? '' : `max-width:${random.int(420, 800)}px`)}`
}

function receipt(e: Elements): string {
  const { random, words } = e
  const items = Array.from({ length: random.int(1, 8) }, () => {
    const name = words.product()
    return e.wrap('row', name, `<span>${random.int(1, 4)} ${name}</span><span>${words.money()}</span>`, 'row between')
  })
  const line = '<div style="border-top:1px dashed #777;margin:6px 0"></div>'
  const body = `<div style="text-align:center">${e.heading(words.pick('shops'), 2)}${e.text(`${random.int(1, 200)} ${capital(words.word())} Street`, 'small')}${e.text(words.date(), 'small')}</div>${line}${items.join('')}${line}<div class="row between"><b>${random.pick(['Total', 'TOTAL', 'Amount due'])}</b><b>${words.money()}</b></div><div class="row between small"><span>${random.pick(['Cash', 'Card', 'Visa', 'Credit card'])}</span><span>${words.money()}</span></div>${line}<div style="text-align:center" class="small">${random.pick(['Thank you!', 'Please come again', 'Thank you for your visit'])}</div>`
  return page(`<div class="paper">${body}</div>`)
}

function profile(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const name = words.person()
  const facts = words
    .labels('fields', random.int(2, 5))
    .map((label) => `<div class="row"><span class="muted" style="width:9em">${label}</span><span>${e.valueFor(label)}</span></div>`)
  return (
    maybeNavigation(e, isNarrow, 0.7) +
    page(
      `<div class="row">${e.image(72, 72, name)}<div>${e.heading(name, 2)}${e.text(words.pick('metrics'), 'muted')}</div>${random.chance(0.5) ? e.badge(words.pick('statuses'), random.pick(COLOURS)) : ''}</div>${notice(e, 0.2)}<div class="card col">${facts.join('')}</div>${e.buttons(words.label('actions'), words.labels('actions', random.int(1, 2)))}`,
    )
  )
}

function article(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const paragraphs = Array.from({ length: random.int(1, 5) }, () =>
    e.text(Array.from({ length: random.int(1, 5) }, () => words.sentence()).join(' ')),
  )
  const title = capital(words.words(random.int(2, 6)))
  return (
    maybeNavigation(e, isNarrow, 0.5) +
    page(
      `${e.heading(title)}${e.text(`${words.person()}, ${words.date()}`, 'muted small')}${random.chance(0.4) ? e.image(random.int(140, 260), random.int(80, 150), 'photo') : ''}${paragraphs.join('')}<div class="row">${words
        .labels('headings', random.int(1, 3))
        .map((label) => e.link(label))
        .join('')}</div>`,
      isNarrow ? '' : `max-width:${random.int(480, 1000)}px`,
    )
  )
}

/** Words of the language in every size and colour: only there to be read. */
function wordWall(e: Elements): string {
  const { random, words } = e
  const blocks = Array.from({ length: random.int(20, 45) }, () => {
    const text = random.chance(0.3) ? capital(words.words(1)) : words.words(random.int(1, 3))
    return `<span style="font-size:${random.int(10, 26)}px;${random.chance(0.2) ? `background:hsl(${random.int(0, 359)} 60% 35%);color:#fff;padding:2px 6px;` : ''}${random.chance(0.25) ? 'font-weight:700;' : ''}${random.chance(0.1) ? 'text-transform:uppercase;' : ''}">${text}</span>`
  })
  return page(`<div class="row" style="gap:${random.int(6, 22)}px">${blocks.join('')}</div>`)
}

function components(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const parts = [
    () => e.buttons(words.label('actions'), words.labels('actions', random.int(1, 3))),
    () => e.buttons(words.label('actions'), words.labels('actions', 1), { danger: true }),
    () => options(e, 'checkbox', random.int(2, 5)),
    () => options(e, 'radio', random.int(2, 4)),
    () => options(e, 'toggle', random.int(2, 5)),
    () => `<div class="col">${fields(e, words.labels('fields', random.int(1, 3)))}</div>`,
    () => navigation(e, isNarrow),
    () => notice(e, 1),
    () =>
      `<div class="row">${random
        .sample(Object.keys(icons), random.int(2, 7))
        .map((name) => e.icon(name))
        .join('')}</div>`,
    () =>
      `<div class="row">${Array.from({ length: random.int(2, 4) }, () => e.badge(words.pick('statuses'), random.pick(COLOURS))).join('')}</div>`,
    () => e.heading(words.label('headings')),
  ]
  return page(
    random
      .sample(parts, random.int(2, 5))
      .map((part) => part())
      .join(''),
  )
}

function menu(e: Elements, isNarrow: boolean): string {
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

function calendar(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const days = Array.from(
    { length: 28 },
    (_, i) =>
      `<div class="card" style="padding:4px;min-height:${isNarrow ? 30 : 46}px">${i + 1}${random.chance(0.15) ? `<div class="badge blue">${words.pick('products')}</div>` : ''}</div>`,
  )
  return (
    maybeNavigation(e, isNarrow, 0.6) +
    page(
      `<div class="row between">${e.heading(`${random.pick(['March', 'June', 'October'])} 202${random.int(0, 6)}`, 2)}${e.button('Today')}${e.button('New event', { primary: true })}</div><div class="grid" style="grid-template-columns:repeat(7,1fr);gap:4px">${days.join('')}</div>`,
    )
  )
}

export const pageKinds: readonly PageKind[] = [
  { name: 'login page', weight: 8, draw: login },
  { name: 'sign-up form', weight: 5, draw: signUp },
  { name: 'payment form', weight: 5, draw: checkout },
  { name: 'form', weight: 8, draw: anyForm },
  { name: 'settings page', weight: 9, draw: settings },
  { name: 'table', weight: 9, draw: table },
  { name: 'mail inbox', weight: 7, draw: inbox },
  { name: 'dashboard', weight: 7, draw: dashboard },
  { name: 'online shop', weight: 7, draw: shop },
  { name: 'shopping cart', weight: 4, draw: cart },
  { name: 'chat', weight: 5, draw: chat },
  { name: 'receipt', weight: 5, draw: receipt },
  { name: 'profile page', weight: 4, draw: profile },
  { name: 'article', weight: 5, draw: article },
  { name: 'menu', weight: 4, draw: menu },
  { name: 'parts', weight: 8, draw: components },
  { name: 'words', weight: 8, draw: wordWall },
  { name: 'calendar', weight: 5, onlyDev: true, draw: calendar },
]

/** A dialog over whatever page lies below. */
export function drawDialog(e: Elements): string {
  const { random, words } = e
  const body = random.pick([
    () => e.text(words.sentence()),
    () => e.text(random.pick(['This cannot be undone.', 'You will lose your changes.', 'Do you want to continue?'])),
    () => `<div class="col">${fields(e, words.labels('fields', random.int(1, 3)))}</div>`,
    () => options(e, random.pick(['checkbox', 'radio', 'toggle']), random.int(2, 4)),
  ])()
  const [main, ...others] = random.pick([
    ['Delete', 'Cancel'],
    ['OK', 'Cancel'],
    ['Yes', 'No'],
    ['Save', 'Discard', 'Cancel'],
    words.labels('actions', random.int(1, 3)),
  ])
  return e.dialog(
    random.chance(0.8) ? words.pick('dialogs') : capital(words.words(3)),
    body,
    e.buttons(main ?? 'OK', others, { danger: main === 'Delete' }),
    random.chance(0.4),
  )
}
