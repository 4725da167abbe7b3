/** What several kinds of page have in common: navigation, notices, fields, forms, lists of options. */
import type { Elements } from './elements.ts'
import { icons } from './icons.ts'

/** `isNarrow`: a phone-like width, where side bars and wide tables do not fit. */
export interface PageKind {
  readonly name: string
  readonly weight: number
  /** True: no training page is of this kind. */
  readonly onlyDev?: boolean
  /** True: only training pages are of this kind, unless it is asked for. */
  readonly onlyTrain?: boolean
  readonly draw: (elements: Elements, isNarrow: boolean) => string
}

/** Kinds of page that a person would have no name for. */
export const PAGE_WITH_TABLE = 'page with a table'
export const MIXED_PAGE = 'mixed page'

export const COLOURS = ['', 'green', 'red', 'orange', 'blue'] as const

export const page = (html: string, style = ''): string => `<div class="page" style="${style}">${html}</div>`

export function navigation(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const labels = words.labels('tabs', random.int(3, isNarrow ? 4 : 6))
  const open = random.int(0, labels.length - 1)
  const withIcons = random.chance(0.3)
  const tabs = labels.map((label, i) => e.tab(label, i === open, withIcons ? random.pick(Object.keys(icons)) : undefined)).join('')
  const extras = random.sample(['search', 'bell', 'cart', 'user', 'settings', 'menu', 'mail'], random.int(0, isNarrow ? 1 : 3))
  const brand = random.chance(0.6) && !isNarrow ? `<b>${words.pick('brands')}</b>` : ''
  return `<div class="bar row between ${random.chance(0.2) ? 'tinted' : ''}" style="flex-wrap:nowrap">${brand}<div class="row" style="gap:4px;flex-wrap:nowrap">${tabs}</div><div class="row">${extras.map((name) => e.icon(name)).join('')}</div></div>`
}

/** A side bar of tabs, at least `few` of them, and the rest of the page beside it. */
export function sideBar(e: Elements, few: number, beside: string): string {
  const labels = e.words.labels('tabs', e.random.int(few, 7))
  const open = e.random.int(0, labels.length - 1)
  return `<div style="display:flex;height:100%"><div class="side">${labels.map((label, i) => e.tab(label, i === open)).join('')}</div>${beside}</div>`
}

export const maybeNavigation = (e: Elements, isNarrow: boolean, chance = 0.4): string =>
  e.random.chance(chance) ? navigation(e, isNarrow) : ''

export function notice(e: Elements, chance: number): string {
  if (!e.random.chance({ any: chance, trouble: 0.6, calm: chance * 1.5 }[e.mood])) return ''
  const calm = ['success', 'info', 'warning'] as const
  const roles = { any: ['error', ...calm], trouble: ['error', 'error', 'error', ...calm], calm } as const
  const role = e.random.pick(roles[e.mood])
  const list = ({ error: 'errors', success: 'successes', info: 'infos', warning: 'infos' } as const)[role]
  return e.banner(role, e.words.pick(list))
}

/** Fields in one of the usual states: empty, filled, one focused, some wrong. */
export function fields(e: Elements, labels: readonly string[]): string {
  const { random, words } = e
  const fill = random.pick([0, 0.5, 0.8, 1])
  const wrong = random.chance({ any: 0.4, trouble: 0.8, calm: 0 }[e.mood]) ? random.int(0, labels.length - 1) : -1
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

export function form(e: Elements, isNarrow: boolean, title: string, labels: readonly string[], main: string, extras: string): string {
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

export function options(e: Elements, role: 'checkbox' | 'radio' | 'toggle', count: number): string {
  const { random, words } = e
  const labels = words.labels(role === 'radio' ? 'choices' : 'options', count)
  const chosen = random.int(0, labels.length - 1)
  const share = random.pick([0.2, 0.5, 0.5, 0.8])
  const html = labels.map((label, i) => e.option(role, label, role === 'radio' ? i === chosen : random.chance(share), random.chance(0.05)))
  return `<div class="${random.chance(0.8) ? 'col' : 'row'}" style="${role === 'toggle' ? 'min-width:15em' : ''}">${html.join('')}</div>`
}
