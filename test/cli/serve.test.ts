import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { addAdmin, browserUrl, hasStartLink } from '../../src/cli/admin-command.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { runService } from '../../src/cli/run-service.ts'
import { aliasesFor, deadAliases, modelsOf, requirePrices } from '../../src/cli/serve-models.ts'
import { showStarted } from '../../src/cli/show-serve.ts'
import { SETTING_TABLE } from '../../src/service/setting-table.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'
import { openStore } from '../../src/service/store/open.ts'
import { type FreshDatabase, LIBSQL_FILE } from '../service/databases.ts'
import { runFromSources, type ServiceChild, startChild } from '../service/faults/child.ts'
import { until } from '../service/gate.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await LIBSQL_FILE.make()
})
afterAll(() => database.drop())

/** Runs a command line that ends by itself. */
async function run(...args: readonly string[]) {
  const { terminal, heard } = fakeTerminal('/', { columns: 200 })
  const code = await runCli(args, terminal, () => Promise.reject(new Error('serving makes its own engine')))
  return { code, ...heard }
}

describe('assay serve --help', () => {
  it('names every setting with its flag, its variables and its default', async () => {
    const { code, out } = await run('serve', '--help')
    expect(code).toBe(EXIT.ok)
    for (const { name, flag, env } of SETTING_TABLE) {
      expect(out).toContain(flag === null ? `  ${name} ` : `--${flag} <`)
      for (const name of env) expect(out).toContain(name)
    }
    expect(out).toMatch(/--body-bytes <size> +most bytes of a request body \(default 32MiB; ASSAY_BODY_BYTES\)/)
    expect(out).toMatch(/--fake \[time\]/)
  })
})

