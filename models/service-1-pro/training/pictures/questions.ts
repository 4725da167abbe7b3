/** Measured pages to questions with their truth, in the row format of the training packs. Half of the claims are false. */

import { pageKinds } from './page-kinds.ts'
import type { ElementLabel, PageLabels } from './page-labels.ts'
import type { Random } from './random.ts'
import { shapeColours, shapeNames } from './shape-pictures.ts'
import type { ListName, Vocabulary } from './vocabulary.ts'

export interface Question {
  readonly type: 'noul' | 'choice' | 'select' | 'score' | 'extract'
  readonly instructions: string
  readonly criteria?: Readonly<Record<string, string | null>> | readonly string[]
  readonly kind?: 'coordinates'
}
export type Truth = boolean | string | number | readonly string[] | readonly number[] | null

export interface Asked {
  readonly question: Question
  readonly truth: Truth
}

interface Context {
  readonly page: PageLabels
  readonly random: Random
  readonly words: Vocabulary
}

type Asker = (context: Context) => Asked | null

const NONE = 'none of these'

const criteriaOf = (names: readonly string[]): Record<string, null> => Object.fromEntries(names.map((name) => [name, null]))

const noul = (instructions: string, truth: boolean): Asked => ({ question: { type: 'noul', instructions }, truth })

const ofRole = (page: PageLabels, ...roles: readonly string[]): ElementLabel[] =>
  page.elements.filter((element) => roles.includes(element.role))

const has = (element: ElementLabel, flag: string): boolean => element.flags.some((own) => own === flag)

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Elements whose name no other element of the same roles has, so that a question about the name has one answer. */
const uniquelyNamed = (elements: readonly ElementLabel[]): ElementLabel[] =>
  elements.filter((element) => element.name.length > 0 && elements.filter((other) => sameName(other.name, element.name)).length === 1)

// biome-ignore format: pairs, not lines
const LIST_OF: Readonly<Partial<Record<ElementLabel['role'], ListName>>> = {
  button: 'actions', menu: 'actions', input: 'fields', checkbox: 'options', toggle: 'options', radio: 'choices', tab: 'tabs', link: 'headings',
  heading: 'headings', row: 'products', card: 'products', error: 'errors', success: 'successes', dialog: 'dialogs', badge: 'statuses', message: 'chatLines',
}

/** Names an element of this role could have but none on the page has. */
function absentNames({ page, words, random }: Context, role: ElementLabel['role'], count: number): string[] {
  const all = page.elements.map((element) => element.name.toLowerCase())
  const shown = page.words.map((word) => word.text.toLowerCase()).join(' ')
  const list = LIST_OF[role] ?? 'headings'
  const drawn = Array.from({ length: count * 4 }, () => (random.chance(0.85) ? words.pick(list) : words.label(list)))
  return [...new Set(drawn)].filter((name) => !all.includes(name.toLowerCase()) && !shown.includes(name.toLowerCase())).slice(0, count)
}

/** A choice; now and then the truth is left out and "none of these" takes its place. */
function choice({ random }: Context, instructions: string, truth: string, others: readonly string[]): Asked | null {
  const wrong = [...new Set(others)].filter((name) => !sameName(name, truth) && name !== NONE)
  const shown = random.sample(wrong, random.int(1, 5))
  if (shown.length === 0) return null
  const withNone = random.chance(0.25)
  const isLeftOut = withNone && random.chance(0.4)
  const names = random.shuffle([...shown, ...(isLeftOut ? [] : [truth]), ...(withNone ? [NONE] : [])])
  if (names.length < 2) return null
  return { question: { type: 'choice', instructions, criteria: criteriaOf(names) }, truth: isLeftOut ? NONE : truth }
}

/** A select over names that hold and names that do not. */
function select({ random }: Context, instructions: string, holding: readonly string[], others: readonly string[]): Asked | null {
  const right = random.sample(holding, 5)
  const wrong = [...new Set(others)].filter((name) => !holding.some((held) => sameName(held, name)))
  const names = random.shuffle([...right, ...random.sample(wrong, random.int(1, 4))])
  if (names.length < 2) return null
  return { question: { type: 'select', instructions, criteria: criteriaOf(names) }, truth: names.filter((name) => right.includes(name)) }
}

const scale = (values: readonly number[], value: number): number => values.filter((bound) => value >= bound).length

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
  badge: ['There is a badge on the page.', 'Is a small label or badge shown?'],
  toggle: ['There is a toggle switch.', 'Does the page have switches?'],
  checkbox: ['There is a check box on the page.', 'Are there check boxes?'],
  radio: ['There are radio buttons.', 'Does the page have radio buttons?'],
  input: ['There is a text field.', 'Does the page have an input field?', 'Can the user type something in?'],
  tab: ['The page has tabs or a navigation bar.', 'Is there a navigation with several entries?'],
} as const

