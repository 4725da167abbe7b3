import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EngineError } from '../../src/core/errors.ts'
import type { Network, UrlOptions } from '../../src/media/fetch-url.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { readState } from '../shared/read-state.ts'
import { CERTIFICATE, KEY } from './certificate.ts'

const PNG = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#c81e3c' } })
  .png()
  .toBuffer()

const BODIES: Readonly<Record<string, Buffer>> = { '/a.png': PNG, '/b.png': PNG, '/text.png': Buffer.from('<html>a page</html>') }
const REDIRECTS: Readonly<Record<string, string>> = {
  '/here': '/a.png',
  '/there': 'https://other.example/a.png',
  '/unlisted': 'https://closed.example/a.png',
  '/plain': 'http://images.example/a.png',
  '/inside': 'https://inside.pictures.example/a.png',
  '/port': 'https://images.example:8443/a.png',
  '/round': '/round',
  '/twice': '/here',
}
const OUTSIDE = '203.0.113.7'
/** What the names of these tests lead to; `outside` is where the server below stands in for the internet. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'images.example': ['127.0.0.1'],
  'other.example': ['127.0.0.1'],
  'inside.pictures.example': ['10.0.0.5'],
  'half.pictures.example': ['127.0.0.1', '169.254.169.254'],
  'dead.pictures.example': [OUTSIDE],
}

let server: Server
let port = 0
/** Path and headers of everything that was asked. */
let asked: { readonly url: string; readonly host: string; readonly encoding: string }[] = []
const sockets = new Set<Duplex>()

