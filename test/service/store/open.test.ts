import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineError } from '../../../src/core/errors.ts'
import { openStore } from '../../../src/service/store/open.ts'
import { SCHEMA_VERSION } from '../../../src/service/store/schema.ts'
import { POSTGRES } from '../databases.ts'
import { DOWN_TO_3 } from './older-tables.ts'
import { eachStore, SHARED } from './suite.ts'

const refusal = async (url: string): Promise<EngineError> => {
  const error = await openStore(url).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

describe('opening a store', () => {
  eachStore(({ open, url, database }) => {
    it('makes the tables, answers, and closes twice as once', async () => {
      const store = await open()
      expect(store.kind).toBe(database.kind)
      await store.ping()
      await store.close()
      await store.close()
      await expect(store.ping()).rejects.toThrow()
      await expect(store.ledger.credit('acme', 1n, '')).rejects.toThrow()
    })

    it('says nothing of the URL when something goes wrong', async () => {
      const store = await open()
      await store.close()
      const errors = await Promise.all(
        [store.ping(), store.ledger.accounts(), store.ledger.credit('acme', 1n, '')].map((work) => work.then(String, String)),
      )
      for (const error of errors) expect(error).not.toContain(url())
    })
  })

  eachStore(({ open, tamper, count, database }) => {
    it('finds what was kept when it is opened again', async () => {
      const first = await open()
      await first.ledger.credit('acme', 7n, '')
      await first.close()
      expect((await (await open()).ledger.account('acme'))?.balance).toBe(7n)
    })

    it('tells by ping that nothing can be written, and leaves nothing behind', async () => {
      const store = await open()
      await Promise.all(Array.from({ length: 4 }, () => store.ping()))
      expect(await count('probes')).toBe(0)
      await tamper(
        database.kind === 'libsql'
          ? `create trigger full before insert on probes begin select raise(abort, 'full'); end`
          : `create rule full_disk as on insert to probes do instead select 1 / 0`,
      )
      await expect(store.ping()).rejects.toThrow()
      await tamper(database.kind === 'libsql' ? 'drop trigger full' : 'drop rule full_disk on probes')
      await store.ping()
    })

    it('brings tables of the first version up to date', async () => {
      const first = await open()
      await first.ledger.credit('acme', 7n, '')
      await first.close()
      await tamper(DOWN_TO_3)
      await tamper('drop table probes')
      await tamper('update schema_version set version = 1')
      const second = await open()
      await second.ping()
      expect((await second.ledger.account('acme'))?.balance).toBe(7n)
    })

    it('makes the tables once when many replicas start at once', async () => {
      const stores = await Promise.all(Array.from({ length: 6 }, () => open()))
      await Promise.all(stores.map((store) => store.ledger.credit('acme', 1n, '')))
      expect((await stores[0]!.ledger.account('acme'))?.balance).toBe(6n)
      expect(await count('schema_version')).toBe(1)
    })

    it('refuses tables of a later version, and leaves them alone', async () => {
      await (await open()).close()
      await tamper('update schema_version set version = 999')
      const refused = open()
      await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
      await expect(refused).rejects.toThrow(/version 999 of the tables, this one knows up to \d+/)
      await tamper(`update schema_version set version = ${SCHEMA_VERSION}`)
      await (await open()).ping()
    })
  }, SHARED)

  eachStore(
    ({ open, url, tamper }) => {
      it('takes a user who may use the tables and not make them', async () => {
        const owner = await open()
        const name = `assay_test_${randomBytes(8).toString('hex')}`
        await tamper(`
        create role ${name} login password 'pass';
        grant usage on schema assay to ${name};
        grant select, insert, update, delete on all tables in schema assay to ${name}`)
        const limited = new URL(url())
        limited.username = name
        limited.password = 'pass'
        const store = await openStore(limited.href)
        try {
          expect((await store.ledger.credit('acme', 5n, ''))?.balanceAfter).toBe(5n)
          expect((await owner.ledger.account('acme'))?.balance).toBe(5n)
        } finally {
          await store.close()
          await tamper(`drop owned by ${name}; drop role ${name}`)
        }
      })
    },
    [POSTGRES],
  )

  describe('on what is no database', () => {
    let folder = ''
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'assay-open-'))
    })
    afterEach(() => rm(folder, { recursive: true, force: true }))

    it('says what can be done, and no path', async () => {
      const text = join(folder, 'notes.txt')
      await writeFile(text, 'these are notes, not tables\n'.repeat(100))
      for (const url of [join(folder, 'none', 'assay.db'), folder, text]) {
        const error = await refusal(url)
        expect(error.code).toBe('invalid_request')
        expect(error.message).toMatch(/^The database cannot be opened \(\w+\); see that the folder is there/)
        expect(`${error.message} ${String(error.cause)}`).not.toContain(folder)
      }
    })

    it.each(['mysql://user:hunter2@host/name', 'http://hunter2@host', 'postgres://user:hunter2@%zz', 'libsql://hunter2.turso.io'])(
      'refuses %s without its password',
      async (url) => {
        const error = await refusal(url)
        expect(error.code).toBe('invalid_request')
        expect(`${error.stack} ${String(error.cause)}`).not.toContain('hunter2')
      },
    )

    it('says that a server does not answer', async () => {
      const error = await refusal('postgres://user:hunter2@127.0.0.1:1/name')
      expect(error.message).toBe(
        'The database cannot be opened (ECONNREFUSED); see that the server answers and the user may create tables.',
      )
    })

    it('takes file URLs, and makes files that only their owner reads', async () => {
      const file = join(folder, 'as say.db')
      const store = await openStore(`file://${file.replace(' ', '%20')}`)
      await store.ledger.credit('acme', 1n, '')
      for (const name of [file, `${file}-wal`]) expect((await stat(name)).mode & 0o777).toBe(0o600)
      await store.close()
    })
  })
})
