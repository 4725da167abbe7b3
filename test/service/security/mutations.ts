// A valid request to hostile bytes: values swapped for what nobody expects, keys renamed and doubled, texts broken,
// pictures damaged, forms cut. Everything follows from the numbers of a seeded generator, so that a body which breaks
// something can be made again.
import type { Json } from '../../../src/core/types.ts'
import { PNG, type Seed } from './seeds.ts'

export type Random = () => number

/** What goes over the wire. */
export interface HostileBody {
  readonly path: string
  readonly contentType: string
  readonly bytes: Buffer
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const below = (random: Random, most: number): number => Math.floor(random() * most)

const NASTY_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\u001b[31mred\r\nlevel=error forged',
  '\ud800',
  '\u202eevil',
  '\ufeff',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '-1',
  '1e309',
  'NaN',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  '<script>alert(1)</script>',
  "'; DROP TABLE keys; --",
  '{{7*7}}',
  '%s%n%00',
  'data:image/png;base64,',
  'data:image/svg+xml;base64,PHN2Zy8+',
  'data:,x',
  'a'.repeat(129),
  'a'.repeat(5000),
  '🦊'.repeat(300),
  'e\u0301'.repeat(200),
  '(((((((((('.repeat(30),
  '((a|a)*)*b'.repeat(5),
  '{'.repeat(300),
]

const NASTY_NUMBERS: readonly number[] = [0, -0, -1, 1.5, 255, 256, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, 0.1 + 0.2]

const EXPRESSIONS: readonly string[] = [
  'late',
  'late > ',
  'import("fs")',
  'cos.constructor("return process")()',
  'late.constructor',
  '1/0',
  'f(x) = x',
  'late; tone',
  'createUnit("x")',
  '2^2^2^2^2^2^2',
  '9999999999!',
  '"a" + 1',
  '[1,2,3] * late',
  'p(tone)',
  'p("tone", 3)',
  'has()',
  'a'.repeat(2000),
  '1+'.repeat(900),
  '!'.repeat(500),
  '(late ? late : late)'.repeat(40),
  'range(1, 1e9)',
  'late == late == late',
  'x = 1',
  '"\u0000"',
]

const TYPES = [
  'noul',
  'choice',
  'score',
  'select',
  'fill',
  'extract',
  'predicate',
  'nuol',
  'text',
  'json',
  'image',
  'video',
  'bytes',
  'path',
  'part',
  'url',
]

/** A value that is wrong nearly everywhere. */
function nastyValue(random: Random): Json {
  switch (below(random, 12)) {
    case 0:
      return null
    case 1:
      return random() < 0.5
    case 2:
      return pick(random, NASTY_NUMBERS)
    case 3:
      return []
    case 4:
      return {}
    case 5:
      return nested(random, pick(random, [3, 31, 33, 63, 65, 200]))
    case 6:
      return Array.from({ length: pick(random, [1, 2, 26, 27, 255, 256, 600]) }, (_, i) => (random() < 0.9 ? `o${i}` : null))
    case 7:
      return Object.fromEntries(Array.from({ length: pick(random, [1, 17, 65, 300]) }, (_, i) => [`k${i}`, { type: pick(random, TYPES) }]))
    case 8:
      return {
        type: pick(random, TYPES),
        source: { type: pick(random, TYPES), path: '/etc/passwd', url: 'https://127.0.0.1/', name: 'shot' },
      }
    case 9:
      return pick(random, EXPRESSIONS)
    case 10:
      return `data:image/png;base64,${damaged(random, PNG).toString('base64')}`
    default:
      return pick(random, NASTY_TEXTS)
  }
}

function nested(random: Random, depth: number): Json {
  let value: Json = 'deep'
  for (let i = 0; i < depth; i++) value = random() < 0.5 ? [value] : { type: value }
  return value
}

type Path = readonly (string | number)[]

/** Pointers of everything in a value, itself first. */
function pathsOf(value: Json, path: Path = [], found: Path[] = []): Path[] {
  found.push(path)
  if (Array.isArray(value)) for (const [i, inner] of value.entries()) pathsOf(inner as Json, [...path, i], found)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) pathsOf(inner, [...path, key], found)
  }
  return found
}

/**
 * The value with what stands at `path` replaced by what `change` makes of it. Keys stay own properties, `__proto__`
 * too.
 */
