// Brings a database to the tables of this version: creates them when it is new, migrates it when it is older, and
// refuses it when it is newer. All of it is one transaction under a lock, so that any number of replicas may start at
// once. Not by kysely's Migrator: it opens a transaction of its own (none at all on SQLite, and no lock there), so that
// the check of the version, the lock and the steps could not be one.
import { sql } from 'kysely'
import { EngineError } from '../../core/errors.ts'
import type { Database, Writes } from './database.ts'
import { keyValueHashes } from './value-hashes.ts'

/** Steps from each version to the next. Those that were released are never changed. */
const STEPS: readonly ((writes: Writes, database: Database) => Promise<void>)[] = [
  makeTables,
  makeProbes,
  keyValueHashes,
  splitByAccount,
  makeRateWindows,
  makeAliases,
  makeRecentTurns,
]

/** What PostgreSQL calls a table that is not there. */
const UNDEFINED_TABLE = '42P01'

export const SCHEMA_VERSION = STEPS.length

/** Throws `invalid_request` when the database was made by a later version. */
export async function prepareSchema(database: Database): Promise<void> {
  // Mostly nothing is to be done. Then there is no lock, and a database user without the right to create tables
  // suffices.
  if ((await versionOf(database)) === SCHEMA_VERSION) return
  await database.write(async (writes) => {
    await database.lockSchema(writes)
    await sql`create table if not exists schema_version (version bigint not null)`.execute(writes)
    const row = await writes.selectFrom('schema_version').select('version').executeTakeFirst()
    const version = Number(row?.version ?? 0)
    if (version > SCHEMA_VERSION) {
      const message = `The database has version ${version} of the tables, this one knows up to ${SCHEMA_VERSION}; start the version that made it, or a later one.`
      throw new EngineError('invalid_request', message)
    }
    if (version === SCHEMA_VERSION) return
    for (const step of STEPS.slice(version)) await step(writes, database)
    if (row === undefined) await writes.insertInto('schema_version').values({ version: SCHEMA_VERSION }).execute()
    else await writes.updateTable('schema_version').set({ version: SCHEMA_VERSION }).execute()
  })
}

/** Null when there are no tables yet. */
async function versionOf({ queries }: Database): Promise<number | null> {
  try {
    const { version } = await queries.selectFrom('schema_version').select('version').executeTakeFirstOrThrow()
    return Number(version)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === UNDEFINED_TABLE || error.message.startsWith('no such table')))
      return null
    throw error
  }
}

/** Both databases take these words as they are: SQLite reads any "int" as its integer, and "double" as its real. */
const TABLES = `
create table accounts (
  id text not null primary key,
  balance bigint not null check (balance >= 0),
  entries bigint not null,
  created_at bigint not null
);
create table api_keys (
  id text not null primary key,
  account text not null references accounts (id),
  name text not null,
  scopes text not null,
  prefix text not null,
  hash text not null unique,
  requests_per_minute bigint,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);
create table ledger (
  id text not null primary key,
  account text not null references accounts (id),
  number bigint not null,
  at bigint not null,
  kind text not null check (kind in ('credit', 'charge')),
  amount bigint not null,
  balance_after bigint not null,
  request text unique,
  note text not null,
  unique (account, number)
);
create table claims (
  key text not null,
  idempotency_key text not null,
  body_hash text not null,
  token text not null unique,
  at bigint not null,
  lease_ends_at bigint not null,
  settled_at bigint,
  reply_status bigint,
  reply_headers text,
  reply_body text,
  primary key (key, idempotency_key)
);
create index claims_by_time on claims (at);
create table requests (
  id text not null primary key,
  at bigint not null,
  account text not null,
  key text,
  model text,
  dialect text not null,
  status bigint not null,
  code text,
  questions bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost bigint not null,
  latency_ms double precision not null
);
create index requests_by_time on requests (at, id);
create index requests_of_account on requests (account, at, id);
create table events (
  id text not null primary key,
  account text not null,
  at bigint not null,
  is_labelled bigint not null,
  line text not null
);
create index events_by_time on events (at, id);
create index events_of_account on events (account, at, id);
create index events_by_label on events (is_labelled, at, id);
create table labels (
  event text not null references events (id) on delete cascade,
  decision text not null,
  truth text not null,
  weight double precision not null,
  primary key (event, decision)
);
create table calibrations (
  version text not null primary key,
  content text not null
);
create table calibration_serving (
  position bigint not null primary key,
  version text not null
);
create table calibration_changes (
  number bigint not null primary key,
  at bigint not null,
  action text not null,
  version text,
  from_version text,
  why text not null,
  held_out text
);
create table calibration_turn (
  changes bigint not null
);
insert into calibration_turn (changes) values (0);
create table admin_links (
  hash text not null primary key,
  expires_at bigint not null
);
create table admin_sessions (
  hash text not null primary key,
  expires_at bigint not null
)`

