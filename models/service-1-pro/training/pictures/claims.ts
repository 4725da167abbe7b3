/** Claims about a page, true about as often as false: what is shown, present, written, ticked, filled in. */
import { type Asker, absentNames, has, noul, ofRole, pickNamed, sameName, WORD_FOR } from './asking.ts'
import { PAGE_WITH_TABLE } from './page-parts.ts'

const NOTICES = {
  error: [
    'The form shows an error.',
    'There is an error message on the screen.',
    'Is an error shown?',
    'Did something go wrong here?',
    'An error is displayed.',
    'Does the page report a problem?',
  ],
  success: [
    'A success message is shown.',
    'Did the action succeed?',
    'The page confirms that something worked.',
    'Is there a success message?',
  ],
  dialog: [
    'A dialog is open.',
    'Is a dialog open?',
    'There is a pop-up on top of the page.',
    'A modal window covers the page.',
    'Is a pop-up window visible?',
  ],
  image: ['There is a picture on the page.', 'Does the page show an image?', 'Is a picture or chart visible?'],
  table: ['The page has a table.', 'There is a table on the page.', 'Is a table shown?', 'Does the page show a table?'],
  badge: ['There is a badge on the page.', 'Is a small label or badge shown?'],
  toggle: ['There is a toggle switch.', 'Does the page have switches?'],
  checkbox: ['There is a check box on the page.', 'Are there check boxes?'],
  radio: ['There are radio buttons.', 'Does the page have radio buttons?'],
  input: ['There is a text field.', 'Does the page have an input field?', 'Can the user type something in?'],
  tab: ['The page has tabs or a navigation bar.', 'Is there a navigation with several entries?'],
} as const

// biome-ignore format: repeats are weights
const SHOWN = ['error', 'error', 'error', 'success', 'dialog', 'dialog', 'image', 'toggle', 'checkbox', 'radio', 'input', 'tab', 'badge'] as const

export const isShown: Asker = ({ page, random, isBalanced }) => {
  const isThere = (role: keyof typeof NOTICES): boolean =>
    (role === 'table' ? page.kind === 'table' || page.kind === PAGE_WITH_TABLE : ofRole(page, role).length > 0) ||
    (role === 'error' && ofRole(page, 'input').some((element) => has(element, 'error')))
  const wanted = isBalanced ? random.chance(0.5) : null
  const roles = [...SHOWN, ...(isBalanced ? (['table'] as const) : [])].filter((role) => wanted === null || isThere(role) === wanted)
  if (roles.length === 0) return null
  const role = random.pick(roles)
  return noul(random.pick(NOTICES[role]), isThere(role))
}

const PRESENT: readonly ((what: string, name: string) => string)[] = [
  (what, name) => `There is a ${what} labelled ${name}.`,
  (what, name) => `Is there a "${name}" ${what}?`,
  (what, name) => `The page has a ${what} called "${name}".`,
  (what, name) => `Can you see the ${name} ${what}?`,
  (what, name) => `A ${name} ${what} is visible.`,
]

export const isPresent: Asker = (context) => {
  const { random, page } = context
  const element = pickNamed(context)
  if (!element || element.name.length > 40) return null
  const what = random.pick(WORD_FOR[element.role] ?? ['element'])
  const truth = random.chance(0.5)
  const iconNames = [
    'search',
    'close',
    'menu',
    'home',
    'user',
    'settings',
    'bell',
    'cart',
    'star',
    'heart',
    'trash',
    'mail',
    'phone',
    'calendar',
  ]
  const away =
    element.role === 'icon'
      ? iconNames.filter((name) => !page.elements.some((other) => other.name === name))
      : absentNames(context, element.role, 1)
  const name = truth ? element.name : random.pick(away)
  return name === undefined ? null : noul(random.pick(PRESENT)(what, name), truth)
}

export const saysText: Asker = (context) => {
  const { page, random, words } = context
  const readable = page.words.map((word) => word.text.replace(/[^\p{L}\p{N}]/gu, '')).filter((text) => text.length > 2)
  if (readable.length === 0) return null
  const truth = random.chance(0.5)
  const word = truth ? random.pick(readable) : words.word()
  if (!truth && readable.some((text) => sameName(text, word))) return null
  return noul(
    random.pick([
      `The word "${word}" appears in the picture.`,
      `Does the picture say "${word}"?`,
      `The text ${word} can be read.`,
      `Is the word ${word} on the page?`,
    ]),
    truth,
  )
}

export const isOn: Asker = (context) => {
  const { random } = context
  const element = pickNamed(context, ['checkbox', 'toggle', 'radio', 'tab'], ['checked', 'selected'])
  if (!element) return null
  const on = has(element, 'checked') || has(element, 'selected')
  const { name } = element
  const positive = {
    checkbox: [
      `The "${name}" box is ticked.`,
      `Is "${name}" checked?`,
      `${name} is selected.`,
      `The box "${name}" has a check mark.`,
      `Is the ${name} check box ticked?`,
    ],
    toggle: [`"${name}" is switched on.`, `Is ${name} turned on?`, `The ${name} switch is on.`, `${name} is enabled.`],
    radio: [`"${name}" is the chosen option.`, `Is ${name} selected?`, `The option ${name} is picked.`],
    tab: [`The ${name} tab is open.`, `Is "${name}" the active tab?`, `${name} is the selected entry.`],
  }
  const negative = {
    checkbox: [`The "${name}" box is empty.`, `${name} is not ticked.`],
    toggle: [`${name} is switched off.`, `Is ${name} turned off?`],
    radio: [`${name} is not chosen.`],
    tab: [`The ${name} tab is not open.`],
  }
  const role = element.role as keyof typeof positive
  return random.chance(0.8) ? noul(random.pick(positive[role]), on) : noul(random.pick(negative[role]), !on)
}

export const elementState: Asker = (context) => {
  const { random } = context
  const element = pickNamed(
    context,
    ['button', 'button', 'input', 'input', 'row', 'row'],
    ['disabled', 'primary', 'danger', 'error', 'selected', 'unread'],
  )
  if (!element) return null
  const { name } = element
  if (element.role === 'button') {
    return random.chance(0.5)
      ? noul(random.pick([`The ${name} button is disabled.`, `Is "${name}" greyed out?`]), has(element, 'disabled'))
      : noul(
          random.pick([`${name} is the main button.`, `Is "${name}" the highlighted button?`]),
          has(element, 'primary') || has(element, 'danger'),
        )
  }
  if (element.role === 'input') {
    return random.pick([
      () => noul(random.pick([`The ${name} field is empty.`, `Is nothing typed into "${name}"?`]), !has(element, 'filled')),
      () => noul(random.pick([`The ${name} field is filled in.`, `Has "${name}" been filled in?`]), has(element, 'filled')),
      () => noul(random.pick([`The ${name} field is marked as wrong.`, `Is there an error at "${name}"?`]), has(element, 'error')),
    ])()
  }
  if (context.page.kind === 'mail inbox')
    return noul(random.pick([`The mail "${name}" is unread.`, `Is "${name}" shown in bold as unread?`]), has(element, 'unread'))
  return noul(random.pick([`The row ${name} is highlighted.`, `Is "${name}" selected?`]), has(element, 'selected'))
}