function changedAt(value: Json, path: Path, change: (there: Json) => Json): Json {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  if (Array.isArray(value)) return value.map((inner, i) => (i === key ? changedAt(inner, rest, change) : inner))
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [name, name === key ? changedAt(inner, rest, change) : (inner as Json)]),
  )
}

function changedObject(random: Random, value: Json): Json {
  if (Array.isArray(value)) {
    const items = [...value]
    if (random() < 0.4) items.splice(below(random, items.length + 1), 0, nastyValue(random))
    else if (random() < 0.5) items.splice(below(random, items.length), 1)
    else items.push(...Array.from({ length: pick(random, [1, 20, 300]) }, () => items[0] ?? null))
    return items
  }
  if (typeof value !== 'object' || value === null) return [value]
  const entries = Object.entries(value) as [string, Json][]
  const at = below(random, entries.length)
  const [key = 'x', inner = null] = entries[at] ?? []
  switch (below(random, 5)) {
    case 0:
      return Object.fromEntries(entries.filter((_, i) => i !== at))
    case 1:
      return Object.fromEntries([...entries, [pick(random, NASTY_TEXTS), nastyValue(random)]])
    case 2:
      return Object.fromEntries(
        entries.map(([name, one], i) => [
          i === at ? pick(random, [`${name}s`, name.slice(1), '__proto__', pick(random, NASTY_TEXTS)]) : name,
          one,
        ]),
      )
    case 3:
      return Object.fromEntries([
        ...entries,
        ...Array.from({ length: pick(random, [3, 70, 300]) }, (_, i): [string, Json] => [`${key}${i}`, inner]),
      ])
    default:
      return Object.fromEntries(entries.map(([name, one], i) => [name, i === at ? { [key]: one } : one]))
  }
}

function changedValue(random: Random, body: Json): Json {
  const paths = pathsOf(body)
  const path = pick(random, paths)
  switch (below(random, 4)) {
    case 0:
      return changedAt(body, path, (there) => changedObject(random, there))
    case 1: {
      // Something from elsewhere in the request, which has the right look.
      const from = pick(random, paths)
      let there: Json = body
      for (const key of from) there = (there as never)[key] as Json
      return changedAt(body, path, () => there)
    }
    case 2:
      return changedAt(body, path, (there) => (typeof there === 'string' ? changedText(random, there) : nastyValue(random)))
    default:
      return changedAt(body, path, () => nastyValue(random))
  }
}

function changedText(random: Random, text: string): string {
  const at = below(random, text.length + 1)
  switch (below(random, 4)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + pick(random, NASTY_TEXTS) + text.slice(at)
    case 2:
      return text.repeat(pick(random, [2, 50]))
    default:
      return text.slice(0, at) + String.fromCharCode(below(random, 0x10000)) + text.slice(at + 1)
  }
}

/** Bytes with some of them wrong, gone, or doubled. */
export function damaged(random: Random, bytes: Uint8Array): Buffer {
  const copy = Buffer.from(bytes)
  for (let i = 1 + below(random, 4); i > 0 && copy.length > 0; i--) copy[below(random, copy.length)] = below(random, 256)
  const at = below(random, copy.length + 1)
  switch (below(random, 5)) {
    case 0:
      return copy.subarray(0, at)
    case 1:
      return Buffer.concat([copy.subarray(0, at), Buffer.from(pick(random, NASTY_TEXTS)), copy.subarray(at)])
    case 2:
      return Buffer.concat([copy, copy.subarray(at)])
    default:
      return copy
  }
}

/** Texts that are no JSON, or JSON that `JSON.stringify` would not write. */
function changedJsonText(random: Random, text: string): Buffer {
  const at = below(random, text.length)
  switch (below(random, 8)) {
    case 0:
      return damaged(random, Buffer.from(text))
    case 1:
      return Buffer.from(text.slice(0, at))
    case 2:
      return Buffer.from(
        text.replace('{', `{${JSON.stringify(pick(random, ['state', 'questions', '__proto__']))}:${JSON.stringify(nastyValue(random))},`),
      )
    case 3:
      return Buffer.from(`${'['.repeat(pick(random, [10, 300, 20_000]))}${text}`)
    case 4:
      return Buffer.from(text.replace(/\d+/, pick(random, ['NaN', '1e999', '-', '0x10', '00', '1'.repeat(400), '.5'])))
    case 5:
      return Buffer.from(pick(random, ['\ufeff', '//x\n', ' '.repeat(2000), '\u0000', text]) + text)
    case 6:
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from(pick(random, [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf8]])),
        Buffer.from(text.slice(at)),
      ])
    default:
      return Buffer.from(text.replaceAll('"', pick(random, ["'", '\\"', ''])))
  }
}

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'application/json;;;',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  `multipart/form-data; boundary=${'b'.repeat(300)}`,
  'multipart/mixed; boundary=edge',
  'application/json, text/plain',
]

