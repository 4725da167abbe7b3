// A model hub on this machine, for tests: repositories from memory, the routes and headers that Hugging Face's own
// client speaks with, large files on a second server as the real one has them, and any fault in place of a reply.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const TINY = fileURLToPath(new URL('../golden/idefics3/model', import.meta.url))
export const COMMIT = '0123456789abcdef0123456789abcdef01234567'

export interface HeardRequest {
  readonly server: 'hub' | 'files'
  readonly path: string
  readonly authorization: string | undefined
  readonly range: string | undefined
}

/** Answers a request in place of the hub; false to let the hub answer. */
export type Fault = (request: HeardRequest, response: ServerResponse) => boolean

export interface FakeHub {
  readonly endpoint: string
  readonly heard: HeardRequest[]
  /** The one repository: `acme/tiny` unless it is changed. */
  id: string
  /** Its files. */
  readonly files: Map<string, Buffer>
  /** Entries of the list that differ from the files. */
  readonly listed: Map<string, { readonly path?: string; readonly size?: number; readonly oid?: string }>
  commit: string
  /** Entries of one page of the list. */
  pageSize: number
  /** Asked for before the repository is given out; null for a public one. */
  token: string | null
  fault: Fault | null
  /** Paths of files that were asked for, in their order. */
  downloads(): string[]
  close(): Promise<void>
}

/** Files from this size on are on the other server, as those in Git LFS are. */
const LARGE = 64 * 1024

/** A folder as the files of a repository. */
export function filesOf(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
    )
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))] as const))
}

/** The tiny Idefics3 as a repository, with what a published one has besides. */
export function tinyFiles(): Map<string, Buffer> {
  const files = filesOf(TINY)
  for (const [name, text] of Object.entries({
    'README.md': '---\nlicense: apache-2.0\n---\n# Tiny\n',
    LICENSE: 'Apache License\n',
    'model.safetensors': 'weights for another program',
    'vocab.json': '{}',
    '.gitattributes': '*.onnx filter=lfs\n',
    'onnx/audio_encoder.onnx': 'nobody reads this',
  }))
    files.set(name, Buffer.from(text))
  return files
}

export async function startFakeHub(files = tinyFiles()): Promise<FakeHub> {
  const heard: HeardRequest[] = []
  const [hubServer, fileServer] = [createServer(), createServer()]
  const [endpoint, filesAt] = await Promise.all([hubServer, fileServer].map(listen))
  const hub: FakeHub = {
    endpoint: endpoint as string,
    heard,
    id: 'acme/tiny',
    files,
    listed: new Map(),
    commit: COMMIT,
    pageSize: 1000,
    token: null,
    fault: null,
    downloads: () =>
      heard
        .flatMap(({ server, path }) => (server === 'hub' ? (/\/resolve\/[^/]+\/(.+)$/.exec(path)?.[1] ?? []) : []))
        .map(decodeURIComponent),
    async close() {
      for (const server of [hubServer, fileServer]) server.closeAllConnections()
      await Promise.all([hubServer, fileServer].map((server) => new Promise((done) => server.close(done))))
    },
  }
  const hears = (server: 'hub' | 'files', answer: (request: HeardRequest, response: ServerResponse) => void) => {
    return (incoming: IncomingMessage, response: ServerResponse): void => {
      const { authorization, range } = incoming.headers
      const request = { server, path: incoming.url ?? '', authorization, range }
      heard.push(request)
      if (hub.fault?.(request, response) !== true) answer(request, response)
    }
  }
  hubServer.on(
    'request',
    hears('hub', (request, response) => answerAsHub(hub, filesAt as string, request, response)),
  )
  fileServer.on(
    'request',
    hears('files', (request, response) => {
      const content = files.get(decodeURIComponent(request.path.slice('/files/'.length)))
      if (content === undefined) response.writeHead(404).end()
      else sendFile(content, request, response, { etag: `"${oidOf(content)}"` })
    }),
  )
  return hub
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answerAsHub(hub: FakeHub, filesAt: string, request: HeardRequest, response: ServerResponse): unknown {
  const json = (status: number, value: unknown, headers: Record<string, string> = {}): unknown =>
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(value))
  const url = new URL(request.path, hub.endpoint)
  const [, api, id, about = '', rest = ''] = /^(\/api\/models)?\/([^/]+\/[^/]+)\/(revision|tree|resolve)\/(.*)$/.exec(url.pathname) ?? []
  if (hub.token !== null && request.authorization !== `Bearer ${hub.token}`)
    return json(401, { error: 'Invalid username or password.' }, { 'x-error-code': 'RepoNotFound' })
  if (id !== hub.id) return json(404, { error: 'Repository not found' }, { 'x-error-code': 'RepoNotFound' })
  const [revision = '', ...path] = rest.split('/')
  if (decodeURIComponent(revision) !== 'main' && revision !== hub.commit)
    return json(404, { error: `Invalid rev id: ${revision}` }, { 'x-error-code': 'RevisionNotFound' })
  if (api !== undefined && about === 'revision')
    return json(200, {
      _id: '1',
      id: hub.id,
      sha: hub.commit,
      private: false,
      gated: false,
      lastModified: '2026-01-01T00:00:00.000Z',
      likes: 0,
      downloads: 0,
      tags: ['license:apache-2.0'],
      cardData: { license: 'apache-2.0' },
    })
  if (api !== undefined && about === 'tree') return sendList(hub, url, json)
  const file = decodeURIComponent(path.join('/'))
  const content = hub.files.get(file)
  if (content === undefined) return json(404, { error: 'Entry not found' }, { 'x-error-code': 'EntryNotFound' })
  const etag = { etag: `"${oidOf(content)}"`, 'x-repo-commit': hub.commit }
  if (content.length < LARGE) return sendFile(content, request, response, etag)
  response
    .writeHead(302, { location: `${filesAt}/files/${encodeURIComponent(file)}`, 'x-linked-size': String(content.length), ...etag })
    .end()
}

