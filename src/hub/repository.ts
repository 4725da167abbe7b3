// A repository of a hub: its name, the commit that a revision stands for, and its files with their sizes and checksums.
// What the hub says is checked before anything is made of it.
import * as z from 'zod'
import { EngineError } from '../core/errors.ts'
import { get, type Hub, hostOf, isOfHub, patiently, type Reply, refusal } from './http.ts'

/** `HuggingFaceTB/SmolVLM-256M-Instruct`, with the branch, tag or commit that is wanted. */
export interface RepositoryName {
  readonly id: string
  readonly revision: string
}

/** SHA-256 of the contents (`sha256`), or the SHA-1 that git gives them with their length (`git`). Hex. */
export interface Checksum {
  readonly kind: 'sha256' | 'git'
  readonly hex: string
}

export interface RepositoryFile {
  /** With forward slashes, never out of the folder. */
  readonly path: string
  readonly bytes: number
  readonly checksum: Checksum
}

export interface Repository {
  readonly id: string
  /** 40 hex digits. */
  readonly commit: string
  /** As the card says it (`apache-2.0`); null when it says none. */
  readonly license: string | null
  readonly files: readonly RepositoryFile[]
}

const DEFAULT_REVISION = 'main'
const COMMIT = /^[0-9a-f]{40}$/
const NAME = /^[\w.-]{1,96}\/[\w.-]{1,96}$/
const REVISION = /^[\w.-]+(\/[\w.-]+)*$/

/** Bytes of one answer in JSON, files of a repository, and pages of their list. */
const MOST_JSON_BYTES = 32 * 2 ** 20
const MOST_FILES = 20_000
const MOST_PAGES = 1000
/** Nothing that runs here is larger. */
const MOST_FILE_BYTES = 2 ** 40

/** Reads `OWNER/NAME` or `OWNER/NAME@REVISION`; null when it is neither. */
export function parseRepositoryName(text: string): RepositoryName | null {
  const [id = '', revision = DEFAULT_REVISION, ...rest] = text.split('@')
  const isName = NAME.test(id) && !id.split('/').some((part) => /^\.+$/.test(part) || part.startsWith('.'))
  if (!isName || rest.length > 0 || !REVISION.test(revision) || revision.includes('..') || revision.length > 200) return null
  return { id, revision }
}

export const isCommit = (revision: string): boolean => COMMIT.test(revision)

const Info = z.object({
  sha: z.string().regex(COMMIT),
  cardData: z.object({ license: z.unknown() }).partial().nullish(),
  tags: z.array(z.string()).nullish(),
})
const Entry = z.object({
  type: z.string(),
  path: z.string(),
  size: z.number().int().nonnegative().max(MOST_FILE_BYTES).optional(),
  oid: z.string().nullish(),
  lfs: z.object({ oid: z.string(), size: z.number().int().nonnegative().max(MOST_FILE_BYTES) }).nullish(),
})

/** The commit and licence of a revision. `HubUnreachable` when the hub gives no answer. */
export async function readRevision(hub: Hub, { id, revision }: RepositoryName): Promise<Pick<Repository, 'id' | 'commit' | 'license'>> {
  const path = `/api/models/${id}/revision/${encodeURIComponent(revision)}`
  const what = revision === DEFAULT_REVISION ? id : `${id}@${revision}`
  // Few tries: where there is no network, what is there already may do.
  const { json } = await patiently(hub, () => getJson(hub, hub.endpoint + path, what), 2)
  const info = Info.safeParse(json)
  if (!info.success) throw strange(hub, `its answer about ${what} names no commit`)
  const { sha, cardData, tags } = info.data
  const tagged = tags?.find((tag) => tag.startsWith('license:'))?.slice('license:'.length)
  const license = typeof cardData?.license === 'string' ? cardData.license : (tagged ?? null)
  return { id, commit: sha, license: license === null ? null : license.slice(0, 80) }
}

/**
 * All files of a commit. Throws `model_not_available` when the list is none, or has names that lead out of a folder.
 */
