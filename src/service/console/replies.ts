// The replies of the console's routes to its page, as JSON. Types only, shared by both sides. Amounts are decimal
// dollars with nine fractional digits, times milliseconds since 1970.
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import type { CalibrationDiagrams, CalibrationReply } from '../calibration/replies.ts'
import type { QuarantinedLabels, Scope } from '../store/store.ts'

export interface SessionReply {
  /** To be sent as `x-csrf-token` with everything that changes something. */
  readonly csrf_token: string
  readonly expires_at: number
  readonly service: ServiceReply
}

/** What the page needs to know of the service. */
export interface ServiceReply {
  readonly engine: string
  readonly database: 'libsql' | 'postgres'
  readonly models: readonly { readonly id: string; readonly is_available: boolean }[]
  /** Dollars per million input tokens by model id; `*` for every other. */
  readonly prices: Readonly<Record<string, string>>
  readonly scopes: readonly Scope[]
  /** Of a key without its own; 0: no limit. */
  readonly requests_per_minute: number
  readonly limits: { readonly body_bytes: number; readonly images: number; readonly image_bytes: number; readonly questions: number }
}

export interface KeyReply {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly prefix: string
  readonly requests_per_minute: number | null
  readonly created_at: number
  readonly last_used_at: number | null
  readonly revoked_at: number | null
}

export interface KeysReply {
  readonly keys: readonly KeyReply[]
}

/** The only time the secret is said. */
export interface CreatedKeyReply {
  readonly key: KeyReply
  readonly secret: string
}

export interface AccountReply {
  readonly id: string
  readonly balance: string
  readonly created_at: number
}

export interface AccountsReply {
  readonly accounts: readonly AccountReply[]
}

export interface LedgerEntryReply {
  readonly id: string
  readonly at: number
  readonly kind: 'credit' | 'charge'
  readonly amount: string
  readonly balance_after: string
  readonly request: string | null
  readonly note: string
}

/** `next`: what to send as `before` for the page after this one; null at the end. */
export interface LedgerReply {
  readonly entries: readonly LedgerEntryReply[]
  readonly next: string | null
}

export interface CreditReply {
  readonly entry: LedgerEntryReply
}

export interface UsageBucketReply {
  readonly at: number
  readonly requests: number
  readonly failed: number
  readonly input_tokens: number
  readonly cost: string
}

export interface UsageReply {
  readonly bucket_ms: number
  readonly buckets: readonly UsageBucketReply[]
}

export interface RequestReply {
  readonly id: string
  readonly at: number
  readonly account: string
  /** Null: asked in the console. */
  readonly key: { readonly id: string; readonly name: string } | null
  readonly model: string | null
  readonly dialect: string
  readonly status: number
  readonly code: string | null
  readonly questions: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost: string
  readonly latency_ms: number
}

export interface RequestsReply {
  readonly requests: readonly RequestReply[]
  readonly next: string | null
}

/** One decision of an answer, as it is kept. */
export interface DecisionReply {
  /** Question id; arguments as `question/argument`. */
  readonly name: string
  readonly readout: DecisionReadout
  /** Options in the order in which the caller wrote them, levels, or `true` and `false`. */
  readonly candidates: readonly string[]
  /** [candidate] as the calibration that is served now gives them; of `independent`, each option's own. */
  readonly probabilities: readonly number[]
  /** [candidate] as the model gave them. */
  readonly uncalibrated: readonly number[]
  readonly is_deliberated: boolean
  /** Probability on the candidates before renormalising. */
  readonly mass: number
  /** What was recorded as true, as `POST /v1/outcomes` takes it; null when nothing was. Fractions are kept. */
  readonly truth: boolean | number | string | readonly string[] | null
}

export interface EventReply {
  readonly id: string
  readonly at: number
  readonly model: string
  /**
   * The calibration behind `probabilities`; null without one. Where it was not yet served then, the answer had others.
   */
  readonly calibration: string | null
  readonly decisions: readonly DecisionReply[]
}

export interface OutcomeReply {
  readonly event: string
  readonly recorded: readonly string[]
  readonly replaced: readonly string[]
}

/** What is served, and by model how well its probabilities keep what they say. */
export interface CalibrationViewReply {
  readonly calibration: CalibrationReply
  readonly diagrams: readonly CalibrationDiagrams[]
}

/** Labels that came in bursts and wait, by account. */
export interface QuarantineReply {
  readonly bursts: readonly QuarantinedLabels[]
}

/** How many labels were released, or dropped. */
export interface QuarantineEndReply {
  readonly labels: number
}

/** An error of a console route: the service's own codes, and four of the console. */
export interface ErrorReplyBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly param: string | null
    readonly request_id: string
    readonly problems?: readonly { readonly param: string; readonly message: string }[]
  }
}

export interface ListedModelReply {
  readonly id: string
  readonly is_available: boolean
  /** Of a chain: the models that it asks, in their order; else none. */
  readonly stages: readonly string[]
}

export interface AliasReply {
  readonly name: string
  readonly model: string
  /** Null: from the settings of the service. */
  readonly since: number | null
  readonly is_served: boolean
  /** What answers requests for it when the database says nothing of it; null: nothing, they are refused. */
  readonly otherwise: string | null
}

export interface AliasChangeReply {
  readonly at: number
  readonly name: string
  /** Null: the name was taken away. */
  readonly model: string | null
  readonly from: string | null
  readonly why: string
}

export interface AliasesReply {
  /** All that the service lists, those too that cannot be asked yet. */
  readonly models: readonly ListedModelReply[]
  /** What answers requests that name no model, where no alias `default` stands. */
  readonly default_model: string
  readonly aliases: readonly AliasReply[]
  /** Newest first. */
  readonly history: readonly AliasChangeReply[]
}

export interface RepointedReply {
  /** Null: it was so already. */
  readonly change: AliasChangeReply | null
}
