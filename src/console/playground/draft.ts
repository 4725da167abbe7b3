// What is written in the playground's form, and the request it stands for, both ways. Pure: no page, no files, only their names.
// A request that says something the form has no field for stays JSON; nothing of it is dropped to make it fit.

import type { Json } from '../../core/types.ts'
import { isParts } from '../../wire/part-types.ts'

export const QUESTION_TYPES = ['noul', 'choice', 'score', 'select', 'fill', 'extract'] as const
export type QuestionType = (typeof QUESTION_TYPES)[number]

/** An option, a level, or a value of a fill of kind enum (which has no description). */
export interface DraftEntry {
  readonly name: string
  readonly description: string
}

/** One question as typed: every field is a text or a tick, also those its type does not have. */
export interface DraftQuestion {
  /** Tells questions apart while their ids change. */
  readonly key: number
  readonly id: string
  readonly type: QuestionType
  readonly instructions: string
  readonly entries: readonly DraftEntry[]
  readonly whenTrue: string
  readonly whenFalse: string
  readonly kind: string
  readonly item: string
  readonly isMany: boolean
  readonly isSelfChecked: boolean
  readonly min: string
  readonly max: string
  readonly threshold: string
  readonly image: string
  /** JSON text of the questions asked of the chosen option. */
  readonly args: string
}

export interface DraftDerive {
  readonly key: number
  readonly name: string
  readonly expression: string
}

export interface DraftImage {
  readonly id: string
  /** Name under which the bytes are sent. */
  readonly file: string
}

export interface Draft {
  readonly model: string
  readonly isJson: boolean
  readonly text: string
  readonly images: readonly DraftImage[]
  readonly questions: readonly DraftQuestion[]
  readonly derives: readonly DraftDerive[]
}

export interface Problem {
  readonly param: string
  readonly message: string
}

export type Made =
  | { readonly request: Record<string, Json>; readonly problems: null }
  | { readonly request: null; readonly problems: readonly Problem[] }

let lastKey = 0

export function newQuestion(type: QuestionType, taken: readonly string[]): DraftQuestion {
  let id = `${type}_1`
  for (let n = 2; taken.includes(id); n++) id = `${type}_${n}`
  const entries = hasEntries({ type, kind: '' }) ? [emptyEntry, emptyEntry] : []
  return { ...blankQuestion(), id, type, entries }
}

export function newDerive(): DraftDerive {
  return { key: ++lastKey, name: '', expression: '' }
}

export const emptyEntry: DraftEntry = { name: '', description: '' }

/** Whether a question of this type lists options, levels or values. */
export function hasEntries({ type, kind }: Pick<DraftQuestion, 'type' | 'kind'>): boolean {
  return type === 'choice' || type === 'select' || type === 'score' || (type === 'fill' && kind === 'enum')
}

function blankQuestion(): DraftQuestion {
  const texts = { instructions: '', whenTrue: '', whenFalse: '', kind: '', item: '', min: '', max: '', threshold: '', image: '', args: '' }
  return { key: ++lastKey, id: '', type: 'noul', entries: [], isMany: false, isSelfChecked: false, ...texts }
}

