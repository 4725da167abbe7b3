/** Pages to look at: figures, conversations, texts, loose parts. */
import type { Elements } from './elements.ts'
import { icons } from './icons.ts'
import { COLOURS, fields, maybeNavigation, navigation, notice, options, page } from './page-parts.ts'
import { capital } from './vocabulary.ts'

export function dashboard(e: Elements, isNarrow: boolean): string {
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

export function chat(e: Elements, isNarrow: boolean): string {
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

export function profile(e: Elements, isNarrow: boolean): string {
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

export function article(e: Elements, isNarrow: boolean): string {
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

/** Words in all sizes and colours, only there to be read. */
export function wordWall(e: Elements): string {
  const { random, words } = e
  const blocks = Array.from({ length: random.int(20, 45) }, () => {
    const text = random.chance(0.3) ? capital(words.words(1)) : words.words(random.int(1, 3))
    return `<span style="font-size:${random.int(10, 26)}px;${random.chance(0.2) ? `background:hsl(${random.int(0, 359)} 60% 35%);color:#fff;padding:2px 6px;` : ''}${random.chance(0.25) ? 'font-weight:700;' : ''}${random.chance(0.1) ? 'text-transform:uppercase;' : ''}">${text}</span>`
  })
  return page(`<div class="row" style="gap:${random.int(6, 22)}px">${blocks.join('')}</div>`)
}

export function components(e: Elements, isNarrow: boolean): string {
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

export function calendar(e: Elements, isNarrow: boolean): string {
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