async function makeTables(writes: Writes, database: Database): Promise<void> {
  for (const statement of TABLES.split(';')) await sql.raw(statement).execute(writes)
  await database.sealLedger(writes)
}

async function makeProbes(writes: Writes): Promise<void> {
  await sql`create table if not exists probes (id text not null primary key, filler text not null)`.execute(writes)
}

/**
 * Version 4: calibrations belong to accounts, labels say whose they are and since when, and bursts of them wait apart.
 * What one account alone had taught stays with it; what several had taught together answers nobody any more, and stays
 * in the tables under no account.
 */
const BY_ACCOUNT = `
alter table calibration_serving add column account text not null default '';
alter table calibration_changes add column account text not null default '';
create index calibration_serving_of_account on calibration_serving (account, position);
create index calibration_changes_of_account on calibration_changes (account, number);
update calibration_serving set account = (select case when count(distinct account) = 1 then min(account) else '' end
  from events where is_labelled = 1);
update calibration_changes set account = (select case when count(distinct account) = 1 then min(account) else '' end
  from events where is_labelled = 1);
alter table labels add column account text not null default '';
alter table labels add column at bigint not null default 0;
update labels set account = (select account from events where events.id = labels.event);
create index labels_of_account on labels (account, at);
create table quarantined_labels (
  event text not null references events (id) on delete cascade,
  decision text not null,
  truth text not null,
  weight double precision not null,
  account text not null,
  at bigint not null,
  primary key (event, decision)
);
create index quarantined_labels_of_account on quarantined_labels (account, at)`

async function splitByAccount(writes: Writes): Promise<void> {
  for (const statement of BY_ACCOUNT.split(';')) await sql.raw(statement).execute(writes)
}

/** Version 5: what each key asked within its minute is counted in one place for all replicas. */
async function makeRateWindows(writes: Writes, { kind }: Database): Promise<void> {
  // Written with every request and worth nothing a minute later: no log of it is needed, and no wait for the disk.
  const table = kind === 'postgres' ? 'unlogged table' : 'table'
  const columns = 'key text not null primary key, begun_at bigint not null, requests bigint not null, questions bigint not null'
  await sql.raw(`create ${table} rate_windows (${columns})`).execute(writes)
}

/** Version 6: names that stand for models are kept with all that they stood for. */
const ALIASES = `
create table alias_changes (
  number bigint not null primary key,
  at bigint not null,
  name text not null,
  model text,
  from_model text,
  why text not null
);
create index alias_changes_of_name on alias_changes (name, number);
create table alias_turn (
  changes bigint not null
);
insert into alias_turn (changes) values (0)`

async function makeAliases(writes: Writes): Promise<void> {
  for (const statement of ALIASES.split(';')) await sql.raw(statement).execute(writes)
}

/** Version 7: replicas tell each other who had turns lately. The embedded database has one replica. */
async function makeRecentTurns(writes: Writes, { kind }: Database): Promise<void> {
  if (kind !== 'postgres') return
  // Worth nothing some seconds later: no log of it is needed, and no wait for the disk.
  await sql`create unlogged table recent_turns (replica text not null primary key, said_at timestamptz not null, turns text not null)`.execute(
    writes,
  )
}
