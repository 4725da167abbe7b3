// Turns the `input` of a decision (a text; or messages, tool calls and their outputs) into a state, and pointers into
// that state back into pointers into the input. Each message starts with its speaker, except a single user message,
// which reads as plain text.

import { pointer } from '../../core/pointer.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Json } from '../../core/types.ts'
import { isObject, jsonTypeOf, type UntrustedObject } from '../../core/untrusted.ts'
import type { Part } from '../../wire/types.ts'
import { type Faults, MOST_TRANSLATED, presentField } from './faults.ts'

/** A state, and where in the body a pointer into it leads. */
export interface ReadInput {
  readonly state: string | readonly Part[]
  pointer(param: string): string
}

/**
 * A part of the state, and the pointers of its source: of the part as sent, and of its JSON where that has another name
 * there.
 */
interface Placed {
  readonly part: Part
  readonly param: string
  readonly valueParam: string
}

const SPEAKERS: Readonly<Record<string, string>> = { user: 'User', developer: 'Developer', system: 'System', assistant: 'Assistant' }
const ROLES = Object.keys(SPEAKERS)
const ITEM_TYPES = ['message', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'] as const
const PART_TYPES = ['input_text', 'input_image', 'input_json', 'output_text', 'refusal'] as const
/** Where prompts are cached is not the sender's business here; taken and not used. */
const CACHE_FIELD = 'prompt_cache_breakpoint'

export function readInput(input: unknown, param: string, faults: Faults): ReadInput {
  const unread: ReadInput = { state: '', pointer: (at) => at }
  if (typeof input === 'string') return { state: input, pointer: (at) => replaceStart(at, '/state', param) }
  if (!Array.isArray(input) || input.length === 0) {
    const got = Array.isArray(input) ? 'an empty array' : jsonTypeOf(input)
    faults.report(
      'invalid_request',
      param,
      `input is a text, or an array of messages and tool calls with something in it; received ${got}.`,
    )
    return unread
  }
  if (sizeOf(input) > MOST_TRANSLATED) {
    const message = `input has more than ${MOST_TRANSLATED} items and parts; send the newest, or join texts.`
    faults.report('request_too_large', param, message)
    return unread
  }
  const placed: Placed[] = []
  const calls = new Map<string, string>()
  const isAlone = input.length === 1
  input.forEach((item: unknown, i) => {
    readItem(item, pointer(param, i), { isAlone, calls, faults, place: (part) => placed.push(part) })
  })
  // An array without parts would read as JSON.
  const state = placed.length === 0 ? '' : placed.map(({ part }) => part)
  return {
    state,
    pointer(at) {
      const [, index, rest = ''] = /^\/state\/(\d+)(\/.*)?$/s.exec(at) ?? []
      const from = index === undefined ? undefined : placed[Number(index)]
      if (from === undefined) return replaceStart(at, '/state', param)
      return rest.startsWith('/value') ? from.valueParam + rest.slice('/value'.length) : from.param + rest
    },
  }
}

/** Items and their parts. */
function sizeOf(input: readonly unknown[]): number {
  if (input.length > MOST_TRANSLATED) return input.length
  return input.reduce((sum: number, item) => {
    const parts = isObject(item) ? [item.content, item.output].find((given) => Array.isArray(given)) : undefined
    return sum + 1 + (Array.isArray(parts) ? parts.length : 0)
  }, 0)
}

function replaceStart(text: string, start: string, by: string): string {
  return text.startsWith(start) ? by + text.slice(start.length) : text
}

interface Reading {
  /** The only item of the input. */
  readonly isAlone: boolean
  /** Kind of call by its id, of those seen so far. */
  readonly calls: Map<string, string>
  readonly faults: Faults
  place(placed: Placed): void
}

function readItem(item: unknown, param: string, reading: Reading): void {
  const { faults } = reading
  if (!isObject(item)) {
    faults.report('invalid_request', param, `An item of input is a message or a tool call, received ${jsonTypeOf(item)}.`)
    return
  }
  const type = presentField(item, 'type') ?? 'message'
  const known = ITEM_TYPES.find((name) => name === type)
  if (known === undefined) {
    const said = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : jsonTypeOf(type)
    const hint = typeof type === 'string' ? didYouMean(type, ITEM_TYPES) : ''
    faults.report(
      'invalid_request',
      pointer(param, 'type'),
      `Items of type ${said} are not read.${hint} There are ${ITEM_TYPES.join(', ')}.`,
    )
  } else if (known === 'message') readMessage(item, param, reading)
  else if (known.endsWith('_output')) readOutput(item, param, known.slice(0, -'_output'.length), reading)
  else readCall(item, param, known, reading)
}

function readMessage(message: UntrustedObject, param: string, reading: Reading): void {
  const { faults, isAlone } = reading
  faults.unknownFields(message, ['type', 'role', 'content', 'phase', 'id', 'status'], 'invalid_request', param, 'a message')
  const role = presentField(message, 'role')
  const speaker = typeof role === 'string' && ROLES.includes(role) ? SPEAKERS[role] : undefined
  if (speaker === undefined) {
    const said = typeof role === 'string' ? JSON.stringify(role.slice(0, 40)) : jsonTypeOf(role)
    faults.report('invalid_request', pointer(param, 'role'), `The role of a message is one of ${ROLES.join(', ')}; received ${said}.`)
  }
  const heading = isAlone && role === 'user' ? null : `${speaker}:`
  readContent(presentField(message, 'content'), pointer(param, 'content'), heading, reading)
}

function readCall(call: UntrustedObject, param: string, type: string, reading: Reading): void {
  const { faults, place, calls } = reading
  const given = type === 'function_call' ? 'arguments' : 'input'
  const fields = ['type', 'call_id', 'name', given, 'id', 'namespace', 'status']
  faults.unknownFields(call, fields, 'invalid_request', param, `a ${type}`)
  const [id, name, said] = ['call_id', 'name', given].map((field) => readText(call, field, param, faults))
  if (id === null || name === null || said === null) return
  calls.set(id as string, type)
  const space = presentField(call, 'namespace')
  const called = typeof space === 'string' ? `${space}.${name}` : name
  const at = pointer(param, given)
  place({ part: { type: 'text', text: `Call of ${called} (${id}): ${said}` }, param: at, valueParam: at })
}

function readOutput(output: UntrustedObject, param: string, type: string, reading: Reading): void {
  const { faults, calls } = reading
  faults.unknownFields(output, ['type', 'call_id', 'output', 'id', 'status'], 'invalid_request', param, `a ${type}_output`)
  const id = readText(output, 'call_id', param, faults)
  if (id !== null && calls.get(id) !== type) {
    const message = `No ${type} before it has the call_id ${JSON.stringify(id.slice(0, 80))}; send the call that this is the output of.`
    faults.report('invalid_request', pointer(param, 'call_id'), message)
  }
  readContent(presentField(output, 'output'), pointer(param, 'output'), `Output of ${id}:`, reading)
}

function readText(fields: UntrustedObject, field: string, param: string, faults: Faults): string | null {
  const given = presentField(fields, field)
  if (typeof given === 'string') return given
  faults.report('invalid_request', pointer(param, field), `${field} is a string, received ${jsonTypeOf(given)}.`)
  return null
}

/** A text or an array of parts, under a heading (a text goes on its line). */
function readContent(content: unknown, param: string, heading: string | null, { faults, place }: Reading): void {
  const text = (said: string, at: string) => place({ part: { type: 'text', text: said }, param: at, valueParam: at })
  if (typeof content === 'string') {
    text(heading === null ? content : `${heading} ${content}`, param)
    return
  }
  if (!Array.isArray(content)) {
    faults.report('invalid_request', param, `A text or an array of parts stands here, received ${jsonTypeOf(content)}.`)
    return
  }
  if (heading !== null) text(heading, param)
  content.forEach((part: unknown, i) => {
    const placed = readPart(part, pointer(param, i), faults)
    if (placed !== null) place(placed)
  })
}

const PART_FIELDS: Readonly<Record<(typeof PART_TYPES)[number], readonly string[]>> = {
  input_text: ['type', 'text', CACHE_FIELD],
  input_image: ['type', 'image_url', 'detail', CACHE_FIELD],
  input_json: ['type', 'data', CACHE_FIELD],
  output_text: ['type', 'text', 'annotations', 'logprobs'],
  refusal: ['type', 'refusal'],
}

function readPart(part: unknown, param: string, faults: Faults): Placed | null {
  const type = isObject(part) ? presentField(part, 'type') : undefined
  const known = PART_TYPES.find((name) => name === type)
  if (!isObject(part) || known === undefined) {
    const said = typeof type === 'string' ? `the type ${JSON.stringify(type.slice(0, 40))}` : jsonTypeOf(part)
    const hint = typeof type === 'string' ? didYouMean(type, PART_TYPES) : ''
    faults.report('invalid_request', param, `A part has a type, one of ${PART_TYPES.join(', ')}; received ${said}.${hint}`)
    return null
  }
  faults.unknownFields(part, PART_FIELDS[known], 'invalid_request', param, `a part of type ${known}`)
  if (known === 'input_image') {
    // The bytes and the URL are checked where all pictures are.
    const url = readText(part, 'image_url', param, faults)
    return url === null ? null : { part: { type: 'input_image', image_url: url }, param, valueParam: param }
  }
  if (known === 'input_json') {
    const data = presentField(part, 'data')
    const valueParam = pointer(param, 'data')
    if (typeof data === 'object') return { part: { type: 'json', value: data as Json }, param, valueParam }
    faults.report('invalid_request', valueParam, `data is an object or an array, received ${jsonTypeOf(data)}.`)
    return null
  }
  const field = known === 'refusal' ? 'refusal' : 'text'
  const text = readText(part, field, param, faults)
  return text === null ? null : { part: { type: 'text', text }, param: pointer(param, field), valueParam: param }
}