describe('assay serve', () => {
  it('names everything that is wrong with its flags at once', async () => {
    const { code, err } = await run('serve', '--port', 'eighty', '--deadline', 'soon', '--prices', 'free')
    expect(code).toBe(EXIT.usage)
    expect(err).toMatch(/--port takes .* not "eighty"; --prices takes .*; --deadline takes .* not "soon"/)
  })

  it('counts the last of a flag that is given again, and takes lists together', async () => {
    const { err } = await run('serve', '--port', 'eighty', '--port', 'ninety', '--prices', 'a=1', '--prices', 'a=2')
    expect(err).toMatch(/--port takes .* not "ninety"; --prices takes .* not "a=1,a=2"/)
  })

  it('reads a settings file, and says in one line what is wrong with it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-settings-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'assay.json')
    await writeFile(file, '{"deadline": "soon", "legacy-name": "ask"}')
    const { code, err } = await run('serve', '--settings', file)
    expect(code).toBe(EXIT.usage)
    expect(err).toMatch(/^error: "legacy-name" in \S+assay\.json takes .* not "ask"; "deadline" in \S+assay\.json takes .* not "soon"\n$/)
    await writeFile(file, '{')
    expect((await run('serve', '--settings', file)).err).toMatch(/assay\.json is not JSON\n$/)
    expect((await run('serve', '--settings', join(folder, 'none.json'))).err).toMatch(/none\.json cannot be read: there is no such file\n$/)
  })

  it('refuses a flag that is none', async () => {
    const { code, err } = await run('serve', '--prot', '80')
    expect(code).toBe(EXIT.usage)
    expect(err).toContain('--port')
  })

  it('says in one line that a port is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const { code, err } = await run('serve', '--fake', '--port', String(port), '--database', ':memory:', '--log-level', 'silent')
    other.close()
    expect(code).toBe(EXIT.usage)
    expect(err).toBe(`error: 127.0.0.1:${port} is in use; stop what listens there, or give another --port (0 for any free one)\n`)
  })

  it('finds that a port is in use before it loads a model', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    let isLoaded = false
    const load = async () => {
      isLoaded = true
      return createFakeBackend({ id: 'fake' })
    }
    const settings = { ...DEFAULT_SETTINGS, port, databaseUrl: ':memory:' }
    const nothing = () => {}
    const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }
    await expect(runService({ settings, models: [{ id: 'fake', load }], log })).rejects.toThrow(`127.0.0.1:${port} is in use`)
    expect(isLoaded).toBe(false)
  })

  it.each(['/no/such/folder/assay.db', 'postgres://root:canary@127.0.0.1:1/x'])('says in one line that %s cannot be used', async (url) => {
    const { code, err } = await run('serve', '--fake', '--port', '0', '--database', url, '--log-level', 'silent')
    expect(code).toBe(EXIT.usage)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
    expect(err).toMatch(/^error: --database: The database cannot be opened \(\w+\)/)
    expect(err).not.toContain('canary')
    expect(err).not.toContain('/no/such')
  })

  it.each([
    [['--model', './no-such-folder'], EXIT.model, 'no such model folder'],
    [['--model', 'service-9'], EXIT.model, 'no such model was pulled; service-1-pro comes with the package'],
    [['--model', 'src', '--fake'], EXIT.usage, '--fake and --model were given'],
    [['--fake', 'soon'], EXIT.usage, '--fake takes a time'],
  ] as const)('says what is wrong with %j', async (args, expected, message) => {
    const { code, err } = await run('serve', '--port', '0', '--database', ':memory:', ...args)
    expect(code).toBe(expected)
    expect(err).toContain(message)
  })

  it('gives no answers away because a price names another model', async () => {
    const { code, err } = await run('serve', '--fake', '--port', '0', '--database', ':memory:', '--prices', 'fakr=1')
    expect(code).toBe(EXIT.usage)
    expect(err).toBe('error: --prices says nothing of fake; give it a price, 0 for none, or all others one with *=\n')
  })

  it('takes no price of a model that is not there beside one of all others, which its answers would get', async () => {
    const { code, err } = await run('serve', '--fake', '--port', '0', '--database', ':memory:', '--prices', 'fakr=1,*=0.1')
    expect(code).toBe(EXIT.usage)
    expect(err).toMatch(/^error: --prices has a price for fakr, a model that is not served. Did you mean "fake"\? There is fake, /)
  })

  it.each([[{}], [{ '*': 1n }], [{ mine: 1n, other: 1n }], [{ mine: 0n, '*': 1n }], [{ mine: 0n }], [{ soon: 1n, '*': 1n }]])(
    'takes prices of %o',
    (prices) => {
      expect(() => requirePrices({ prices, announcedModels: { soon: 'Soon' } }, ['mine'])).not.toThrow()
    },
  )

  it('points aliases that nobody set at a model that is there', async () => {
    expect(aliasesFor(DEFAULT_SETTINGS, ['service-1-pro', 'mine'])).toBe(DEFAULT_SETTINGS)
    expect(aliasesFor(DEFAULT_SETTINGS, ['mine']).aliases).toMatchObject({ 'gpt-*': 'mine' })
    expect(aliasesFor(DEFAULT_SETTINGS, ['fake']).aliases).toEqual({ '*': 'fake' })
    expect(aliasesFor({ ...DEFAULT_SETTINGS, aliases: { a: 'b' } }, ['mine']).aliases).toEqual({ a: 'b' })
  })

  it('finds aliases that stand for no model that is served', () => {
    expect(deadAliases({ aliases: { 'gpt-*': 'mine', old: 'gone' } }, ['mine'])).toEqual(['old=gone'])
    expect(deadAliases(aliasesFor(DEFAULT_SETTINGS, ['mine']), ['mine'])).toEqual([])
  })

  it('takes the shipped model by its name', async () => {
    const { terminal } = fakeTerminal('/')
    expect((await modelsOf({ model: ['service-1-pro'] }, terminal)).map(({ id }) => id)).toEqual(['service-1-pro'])
  })
})

