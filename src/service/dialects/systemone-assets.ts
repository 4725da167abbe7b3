// Turns the `assets` of a System One request, pictures by a placeholder that stands in its strings, into parts of the
// state. A picture stands where a text names it first, else behind the state; strings name it by its id. Names of
// options keep their placeholders, since answers and outcomes name options as they were sent.
import { EngineError } from '../../core/errors.ts'
import { pointer } from '../../core/pointer.ts'
import { isObject, ownEntry, plainRecord, type UntrustedObject } from '../../core/untrusted.ts'
import { isParts } from '../../wire/part-types.ts'
import type { Part, Source } from '../../wire/types.ts'
import { Faults, presentField } from './faults.ts'

/** More are refused: each string of the request is searched for all of them. */
const MOST_ASSETS = 256
/** JSON inside one another; the engine refuses what is deeper. */
const MOST_DEPTH = 64
const FIELDS = ['type', 'format', 'data_base64', 'part']
/** Placeholders that are names for people; others (`<image:0f3a…>`) are called `image_1`, `image_2` … */
const READABLE = /^[\w .-]{1,64}$/

interface Asset {
  readonly id: string
  readonly source: Source
  /** Pointer to its bytes in the body. */
  readonly param: string
}

/** What becomes of a body with assets. */
export interface PlacedAssets {
  readonly state: unknown
  /** The questions with ids in place of placeholders, except in names of options. */
  readonly questions: unknown
  /** Turns a pointer into that state back into one into the body. */
  pointer(param: string): string
}

/** Null when the body has no assets. Throws `EngineError` with everything that is wrong with them. */
export function placeAssets(body: UntrustedObject): PlacedAssets | null {
  const given = presentField(body, 'assets')
  if (given === undefined) return null
  const assets = readAssets(given)
  const names = [...assets.keys()].sort((a, b) => b.length - a.length)
  const placeholder = new RegExp(names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'g')
  const named = (value: unknown) => renamed(value, (text) => text.replace(placeholder, (name) => assets.get(name)!.id), 0)
  const parts: { readonly part: unknown; readonly param: string }[] = []
  const left = new Map(assets)
  const putPicture = (name: string) => {
    const { source, param, id } = assets.get(name)!
    // A lone picture without a readable name needs none.
    const label = assets.size === 1 && !READABLE.test(name) ? {} : { id }
    parts.push({ part: { type: 'image', ...label, source } satisfies Part, param })
    left.delete(name)
  }
  const putText = (text: string, param: string) => {
    let from = 0
    for (const { 0: name, index } of text.matchAll(placeholder)) {
      if (!left.has(name)) continue
      if (index > from) parts.push({ part: { type: 'text', text: named(text.slice(from, index)) }, param })
      putPicture(name)
      from = index + name.length
    }
    if (from < text.length) parts.push({ part: { type: 'text', text: named(text.slice(from)) }, param })
  }
  const state = presentField(body, 'state')
  if (typeof state === 'string') putText(state, '/state')
  else if (!isParts(state)) parts.push({ part: { type: 'json', value: named(state ?? null) }, param: '/state' })
  else {
    for (const [i, part] of state.entries()) {
      const param = pointer('/state', i)
      if (part.type === 'text' && typeof part.text === 'string' && Object.keys(part).length === 2) putText(part.text, param)
      else parts.push({ part: part.type === 'json' ? named(part) : part, param })
    }
  }
  for (const name of [...left.keys()]) putPicture(name)
  return {
    state: parts.map(({ part }) => part),
    questions: namedQuestions(presentField(body, 'questions'), named),
    pointer(at) {
      const [, index, rest = ''] = /^\/state\/(\d+)(\/.*)?$/s.exec(at) ?? []
      const from = index === undefined ? undefined : parts[Number(index)]
      if (from === undefined) return at
      if (!isParts(state) || !from.param.startsWith('/state')) return from.param + (/^\/value(.*)$/s.exec(rest)?.[1] ?? '')
      return from.param + rest
    },
  }
}