const NASTY_NAMES = ['request', '', '__proto__', 'constructor', 'a"b', 'a\\b', '../x', 'a\u0000b', 'ü', 'n'.repeat(300), 'shot', 'a']

/** One part of a form, whole or not. */
function partText(random: Random, name: string, body: Uint8Array, isHostile: boolean): Buffer {
  const file = name === 'request' ? '' : `; filename="${isHostile ? pick(random, NASTY_NAMES) : name}"`
  const normal = `Content-Disposition: form-data; name="${name}"${file}\r\n`
  const head = isHostile
    ? pick(random, [
        normal.replace('form-data', 'attachment'),
        normal.replace('\r\n', '\n'),
        normal.replace(/name="[^"]*"/, ''),
        `${normal}Content-Type: multipart/mixed; boundary=inner\r\n`,
        `${normal}Content-Transfer-Encoding: base64\r\n`,
        `${normal}Content-Encoding: gzip\r\n`,
        `${normal}${'X-Long: '.padEnd(9000, 'x')}\r\n`,
        `${normal}${'X: y\r\n'.repeat(100)}`,
        `${normal}${normal}`,
        `Content-Disposition: form-data; name*=utf-8''%72equest${file}\r\n`,
        'Content-Disposition\r\n',
        '',
      ])
    : normal
  return Buffer.concat([Buffer.from(`${head}\r\n`), body])
}

function form(random: Random, json: Uint8Array, files: Readonly<Record<string, Uint8Array>>, isHostile: boolean): HostileBody {
  const boundary = 'edge-of-parts'
  const named = [['request', json] as const, ...Object.entries(files)]
  if (isHostile) {
    if (random() < 0.3) named.push([pick(random, NASTY_NAMES), pick(random, [PNG, json, Buffer.alloc(0)])])
    if (random() < 0.1) for (let i = 0; i < pick(random, [30, 200, 1500]); i++) named.push([`p${i}`, Buffer.from('x')])
    if (random() < 0.2) named.reverse()
  }
  const chunks = named.flatMap(([name, bytes]) => [
    Buffer.from(`--${boundary}\r\n`),
    partText(random, name, isHostile && random() < 0.2 ? damaged(random, bytes) : bytes, isHostile && random() < 0.3),
    Buffer.from(isHostile && random() < 0.05 ? '\n' : '\r\n'),
  ])
  const end =
    isHostile && random() < 0.2
      ? pick(random, ['', `--${boundary}`, '--other--\r\n', `--${boundary}--`, `--${boundary}--\r\ntrailer`])
      : `--${boundary}--\r\n`
  const whole = Buffer.concat([...chunks, Buffer.from(end)])
  const bytes = isHostile && random() < 0.3 ? damaged(random, whole) : whole
  return { path: '', contentType: `multipart/form-data; boundary=${isHostile && random() < 0.1 ? 'other' : boundary}`, bytes }
}

/** The body as a client sends it. */
export function faithful(random: Random, seed: Seed): HostileBody {
  const json = Buffer.from(JSON.stringify(seed.body))
  if (seed.files === undefined) return { path: seed.path, contentType: 'application/json', bytes: json }
  return { ...form(random, json, seed.files, false), path: seed.path }
}

/** One of very many ways to send it wrongly; now and then it is still right. */
export function hostile(random: Random, seed: Seed): HostileBody {
  let body = seed.body
  for (let i = below(random, 4); i > 0; i--) body = changedValue(random, body)
  const text = JSON.stringify(body)
  const json = random() < 0.2 ? changedJsonText(random, text) : Buffer.from(text)
  const contentType = random() < 0.03 ? pick(random, CONTENT_TYPES) : 'application/json'
  const isForm = seed.files !== undefined ? random() < 0.9 : random() < 0.1
  if (!isForm) return { path: seed.path, contentType, bytes: json }
  const files = Object.fromEntries(
    Object.entries(seed.files ?? {}).map(([name, bytes]) => [name, random() < 0.5 ? damaged(random, bytes) : bytes]),
  )
  return { ...form(random, json, files, random() < 0.7), path: seed.path }
}