/** One JSON Pointer, its names escaped. */
export function pointerTo(...path: readonly (string | number)[]): string {
  return path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The request a draft stands for, or what keeps it from being one: only what JSON itself cannot say; the rest is the service's to judge. */
export function requestOf(draft: Draft): Made {
  const problems: Problem[] = []
  const json = (text: string, param: string): Json => {
    try {
      return JSON.parse(text) as Json
    } catch (error) {
      problems.push({ param, message: `This is no JSON: ${(error as Error).message}.` })
      return null
    }
  }
  const value = draft.isJson ? json(draft.text, '/state') : draft.text
  const first: Json[] = draft.isJson ? [{ type: 'json', value }] : draft.text.trim() === '' ? [] : [{ type: 'text', text: value }]
  const images = draft.images.map(({ id, file }): Json => ({ type: 'image', id, source: { type: 'part', name: file } }))
  const questions: Record<string, Json> = Object.create(null)
  for (const question of draft.questions) {
    const param = pointerTo('questions', question.id)
    if (Object.hasOwn(questions, question.id)) problems.push({ param, message: 'Two questions have this id; give each its own.' })
    questions[question.id] = questionOf(question, (text) => json(text, `${param}/args`))
  }
  const derive: Record<string, Json> = Object.create(null)
  for (const { name, expression } of draft.derives) {
    if (Object.hasOwn(derive, name)) problems.push({ param: pointerTo('derive', name), message: 'Two expressions have this name.' })
    derive[name] = expression
  }
  if (problems.length > 0) return { request: null, problems }
  const request: Record<string, Json> = {
    ...(draft.model === '' ? {} : { model: draft.model }),
    state: images.length === 0 ? value : [...first, ...images],
    questions,
    ...(draft.derives.length === 0 ? {} : { derive }),
  }
  return { request, problems: null }
}

function questionOf(question: DraftQuestion, json: (text: string) => Json): Json {
  const { type, kind, item, entries, image } = question
  const said: Record<string, Json> = { type }
  if (question.instructions !== '') said.instructions = question.instructions
  if (image !== '') said.image = image
  if (type === 'noul' && (question.whenTrue !== '' || question.whenFalse !== '')) {
    const { whenTrue, whenFalse } = question
    said.criteria = { ...(whenTrue === '' ? {} : { true: whenTrue }), ...(whenFalse === '' ? {} : { false: whenFalse }) }
  }
  if (type === 'choice' || type === 'select' || type === 'score') {
    const label = type === 'score' ? 'label' : 'value'
    said.criteria = entries.map(({ name, description }): Json => (description === '' ? name : { [label]: name, description }))
  }
  if (type === 'choice' && question.args.trim() !== '') said.args = json(question.args)
  if (type === 'select') {
    for (const bound of ['min', 'max', 'threshold'] as const) if (question[bound] !== '') said[bound] = numberOf(question[bound])
  }
  if ((type === 'fill' || type === 'extract') && kind !== '') said.kind = kind
  if (type === 'fill' && kind === 'list' && item !== '') said.item = item
  if (type === 'fill' && kind === 'enum') said.values = entries.map(({ name }) => name)
  if (type === 'extract' && question.isMany) said.many = true
  if ((type === 'fill' || type === 'extract') && question.isSelfChecked) said.self_check = true
  return said
}

/** What is no number goes to the service as it is, which says so. */
function numberOf(text: string): Json {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The draft of a request; null when the form cannot hold all of it. `files`: names of what is attached. */
export function draftOf(request: unknown, files: readonly string[]): Draft | null {
  if (!isFields(request) || !isOnly(request, ['model', 'state', 'questions', 'derive'])) return null
  const { model = '', questions = {}, derive = {} } = request
  const state = stateOf(request.state, files)
  if (state === null || typeof model !== 'string' || !isFields(questions) || !isFields(derive)) return null
  const drafted = Object.entries(questions).map(([id, question]) => draftQuestionOf(id, question))
  const derives = Object.entries(derive).map(([name, expression]) => ({ key: ++lastKey, name, expression }))
  if (drafted.includes(null) || !derives.every(({ expression }) => typeof expression === 'string')) return null
  return { model, ...state, questions: drafted as DraftQuestion[], derives: derives as DraftDerive[] }
}

function isOnly(fields: Fields, known: readonly string[]): boolean {
  return Object.keys(fields).every((name) => known.includes(name))
}

function stateOf(state: unknown, files: readonly string[]): Pick<Draft, 'isJson' | 'text' | 'images'> | null {
  if (typeof state === 'string') return { isJson: false, text: state, images: [] }
  if (!isParts(state)) return state === undefined ? null : { isJson: true, text: JSON.stringify(state, null, 2), images: [] }
  const [head, ...rest] = state as readonly Fields[]
  const isFirst = head?.type === 'text' || head?.type === 'json'
  const images = (isFirst ? rest : (state as readonly Fields[])).map((part, i): DraftImage | null => {
    const { type, id = `image_${i + 1}`, source } = part
    const isKnown =
      type === 'image' && typeof id === 'string' && isFields(source) && source.type === 'part' && files.includes(String(source.name))
    return isKnown ? { id, file: String(source.name) } : null
  })
  if (images.includes(null)) return null
  const shared = { images: images as DraftImage[] }
  if (!isFirst) return { isJson: false, text: '', ...shared }
  if (head.type === 'json') return { isJson: true, text: JSON.stringify(head.value, null, 2), ...shared }
  return typeof head.text === 'string' ? { isJson: false, text: head.text, ...shared } : null
}

const COMMON = ['type', 'instructions', 'image']
const FIELDS: Readonly<Record<QuestionType, readonly string[]>> = {
  noul: ['criteria'],
  choice: ['criteria', 'options', 'args'],
  score: ['criteria'],
  select: ['criteria', 'options', 'min', 'max', 'threshold'],
  fill: ['kind', 'item', 'values', 'self_check'],
  extract: ['kind', 'many', 'self_check'],
}

function draftQuestionOf(id: string, question: unknown): DraftQuestion | null {
  if (!isFields(question)) return null
  const type = QUESTION_TYPES.find((known) => known === question.type)
  if (type === undefined || !isOnly(question, [...COMMON, ...FIELDS[type]])) return null
  const { many = false, self_check = false, criteria = question.options, args } = question
  if (typeof many !== 'boolean' || typeof self_check !== 'boolean') return null
  const texts = ['instructions', 'image', 'kind', 'item'].map((name) => question[name] ?? '')
  if (!texts.every((text) => typeof text === 'string')) return null
  const [instructions, image, kind, item] = texts as [string, string, string, string]
  const numbers = ['min', 'max', 'threshold'].map((name) => question[name] ?? '')
  if (!numbers.every((value) => value === '' || typeof value === 'number')) return null
  const [min, max, threshold] = numbers.map(String) as [string, string, string]
  const isTold = type === 'noul' && isFields(criteria)
  const told = [isTold ? (criteria.true ?? '') : '', isTold ? (criteria.false ?? '') : '']
  if (!told.every((text) => typeof text === 'string')) return null
  const [whenTrue, whenFalse] = told as [string, string]
  const entries = type === 'noul' ? [] : entriesOf(type === 'fill' ? question.values : criteria)
  if (entries === null) return null
  return {
    ...blankQuestion(),
    ...{ id, type, instructions, image, kind, item, min, max, threshold, whenTrue, whenFalse, entries },
    isMany: many,
    isSelfChecked: self_check,
    args: args === undefined ? '' : JSON.stringify(args, null, 2),
  }
}

function entriesOf(given: unknown): DraftEntry[] | null {
  if (given === undefined) return []
  if (isFields(given)) return entriesOf(Object.entries(given).map(([value, description]) => ({ value, description })))
  if (!Array.isArray(given)) return null
  const entries = given.map((entry: unknown): DraftEntry | null => {
    if (typeof entry === 'string') return { name: entry, description: '' }
    if (!isFields(entry) || !isOnly(entry, ['value', 'label', 'description'])) return null
    const name = entry.value ?? entry.label
    const description = entry.description ?? ''
    return typeof name === 'string' && typeof description === 'string' ? { name, description } : null
  })
  return entries.includes(null) ? null : (entries as DraftEntry[])
}
