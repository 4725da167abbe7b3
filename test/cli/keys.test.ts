import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { noteServing, servingAt } from '../../src/cli/serving-note.ts'
import { openStore } from '../../src/service/store/open.ts'
import { serviceFolder } from './service-folder.ts'

const service = serviceFolder()
const { run } = service
const create = (...more: string[]) => run(['keys', 'create', '--name', 'first', ...more])

describe('assay keys', () => {
  it('makes a key that the service knows, for the default account, to ask and to record outcomes', async () => {
    const { code, json } = await create()
    expect(code).toBe(EXIT.ok)
    expect(json()).toMatchObject({ account: 'default', name: 'first', scopes: ['ask', 'outcomes'], requestsPerMinute: null })
    const store = await openStore(join(service.folder, 'assay.db'))
    expect((await store.keys.find(json().secret))?.id).toBe(json().id)
    await store.close()
  })

  it('says which database it made or used, and which service takes the key', async () => {
    const file = join(service.folder, 'assay.db')
    expect((await create()).json()).toMatchObject({ database: file, isNewDatabase: true, service: null })
    expect((await create()).json()).toMatchObject({ database: file, isNewDatabase: false, service: null })
    const idle = await run(['keys', 'create', '--name', 'second'], true)
    expect(idle.out).toContain(`in the database ${file}; no service runs on it: assay serve --database ${file} does`)
    const leave = await noteServing(file, 'http://127.0.0.1:8123')
    expect((await run(['keys', 'create', '--name', 'third'], true)).out).toContain('the service at http://127.0.0.1:8123 takes it now')
    await leave()
    expect((await create()).json().service).toBeNull()
    expect((await create('--database', 'other.db')).json()).toMatchObject({
      database: join(service.folder, 'other.db'),
      isNewDatabase: true,
    })
    expect((await create('--database', ':memory:')).code).toBe(EXIT.usage)
  })

  it('believes no note of a service that was killed', async () => {
    const file = join(service.folder, 'assay.db')
    await writeFile(`${file}.serving`, JSON.stringify({ url: 'http://127.0.0.1:8123', pid: 2 ** 30 }))
    expect(await servingAt(file)).toBeNull()
    await writeFile(`${file}.serving`, '{')
    expect(await servingAt(file)).toBeNull()
  })

  it('takes account, scopes and rate', async () => {
    const { json } = await create('--account', 'acme', '--scope', 'calibration, ask', '--rate', '120')
    expect(json()).toMatchObject({ account: 'acme', scopes: ['ask', 'calibration'], requestsPerMinute: 120 })
  })

  it('prints the secret first for a person, once, and says to store it', async () => {
    const { out, err } = await run(['keys', 'create', '--name', 'first'], true)
    const [secret] = out.split('\n')
    expect(secret).toMatch(/^service_sk_[\w-]{43}$/)
    expect(out.split(secret!)).toHaveLength(2)
    expect(out).toContain('Store the secret now')
    expect(err).toBe('')
    const listed = await run(['keys', 'list'], true)
    expect(listed.out).toContain('never used')
    expect(listed.out).not.toContain(secret)
  })

  it('lists keys, of one account or of all, without secrets or hashes', async () => {
    await create('--account', 'acme')
    await create('--account', 'other')
    const all = await run(['keys', 'list'])
    expect(all.json().map(({ account }: { account: string }) => account)).toEqual(['other', 'acme'])
    expect(Object.keys(all.json()[0]).sort()).toEqual(
      ['account', 'createdAt', 'id', 'lastUsedAt', 'name', 'prefix', 'requestsPerMinute', 'revokedAt', 'scopes'].sort(),
    )
    expect((await run(['keys', 'list', '--account', 'acme'])).json()).toHaveLength(1)
  })

  it('revokes a key at once', async () => {
    const { id, secret } = (await create()).json()
    const { code, json } = await run(['keys', 'revoke', id])
    expect(code).toBe(EXIT.ok)
    expect(json().revokedAt).toEqual(expect.any(Number))
    const store = await openStore(join(service.folder, 'assay.db'))
    expect(await store.keys.find(secret)).toBeNull()
    await store.close()
    expect((await run(['keys', 'list'], true)).out).toContain('REVOKED')
  })

  it('does not repeat a secret that was given in place of an id', async () => {
    const { secret } = (await create()).json()
    const { code, out, err } = await run(['keys', 'revoke', secret])
    expect(code).toBe(EXIT.request)
    expect(out + err).not.toContain(secret.slice(11))
    expect(err).toContain('named by its id')
  })

  it('works beside a service that has the database open', async () => {
    const store = await openStore(join(service.folder, 'assay.db'))
    const { secret, id } = (await create()).json()
    expect((await store.keys.find(secret))?.id).toBe(id)
    await run(['keys', 'revoke', id])
    expect(await store.keys.find(secret)).toBeNull()
    await store.close()
  })

  it.each([
    [['keys', 'create'], '--name'],
    [['keys', 'create', '--name', 'a', '--scope', 'ask,admin'], 'not "admin"'],
    [['keys', 'create', '--name', 'a', '--rate', '0'], '--rate'],
    [['keys', 'list'], 'there is no database assay.db yet'],
    [['keys', 'list', '--database', 'mysql://root:hunter2@host/x'], 'postgres://'],
  ])('refuses %j as wrong usage', async (args, words) => {
    const { code, err } = await run(args)
    expect(code).toBe(EXIT.usage)
    expect(err).toContain(words)
    expect(err).not.toContain('hunter2')
    expect(await readdir(service.folder)).toEqual([])
  })

  it('takes the database as a URL of its file, and makes none where it only lists', async () => {
    const url = `file://${join(service.folder, 'by-url.db')}`
    expect((await run(['keys', 'list', '--database', url])).code).toBe(EXIT.usage)
    expect(await readdir(service.folder)).toEqual([])
    await create('--database', url)
    expect((await run(['keys', 'list', '--database', url])).json()).toHaveLength(1)
    expect(await readdir(service.folder)).toContain('by-url.db')
  })

  it('takes the database from DATABASE_URL, and the flag before it', async () => {
    vi.stubEnv('DATABASE_URL', 'from-environment.db')
    await create()
    await create('--database', 'from-flag.db')
    const names = (await readdir(service.folder)).filter((name) => name.endsWith('.db'))
    expect(names.sort()).toEqual(['from-environment.db', 'from-flag.db'])
  })
})
