// Fetches the bytes behind a URL that a request names: over https, from a listed host, at a public address. A name is
// resolved once, checked, and connected to as resolved. Every failure gives the same message, so that nobody can map a
// network by it.
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { isIP } from 'node:net'
import { abortable } from '../core/abortable.ts'
import { EngineError } from '../core/errors.ts'
import { checkFileBytes, type FileLimit } from './images.ts'
import { hostOf, isHostListed, isPublicAddress } from './url-hosts.ts'

export interface UrlOptions {
  /** Hosts that pictures may be fetched from: `images.example.com`, or `*.example.com` for all below it. */
  readonly hosts: readonly string[]
  /** Most time for all pictures of one request together, redirects included; default 10 000. */
  readonly timeoutMs?: number
  /** Redirects followed, each checked as the first URL was; default 3. */
  readonly redirects?: number
  /** The network, for tests. */
  readonly network?: Partial<Network>
}

/** The network that fetching uses; tests replace it, requests never can. */
export interface Network {
  resolve(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>
  isPublic(address: string): boolean
  /** The certificates to trust; default: those of the system. */
  readonly ca: string | undefined
  /** Where the default port of https is answered. */
  readonly port: number
}

/**
 * Fetches one file. Throws `invalid_request` (not open to requests), `invalid_image` or `invalid_video` (not to be
 * had), `image_too_large` or `request_too_large`.
 */
export type FetchUrl = (url: string, limit: FileLimit, param: string) => Promise<Uint8Array>

const TIMEOUT_MS = 10_000
const REDIRECTS = 3
const LONGEST_URL = 4096
const REDIRECT_STATUSES: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

const INTERNET: Network = {
  resolve: (host) => lookup(host, { all: true, verbatim: true }),
  isPublic: isPublicAddress,
  ca: undefined,
  port: 443,
}

/** What opens URLs to requests, to stand within a sentence. */
export const HOW_TO_OPEN_URLS = 'open their hosts (in code state: { urls: { hosts: ["…"] } }, for a service --url-hosts)'

/** The error for a request that names a URL where none are fetched. */
export function urlsAreClosed(param: string): EngineError {
  const message = `URLs are not fetched for this request; ${HOW_TO_OPEN_URLS}, or download the image and send it as {"type": "base64", "media_type", "data"} or as a data: URL.`
  return new EngineError('invalid_request', message, { param })
}

/**
 * Throws `invalid_request` unless the URL may be tried: https on its own port, no sign-in, a listed host. Nothing is
 * asked of the network.
 */
export function checkUrlIsOpen(text: string, urls: UrlOptions | null, param: string): URL {
  const refused = (message: string): EngineError => new EngineError('invalid_request', message, { param })
  if (urls === null || urls.hosts.length === 0) throw urlsAreClosed(param)
  if (text.length > LONGEST_URL)
    throw refused(`The URL has ${text.length} characters, at most ${LONGEST_URL} are taken; send a shorter one.`)
  if (!URL.canParse(text)) throw refused(`The URL of ${text.length} characters cannot be read; it begins with https:// and a host.`)
  const url = new URL(text)
  if (url.protocol !== 'https:')
    throw refused(`Images are fetched over https alone, received ${JSON.stringify(url.protocol.slice(0, 20))}.`)
  if (url.username !== '' || url.password !== '') throw refused('The URL holds a user name or a password; send one without.')
  if (url.port !== '') throw refused(`Images are fetched from the usual port of https alone, received port ${url.port}; leave it out.`)
  if (!isHostListed(hostOf(url), urls.hosts)) {
    throw refused('The host of this URL is not one that images are fetched from here; send the image as base64 or as a data: URL.')
  }
  return url
}

/**
 * Fetches the pictures of one request. Its time runs from now on; fetches that are under way when it is over, or when
 * `stop` is called, are aborted.
 */
export function urlFetcher(urls: UrlOptions): { readonly fetch: FetchUrl; stop(): void } {
  const network: Network = { ...INTERNET, ...urls.network }
  const { timeoutMs = TIMEOUT_MS, redirects = REDIRECTS } = urls
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)])
  // One agent per request, without keep-alive: no connection is used for another request than it was checked for.
  const agent = new Agent({ keepAlive: false })

  const follow = async (first: URL, limit: FileLimit, param: string): Promise<Uint8Array> => {
    let url = first
    for (let hop = 0; hop <= redirects; hop++) {
      const response = await openUrl(url, network, agent, signal)
      const { location } = response.headers
      if (!REDIRECT_STATUSES.includes(response.statusCode)) return readBody(response, limit, param)
      response.destroy()
      if (location === undefined) break
      url = checkUrlIsOpen(new URL(location, url).href, urls, param)
    }
    throw new Error('too many redirects, or one that leads nowhere')
  }

  return {
    async fetch(text, limit, param) {
      const url = checkUrlIsOpen(text, urls, param)
      try {
        return await follow(url, limit, param)
      } catch (cause) {
        if (cause instanceof EngineError && (cause.code === 'image_too_large' || cause.code === 'request_too_large')) throw cause
        const message = `The ${limit.what} could not be fetched from its URL within ${timeoutMs / 1000} s; check that anyone may open it over https, or send it as base64.`
        throw new EngineError(limit.what === 'image' ? 'invalid_image' : 'invalid_video', message, { param, cause })
      }
    },
    stop() {
      stopping.abort()
      agent.destroy()
    },
  }
}

/**
 * The head of the response, from an address that was checked. Rejects for hosts with any address that is not public.
 */
async function openUrl(url: URL, network: Network, agent: Agent, signal: AbortSignal): Promise<IncomingMessage> {
  const host = hostOf(url)
  const family = isIP(host)
  // A name lookup itself cannot be aborted.
  const addresses = family === 0 ? await abortable(network.resolve(host), signal) : [{ address: host, family }]
  if (addresses.length === 0 || !addresses.every(({ address }) => network.isPublic(address))) throw new Error('not a public address')
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      signal,
      port: network.port,
      // The name is not looked up again: a second answer could lead elsewhere.
      lookup: (_host, options, done) => {
        if (options.all === true) done(null, [...addresses])
        else done(null, addresses[0]!.address, addresses[0]!.family)
      },
      rejectUnauthorized: true,
      ...(network.ca === undefined ? {} : { ca: network.ca }),
      // A small compressed answer could become a huge one.
      headers: { accept: 'image/*, video/*', 'accept-encoding': 'identity', 'user-agent': 'assay-engine' },
    })
    sent.on('response', resolve)
    sent.on('error', reject)
    sent.end()
  })
}

/** The body, at most as large as a file may be. */
async function readBody(response: IncomingMessage, limit: FileLimit, param: string): Promise<Uint8Array> {
  try {
    const encoding = response.headers['content-encoding'] ?? 'identity'
    if (response.statusCode !== 200 || encoding !== 'identity') throw new Error(`status ${response.statusCode}, encoding ${encoding}`)
    checkFileBytes(Number(response.headers['content-length'] ?? 0), limit, param)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      checkFileBytes(bytes, limit, param)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } finally {
    response.destroy()
  }
}
