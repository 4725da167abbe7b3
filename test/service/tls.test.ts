// A service that speaks TLS itself, with certificates made for the test by
// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=first.localhost \
//   -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout first.key.pem -out first.cert.pem
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { runService } from '../../src/cli/run-service.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'
import { fakeTerminal } from '../shared/terminal.ts'
import { startChild } from './faults/child.ts'
import { until } from './gate.ts'

const made = (name: string): string => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url))

/** A service whose files can be renewed. */
async function startWithTls() {
  const folder = await mkdtemp(join(tmpdir(), 'assay-tls-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const use = async (name: string) => {
    await copyFile(made(`${name}.cert`), tlsCert)
    await copyFile(made(`${name}.key`), tlsKey)
  }
  await use('first')
  const nothing = () => {}
  const service = await runService({
    settings: { ...DEFAULT_SETTINGS, port: 0, databaseUrl: ':memory:', tlsCert, tlsKey, drainMs: 100 },
    models: [{ id: 'fake', load: async () => createFakeBackend() }],
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
  let isOver = false
  const end = async () => {
    if (!isOver) await service.end()
    isOver = true
  }
  onTestFinished(end)
  return { service, use, tlsCert, end, port: Number(new URL(service.url).port) }
}

const get = async (url: string, cert: string) => {
  const ca = await readFile(made(cert))
  return new Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    request(url, { ca, agent: false }, (reply) => {
      let body = ''
      reply.setEncoding('utf8').on('data', (text) => (body += text))
      reply.on('end', () => resolve({ status: reply.statusCode!, body, headers: reply.headers }))
    })
      .on('error', reject)
      .end()
  })
}

describe('a service with --tls-cert and --tls-key', () => {
  it('answers over https, and not over http', async () => {
    const { service, port } = await startWithTls()
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const { status, body, headers } = await get(`${service.url}/health`, 'first.cert')
    expect([status, JSON.parse(body).ok, headers['x-request-id']]).toEqual([200, true, expect.stringMatching(/^evt_/)])
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow()
  })

  it('gives new connections the renewed certificate, and keeps the old one when the new one is broken', async () => {
    const { service, use, tlsCert } = await startWithTls()
    await use('second')
    await service.renewTls!()
    expect((await get(`${service.url}/health`, 'second.cert')).status).toBe(200)
    await expect(get(`${service.url}/health`, 'first.cert')).rejects.toThrow()
    await writeFile(tlsCert, 'half a certif')
    await expect(service.renewTls!()).rejects.toThrow(/holds no certificate/)
    expect((await get(`${service.url}/health`, 'second.cert')).status).toBe(200)
  })

  it('ends although a connection never finished its handshake, and another only waits', async () => {
    const { port, end } = await startWithTls()
    const silent = connectPlain(port, '127.0.0.1')
    await new Promise((resolve) => silent.once('connect', resolve))
    const idle: TLSSocket = connect({ port, host: '127.0.0.1', ca: await readFile(made('first.cert')) })
    await new Promise((resolve) => idle.once('secureConnect', resolve))
    const gone = Promise.all(
      [silent, idle].map(
        (socket) =>
          new Promise((resolve) =>
            socket
              .once('close', resolve)
              .on('error', () => {})
              .resume(),
          ),
      ),
    )
    await end()
    await gone
  })
})

describe('assay serve with a certificate', () => {
  it('reads it again at SIGHUP, goes on, and ends at SIGTERM', async () => {
    const args = ['--tls-cert', made('first.cert'), '--tls-key', made('first.key')]
    const child = await startChild({ databaseUrl: ':memory:', args })
    child.kill('SIGHUP')
    await until(() => child.log().includes('certificate and key were read again'))
    expect((await get(`${child.url}/health`, 'first.cert')).status).toBe(200)
    child.kill('SIGTERM')
    expect((await child.ended).code).toBe(0)
  }, 240_000)
})

describe('what is wrong with certificates', () => {
  const serve = async (...args: readonly string[]) => {
    const { terminal, heard } = fakeTerminal('/', { columns: 200 })
    const code = await runCli(['serve', '--fake', '--port', '0', '--database', ':memory:', ...args], terminal, () =>
      Promise.reject(new Error()),
    )
    return { code, err: heard.err }
  }

  it.each([
    [['--tls-cert', made('first.cert')], /--tls-cert needs --tls-key beside it/],
    [['--tls-key', made('first.key')], /--tls-key needs --tls-cert beside it/],
    [['--tls-cert', '/none.pem', '--tls-key', made('first.key')], /--tls-cert: \/none\.pem cannot be read \(ENOENT\)/],
    [['--tls-cert', made('first.key'), '--tls-key', made('first.key')], /holds no certificate; give a PEM file/],
    [['--tls-cert', made('first.cert'), '--tls-key', made('second.key')], /is not the key of the certificate/],
  ])('is said in one line: %j', async (args, message) => {
    const { code, err } = await serve(...args)
    expect([code, err.trimEnd().split('\n').length]).toEqual([EXIT.usage, 1])
    expect(err).toMatch(message)
  })
})