beforeAll(async () => {
  server = createServer({ cert: CERTIFICATE, key: KEY }, (request, response) => {
    const { url = '', headers } = request
    asked.push({ url, host: headers.host ?? '', encoding: String(headers['accept-encoding']) })
    const location = REDIRECTS[url]
    const body = BODIES[url]
    if (location !== undefined) response.writeHead(302, { location }).end()
    else if (body !== undefined) response.end(body)
    else if (url === '/stall') response.writeHead(200, { 'content-type': 'image/png' }).write(PNG.subarray(0, 10))
    else if (url === '/large-said') response.writeHead(200, { 'content-length': '5000000' }).flushHeaders()
    else if (url === '/large') response.end(Buffer.alloc(200_000, 1))
    else if (url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end(PNG)
    else response.writeHead(404).end('nothing here')
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

const HOSTS = ['images.example', 'other.example', '*.pictures.example']

function urlsOf(more: Partial<UrlOptions> = {}, network: Partial<Network> = {}): UrlOptions {
  return {
    hosts: HOSTS,
    timeoutMs: 5000,
    ...more,
    network: {
      resolve: async (host) => {
        const found = ADDRESSES[host]
        if (found === undefined) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' })
        return found.map((address) => ({ address, family: 4 }))
      },
      isPublic: (address) => address === '127.0.0.1' || address === OUTSIDE,
      ca: CERTIFICATE,
      port,
      ...network,
    },
  }
}

const stateOf = (...urls: readonly string[]) => urls.map((url) => ({ type: 'image', source: { type: 'url', url } }))

function read(url: string, urls: UrlOptions | null = urlsOf(), more: { readonly imageBytes?: number } = {}) {
  return readState(stateOf(url), { urls, ...more })
}

async function refusal(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => new Error('was not refused'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof EngineError)) throw error
  return error
}

const NOT_FETCHED = /could not be fetched from its URL within 5 s/

describe('a picture by URL', () => {
  it('is fetched from a listed host, and read as any other', async () => {
    asked = []
    const { images, prompt } = await read('https://images.example/a.png')
    expect(images[0]).toMatchObject({ id: 'image_1', mediaType: 'image/png', sentWidth: 30, sentHeight: 20 })
    expect(prompt.pieces).toHaveLength(1)
    expect(asked).toEqual([{ url: '/a.png', host: `images.example:${port}`, encoding: 'identity' }])
  })

  it('is answered about by an engine that was told the hosts for this request', async () => {
    const engine = await createEngine({ models: [createFakeBackend()] })
    const state = [{ type: 'image_url', image_url: { url: 'https://images.example/a.png' } }]
    const request = { state, questions: { red: { type: 'noul', instructions: 'It is red.' } } } as const
    expect((await engine.ask(request, { state: { urls: urlsOf() } })).answers.red).toHaveProperty('noul')
    expect((await refusal(engine.ask(request))).param).toBe('/state/0/image_url/url')
    await engine.close()
  })

  it('is refused by default, and with an empty list', async () => {
    for (const urls of [null, urlsOf({ hosts: [] })]) {
      const { code, param, message } = await refusal(read('https://images.example/a.png', urls))
      expect([code, param]).toEqual(['invalid_request', '/state/0/source/url'])
      expect(message).toContain('URLs are not fetched')
      expect(message).toContain('state: { urls: { hosts: ["…"] } }')
    }
  })

  it.each([
    ['http', 'http://images.example/a.png', 'over https alone'],
    ['a file', 'file:///etc/passwd', 'over https alone'],
    ['a user', 'https://me@images.example/a.png', 'user name'],
    ['a password', 'https://:secret@images.example/a.png', 'user name'],
    ['another port', 'https://images.example:8443/a.png', 'usual port'],
    ['a host that is not listed', 'https://closed.example/a.png', 'not one that images are fetched from'],
    ['a host below a listed one', 'https://a.images.example/a.png', 'not one that'],
    ['a host that ends like a listed one', 'https://evilpictures.example/a.png', 'not one that'],
    ['the name above a wildcard', 'https://pictures.example/a.png', 'not one that'],
    ['a name with a dot behind it', 'https://images.example./a.png', 'not one that'],
    ['an address', 'https://127.0.0.1/a.png', 'not one that'],
    ['an address in disguise', 'https://0x7f000001/a.png', 'not one that'],
    ['an address of IPv6', 'https://[::1]/a.png', 'not one that'],
    ['no URL', 'images.example/a.png', 'cannot be read'],
    ['a long one', `https://images.example/${'a'.repeat(5000)}`, 'at most 4096'],
  ])('is refused with %s before anything is sent', async (_what, url, words) => {
    asked = []
    const { code, param, message } = await refusal(read(url))
    expect([code, param]).toEqual(['invalid_request', '/state/0/source/url'])
    expect(message).toContain(words)
    expect(message).not.toContain('secret')
    expect(asked).toEqual([])
  })

  it('is refused together with all others that are wrong, before any is fetched', async () => {
    asked = []
    const state = stateOf('https://images.example/a.png', 'https://closed.example/', 'ftp://images.example/')
    const { problems } = await refusal(readState(state, { urls: urlsOf() }))
    expect(problems.map(({ param }) => param)).toEqual(['/state/1/source/url', '/state/2/source/url'])
    expect(asked).toEqual([])
  })

  it('is not fetched for a request that is refused for something else', async () => {
    asked = []
    const engine = await createEngine({ models: [createFakeBackend()] })
    const request = { state: stateOf('https://images.example/a.png'), questions: { q: { type: 'noul' } }, derive: { a: 'w' } } as const
    expect((await refusal(engine.ask(request, { state: { urls: urlsOf() } }))).problems.map(({ param }) => param)).toEqual(['/derive/a'])
    expect(asked).toEqual([])
    await engine.close()
  })

  it('is not fetched where any address of its host is inside the network', async () => {
    asked = []
    for (const host of ['inside', 'half']) {
      const { code, message } = await refusal(read(`https://${host}.pictures.example/a.png`))
      expect(code).toBe('invalid_image')
      expect(message).toMatch(NOT_FETCHED)
    }
    expect(asked).toEqual([])
  })

  it('is not fetched from a listed address that is inside the network', async () => {
    const { message } = await refusal(read('https://10.0.0.5/a.png', urlsOf({ hosts: ['10.0.0.5'] })))
    expect(message).toMatch(NOT_FETCHED)
  })

  it('comes from the address that was checked, though its name is looked up once', async () => {
    let looked = 0
    const resolve = async () => [{ address: looked++ === 0 ? '127.0.0.1' : '10.0.0.5', family: 4 }]
    await read('https://images.example/a.png', urlsOf({}, { resolve }))
    expect(looked).toBe(1)
  })

  it('follows redirects to listed hosts', async () => {
    asked = []
    await read('https://images.example/there')
    await read('https://images.example/twice')
    expect(asked.map(({ url, host }) => `${host.split(':')[0]}${url}`)).toEqual([
      ...['images.example/there', 'other.example/a.png'],
      ...['images.example/twice', 'images.example/here', 'images.example/a.png'],
    ])
  })

  it.each(['unlisted', 'plain', 'inside', 'port', 'round'])(
    'follows no redirect that the first URL could not have been: %s',
    async (path) => {
      asked = []
      const { code, param, message } = await refusal(read(`https://images.example/${path}`))
      expect([code, param]).toEqual(['invalid_image', '/state/0/source/url'])
      expect(message).toMatch(NOT_FETCHED)
      expect(message).not.toContain('closed.example')
      expect(asked.length).toBe(path === 'round' ? 4 : 1)
    },
  )

  it('is told about in the same words whatever went wrong on the way', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const refusedPort = (closed.address() as AddressInfo).port
    await new Promise((resolve) => closed.close(resolve))
    const failures = await Promise.all([
      refusal(read('https://inside.pictures.example/a.png')),
      refusal(read('https://unknown.pictures.example/a.png')),
      refusal(read('https://images.example/a.png', urlsOf({}, { port: refusedPort }))),
      refusal(read('https://images.example/a.png', urlsOf({}, { ca: undefined }))),
      refusal(read('https://images.example/not-there')),
      refusal(read('https://images.example/unlisted')),
      refusal(read('https://images.example/packed')),
    ])
    expect(new Set(failures.map(({ code, message }) => `${code} ${message}`)).size).toBe(1)
  })

  it('is given up when its time is over, wherever it stands', async () => {
    const within = { timeoutMs: 300 }
    const never = () => new Promise<never>(() => {})
    for (const urls of [urlsOf(within), urlsOf(within, { resolve: never })]) {
      const { code, message } = await refusal(read('https://images.example/stall', urls))
      expect(code).toBe('invalid_image')
      expect(message).toContain('within 0.3 s')
    }
  })

  it.each(['large', 'large-said'])('is refused as soon as it is known to be too large: %s', async (path) => {
    const { code, param } = await refusal(read(`https://images.example/${path}`, urlsOf(), { imageBytes: 100_000 }))
    expect([code, param]).toEqual(['image_too_large', '/state/0/source/url'])
  })

  it('is believed by its bytes, not by its name', async () => {
    const { code } = await refusal(read('https://images.example/text.png'))
    expect(code).toBe('unsupported_media_type')
  })

  it('leaves no connection open', async () => {
    await read('https://images.example/a.png')
    await refusal(read('https://images.example/large', urlsOf(), { imageBytes: 100_000 }))
    await expect.poll(() => sockets.size).toBe(0)
  })
})
