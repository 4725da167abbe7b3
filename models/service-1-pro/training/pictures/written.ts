/** Questions that are answered in writing: what a thing says, how many there are. Only short texts of unique things. */
import { type Asker, has, ofRole, uniquelyNamed } from './asking.ts'

const MOST_WORDS = 3

export const whatIsWritten: Asker = ({ page, random }) => {
  const [role, flags, questions] = random.pick([
    ['heading', [], ['What is the heading?', 'What does the heading say?', 'Read the title of the page.']],
    ['dialog', [], ['What is the title of the dialog?', 'What does the dialog say at the top?']],
    ['tab', ['selected', 'checked'], ['Which tab is open? Write its name.', 'What is the name of the selected tab?']],
    ['button', ['primary', 'danger'], ['What does the main button say?', 'Read the label of the primary button.']],
    ['button', [], ['What does the button say?', 'Read the label of the button.']],
    ['radio', ['checked', 'selected'], ['Which option is chosen? Write it.', 'What has been picked?']],
    ['toggle', ['checked'], ['Which setting is turned on?', 'What is enabled?']],
    ['checkbox', ['checked'], ['Which box is ticked? Write its label.', 'What is checked?']],
    ['error', [], ['What does the error say?', 'Read the error message.']],
  ] as const)
  const all = ofRole(page, role).filter((element) => flags.length === 0 || flags.some((flag) => has(element, flag)))
  const [only] = uniquelyNamed(all)
  if (all.length !== 1 || only === undefined || only.name.split(' ').length > MOST_WORDS) return null
  return { question: { type: 'fill', kind: 'text', instructions: random.pick(questions) }, truth: only.name }
}

export const countWritten: Asker = ({ page, random }) => {
  const [role, flags, questions] = random.pick([
    ['button', [], ['How many buttons are there?', 'Count the buttons.']],
    ['input', [], ['How many text fields are there?', 'Count the fields.']],
    ['checkbox', ['checked'], ['How many boxes are ticked?', 'Count the checked boxes.']],
    ['toggle', ['checked'], ['How many switches are on?', 'Count the settings that are turned on.']],
    ['error', [], ['How many errors are shown?', 'Count the error messages.']],
    ['row', [], ['How many rows are listed?', 'Count the entries of the list.']],
    ['card', [], ['How many cards are shown?', 'Count the cards.']],
  ] as const)
  const named = ofRole(page, role)
  if (named.length === 0 && random.chance(0.8)) return null
  const counted = named.filter((element) => flags.length === 0 || flags.some((flag) => has(element, flag)))
  return { question: { type: 'fill', kind: 'int', instructions: random.pick(questions) }, truth: counted.length }
}