function sendList(hub: FakeHub, url: URL, json: (status: number, value: unknown, headers?: Record<string, string>) => unknown): void {
  const entries = [...hub.files].map(([path, content]) => {
    const { size = content.length, oid, path: name = path } = hub.listed.get(path) ?? {}
    const lfs = { oid: oid ?? hashOnce('sha256', '', content), size, pointerSize: 130 }
    return {
      type: 'file',
      path: name,
      size,
      oid: content.length < LARGE ? (oid ?? oidOf(content)) : 'f'.repeat(40),
      ...(content.length < LARGE ? {} : { lfs }),
    }
  })
  const all = [{ type: 'directory', oid: 'e'.repeat(40), size: 0, path: 'onnx' }, ...entries]
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const next = new URL(url)
  next.searchParams.set('cursor', String(from + hub.pageSize))
  json(200, all.slice(from, from + hub.pageSize), from + hub.pageSize < all.length ? { link: `<${next.href}>; rel="next"` } : {})
}

/** What was hashed, by its bytes: large files are asked for several times. */
const hashed = { sha1: new WeakMap<Buffer, string>(), sha256: new WeakMap<Buffer, string>() }

function hashOnce(kind: 'sha1' | 'sha256', head: string, content: Buffer): string {
  const hex = hashed[kind].get(content) ?? createHash(kind).update(head).update(content).digest('hex')
  hashed[kind].set(content, hex)
  return hex
}

/** The SHA-1 that git gives a file. */
const oidOf = (content: Buffer): string => hashOnce('sha1', `blob ${content.length}\0`, content)

export function sendFile(content: Buffer, { range }: HeardRequest, response: ServerResponse, headers: Record<string, string> = {}): void {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (from === undefined) {
    response.writeHead(200, { 'content-length': content.length, 'content-type': 'text/plain; charset=utf-8', ...headers }).end(content)
    return
  }
  const part = content.subarray(Number(from), to ? Number(to) + 1 : undefined)
  const last = Number(from) + part.length - 1
  response
    .writeHead(206, { 'content-length': part.length, 'content-range': `bytes ${from}-${last}/${content.length}`, ...headers })
    .end(part)
}
