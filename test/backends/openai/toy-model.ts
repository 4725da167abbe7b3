// A model of arithmetic for imitated servers: bytes and a few words as tokens, and log-probabilities of the next one
// from a hash of those before it. It understands nothing, and every engine's imitation gives the same numbers.
import { createHash } from 'node:crypto'
import { logSoftmax } from '../../../src/core/math.ts'
import { seededRandom } from '../../../src/core/random.ts'

const CONTROLS = ['<|im_start|>', '<|im_end|>']
const WORDS = ['Yes', 'yes', 'YES', 'No', 'no', 'NO', 'user', 'assistant']
const FIRST_CONTROL = 256
const FIRST_WORD = FIRST_CONTROL + CONTROLS.length
export const VOCABULARY = FIRST_WORD + WORDS.length
export const END = FIRST_CONTROL + 1

/** Names of control tokens become these, as in Hugging Face tokenizers. */
export function encode(text: string, special = true): number[] {
  const names = [...(special ? CONTROLS : []), ...WORDS]
  const pattern = new RegExp(`(${names.map((name) => name.replace(/[|]/g, '\\|')).join('|')})`)
  return text.split(pattern).flatMap((part) => {
    const control = special ? CONTROLS.indexOf(part) : -1
    if (control >= 0) return [FIRST_CONTROL + control]
    const word = WORDS.indexOf(part)
    return word >= 0 ? [FIRST_WORD + word] : [...new TextEncoder().encode(part)]
  })
}

/** The bytes of one token; a control token has those of its name. */
export function bytesOf(id: number): Buffer {
  if (id < FIRST_CONTROL) return Buffer.from([id])
  return Buffer.from((id < FIRST_WORD ? CONTROLS[id - FIRST_CONTROL] : WORDS[id - FIRST_WORD]) as string)
}

export const decode = (ids: readonly number[]): string => Buffer.concat(ids.map(bytesOf)).toString('utf8')

export const render = (messages: readonly { readonly role: string; readonly content: string }[], opens = true): string =>
  messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('') + (opens ? '<|im_start|>assistant\n' : '')

/** [token]: log-probabilities behind these ids. Letters, digits and words are likely, so they are among the top. */
export function nextLogs(ids: readonly number[]): number[] {
  const seed = createHash('sha256').update(JSON.stringify(ids)).digest().readUInt32BE(0)
  const random = seededRandom(seed)
  return logSoftmax(
    Array.from({ length: VOCABULARY }, (_, id) => {
      const isSymbol = id >= FIRST_WORD || (id >= 0x31 && id <= 0x39) || (id >= 0x41 && id <= 0x4a)
      return random() * 4 + (isSymbol ? 6 : 0)
    }),
  )
}

/** [id, log-probability], the likeliest first. */
export function topOf(logs: readonly number[], count: number): (readonly [number, number])[] {
  return logs
    .map((log, id) => [id, log] as const)
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
}

/** Texts that a server that keeps to a form may write: the first that fits is written. */
const SAMPLES = [
  '7',
  '-12.5',
  '2024-03-09',
  'north',
  'Ærø',
  'none',
  '',
  '3; 4',
  'ada@example.com',
  'https://example.com/orders',
  '$128.50',
  '4711',
  '555 0199',
]

export function sampleFor(fits: (text: string) => boolean): string {
  const found = SAMPLES.find(fits)
  if (found === undefined) throw new Error('no sample fits; add one')
  return found
}

/** A value for the schemas of answers. */
export function sampleOf(schema: { readonly [field: string]: unknown }): unknown {
  const {
    type,
    properties,
    items,
    format,
    enum: values,
  } = schema as {
    type: string
    properties?: Record<string, { readonly [field: string]: unknown }>
    items?: { readonly [field: string]: unknown }
    format?: string
    enum?: readonly string[]
  }
  if (type === 'object') return Object.fromEntries(Object.entries(properties ?? {}).map(([name, inner]) => [name, sampleOf(inner)]))
  if (type === 'array') return [sampleOf(items ?? { type: 'string' })]
  if (type === 'integer') return 7
  if (type === 'number') return -12.5
  if (values !== undefined) return values[0]
  return format === 'date' ? '2024-03-09' : 'Order 4711'
}