export async function readFiles(hub: Hub, id: string, commit: string): Promise<RepositoryFile[]> {
  const files: RepositoryFile[] = []
  let page: string | null = `${hub.endpoint}/api/models/${id}/tree/${commit}?recursive=true&expand=false`
  for (const seen = new Set<string>(); page !== null && !seen.has(page); ) {
    const address: string = page
    if (seen.size >= MOST_PAGES) throw strange(hub, `its list of the files of ${id} has more than ${MOST_PAGES} pages`)
    seen.add(address)
    const { json, next } = await patiently(hub, () => getJson(hub, address, `${id} `))
    const entries = z.array(Entry).safeParse(json)
    if (!entries.success) throw strange(hub, `its list of the files of ${id} cannot be read (${entries.error.issues[0]?.message})`)
    for (const { type, path, size, oid, lfs } of entries.data) {
      if (!isSafePath(path))
        throw strange(hub, `${id} has a file named ${JSON.stringify(path.slice(0, 80))}, which leads out of its folder`)
      if (type === 'file') files.push({ path, bytes: lfs?.size ?? size ?? 0, checksum: checksumOf(hub, path, lfs?.oid, oid) })
    }
    if (files.length > MOST_FILES) throw strange(hub, `${id} has more than ${MOST_FILES} files`)
    page = next
  }
  const names = new Set(files.map(({ path }) => path.toLowerCase()))
  if (names.size < files.length) throw strange(hub, `${id} has files whose names differ in capitals only`)
  return files
}

/** Where the contents of a file are. */
export function fileAddress(hub: Hub, id: string, commit: string, path: string): string {
  return `${hub.endpoint}/${id}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`
}

function checksumOf(hub: Hub, path: string, sha256: string | undefined, sha1: string | null | undefined): Checksum {
  if (sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256)) return { kind: 'sha256', hex: sha256 }
  if (sha256 === undefined && typeof sha1 === 'string' && COMMIT.test(sha1)) return { kind: 'git', hex: sha1 }
  throw strange(hub, `it gives no checksum for ${path}`)
}

/** Relative, without steps up, and a name on every system. */
export function isSafePath(path: string): boolean {
  const isPart = (part: string): boolean =>
    part !== '' && part.length <= 200 && !/[\\:*?"<>|\p{Cc}]|[. ]$/u.test(part) && !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part)
  return path.length <= 500 && path.split('/').every(isPart)
}

const strange = (hub: Hub, what: string): EngineError =>
  new EngineError('model_not_available', `the hub at ${hostOf(hub)} cannot be used: ${what}; check HF_ENDPOINT, or try again later`)

async function getJson(hub: Hub, address: string, what: string): Promise<{ readonly json: unknown; readonly next: string | null }> {
  const reply = await get(hub, address, { accept: 'application/json' })
  if (reply.status !== 200) {
    reply.drop()
    throw refusal(hub, reply, what.trim())
  }
  const text = await textOf(hub, reply, what.trim())
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    const isPage = /^\s*</.test(text) || /html/.test(reply.headers.get('content-type') ?? '')
    const page = `it answers with ${isPage ? 'a web page' : 'something else'} in place of JSON, so it is no hub, or a proxy wants a sign-in`
    throw Object.assign(strange(hub, page), { cause })
  }
  return { json, next: nextPage(hub, reply) }
}

async function textOf(hub: Hub, reply: Reply, what: string): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of reply.pieces()) {
    bytes += piece.length
    if (bytes > MOST_JSON_BYTES) throw strange(hub, `its answer about ${what} has more than ${MOST_JSON_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The `next` of a `Link` header. Only pages of the hub itself are followed, since the token goes with them. */
function nextPage(hub: Hub, { headers }: Reply): string | null {
  const link = /<([^>]+)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1]
  if (link === undefined) return null
  if (URL.canParse(link, hub.endpoint) && isOfHub(hub, new URL(link, hub.endpoint))) return new URL(link, hub.endpoint).href
  throw strange(hub, 'its list of files goes on at another address')
}
