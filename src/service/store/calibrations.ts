// Versions of the calibrations of an account in tables, as `calibrationVersions` keeps them in a folder. Changes are
// serialized by a lock, so that replicas that fit at the same time leave one order of versions.
import type { Selectable } from 'kysely'
import {
  type CalibrationVersions,
  newestIntact,
  refuseUnnamed,
  rollBackOf,
  type StoredCalibration,
  storedCalibration,
  type VersionChange,
} from '../../calibration/outcomes/versions.ts'
import { EngineError } from '../../core/errors.ts'
import type { ModelVersion } from '../../questions/shared/decision.ts'
import type { Database, Queries, Writes } from './database.ts'
import type { CalibrationChanges } from './store.ts'
import { storable, type Tables, time } from './tables.ts'

/** Older changes stay in the table. */
const MOST_CHANGES = 500

export function calibrationTables({ queries, write }: Database, of: string): CalibrationVersions {
  const account = storable(of)
  return {
    async current(model) {
      const serving = await served(queries, account)
      return newestIntact(versionsIn(serving).reverse(), (name) => stored(queries, name, model))
    },

    async serve(calibration, { at, why, heldOut }) {
      refuseUnnamed(calibration)
      const { version } = calibration
      const content = JSON.stringify(calibration)
      await write(async (writes) => {
        const number = await takeTurn(writes)
        // Also when it is served already: what was damaged is mended by it.
        await writes
          .insertInto('calibrations')
          .values({ version, content })
          .onConflict((conflict) => conflict.column('version').doUpdateSet({ content }))
          .execute()
        const serving = versionsIn(await served(writes, account))
        const before = await newestIntact(serving.reverse(), (name) => stored(writes, name, calibration.model))
        const from = before.calibration?.version ?? null
        if (from === version) return
        const highest = await writes.selectFrom('calibration_serving').select('position').orderBy('position', 'desc').executeTakeFirst()
        await writes
          .insertInto('calibration_serving')
          .values({ position: (highest?.position ?? 0n) + 1n, version, account })
          .execute()
        await note(writes, number, account, { at, action: 'serve', version, from, why, heldOut })
      })
    },

    rollBack({ at, why }, model) {
      return write(async (writes) => {
        const number = await takeTurn(writes)
        const serving = await served(writes, account)
        const found = await rollBackOf(versionsIn(serving), model, (name, of) => stored(writes, name, of))
        if (found === null) throw new EngineError('invalid_request', 'No calibration is served, so there is nothing to roll back.')
        const { position, from, version } = found
        await writes.deleteFrom('calibration_serving').where('position', '=', serving[position]!.position).execute()
        const change: VersionChange = { at, action: 'roll back', version, from, why, heldOut: null }
        await note(writes, number, account, change)
        return change
      })
    },

    async history() {
      const own = queries.selectFrom('calibration_changes').selectAll().where('account', '=', account)
      const newest = await own.orderBy('number', 'desc').limit(MOST_CHANGES).execute()
      return newest.reverse().map(changeOf)
    },
  }
}

/** The accounts whose calibrations changed after the change of a number, and the number of the newest. */
export async function calibrationChanges({ queries }: Database, after: bigint): Promise<CalibrationChanges> {
  const changes = await queries
    .selectFrom('calibration_changes')
    .select(['number', 'account'])
    .where('number', '>', after)
    .orderBy('number', 'desc')
    .limit(MOST_CHANGES)
    .execute()
  return {
    upTo: changes[0]?.number ?? after,
    accounts: changes.length === MOST_CHANGES ? null : [...new Set(changes.map(({ account }) => account))],
  }
}

/** Takes the lock for changes of what is served. Returns the number of this change; numbers may be skipped. */
async function takeTurn(writes: Writes): Promise<bigint> {
  const { changes } = await writes
    .updateTable('calibration_turn')
    .set((column) => ({ changes: column('changes', '+', 1n) }))
    .returning('changes')
    .executeTakeFirstOrThrow()
  return changes
}

/** What an account serves, of one model or several, oldest first. */
function served(queries: Queries, account: string): Promise<Selectable<Tables['calibration_serving']>[]> {
  return queries.selectFrom('calibration_serving').selectAll().where('account', '=', account).orderBy('position').execute()
}

function versionsIn(serving: readonly Selectable<Tables['calibration_serving']>[]): string[] {
  return serving.map(({ version }) => version)
}

async function stored(queries: Queries, version: string, model: ModelVersion | undefined): Promise<StoredCalibration> {
  const row = await queries.selectFrom('calibrations').select('content').where('version', '=', version).executeTakeFirst()
  return storedCalibration(row?.content ?? null, version, model)
}

async function note(
  writes: Writes,
  number: bigint,
  account: string,
  { at, action, version, from, why, heldOut }: VersionChange,
): Promise<void> {
  const row = { action, version, from_version: from, why: storable(why), held_out: heldOut === null ? null : JSON.stringify(heldOut) }
  await writes
    .insertInto('calibration_changes')
    .values({ number, account, at: time(at), ...row })
    .execute()
}

function changeOf({ at, action, version, from_version, why, held_out }: Selectable<Tables['calibration_changes']>): VersionChange {
  const heldOut = held_out === null ? null : (JSON.parse(held_out) as NonNullable<VersionChange['heldOut']>)
  return { at: Number(at), action, version, from: from_version, why, heldOut }
}
