// The tables of the store, as both databases have them. Integers come back as bigint from both: amounts of money pass
// 2^53.
import type { ColumnType } from 'kysely'

/** A signed 64-bit integer; whole numbers may be written as they are. */
type Integer = ColumnType<bigint, bigint | number, bigint | number>
type OptionalInteger = ColumnType<bigint | null, bigint | number | null, bigint | number | null>

export interface Tables {
  accounts: {
    id: string
    /** Nano-dollars; the sum of the account's ledger lines, changed with them. */
    balance: Integer
    /** Lines in the ledger. */
    entries: Integer
    created_at: Integer
  }
  api_keys: {
    id: string
    account: string
    name: string
    /** Words with blanks between. */
    scopes: string
    prefix: string
    /** Hex SHA-256 of the secret. */
    hash: string
    requests_per_minute: OptionalInteger
    created_at: Integer
    last_used_at: OptionalInteger
    revoked_at: OptionalInteger
  }
  ledger: {
    id: string
    account: string
    /** 1, 2, 3 … within the account: their order, whatever the clocks of replicas say. */
    number: Integer
    at: Integer
    kind: 'credit' | 'charge'
    amount: Integer
    balance_after: Integer
    request: string | null
    note: string
  }
  claims: {
    key: string
    idempotency_key: string
    body_hash: string
    /** Changes with every holder: what an earlier one settles is refused by it. */
    token: string
    at: Integer
    lease_ends_at: Integer
    settled_at: OptionalInteger
    reply_status: OptionalInteger
    reply_headers: string | null
    reply_body: string | null
  }
  requests: {
    id: string
    at: Integer
    account: string
    key: string | null
    model: string | null
    dialect: string
    status: Integer
    code: string | null
    questions: Integer
    input_tokens: Integer
    output_tokens: Integer
    cost: Integer
    latency_ms: number
  }
  /** One row a key. PostgreSQL logs nothing of it and empties it after a crash: then all windows begin anew. */
  rate_windows: {
    key: string
    begun_at: Integer
    requests: Integer
    questions: Integer
  }
  /** One row a replica, in PostgreSQL only, which logs nothing of it and empties it after a crash. */
  recent_turns: {
    replica: string
    /** By the clock of the database. */
    said_at: Date
    /** Accounts and their turns, as JSON: `[["acme",2.5]]`. */
    turns: string
  }
  events: {
    id: string
    account: string
    at: Integer
    /** 0 or 1: those without a label are forgotten first. */
    is_labelled: Integer
    /** As a folder of outcomes holds it. */
    line: string
  }
  labels: {
    event: string
    /** The name as JSON: a question may be called by characters that a database refuses. */
    decision: string
    /** As JSON. */
    truth: string
    weight: number
    /** Of the event. */
    account: string
    /** When it was recorded, or released; 0 when that is not known. */
    at: Integer
  }
  /** Labels that came in a burst, and count for nothing until an operator releases them. */
  quarantined_labels: {
    event: string
    decision: string
    truth: string
    weight: number
    account: string
    at: Integer
  }
  calibrations: {
    version: string
    content: string
  }
  /** What is served to an account: of each model its highest position. Those below it are what is rolled back to. */
  calibration_serving: {
    /** Of all accounts together. */
    position: Integer
    version: string
    account: string
  }
  calibration_changes: {
    /** Of all accounts together, in the order of commits. */
    number: Integer
    account: string
    at: Integer
    action: 'serve' | 'roll back'
    version: string | null
    from_version: string | null
    why: string
    held_out: string | null
  }
  /** One row, which serves as the lock for changes of what is served. */
  calibration_turn: {
    changes: Integer
  }
  /** What names stood for; what each stands for now is its newest row. */
  alias_changes: {
    /** In the order of commits. */
    number: Integer
    at: Integer
    name: string
    /** Null: the name was taken away. */
    model: string | null
    from_model: string | null
    why: string
  }
  /** One row, which serves as the lock for changes of aliases. */
  alias_turn: {
    changes: Integer
  }
  admin_links: {
    hash: string
    expires_at: Integer
  }
  admin_sessions: {
    hash: string
    expires_at: Integer
  }
  /** What belongs to this installation alone, by name: `value_key`, 256 random bits in hex, for hashes of values. */
  installation: {
    name: string
    value: string
  }
  /** Empty: rows are written and deleted to see that the database takes them. */
  probes: {
    id: string
    filler: string
  }
  schema_version: {
    version: Integer
  }
}

/** A time as a column holds it: whole milliseconds. */
export function time(ms: number): bigint {
  return BigInt(Math.floor(ms))
}

/** A text that both databases give back as it was written: U+0000, which neither can, is replaced. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}
