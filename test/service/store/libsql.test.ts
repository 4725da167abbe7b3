import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/service/store/database.ts'
import { openLibsql } from '../../../src/service/store/libsql.ts'
import { prepareSchema } from '../../../src/service/store/schema.ts'
import { type FreshDatabase, LIBSQL_FILE } from '../databases.ts'

describe('the embedded database', () => {
  let database: Database
  beforeEach(() => {
    database = openLibsql(':memory:')
  })
  afterEach(() => database.close())

  const value = async (query: ReturnType<typeof sql<{ value: unknown }>>): Promise<unknown> =>
    (await query.execute(database.queries)).rows[0]?.value

  it('refuses what the library would round, or end the process at', async () => {
    for (const wrong of [true, undefined, 2n ** 63n, -(2n ** 63n) - 1n, new Date(0)]) {
      await expect(value(sql`select ${wrong} as value`)).rejects.toThrow(TypeError)
    }
    expect(await value(sql`select ${2n ** 63n - 1n} as value`)).toBe(2n ** 63n - 1n)
  })

  it('takes whole numbers as integers: they divide as in PostgreSQL', async () => {
    expect(await value(sql`select ${7} / ${2} as value`)).toBe(3n)
    expect(await value(sql`select ${7.5} / ${2} as value`)).toBe(3.75)
  })

  it('does not let a line of the ledger be replaced', async () => {
    await prepareSchema(database)
    await sql`insert into accounts values ('acme', 5, 1, 0)`.execute(database.queries)
    const line = sql`into ledger values ('led_1', 'acme', 1, 0, 'credit', ${5}, 5, null, '')`
    await sql`insert ${line}`.execute(database.queries)
    await expect(sql`insert or replace ${line}`.execute(database.queries)).rejects.toThrow('append-only')
  })

  it('tells what went wrong in a transaction, not that there was nothing to undo', async () => {
    const work = database.write(async (writes) => {
      // As a full disk does it.
      await sql`rollback`.execute(writes)
      throw new Error('the disk is full')
    })
    await expect(work).rejects.toThrow('the disk is full')
    expect(await database.write(async (writes) => (await sql`select 1 as one`.execute(writes)).rows)).toEqual([{ one: 1n }])
  })
})

describe('the file of the embedded database', () => {
  let fresh: FreshDatabase
  beforeEach(async () => {
    fresh = await LIBSQL_FILE.make()
  })
  afterEach(() => fresh.drop())

  it.each([
    [false, 1n],
    [true, 2n],
  ])('waits for the disk at every commit when it must survive power loss: %s', async (survivesPowerLoss, level) => {
    const database = openLibsql(fresh.url, { survivesPowerLoss })
    const pragma = async (name: string) =>
      Object.values((await sql`pragma ${sql.raw(name)}`.execute(database.queries)).rows[0] as object)[0]
    expect([await pragma('synchronous'), await pragma('journal_mode'), await pragma('foreign_keys')]).toEqual([level, 'wal', 1n])
    await database.close()
  })
})
