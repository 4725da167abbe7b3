/** The kinds of page, how often each is drawn, and the dialog that may lie over any of them. */
import type { Elements } from './elements.ts'
import { anyForm, checkout, login, settings, signUp } from './form-pages.ts'
import { cart, inbox, menu, receipt, shop, table } from './list-pages.ts'
import { mixedPage, pageWithTable } from './mixed-pages.ts'
import { fields, MIXED_PAGE, options, PAGE_WITH_TABLE, type PageKind } from './page-parts.ts'
import { article, calendar, chat, components, dashboard, profile, wordWall } from './reading-pages.ts'
import { capital } from './vocabulary.ts'

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
  { name: PAGE_WITH_TABLE, weight: 26, onlyTrain: true, draw: pageWithTable },
  { name: MIXED_PAGE, weight: 22, onlyTrain: true, draw: mixedPage },
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
