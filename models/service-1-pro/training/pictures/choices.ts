/** Questions with one answer: what kind of page, which tab, which button, which message. */
import { type Asker, absentNames, article, choice, criteriaOf, has, noul, ofRole, uniquelyNamed } from './asking.ts'
import { pageKinds } from './page-kinds.ts'

/** Kinds of page that a person could name. Kinds that training never shows are not options there. */
const namedKinds = (shown: string): string[] =>
  pageKinds
    .filter((kind) => (kind.name === shown || !kind.onlyDev) && !kind.onlyTrain)
    .map((kind) => kind.name)
    .filter((name) => !['parts', 'words'].includes(name))

const KIND_QUESTIONS = [
  'What kind of page is it?',
  'What does the screenshot show?',
  'Which description fits the screen?',
  'What sort of screen is this?',
  'Identify the type of page.',
]

export const pageKind: Asker = (context) => {
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
  return noul(
    random.pick([
      `This is ${article(name)} ${name}.`,
      `Does the screenshot show ${article(name)} ${name}?`,
      `The page is ${article(name)} ${name}.`,
    ]),
    truth,
  )
}

export const looks: Asker = ({ page, random }) => {
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

export const whichIsOn: Asker = (context) => {
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

export const mainButton: Asker = (context) => {
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

export const buttonColour: Asker = (context) => {
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

export const whatItSays: Asker = (context) => {
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

export const wrongField: Asker = (context) => {
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
