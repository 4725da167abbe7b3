// Recorded requests against a service, wherever it runs: each case sends one request and holds status, headers and body
// to what is expected.
import { readdirSync, readFileSync } from 'node:fs'
import { misfits, type Shape } from './shapes.ts'

export interface Case {
  /** A sentence that goes on from the wire's name. */
  readonly name: string
  /** Default POST. */
  readonly method?: 'GET' | 'POST'
  /** Default: the wire's. `{legacy}` stands for the name of the System One route. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Without one: false. */
  readonly key?: false
  readonly request?: unknown
  readonly expected: {
    readonly status: number
    readonly headers?: Readonly<Record<string, Shape>>
    readonly body: Shape
  }
}

export interface Wire {
  readonly wire: string
  readonly path: string
  /** Of every request, unless a case has others. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cases: readonly Case[]
}

export interface Target {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly key: string
  /** Default `systemone`. */
  readonly legacyName?: string
}

/** The wires that are recorded beside this file. */
export function recordedWires(): readonly Wire[] {
  const folder = new URL('.//', import.meta.url)
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
}

/** What of the reply is not as expected; empty when all is. Throws when there is no reply. */
export async function checkCase({ baseUrl, key, legacyName = 'systemone' }: Target, wire: Wire, one: Case): Promise<readonly string[]> {
  const { method = 'POST', path = wire.path, expected, request } = one
  const reply = await fetch(`${baseUrl}${path.replace('{legacy}', legacyName)}`, {
    method,
    headers: {
      ...(one.key === false ? {} : { authorization: `Bearer ${key}` }),
      ...(request === undefined ? {} : { 'content-type': 'application/json' }),
      ...wire.headers,
      ...one.headers,
    },
    ...(request === undefined ? {} : { body: typeof request === 'string' ? request : JSON.stringify(request) }),
  })
  const text = await reply.text()
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {}
  const headers = Object.fromEntries(Object.keys(expected.headers ?? {}).map((name) => [name, reply.headers.get(name)]))
  return [
    ...(reply.status === expected.status ? [] : [`the status is ${reply.status}, not ${expected.status}`]),
    ...misfits(headers, expected.headers ?? {}).map((misfit) => `header ${misfit}`),
    ...misfits(body, expected.body),
  ]
}