function readAssets(given: unknown): ReadonlyMap<string, Asset> {
  const at = '/assets'
  if (!isObject(given) || Object.keys(given).length === 0) {
    const message = 'assets is an object of pictures by the placeholder that stands for each; leave it out when there are none.'
    throw new EngineError('invalid_request', message, { param: at })
  }
  const entries = Object.entries(given)
  if (entries.length > MOST_ASSETS) {
    const message = `assets has ${entries.length} pictures, at most ${MOST_ASSETS} are taken; send fewer.`
    throw new EngineError('request_too_large', message, { param: at })
  }
  const faults = new Faults()
  const assets = new Map<string, Asset>()
  const taken = new Set(entries.flatMap(([name]) => (isReadable(name) ? [name] : [])))
  for (const [i, [name, asset]] of entries.entries()) {
    const param = pointer(at, name)
    if (name === '') faults.report('invalid_request', param, 'The placeholder of a picture is a text with something in it.')
    if (!isObject(asset)) {
      faults.report('invalid_request', param, 'A picture of assets is an object with data_base64, or with part.')
      continue
    }
    faults.unknownFields(asset, FIELDS, 'invalid_request', param, 'a picture of assets')
    const type = presentField(asset, 'type') ?? 'image'
    if (type !== 'image') faults.report('invalid_request', pointer(param, 'type'), 'The type of an asset is "image"; others are not read.')
    const [part, data, format] = [presentField(asset, 'part'), presentField(asset, 'data_base64'), presentField(asset, 'format')]
    for (const [field, value] of [
      ['part', part],
      ['data_base64', data],
    ] as const) {
      if (value !== undefined && typeof value !== 'string') faults.report('invalid_request', pointer(param, field), `${field} is a string.`)
    }
    const id = isReadable(name) ? name : freeId(i + 1, taken)
    if (typeof part === 'string' && part !== '')
      assets.set(name, { id, source: { type: 'part', name: part }, param: pointer(param, 'part') })
    else if (typeof data === 'string' && data !== '') {
      const media_type = `image/${typeof format === 'string' ? format : 'png'}`
      assets.set(name, { id, source: { type: 'base64', media_type, data }, param: pointer(param, 'data_base64') })
    } else
      faults.report(
        'invalid_request',
        param,
        'A picture of assets needs data_base64, or in a multipart request part, the name of its file.',
      )
  }
  faults.throwIfAny()
  return assets
}

function isReadable(name: string): boolean {
  return READABLE.test(name) && name.trim() !== ''
}

/** The first of `image_<from>`, `image_<from + 1>` … that is not taken, which it is from then on. */
function freeId(from: number, taken: Set<string>): string {
  let number = from
  while (taken.has(`image_${number}`)) number++
  taken.add(`image_${number}`)
  return `image_${number}`
}

type Named = (value: unknown) => unknown

function namedQuestions(questions: unknown, named: Named): unknown {
  if (!isObject(questions)) return questions
  return plainRecord(Object.entries(questions).map(([id, question]) => [id, namedQuestion(question, named)] as const))
}

const FIELDS_WITH_OPTIONS = { options: namedOptions, criteria: namedOptions, args: namedQuestions }

function namedQuestion(question: unknown, named: Named): unknown {
  if (!isObject(question)) return question
  const type = presentField(question, 'type')
  if (type !== 'choice' && type !== 'select') return named(question)
  const fields = Object.entries(question).map(([field, value]) => {
    const ofOptions = ownEntry(FIELDS_WITH_OPTIONS, field)
    return [field, ofOptions === undefined ? named(value) : ofOptions(value, named)] as const
  })
  return plainRecord(fields)
}

function namedOptions(options: unknown, named: Named): unknown {
  if (Array.isArray(options)) return options.map((option: unknown) => namedOption(option, named))
  if (!isObject(options)) return options
  return plainRecord(Object.entries(options).map(([name, given]) => [name, described(name, given, named)] as const))
}

function namedOption(option: unknown, named: Named): unknown {
  if (typeof option === 'string') {
    const description = described(option, null, named)
    return description === null ? option : { value: option, description }
  }
  if (!isObject(option) || typeof option.value !== 'string') return option
  const { value, description, args, ...others } = option
  return {
    ...others,
    value,
    description: described(value as string, description ?? null, named),
    ...(args === undefined ? {} : { args: namedQuestions(args, named) }),
  }
}

/** The description of an option. Where its name has placeholders, the name with ids comes first. */
function described(name: string, given: unknown, named: Named): unknown {
  const [known, description] = [named(name) as string, named(given)]
  if (known === name) return description
  if (typeof description === 'string') return description.trim() === '' ? known : `${known}: ${description}`
  return description === null ? known : plainRecord([[known, description]])
}

/** A JSON value with every string in it, keys aside, put through `rename`. */
function renamed(value: unknown, rename: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return rename(value)
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return value
  if (Array.isArray(value)) return value.map((item: unknown) => renamed(item, rename, depth + 1))
  return plainRecord(Object.entries(value).map(([key, inner]) => [key, renamed(inner, rename, depth + 1)] as const))
}
