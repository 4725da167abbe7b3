/** Questions about several elements or about places: which of these, how many, where (boxes in pixels of the PNG). */
import { type Asker, absentNames, has, ofRole, pickNamed, scale, select, uniquelyNamed, WORD_FOR } from './asking.ts'

export const whichPresent: Asker = (context) => {
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

export const whichOn: Asker = (context) => {
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

export const howMany: Asker = ({ page, random }) => {
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

export const where: Asker = (context) => {
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

export const whereWord: Asker = ({ page, random }) => {
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