const isShown: Asker = ({ page, random }) => {
  const role = random.pick([
    'error',
    'error',
    'error',
    'success',
    'dialog',
    'dialog',
    'image',
    'toggle',
    'checkbox',
    'radio',
    'input',
    'tab',
    'badge',
  ] as const)
  const truth = ofRole(page, role).length > 0 || (role === 'error' && ofRole(page, 'input').some((element) => has(element, 'error')))
  return noul(random.pick(NOTICES[role]), truth)
}

const PRESENT: readonly ((what: string, name: string) => string)[] = [
  (what, name) => `There is a ${what} labelled ${name}.`,
  (what, name) => `Is there a "${name}" ${what}?`,
  (what, name) => `The page has a ${what} called "${name}".`,
  (what, name) => `Can you see the ${name} ${what}?`,
  (what, name) => `A ${name} ${what} is visible.`,
]
// biome-ignore format: pairs, not lines
const WORD_FOR: Readonly<Partial<Record<ElementLabel['role'], readonly string[]>>> = {
  button: ['button'], link: ['link'], tab: ['tab', 'navigation entry'], input: ['field', 'text field', 'input'], checkbox: ['check box', 'box'], toggle: ['switch', 'toggle'],
  radio: ['option', 'radio button'], heading: ['heading', 'title'], row: ['row', 'entry', 'line'], card: ['card', 'tile'], menu: ['menu entry', 'item'], badge: ['badge', 'label'], icon: ['icon'],
}
const NAMED_ROLES = [
  'button',
  'button',
  'button',
  'link',
  'tab',
  'input',
  'checkbox',
  'toggle',
  'radio',
  'heading',
  'row',
  'card',
  'menu',
  'badge',
  'icon',
] as const

/** A role that occurs on the page with a unique, short name, and such an element. */
function pickNamed(context: Context, roles: readonly ElementLabel['role'][] = NAMED_ROLES): ElementLabel | null {
  const present = roles.filter((role) => uniquelyNamed(ofRole(context.page, role)).length > 0)
  if (present.length === 0) return null
  return context.random.pick(uniquelyNamed(ofRole(context.page, context.random.pick(present))))
}