describe('a service that was started', () => {
  let child: ServiceChild
  beforeAll(async () => {
    child = await startChild({ databaseUrl: database.url })
  })
  afterAll(async () => {
    child.kill('SIGKILL')
    await child.ended
  })

  it('answers where it says it is, as the model it says it is', async () => {
    const health = await fetch(`${child.url}/health`)
    expect(health.status).toBe(200)
    const { models } = (await (await fetch(`${child.url}/v1/models`)).json()) as { models: { id: string }[] }
    expect(models[0]!.id).toBe('fake')
    expect((await (await fetch(`${child.url}/metrics`)).text()).includes('assay_http_requests_total')).toBe(true)
  })

  it('prints a link to the console to a terminal only, and only without a standing token', () => {
    const settings = { console: true, adminToken: null }
    expect(hasStartLink(settings, true)).toBe(true)
    expect(hasStartLink(settings, false)).toBe(false)
    expect(hasStartLink({ ...settings, adminToken: 'a standing token of the operator' }, true)).toBe(false)
    expect(hasStartLink({ ...settings, console: false }, true)).toBe(false)
  })

  it('prints no link to the console where no terminal reads it', async () => {
    expect(child.started).toMatchObject({ console: null, consolePage: `${child.url}/console` })
    expect(child.log()).not.toContain('token=')
  })

  it('is given a link with the port that it serves on', async () => {
    const { said, ended } = runFromSources(['admin', 'link', '--database', database.url])
    expect((await ended).code).toBe(EXIT.ok)
    expect(JSON.parse(said.out).console).toMatch(new RegExp(`^${child.url}/console#token=`))
    expect(said.err).toBe('')
  })

  it('is given a link by assay admin link, at the URL it is reached by', async () => {
    const { said, ended } = runFromSources(['admin', 'link', '--database', database.url, '--url', 'https://assay.example.com/'])
    expect((await ended).code).toBe(EXIT.ok)
    const { console: link } = JSON.parse(said.out) as { console: string }
    expect(link).toMatch(/^https:\/\/assay\.example\.com\/console#token=[\w-]{20,}$/)
    const store = await openStore(database.url)
    expect(await store.admin.redeem(link.split('#token=')[1]!, 1000)).not.toBeNull()
    expect(await store.admin.redeem(link.split('#token=')[1]!, 1000)).toBeNull()
    await store.close()
  })

  it('logs requests by id, and never what was asked or answered, nor keys, tokens and passwords', async () => {
    const store = await openStore(database.url)
    const { secret } = await store.keys.create({ account: 'canary-free', name: 'log', scopes: ['ask', 'outcomes'] })
    await store.close()
    const ask = (body: string, key = secret) =>
      fetch(`${child.url}/v1/ask?token=canary-query`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': `canary-idempotency-${body.length}`,
        },
        body,
      })
    const question = { type: 'choice', instructions: 'canary-instructions', criteria: ['canary-option', 'other'] }
    const answered = await ask(JSON.stringify({ state: 'canary-state', questions: { 'canary-id': question } }))
    expect(answered.status).toBe(200)
    const replies = await Promise.all([
      ask('{"state": canary-broken'),
      ask(JSON.stringify({ state: 'canary-state', questions: { a: { type: 'canary-type' } } })),
      ask(JSON.stringify({ model: 'canary model', state: 1, questions: { a: question }, derive: { b: 'canary_name + 1' } })),
      ask('{}', 'service_sk_canary-secret'),
      fetch(`${child.url}/v1/canary-path`),
      fetch(`${child.url}/v1/outcomes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ event: 'canary-event', outcomes: { a: 'canary-truth' } }),
      }),
    ])
    expect(replies.every(({ status }) => status >= 400 && status < 500)).toBe(true)
    const id = answered.headers.get('x-request-id')!
    const last = replies.at(-1)!.headers.get('x-request-id')!
    for (let tries = 0; tries < 100 && !(child.log().includes(id) && child.log().includes(last)); tries++)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const log = child.log()
    expect(log).toContain(id)
    for (const line of log.trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
    expect(log.replaceAll('canary-free', '')).not.toContain('canary')
    expect(log).not.toContain(secret)
  })

  it('ends at once when it is told to while it still starts', async () => {
    // A database that takes the connection and never answers.
    const silent = createServer(() => {})
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const connected = once(silent, 'connection')
    const { child, said, ended } = runFromSources([
      'serve',
      '--port',
      '0',
      '--fake',
      '--database',
      `postgres://nobody@127.0.0.1:${port}/none`,
    ])
    const [socket] = (await connected) as [Socket]
    child.kill('SIGTERM')
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' })
    expect(said.out).toBe('')
    expect(said.err).toContain('ended before it was ready')
    expect(said.err).not.toContain('cannot be opened')
    socket.destroy()
    silent.close()
  })

  it('warns of aliases that stand for no model that is served', async () => {
    const other = await startChild({ databaseUrl: ':memory:', args: ['--aliases', 'old=gone,new=fake'] })
    await until(() => other.log().includes('aliases stand for models that are not served'))
    expect(other.started).toMatchObject({ deadAliases: ['old=gone'] })
    other.kill('SIGKILL')
    await other.ended
  })

  it('tells a person where it is, how to get in and what is missing', () => {
    const consolePage = 'http://localhost:1/console'
    const started = { url: 'http://localhost:1', console: `${consolePage}#token=t`, consolePage, consoleMs: 900_000, readyMs: 1234 }
    const rest = {
      database: 'libsql',
      file: 'other.db',
      models: ['service-1-pro'],
      deadAliases: ['old=gone'],
      isFree: true,
      hasKeys: false,
    } as const
    const shown = showStarted({ ...started, ...rest }, { hasColor: false })
    expect(shown).toMatch(/^http:\/\/localhost:1 .*ready in 1\.2 s$/m)
    expect(shown).toMatch(/console +http:\/\/localhost:1\/console#token=t +\(opens once, within 15 minutes\)/)
    expect(shown).toMatch(/prices +none/)
    expect(shown).toMatch(/aliases +old=gone: no such model is served/)
    expect(shown).toMatch(/database +other\.db/)
    expect(shown).toMatch(/keys +none yet: make one in the console, or with assay keys create .*--database other\.db$/m)
    expect(showStarted({ ...started, ...rest, file: null }, { hasColor: false })).toMatch(/keys +none yet: make one in the console$/m)
    const signIn = { ...started, ...rest, console: null }
    expect(showStarted(signIn, { hasColor: false })).toMatch(/console +http:\/\/localhost:1\/console +\(sign in with the admin token\)/)
    const bare = showStarted({ ...signIn, consolePage: null, deadAliases: [], isFree: false, hasKeys: true }, { hasColor: false })
    expect(bare).not.toMatch(/console|prices|keys|aliases/)
  })
})

describe('assay admin', () => {
  it.each(['ftp://x', 'x', 'https://user:canary@x', 'https://x/?a=1'])('refuses --url %s', async (url) => {
    const { code, err } = await run('admin', 'link', '--database', ':memory:', '--url', url)
    expect(code).toBe(EXIT.usage)
    expect(err).toContain('--url takes where the service is reached')
  })

  it('ends all sessions by assay admin sign-out, and says how many', async () => {
    const fresh = await LIBSQL_FILE.make()
    const store = await openStore(fresh.url)
    const { session } = await store.admin.open(60_000)
    const { code, out } = await run('admin', 'sign-out', '--database', fresh.url)
    expect([code, JSON.parse(out)]).toEqual([EXIT.ok, { ended: 1 }])
    expect(await store.admin.find(session)).toBeNull()
    await store.close()
    await fresh.drop()
  })

  it('has its command in its help', () => {
    const program = new Command('assay')
    addAdmin(program, {
      terminal: fakeTerminal('/').terminal,
      attempt: async () => {},
      makeEngine: () => Promise.reject(new Error('none')),
    })
    expect(program.commands[0]!.commands[0]!.helpInformation()).toMatch(/opens the console once, within 15 minutes/)
  })

  it('names an address to open where the service listens on all of them', () => {
    expect(browserUrl('http://0.0.0.0:8080')).toBe('http://localhost:8080')
    expect(browserUrl('http://[::]:8080')).toBe('http://localhost:8080')
    expect(browserUrl('http://10.0.0.1:8080')).toBe('http://10.0.0.1:8080')
  })
})
