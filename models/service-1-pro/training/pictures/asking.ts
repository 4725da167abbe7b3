/**
 * What all questions about a page are made with: wording, options, and elements with a unique name.
 * Names that are not on the page come from the lists that pages are drawn from.
 */
import type { Flag } from './elements.ts'
import type { ElementLabel, PageLabels } from './page-labels.ts'
import type { Random } from './random.ts'
import type { ListName, Vocabulary } from './vocabulary.ts'

export interface Question {
  readonly type: 'noul' | 'choice' | 'select' | 'score' | 'fill' | 'extract'
  readonly instructions: string
  readonly criteria?: Readonly<Record<string, string | null>> | readonly string[]
  /** The first for `extract`, the others for `fill`. */
  readonly kind?: 'coordinates' | 'text' | 'int'
}

export type Truth = boolean | string | number | readonly string[] | readonly number[] | null

export interface Asked {
  readonly question: Question
  readonly truth: Truth
}

/** `isBalanced`: rare things are asked about as often when they are on the page as when they are not. */
export interface Context {
  readonly page: PageLabels
  readonly random: Random
  readonly words: Vocabulary
  readonly isBalanced: boolean
}

export type Asker = (context: Context) => Asked | null

const NONE = 'none of these'

export const criteriaOf = (names: readonly string[]): Record<string, null> => Object.fromEntries(names.map((name) => [name, null]))

export const noul = (instructions: string, truth: boolean): Asked => ({ question: { type: 'noul', instructions }, truth })

export const ofRole = (page: PageLabels, ...roles: readonly string[]): ElementLabel[] =>
  page.elements.filter((element) => roles.includes(element.role))

export const has = (element: ElementLabel, flag: string): boolean => element.flags.some((own) => own === flag)

/** The indefinite article before a noun. */
export const article = (noun: string): string => (/^[aeiou]/.test(noun) ? 'an' : 'a')

export const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Elements whose name no other element of the same roles has, so that a question about the name has one answer. */
export const uniquelyNamed = (elements: readonly ElementLabel[]): ElementLabel[] =>
  elements.filter((element) => element.name.length > 0 && elements.filter((other) => sameName(other.name, element.name)).length === 1)

// biome-ignore format: pairs, not lines
const LIST_OF: Readonly<Partial<Record<ElementLabel['role'], ListName>>> = {
  button: 'actions', menu: 'actions', input: 'fields', checkbox: 'options', toggle: 'options', radio: 'choices', tab: 'tabs', link: 'headings',
  heading: 'headings', row: 'products', card: 'products', error: 'errors', success: 'successes', dialog: 'dialogs', badge: 'statuses', message: 'chatLines',
}

/** Names an element of this role could have but none on the page has. */
export function absentNames({ page, words, random }: Context, role: ElementLabel['role'], count: number): string[] {
  const all = page.elements.map((element) => element.name.toLowerCase())
  const shown = page.words.map((word) => word.text.toLowerCase()).join(' ')
  const list = LIST_OF[role] ?? 'headings'
  const drawn = Array.from({ length: count * 4 }, () => (random.chance(0.85) ? words.pick(list) : words.label(list)))
  return [...new Set(drawn)].filter((name) => !all.includes(name.toLowerCase()) && !shown.includes(name.toLowerCase())).slice(0, count)
}

/** A choice; sometimes the true option is left out and "none of these" is the truth. */
export function choice({ random }: Pick<Context, 'random'>, instructions: string, truth: string, others: readonly string[]): Asked | null {
  const wrong = [...new Set(others)].filter((name) => !sameName(name, truth) && name !== NONE)
  const shown = random.sample(wrong, random.int(1, 5))
  if (shown.length === 0) return null
  const withNone = random.chance(0.25)
  const isLeftOut = withNone && random.chance(0.4)
  const names = random.shuffle([...shown, ...(isLeftOut ? [] : [truth]), ...(withNone ? [NONE] : [])])
  if (names.length < 2) return null
  return { question: { type: 'choice', instructions, criteria: criteriaOf(names) }, truth: isLeftOut ? NONE : truth }
}

/** A select over names that are true and names that are not. */
export function select(
  { random }: Pick<Context, 'random'>,
  instructions: string,
  holding: readonly string[],
  others: readonly string[],
): Asked | null {
  const right = random.sample(holding, 5)
  const wrong = [...new Set(others)].filter((name) => !holding.some((held) => sameName(held, name)))
  const names = random.shuffle([...right, ...random.sample(wrong, random.int(1, 4))])
  if (names.length < 2) return null
  return { question: { type: 'select', instructions, criteria: criteriaOf(names) }, truth: names.filter((name) => right.includes(name)) }
}

export const scale = (values: readonly number[], value: number): number => values.filter((bound) => value >= bound).length

// biome-ignore format: pairs, not lines
export const WORD_FOR: Readonly<Partial<Record<ElementLabel['role'], readonly string[]>>> = {
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

/**
 * An element with a unique, short name, and its role. When balanced, elements with a state (ticked, disabled) are as
 * frequent as those without.
 */
export function pickNamed(
  context: Context,
  roles: readonly ElementLabel['role'][] = NAMED_ROLES,
  states: readonly Flag[] = [],
): ElementLabel | null {
  const wanted = context.isBalanced && states.length > 0 ? context.random.chance(0.5) : null
  const fits = (element: ElementLabel): boolean => wanted === null || states.some((state) => has(element, state)) === wanted
  const named = (role: ElementLabel['role']): ElementLabel[] => uniquelyNamed(ofRole(context.page, role)).filter(fits)
  const present = roles.filter((role) => named(role).length > 0)
  if (present.length === 0) return null
  return context.random.pick(named(context.random.pick(present)))
}
