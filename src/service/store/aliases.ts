// Names that stand for models, and everything that they stood for. Only changes are kept: what a name stands for now is
// its newest one.
import type { Selectable } from 'kysely'
import type { Database, Writes } from './database.ts'
import type { AliasChange, AliasStore } from './store.ts'
import { storable, type Tables, time } from './tables.ts'

export function aliasStore({ queries, write }: Database, now: () => number): AliasStore {
  const newest = (name: string) =>
    queries.selectFrom('alias_changes').selectAll().where('name', '=', storable(name)).orderBy('number', 'desc').limit(1)
  return {
    async current() {
      const last = queries
        .selectFrom('alias_changes')
        .select(({ fn }) => fn.max('number').as('number'))
        .groupBy('name')
      const rows = await queries.selectFrom('alias_changes').selectAll().where('number', 'in', last).orderBy('name').execute()
      return rows.flatMap(({ name, model, at }) => (model === null ? [] : [{ name, model, since: Number(at) }]))
    },

    async point(name, model, why) {
      // Repeating it is no change, and needs no lock.
      if (((await newest(name).executeTakeFirst())?.model ?? null) === model) return null
      return write(async (writes) => {
        const number = await takeTurn(writes)
        const own = writes.selectFrom('alias_changes').selectAll().where('name', '=', storable(name))
        const before = await own.orderBy('number', 'desc').limit(1).executeTakeFirst()
        const from = before?.model ?? null
        if (from === model) return null
        const row = { number, at: time(now()), name: storable(name), model: model && storable(model), from_model: from, why: storable(why) }
        await writes.insertInto('alias_changes').values(row).execute()
        return changeOf(row)
      })
    },

    async history({ name, limit }) {
      const all = queries.selectFrom('alias_changes').selectAll().orderBy('number', 'desc').limit(limit)
      const rows = await (name === undefined ? all : all.where('name', '=', storable(name))).execute()
      return rows.map(changeOf)
    },
  }
}

/** Takes the lock for changes of aliases. Returns the number of this change; numbers may be skipped. */
async function takeTurn(writes: Writes): Promise<bigint> {
  const { changes } = await writes
    .updateTable('alias_turn')
    .set((column) => ({ changes: column('changes', '+', 1n) }))
    .returning('changes')
    .executeTakeFirstOrThrow()
  return changes
}

const changeOf = ({ at, name, model, from_model, why }: Selectable<Tables['alias_changes']>): AliasChange => ({
  at: Number(at),
  name,
  model,
  from: from_model,
  why,
})
