// What a service keeps: keys, money, replies by idempotency key, requests, decisions and outcomes, calibrations,
// sessions of the console. One interface over both databases; whatever must happen together is one method, and one
// transaction inside.
import type { OutcomeStore, StoredEvent } from '../../calibration/outcomes/outcomes.ts'
import type { CalibrationVersions } from '../../calibration/outcomes/versions.ts'
import type { NanoDollars } from '../money.ts'

/** What a key may do: ask questions, record outcomes, refit the calibration that its account is answered with. */
export type Scope = 'ask' | 'outcomes' | 'calibration'
export const SCOPES: readonly Scope[] = ['ask', 'outcomes', 'calibration']

export interface ApiKey {
  /** `key_…` */
  readonly id: string
  /** Who pays. Several keys may share one account. */
  readonly account: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** The first characters of the secret, to tell keys apart. */
  readonly prefix: string
  /** Null: the service's own limit. */
  readonly requestsPerMinute: number | null
  /** Milliseconds since 1970, as every time in the store. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export interface NewKey {
  readonly account: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly requestsPerMinute?: number | null
}

/** Characters of the name of an account, and of that of a key. */
export const MOST_NAME_CHARACTERS = 128

export interface KeyStore {
  /**
   * Makes a key (and its account, when there is none). The secret is `service_sk_` and 256 random bits; only its
   * SHA-256 is kept, so it is seen here once.
   */
  create(key: NewKey): Promise<{ readonly key: ApiKey; readonly secret: string }>
  /**
   * The key of a secret; null when there is none or it is revoked. Looked up by hash, so that timing reveals nothing of
   * other secrets; never cached.
   */
  find(secret: string): Promise<ApiKey | null>
  /** Newest first; revoked ones too. */
  list(account?: string): Promise<readonly ApiKey[]>
  /** Takes effect at once on every replica. Null when there is no such key; revoking again keeps the first time. */
  revoke(id: string): Promise<ApiKey | null>
}

export interface Account {
  readonly id: string
  readonly balance: NanoDollars
  readonly createdAt: number
}

/** One line of the ledger; lines are never changed nor deleted (the database itself refuses). */
export interface LedgerEntry {
  readonly id: string
  readonly at: number
  readonly account: string
  readonly kind: 'credit' | 'charge'
  /** What was added; negative for a charge. */
  readonly amount: NanoDollars
  readonly balanceAfter: NanoDollars
  /** Of a charge: the id of its answer, once in the whole ledger. */
  readonly request: string | null
  readonly note: string
}

export interface Ledger {
  accounts(): Promise<readonly Account[]>
  account(id: string): Promise<Account | null>
  /**
   * Adds to a balance (and makes the account, when there is none). A negative amount takes away, never below zero: null
   * then, and nothing was done.
   */
  credit(account: string, amount: NanoDollars, note: string): Promise<LedgerEntry | null>
  /** Newest first. */
  entries(account: string, page: { readonly limit: number; readonly before?: string }): Promise<readonly LedgerEntry[]>
  /** Accounts whose balance is not the sum of their entries; empty when all is well. */
  audit(): Promise<readonly { readonly account: string; readonly balance: NanoDollars; readonly sum: NanoDollars }[]>
}

/** A reply as it was sent, kept to be sent again. */
export interface StoredReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `begun`: this caller answers, and then settles or abandons with the token. */
export type IdempotencyState =
  | { readonly state: 'begun'; readonly token: string }
  | { readonly state: 'running'; readonly retryAfterMs: number }
  | { readonly state: 'done'; readonly reply: StoredReply }
  | { readonly state: 'mismatch' }

export interface IdempotencyStore {
  /**
   * Claims an idempotency key of an API key. A claim holds for `leaseMs`: after that its holder counts as crashed, and
   * the next caller takes over (the first one's token then settles nothing any more). `bodyHash`: hex SHA-256 of what
   * was asked.
   */
  begin(claim: {
    readonly key: string
    readonly idempotencyKey: string
    readonly bodyHash: string
    readonly leaseMs: number
  }): Promise<IdempotencyState>
  /** Lets a claim go after a failure, so that a retry asks again. */
  abandon(token: string): Promise<void>
}

/** A request as the log shows it. States and answers are not in it. */
export interface RequestRecord {
  /** `evt_…`, also the id of the response. */
  readonly id: string
  readonly at: number
  readonly account: string
  /** Null: asked in the console. */
  readonly key: string | null
  /** As answered; as asked for (or null) when it failed. */
  readonly model: string | null
  readonly dialect: string
  readonly status: number
  /** Of the error; null on success. */
  readonly code: string | null
  readonly questions: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoDollars
  readonly latencyMs: number
}

export interface RequestFilter {
  readonly account?: string
  readonly limit: number
  /** Only those before this request (by time, then id). */
  readonly before?: string
}

export interface UsageBucket {
  /** Start of the bucket. */
  readonly at: number
  readonly requests: number
  readonly failed: number
  readonly inputTokens: number
  readonly cost: NanoDollars
}

/** A minute of a key, begun by its first request, over all replicas. */
export interface RateWindow {
  readonly begunAt: number
  readonly requests: number
  /** Those that were answered. */
  readonly questions: number
}

/** How much a key may ask within a window; 0: no limit. */
export interface RateCeilings {
  readonly requests: number
  readonly questions: number
}

export interface RateWindows {
  /** How long a window lasts. */
  readonly windowMs: number
  /**
   * Counts a request of a key in its window, in one step, so that replicas together count no more than the ceilings. A
   * new window begins where the last one is over, or begins in the future by more than one (a clock was set).
   * `isCounted` is false when one of the ceilings was reached.
   */
  count(key: string, ceilings: RateCeilings, at: number): Promise<RateWindow & { readonly isCounted: boolean }>
  /** Adds questions that were answered to the window of a key, unless that is over. */
  answered(key: string, questions: number, at: number): Promise<void>
}

/** Where replicas tell each other how many turns accounts had with them lately. */
export interface RecentTurnsTable {
  /** How long what a replica said counts: then it is gone, or hangs. */
  readonly freshMs: number
  /**
   * Puts the turns of accounts in place of what a replica said before, and gives what each other replica said within
   * `freshMs`. Times are those of the database.
   */
  exchange(replica: string, turns: ReadonlyMap<string, number>): Promise<readonly ReadonlyMap<string, number>[]>
}

export interface RequestLog {
  /** Notes requests that failed. Those that succeeded are noted by `settle`. */
  failed(record: RequestRecord): Promise<void>
  /** Newest first. */
  list(filter: RequestFilter): Promise<readonly RequestRecord[]>
  /** One bucket each `bucketMs` from `from` (inclusive) to `to`, empty ones too. */
  usage(range: {
    readonly account?: string
    readonly from: number
    readonly to: number
    readonly bucketMs: number
  }): Promise<readonly UsageBucket[]>
}

/** A successful answer, before it is sent. */
export interface Settlement {
  readonly record: RequestRecord
  /** What was decided, kept for outcomes; null when nothing was. */
  readonly event: StoredEvent | null
  /** Of the idempotency claim, when the request had one. */
  readonly token: string | null
  /** The reply to keep for replays, made once the balance is known; called only with a token. */
  readonly reply: (balance: NanoDollars) => StoredReply
}

/**
 * `superseded`: the claim was lost to another caller; ask `begin` again for what that one answered. Nothing was charged
 * unless `settled`.
 */
export type Settled =
  | { readonly state: 'settled'; readonly balance: NanoDollars }
  | { readonly state: 'insufficient_balance'; readonly balance: NanoDollars }
  | { readonly state: 'superseded' }

/** When labels of an account are taken for a burst. */
export interface BurstGuard {
  /** Most labels within an hour; 0: there are no bursts. */
  readonly labels: number
  /** Is told when labels went into quarantine: those given and, of a new burst, the account's others of that hour. */
  quarantined(isNew: boolean): void
}

/** Labels of an account that came in a burst. */
export interface QuarantinedLabels {
  readonly account: string
  readonly labels: number
  /** When the first and the last of them came. */
  readonly since: number
  readonly until: number
  /** Some of their events, at most 5. */
  readonly events: readonly string[]
}

/** Labels that count for nothing until an operator has looked at them. */
export interface QuarantineStore {
  /** By account. */
  list(): Promise<readonly QuarantinedLabels[]>
  /** Labels of an account that wait. */
  count(account: string): Promise<number>
  /** Takes the labels of an account as if they had come one by one, each in place of an earlier one. Says how many. */
  release(account: string): Promise<number>
  /** Deletes the labels of an account that wait. Says how many. */
  drop(account: string): Promise<number>
}

/** A name that stands for a model. */
export interface Alias {
  /** As settings have them: a `*` may end it. */
  readonly name: string
  /** The id of a model. */
  readonly model: string
  readonly since: number
}

export interface AliasChange {
  readonly at: number
  readonly name: string
  /** What it stands for from then on; null: nothing more, unless settings say. */
  readonly model: string | null
  /** What it stood for until then. */
  readonly from: string | null
  readonly why: string
}

/** Names that stand for models, shared by all replicas. They go before those of the settings. */
export interface AliasStore {
  /** By name. */
  current(): Promise<readonly Alias[]>
  /** Makes a name stand for a model; null takes it away. Null when that is so already, and then nothing is noted. */
  point(name: string, model: string | null, why: string): Promise<AliasChange | null>
  /** Newest first; of all names unless one is given. It is never purged. */
  history(page: { readonly name?: string; readonly limit: number }): Promise<readonly AliasChange[]>
}

/** What changed after the change of a number. */
export interface CalibrationChanges {
  /** The number of the newest change. */
  readonly upTo: bigint
  /** Whose calibrations changed; null: too many to list. */
  readonly accounts: readonly string[] | null
}

/** A signed-in console. */
export interface AdminSession {
  readonly expiresAt: number
  /** To be sent with everything that changes something. */
  readonly csrfToken: string
}

export interface AdminStore {
  /** A token that opens the console once, until it expires. Only its hash is kept. */
  issueLink(ttlMs: number): Promise<string>
  /** Opens a session for a link token, which is spent by it. Null when it is unknown, spent or expired. */
  redeem(token: string, ttlMs: number): Promise<{ readonly session: string; readonly state: AdminSession } | null>
  /** Opens a session for a caller that was authenticated otherwise (by the standing admin token). */
  open(ttlMs: number): Promise<{ readonly session: string; readonly state: AdminSession }>
  find(session: string): Promise<AdminSession | null>
  end(session: string): Promise<void>
  /** Ends every session, and spends every link. Says how many sessions that were still good have ended. */
  endAll(): Promise<number>
}

export interface Store {
  readonly kind: 'libsql' | 'postgres'
  readonly keys: KeyStore
  readonly ledger: Ledger
  readonly idempotency: IdempotencyStore
  readonly requests: RequestLog
  readonly rates: RateWindows
  /** Null for the embedded database, which has one replica. */
  readonly recentTurns: RecentTurnsTable | null
  readonly admin: AdminStore
  readonly quarantine: QuarantineStore
  readonly aliases: AliasStore
  /** Calibrations that are served to an account in place of the shipped ones, shared by all replicas. */
  calibrations(account: string): CalibrationVersions
  /** Which accounts got other calibrations since; 0 for all that ever did. */
  calibrationChanges(after: bigint): Promise<CalibrationChanges>
  /**
   * Decisions and outcomes of one account; of all of them (for the console) without one. Its `close` does nothing. With
   * a guard, bursts of labels go into quarantine; without one, labels are taken as they come.
   */
  outcomes(account?: string, guard?: BurstGuard): OutcomeStore
  /** Whose an event is; null when it is not kept. */
  accountOf(event: string): Promise<string | null>
  /**
   * Charges an answer, keeps its decisions, its log line and its reply, all or nothing. A balance never falls below
   * zero: when the cost is more than is left, nothing happens (`insufficient_balance`). A request id settles once; the
   * second time throws. Throws `SettlementInDoubt` when it may have happened; after anything else that it throws it has
   * not.
   */
  settle(settlement: Settlement): Promise<Settled>
  /** Reads from the database and writes to it; throws when it does not answer, or takes nothing. */
  ping(): Promise<void>
  /**
   * Deletes what has outlived its time: replies after 24 hours, spent links, ended sessions, what replicas said
   * of turns after a minute, log lines and unlabelled events after `keepMs`.
   */
  purge(keepMs: number): Promise<void>
  close(): Promise<void>
}
