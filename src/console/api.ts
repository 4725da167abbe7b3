// All calls of the page to the service, typed. The session is a cookie that scripts cannot read; calls that change
// something carry a token besides.

import type { FitReply, RollBackReply } from '../service/calibration/replies.ts'
import type {
  AccountsReply,
  AliasesReply,
  CalibrationViewReply,
  CreatedKeyReply,
  CreditReply,
  ErrorReplyBody,
  EventReply,
  KeyReply,
  KeysReply,
  LedgerReply,
  OutcomeReply,
  QuarantineEndReply,
  QuarantineReply,
  RepointedReply,
  RequestsReply,
  SessionReply,
  UsageReply,
} from '../service/console/replies.ts'
import type { AskResponse } from '../wire/types.ts'
import { formsOf } from './playground/kind-forms.ts'

/** A refusal of the service, or no reply at all (`status` 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly requestId: string | null
  /** All that is wrong, at least the one of the message. */
  readonly problems: readonly { readonly param: string; readonly message: string }[]

  constructor(status: number, { error }: Partial<ErrorReplyBody>) {
    super(error?.message ?? `The service answered with status ${status}.`)
    this.name = 'ApiError'
    this.status = status
    this.code = error?.code ?? 'internal_error'
    this.param = error?.param ?? null
    this.requestId = error?.request_id ?? null
    this.problems = error?.problems ?? (error?.param == null ? [] : [{ param: error.param, message: error.message }])
  }
}

/** The answer, and what its headers say. */
export interface Asked {
  readonly response: AskResponse
  /** Decimal dollars. */
  readonly cost: string | null
  readonly balance: string | null
  readonly latencyMs: number | null
  /** As it came, indented. */
  readonly text: string
}

/** Bytes that go with a request under a name. */
export interface SentFile {
  readonly name: string
  readonly blob: Blob
}

type Query = Readonly<Record<string, string | number | null | undefined>>

export type Api = ReturnType<typeof createApi>

/** `onSignedOut` is told when the service no longer knows the session. */
export function createApi(onSignedOut: () => void) {
  let csrfToken = ''

  async function send(
    method: 'GET' | 'POST',
    path: string,
    query: Query = {},
    body?: BodyInit | object,
    signal?: AbortSignal,
  ): Promise<Response> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== null && value !== undefined && value !== '') search.set(name, String(value))
    const isJson = body !== undefined && !(body instanceof FormData) && typeof body !== 'string'
    let response: Response
    try {
      const address = path.startsWith('/') ? path : `/console/api/${path}`
      response = await fetch(`${address}${search.size === 0 ? '' : `?${search}`}`, {
        method,
        credentials: 'same-origin',
        headers: {
          ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
          ...(isJson || typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        },
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as BodyInit) }),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw new ApiError(0, {
        error: { code: 'unreachable', message: 'The service cannot be reached. Is it running?', param: null, request_id: '' },
      })
    }
    if (response.ok) return response
    const refusal = new ApiError(response.status, await response.json().catch(() => ({})))
    if (refusal.code === 'not_signed_in' && path !== 'login' && path !== 'session') onSignedOut()
    throw refusal
  }

  async function get<T>(path: string, query: Query = {}): Promise<T> {
    return (await send('GET', path, query)).json()
  }

  async function post<T>(path: string, body: object = {}): Promise<T> {
    return (await send('POST', path, {}, body)).json()
  }

  function opened(session: SessionReply): SessionReply {
    csrfToken = session.csrf_token
    return session
  }

  return {
    async login(token: string) {
      return opened(await post<SessionReply>('login', { token }))
    },
    async session() {
      return opened(await get<SessionReply>('session'))
    },
    logout: () => post<object>('logout'),
    keys: () => get<KeysReply>('keys'),
    createKey: (key: { account: string; name: string; scopes: readonly string[]; requests_per_minute: number | null }) =>
      post<CreatedKeyReply>('keys', key),
    revokeKey: (id: string) => post<KeyReply>('keys/revoke', { id }),
    /** The forms of all kinds of questions, from the document that describes the service. */
    forms: async () => formsOf(await get<object>('/openapi.json')),
    accounts: () => get<AccountsReply>('accounts'),
    ledger: (query: { account: string; before?: string | null; limit?: number }) => get<LedgerReply>('ledger', query),
    credit: (credit: { account: string; dollars: string; note: string }) => post<CreditReply>('credits', credit),
    usage: (query: { account: string | null; from: number; to: number; bucket_ms: number }) => get<UsageReply>('usage', query),
    requests: (query: { account: string | null; status: string | null; before?: string | null; limit?: number }) =>
      get<RequestsReply>('requests', query),
    event: (id: string) => get<EventReply>('event', { id }),
    recordOutcome: (event: string, outcomes: object) => post<OutcomeReply>('outcomes', { event, outcomes }),
    calibration: (account: string) => get<CalibrationViewReply>('calibration', { account }),
    fit: (account: string, model: string) => post<FitReply>('calibration/fit', { account, model }),
    rollBack: (account: string) => post<RollBackReply>('calibration/rollback', { account }),
    /** Labels that came in bursts and wait. */
    quarantine: () => get<QuarantineReply>('quarantine'),
    endQuarantine: (account: string, end: 'release' | 'drop') => post<QuarantineEndReply>(`quarantine/${end}`, { account }),
    /** Models, and the names that stand for them; `name` and `limit` are of the history. */
    aliases: (query: { name?: string | null; limit?: number } = {}) => get<AliasesReply>('aliases', query),
    /** `model` null: takes the name away. */
    pointName: (change: { name: string; model: string | null; why: string }) => post<RepointedReply>('aliases', change),
    /** Asks as an account. `request` is JSON text as typed; files go beside it. */
    async ask(account: string, request: string, files: readonly SentFile[], signal: AbortSignal): Promise<Asked> {
      let body: BodyInit = request
      if (files.length > 0) {
        const form = new FormData()
        form.set('request', request)
        for (const { name, blob } of files) form.append(name, blob, name)
        body = form
      }
      const response = await send('POST', 'ask', { account }, body, signal)
      const text = await response.text()
      const parsed = JSON.parse(text) as AskResponse
      const latency = response.headers.get('x-service-latency-ms')
      return {
        response: parsed,
        cost: response.headers.get('x-service-cost-usd'),
        balance: response.headers.get('x-service-balance-usd'),
        latencyMs: latency === null ? null : Number(latency),
        text: JSON.stringify(parsed, null, 2),
      }
    },
  }
}
