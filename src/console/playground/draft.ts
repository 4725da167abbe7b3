// Converts between what is typed in the playground's form and the request it stands for. It is pure: it knows only the
// names of files. A request that the form has no field for stays JSON; nothing of it is dropped.

import { pointer } from '../../core/pointer.ts'
import type { Json } from '../../core/types.ts'
import { isObject } from '../../core/untrusted.ts'
import type { FormField } from '../../questions/kind.ts'
import { isParts } from '../../wire/part-types.ts'
import type { KindForm, KindForms } from './kind-forms.ts'

/** An option, a level, or a value of a fill of kind enum (which has no description). */
export interface DraftEntry {
  readonly name: string
  readonly description: string
}

/** One question as typed. What stands in a field that the form does not show now is kept, and not sent. */
export interface DraftQuestion {
  /** Tells questions apart while their ids change. */
  readonly key: number
  readonly id: string
  readonly type: string
  readonly instructions: string
  /** Id of the picture it is about; empty: none is named. */
  readonly image: string
  readonly entries: readonly DraftEntry[]
  /** By field of the form; of an object of texts by `field.key`. */
  readonly texts: Readonly<Record<string, string>>
  readonly ticks: Readonly<Record<string, boolean>>
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

export interface FormProblem {
  readonly param: string
  readonly message: string
}

export type MadeRequest =
  | { readonly request: Record<string, Json>; readonly problems: null }
  | { readonly request: null; readonly problems: readonly FormProblem[] }

let lastKey = 0

export function newQuestion({ type, fields }: KindForm, taken: readonly string[]): DraftQuestion {
  let id = `${type}_1`
  for (let n = 2; taken.includes(id); n++) id = `${type}_${n}`
  return { ...blankQuestion(), id, type, entries: fields.some(isPlainList) ? [emptyEntry, emptyEntry] : [] }
}

/** A list of entries that is always there. */
export function isPlainList(field: FormField): boolean {
  return field.control === 'entries' && field.when === undefined
}

export function newDerive(): DraftDerive {
  return { key: ++lastKey, name: '', expression: '' }
}

export const emptyEntry: DraftEntry = { name: '', description: '' }

function blankQuestion(): DraftQuestion {
  return { key: ++lastKey, id: '', type: '', instructions: '', image: '', entries: [], texts: {}, ticks: {} }
}

/** Whether the form shows a field now. */
export function isShown({ when, unless }: FormField, { texts }: Pick<DraftQuestion, 'texts'>): boolean {
  if (when !== undefined && (texts[when[0]] ?? '') !== when[1]) return false
  return unless === undefined || (texts[unless[0]] ?? '') !== unless[1]
}

/**
 * The request a draft stands for, or what keeps it from being one: only what JSON itself cannot say; the rest is the
 * service's to judge.
 */
export function requestOf(draft: Draft, forms: KindForms): MadeRequest {
  const problems: FormProblem[] = []
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
    const param = pointer('', 'questions', question.id)
    if (Object.hasOwn(questions, question.id)) problems.push({ param, message: 'Two questions have this id; give each its own.' })
    questions[question.id] = questionOf(question, forms, (text, field) => json(text, `${param}/${field}`))
  }
  const derive: Record<string, Json> = Object.create(null)
  for (const { name, expression } of draft.derives) {
    if (Object.hasOwn(derive, name)) problems.push({ param: pointer('', 'derive', name), message: 'Two expressions have this name.' })
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

function questionOf(question: DraftQuestion, forms: KindForms, json: (text: string, field: string) => Json): Json {
  const { type, instructions, image, entries, texts, ticks } = question
  const said: Record<string, Json> = { type }
  if (instructions !== '') said.instructions = instructions
  if (image !== '') said.image = image
  for (const form of forms.get(type)?.fields ?? []) {
    const { field } = form
    if (!isShown(form, question)) continue
    const text = texts[field] ?? ''
    if (form.control === 'entries') {
      const { name: key } = form
      said[field] = entries.map(({ name, description }): Json => (key === null || description === '' ? name : { [key]: name, description }))
    } else if (form.control === 'texts') {
      const given = form.keys.map(([key]) => [key, texts[`${field}.${key}`] ?? ''] as const).filter(([, value]) => value !== '')
      if (given.length > 0) said[field] = Object.fromEntries(given)
    } else if (form.control === 'tick') {
      if (ticks[field] === true) said[field] = true
    } else if (text.trim() !== '') {
      said[field] = form.control === 'json' ? json(text, field) : form.control === 'number' ? numberOf(text) : text
    }
  }
  return said
}

/** What is no number goes to the service as it is, which says so. */
function numberOf(text: string): Json {
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

type Fields = Readonly<Record<string, unknown>>

/** The draft of a request; null when the form cannot hold all of it. `files`: names of what is attached. */
export function draftOf(request: unknown, files: readonly string[], forms: KindForms): Draft | null {
  if (!isObject(request) || !isOnly(request, ['model', 'state', 'questions', 'derive'])) return null
  const { model = '', questions = {}, derive = {} } = request
  const state = stateOf(request.state, files)
  if (state === null || typeof model !== 'string' || !isObject(questions) || !isObject(derive)) return null
  const drafted = Object.entries(questions).map(([id, question]) => draftQuestionOf(id, question, forms))
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
      type === 'image' && typeof id === 'string' && isObject(source) && source.type === 'part' && files.includes(String(source.name))
    return isKnown ? { id, file: String(source.name) } : null
  })
  if (images.includes(null)) return null
  const shared = { images: images as DraftImage[] }
  if (!isFirst) return { isJson: false, text: '', ...shared }
  if (head.type === 'json') return { isJson: true, text: JSON.stringify(head.value, null, 2), ...shared }
  return typeof head.text === 'string' ? { isJson: false, text: head.text, ...shared } : null
}

/** Null when the form has no field for something that the question says. */
function draftQuestionOf(id: string, question: unknown, forms: KindForms): DraftQuestion | null {
  if (!isObject(question) || typeof question.type !== 'string') return null
  const { type, instructions = '', image = '' } = question
  const form = forms.get(type)
  if (form === undefined || typeof instructions !== 'string' || typeof image !== 'string') return null
  const draft = {
    ...blankQuestion(),
    id,
    type,
    instructions,
    image,
    texts: {} as Record<string, string>,
    ticks: {} as Record<string, boolean>,
  }
  const known = ['type', 'instructions', 'image', ...form.fields.map(({ field }) => field)]
  // Options may come in a field of their own; the form writes them as criteria.
  const isListed = form.fields.some(({ field, control }) => field === 'criteria' && control === 'entries')
  if (!isOnly(question, isListed ? [...known, 'options'] : known)) return null
  let entries: DraftEntry[] | null = []
  for (const field of form.fields) {
    const given = question[field.field] ?? (field.field === 'criteria' && isListed ? question.options : undefined)
    if (given === undefined) continue
    if (field.control === 'entries') entries = entriesOf(given)
    else if (!readField(field, given, draft)) return null
  }
  if (entries === null) return null
  const made = { ...draft, entries }
  // What the form does not show would not be sent.
  return form.fields.every((field) => isShown(field, made) || question[field.field] === undefined) ? made : null
}

interface Typed {
  readonly texts: Record<string, string>
  readonly ticks: Record<string, boolean>
}

/** Puts what a request says into a field of the form. False when it does not fit. */
function readField(form: FormField, given: unknown, { texts, ticks }: Typed): boolean {
  const { field, control } = form
  if (control === 'json') texts[field] = JSON.stringify(given, null, 2)
  else if (control === 'tick' && typeof given === 'boolean') ticks[field] = given
  else if (control === 'number' && typeof given === 'number') texts[field] = String(given)
  else if ((control === 'text' || control === 'select') && typeof given === 'string') texts[field] = given
  else if (control === 'texts' && isObject(given)) {
    for (const [key, text] of Object.entries(given)) {
      if (typeof text !== 'string' || !form.keys.some(([known]) => known === key)) return false
      texts[`${field}.${key}`] = text
    }
  } else return false
  return true
}

function entriesOf(given: unknown): DraftEntry[] | null {
  if (given === undefined) return []
  if (isObject(given)) return entriesOf(Object.entries(given).map(([value, description]) => ({ value, description })))
  if (!Array.isArray(given)) return null
  const entries = given.map((entry: unknown): DraftEntry | null => {
    if (typeof entry === 'string') return { name: entry, description: '' }
    if (!isObject(entry) || !isOnly(entry, ['value', 'label', 'description'])) return null
    const name = entry.value ?? entry.label
    const description = entry.description ?? ''
    return typeof name === 'string' && typeof description === 'string' ? { name, description } : null
  })
  return entries.includes(null) ? null : (entries as DraftEntry[])
}
