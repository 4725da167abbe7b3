/** Pages to fill in. */
import type { Elements } from './elements.ts'
import { form, maybeNavigation, notice, options, page, sideBar } from './page-parts.ts'

export const login = (e: Elements, isNarrow: boolean): string =>
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

export const signUp = (e: Elements, isNarrow: boolean): string =>
  form(
    e,
    isNarrow,
    e.random.pick(['Create your account', 'Sign up', 'Register', 'Join us']),
    [e.random.pick(['Full name', 'First name', 'Username']), 'Email', 'Password', ...(e.random.chance(0.5) ? ['Confirm password'] : [])],
    e.random.pick(['Sign up', 'Create account', 'Register', 'Join']),
    options(e, 'checkbox', e.random.int(1, 2)),
  )

export const checkout = (e: Elements, isNarrow: boolean): string =>
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

export const anyForm = (e: Elements, isNarrow: boolean): string =>
  form(
    e,
    isNarrow,
    e.words.label('headings'),
    e.words.labels('fields', e.random.int(2, 7)),
    e.words.label('actions'),
    e.random.chance(0.5) ? options(e, e.random.pick(['radio', 'checkbox', 'toggle']), e.random.int(1, 4)) : '',
  )

export function settings(e: Elements, isNarrow: boolean): string {
  const { random, words } = e
  const groups = Array.from({ length: random.int(1, 3) }, () => {
    const title = words.label('headings')
    return `<div class="card col">${e.heading(title, 3)}${options(e, random.pick(['toggle', 'toggle', 'checkbox', 'radio']), random.int(2, 5))}</div>`
  })
  const main = `<div class="col grow">${e.heading(random.pick(['Settings', 'Preferences', 'Account settings', words.label('headings')]))}${notice(e, 0.25)}${groups.join('')}${random.chance(0.7) ? e.buttons(words.label('actions'), words.labels('actions', 1)) : ''}</div>`
  if (isNarrow || random.chance(0.5)) return maybeNavigation(e, isNarrow) + page(main)
  return sideBar(e, 4, page(main, 'flex:1'))
}