const isPresent: Asker = (context) => {
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

const saysText: Asker = (context) => {
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

const isOn: Asker = (context) => {
  const { random } = context
  const element = pickNamed(context, ['checkbox', 'toggle', 'radio', 'tab'])
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

const elementState: Asker = (context) => {
  const { random } = context
  const element = pickNamed(context, ['button', 'button', 'input', 'input', 'row', 'row'])
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

/** Kinds that a person could name; one that training never shows is no option there. */
const namedKinds = (shown: string): string[] =>
  pageKinds
    .filter((kind) => kind.name === shown || !kind.onlyDev)
    .map((kind) => kind.name)
    .filter((name) => !['parts', 'words'].includes(name))
const KIND_QUESTIONS = [
  'What kind of page is it?',
  'What does the screenshot show?',
  'Which description fits the screen?',
  'What sort of screen is this?',
  'Identify the type of page.',
]

const pageKind: Asker = (context) => {
  const { page, random } = context
  const named = namedKinds(page.kind)
  if (!named.includes(page.kind) || ofRole(page, 'dialog').length > 0) return null
  // A general form is not wrong for the special forms, so it is never offered beside them.
  const isForm = /form|login/.test(page.kind)
  const others = named.filter(
    (name) => name !== page.kind && !(isForm && name === 'form') && !(page.kind === 'form' && /form|login/.test(name)),
  )
  if (random.chance(0.6)) return choice(context, random.pick(KIND_QUESTIONS), page.kind, others)
  const truth = random.chance(0.5)
  const name = truth ? page.kind : random.pick(others)
  const article = /^[aeiou]/.test(name) ? 'an' : 'a'
  return noul(
    random.pick([`This is ${article} ${name}.`, `Does the screenshot show ${article} ${name}?`, `The page is ${article} ${name}.`]),
    truth,
  )
}

const looks: Asker = ({ page, random }) => {
  if (random.chance(0.5))
    return noul(random.pick(['The page has a dark background.', 'Is dark mode on?', 'The screen uses a dark theme.']), page.isDark)
  const truth = page.isDark ? 'dark' : 'light'
  return {
    question: {
      type: 'choice',
      instructions: random.pick(['Which theme does the page use?', 'Is the page light or dark?']),
      criteria: criteriaOf(random.shuffle(['light', 'dark'])),
    },
    truth,
  }
}

const whichIsOn: Asker = (context) => {
  const { page, random } = context
  const [role, questions] = random.pick([
    [
      'tab',
      ['Which tab is open?', 'Which entry of the navigation is active?', 'What is the selected tab?', 'Which section is the user in?'],
    ],
    ['radio', ['Which option is chosen?', 'Which radio button is selected?', 'What has been picked?']],
  ] as const)
  const all = ofRole(page, role)
  const on = all.filter((element) => has(element, 'checked') || has(element, 'selected'))
  if (on.length !== 1 || uniquelyNamed(all).length !== all.length) return null
  const others = [
    ...all.filter((element) => element !== on[0]).map((element) => element.name),
    ...(random.chance(0.3) ? absentNames(context, role, 2) : []),
  ]
  return choice(context, random.pick(questions), on[0]!.name, others)
}

const mainButton: Asker = (context) => {
  const { page, random } = context
  const all = ofRole(page, 'button')
  const main = all.filter((element) => has(element, 'primary') || has(element, 'danger'))
  if (main.length !== 1 || all.length < 2 || uniquelyNamed(all).length !== all.length) return null
  const others = [
    ...all.filter((element) => element !== main[0]).map((element) => element.name),
    ...absentNames(context, 'button', random.int(0, 2)),
  ]
  return choice(
    context,
    random.pick([
      'Which button is the main one?',
      'Which is the primary button?',
      'Which button stands out?',
      'What is the main action here?',
    ]),
    main[0]!.name,
    others,
  )
}

const buttonColour: Asker = (context) => {
  const { page, random } = context
  const main = uniquelyNamed(ofRole(page, 'button')).filter((element) => has(element, 'primary') && !has(element, 'disabled'))
  if (main.length === 0) return null
  const { name } = random.pick(main)
  return choice(context, random.pick([`What colour is the ${name} button?`, `Colour of the "${name}" button?`]), page.primaryName, [
    'blue',
    'green',
    'red',
    'purple',
    'orange',
    'teal',
    'pink',
    'black',
    'white',
    'yellow',
  ])
}

const whatItSays: Asker = (context) => {
  const { page, random } = context
  const [role, questions] = random.pick([
    ['error', ['What does the error say?', 'Which problem is reported?', 'What is the error message?']],
    ['dialog', ['What is the title of the dialog?', 'What does the dialog ask?', 'Which dialog is open?']],
    ['heading', ['What is the heading of the page?', 'Which title is shown?']],
    ['success', ['What does the success message say?', 'What was confirmed?']],
  ] as const)
  const all = ofRole(page, role)
  return all.length === 1 ? choice(context, random.pick(questions), all[0]!.name, absentNames(context, role, 5)) : null
}

const wrongField: Asker = (context) => {
  const { page, random } = context
  const all = ofRole(page, 'input')
  const wrong = all.filter((element) => has(element, 'error'))
  if (wrong.length !== 1 || uniquelyNamed(all).length !== all.length) return null
  const others = [...all.filter((element) => element !== wrong[0]).map((element) => element.name), ...absentNames(context, 'input', 1)]
  return choice(
    context,
    random.pick(['Which field has an error?', 'Which field is marked as wrong?', 'Where is the invalid input?']),
    wrong[0]!.name,
    others,
  )
}

const whichPresent: Asker = (context) => {
  const { page, random } = context
  const [role, questions] = random.pick([
    ['button', ['Which of these buttons are present?', 'Select the buttons on the page.', 'Which buttons can be seen?']],
    ['menu', ['Which of these menu entries are shown?', 'Select the entries of the menu.']],
    ['tab', ['Which of these tabs exist?', 'Select the entries of the navigation.']],
    ['input', ['Which of these fields does the form have?', 'Select the fields on the page.']],
    ['row', ['Which of these are listed?', 'Select the entries in the list.']],
    ['card', ['Which of these are shown as cards?', 'Select what is on offer.']],
    ['icon', ['Which of these icons are shown?']],
  ] as const)
  const present = ofRole(page, role).map((element) => element.name)
  if (present.length === 0) return null
  const away =
    role === 'icon'
      ? ['search', 'close', 'menu', 'home', 'user', 'settings', 'bell', 'cart', 'star', 'trash', 'mail']
      : absentNames(context, role, 4)
  return select(
    context,
    random.pick(questions),
    [...new Set(present)].filter((name) => name.length > 0),
    away,
  )
}

const whichOn: Asker = (context) => {
  const { page, random } = context
  const [role, flag, questions] = random.pick([
    ['checkbox', 'checked', ['Which boxes are ticked?', 'Select the checked options.', 'Which of these are checked?']],
    ['toggle', 'checked', ['Which switches are on?', 'Select the settings that are turned on.', 'What is enabled?']],
    ['input', 'filled', ['Which fields are filled in?', 'Select the fields that contain text.']],
    ['input', 'error', ['Which fields are marked as wrong?', 'Select the fields with an error.']],
    ['row', 'unread', ['Which mails are unread?', 'Select the unread entries.']],
    ['button', 'disabled', ['Which buttons are disabled?', 'Select the greyed out buttons.']],
  ] as const)
  const all = uniquelyNamed(ofRole(page, role))
  if (all.length < 2 || (flag === 'unread' && page.kind !== 'mail inbox')) return null
  const on = all.filter((element) => has(element, flag)).map((element) => element.name)
  return select(
    context,
    random.pick(questions),
    on,
    all.filter((element) => !has(element, flag)).map((element) => element.name),
  )
}

const howMany: Asker = ({ page, random }) => {
  const [role, questions] = random.pick([
    ['row', ['How many rows are there?', 'How many entries are listed?', 'How long is the list?']],
    ['button', ['How many buttons are there?', 'Count the buttons.']],
    ['input', ['How many text fields are there?', 'How many fields does the form have?']],
    ['error', ['How many errors are shown?', 'How much is wrong with the form?']],
    ['card', ['How many cards are shown?', 'How many products or tiles can be seen?']],
    ['message', ['How many messages are in the chat?', 'How long is the conversation?']],
    ['checkbox', ['How many check boxes are there?']],
  ] as const)
  const count = ofRole(page, role).length
  const isMissing = count === 0 && role !== 'error' && role !== 'row'
  if (isMissing && !random.chance(0.2)) return null
  const [criteria, bounds] = random.pick([
    [
      ['none', 'a few', 'many'],
      [1, 5],
    ],
    [
      ['none', 'one', 'two or three', 'four or more'],
      [1, 2, 4],
    ],
    [
      ['0', '1 to 3', '4 to 6', 'more than 6'],
      [1, 4, 7],
    ],
    [
      ['no', 'one', 'several'],
      [1, 2],
    ],
  ] as const)
  return { question: { type: 'score', instructions: random.pick(questions), criteria }, truth: scale(bounds, count) }
}

const where: Asker = (context) => {
  const { random, page } = context
  const isError = random.chance(0.15)
  if (isError) {
    const all = ofRole(page, 'error')
    if (all.length > 1) return null
    const instructions = random.pick(['Where is the error message?', 'Locate the error.', 'Box around the error message'])
    return all.length === 0 && random.chance(0.85)
      ? null
      : { question: { type: 'extract', instructions, kind: 'coordinates' }, truth: all[0] ? [...all[0].box] : null }
  }
  const element = pickNamed(context, [
    'button',
    'button',
    'button',
    'input',
    'input',
    'link',
    'tab',
    'checkbox',
    'toggle',
    'radio',
    'heading',
    'menu',
    'icon',
    'row',
    'dialog',
    'card',
  ])
  if (!element || element.name.length > 45) return null
  const isAbsent = random.chance(0.15) && element.role !== 'icon'
  const name = isAbsent ? absentNames(context, element.role, 1)[0] : element.name
  if (name === undefined) return null
  const what = random.pick(WORD_FOR[element.role] ?? [element.role])
  const instructions = random.pick([
    `Where is the ${name} ${what}?`,
    `Locate the "${name}" ${what}.`,
    `Box around the ${what} "${name}"`,
    `Find the ${what} labelled ${name}.`,
    `Where do I click for ${name}?`,
    `Position of ${name}`,
  ])
  return { question: { type: 'extract', instructions, kind: 'coordinates' }, truth: isAbsent ? null : [...element.box] }
}

const whereWord: Asker = ({ page, random }) => {
  const counts = new Map<string, number>()
  for (const word of page.words) counts.set(word.text.toLowerCase(), (counts.get(word.text.toLowerCase()) ?? 0) + 1)
  const single = page.words.filter((word) => counts.get(word.text.toLowerCase()) === 1 && /^\p{L}{3,}$/u.test(word.text))
  if (single.length === 0) return null
  const word = random.pick(single)
  return {
    question: {
      type: 'extract',
      instructions: random.pick([`Where is the word "${word.text}"?`, `Locate the text ${word.text}.`, `Where is "${word.text}" printed?`]),
      kind: 'coordinates',
    },
    truth: [...word.box],
  }
}

const shapeQuestion: Asker = (context) => {
  const { page, random } = context
  const shapes = ofRole(page, 'shape').map((element) => ({
    element,
    colour: element.name.split(' ')[0]!,
    shape: element.name.split(' ')[1]!,
  }))
  if (shapes.length === 0) return null
  const colours = Object.keys(shapeColours)
  const single = uniquelyNamed(shapes.map((shape) => shape.element))
  const anyOf = random.pick(shapes)
  return random.pick<() => Asked | null>([
    () => {
      const truth = random.chance(0.5)
      const colour = truth ? anyOf.colour : random.pick(colours.filter((name) => !shapes.some((shape) => shape.colour === name)))
      return noul(
        random.pick([`Is there a ${colour} shape?`, `The picture contains something ${colour}.`, `There is a ${colour} shape.`]),
        truth,
      )
    },
    () => {
      const away = shapeNames.filter((name) => !shapes.some((shape) => shape.shape === name))
      const truth = random.chance(0.5) || away.length === 0
      const name = truth ? anyOf.shape : random.pick(away)
      return noul(random.pick([`Is there a ${name}?`, `The picture shows a ${name}.`, `Does the image contain a ${name}?`]), truth)
    },
    () => {
      const name = random.chance(0.5)
        ? anyOf.element.name
        : `${random.pick(colours)} ${random.pick([anyOf.shape, random.pick(shapeNames)])}`
      return noul(
        random.pick([`There is a ${name}.`, `Is a ${name} present?`]),
        shapes.some((shape) => shape.element.name === name),
      )
    },
    () =>
      shapes.length === 1
        ? choice(context, random.pick(['What shape is present?', 'Which shape does the image contain?']), anyOf.shape, shapeNames)
        : null,
    () =>
      shapes.length === 1
        ? choice(
            context,
            random.pick(['What colour is the shape?', 'What color is the shape?', 'Which colour is used?']),
            anyOf.colour,
            colours,
          )
        : null,
    () => {
      if (single.length === 0) return null
      const [colour, shape] = random.pick(single).name.split(' ') as [string, string]
      const sameShape = shapes.filter((other) => other.shape === shape)
      return sameShape.length === 1 ? choice(context, `What colour is the ${shape}?`, colour, colours) : null
    },
    () =>
      select(
        context,
        random.pick(['Select the colours of the shapes.', 'Which colours occur?']),
        [...new Set(shapes.map((shape) => shape.colour))],
        colours,
      ),
    () =>
      select(
        context,
        random.pick(['Which shapes are in the picture?', 'Select the shapes that occur.']),
        [...new Set(shapes.map((shape) => shape.shape))],
        shapeNames,
      ),
    () => ({
      question: {
        type: 'score',
        instructions: random.pick(['How many shapes are there?', 'Number of shapes']),
        criteria: ['none', 'one', 'two to four', 'five or more'],
      },
      truth: scale([1, 2, 5], shapes.length),
    }),
    () => {
      const away = `${random.pick(colours)} ${random.pick(shapeNames)}`
      const isAbsent = random.chance(0.15) && !shapes.some((shape) => shape.element.name === away)
      const element = single.length > 0 ? random.pick(single) : null
      if (!element) return null
      const name = isAbsent ? away : element.name
      return {
        question: {
          type: 'extract',
          instructions: random.pick([`Where is the ${name}?`, `Box around the ${name}`, `Locate the ${name}.`]),
          kind: 'coordinates',
        },
        truth: isAbsent ? null : [...element.box],
      }
    },
  ])()
}

// biome-ignore format: repeats are weights
const PAGE_ASKERS: readonly Asker[] = [
  isShown, isShown, isPresent, isPresent, saysText, isOn, isOn, elementState, pageKind, pageKind, looks, whichIsOn, whichIsOn, mainButton, buttonColour, whatItSays, whatItSays,
  wrongField, whichPresent, whichPresent, whichOn, whichOn, howMany, howMany, where, where, where, whereWord,
]

/** Up to `count` different questions on a page. */
export function askAbout(page: PageLabels, random: Random, words: Vocabulary, count: number): Asked[] {
  const askers = page.kind === 'shapes' ? [shapeQuestion] : page.kind === 'words' ? [saysText, saysText, whereWord, isPresent] : PAGE_ASKERS
  const asked = new Map<string, Asked>()
  for (let attempt = 0; attempt < count * 5 && asked.size < count; attempt++) {
    const result = random.pick(askers)({ page, random, words })
    if (result && !asked.has(result.question.instructions)) asked.set(result.question.instructions, result)
  }
  return [...asked.values()]
}
