// What the store gives to what the page reads: amounts as decimal text, names in snake_case.
import type { ModelCalibrator } from '../../calibration/calibration.ts'
import type { Label, LabelledEvent } from '../../calibration/outcomes/outcomes.ts'
import type { CalibratedModel, Decision } from '../../questions/shared/decision.ts'
import { isStatement } from '../../questions/shared/readouts.ts'
import { dollarsText } from '../money.ts'
import type { Account, ApiKey, LedgerEntry, RequestRecord, UsageBucket } from '../store/store.ts'
import type { AccountReply, DecisionReply, EventReply, KeyReply, LedgerEntryReply, RequestReply, UsageBucketReply } from './replies.ts'

export function encodeKey(key: ApiKey): KeyReply {
  const { id, account, name, scopes, prefix } = key
  return {
    id,
    account,
    name,
    scopes,
    prefix,
    requests_per_minute: key.requestsPerMinute,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

export function encodeAccount({ id, balance, createdAt }: Account): AccountReply {
  return { id, balance: dollarsText(balance), created_at: createdAt }
}

export function encodeEntry({ id, at, kind, amount, balanceAfter, request, note }: LedgerEntry): LedgerEntryReply {
  return { id, at, kind, amount: dollarsText(amount), balance_after: dollarsText(balanceAfter), request, note }
}

export function encodeBucket({ at, requests, failed, inputTokens, cost }: UsageBucket): UsageBucketReply {
  return { at, requests, failed, input_tokens: inputTokens, cost: dollarsText(cost) }
}

/** `keys`: names by id. */
export function encodeRequest(record: RequestRecord, keys: ReadonlyMap<string, string>): RequestReply {
  const { id, at, account, key, model, dialect, status, code, questions } = record
  return {
    id,
    at,
    account,
    model,
    dialect,
    status,
    code,
    questions,
    key: key === null ? null : { id: key, name: keys.get(key) ?? key },
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    cost: dollarsText(record.cost),
    latency_ms: record.latencyMs,
  }
}

/** `calibratorFor`: of the calibration that is served for the model that decided; null for that of the event. */
export function encodeEvent({ event, labels }: LabelledEvent, calibratorFor: (by: CalibratedModel | null) => ModelCalibrator): EventReply {
  const decisions = Object.entries(event.decisions).map(([name, decision]) =>
    encodeDecision(name, decision, Object.hasOwn(labels, name) ? labels[name]! : null, calibratorFor(decision.by ?? null)),
  )
  return { id: event.id, at: event.at, model: event.model, calibration: calibratorFor(null).version, decisions }
}

function encodeDecision(name: string, decision: Decision, label: Label | null, calibrator: ModelCalibrator): DecisionReply {
  const { readout, names, mass, single, deliberated, features } = decision
  // Events that are older than this field, or damaged, stand in canonical order.
  const { asWritten = [] } = decision
  const order = asWritten.length === names.length ? asWritten : names.map((_, i) => i)
  const rows = deliberated ?? single
  const calibrated = calibrator.calibrate(decision, deliberated === null ? 'single' : 'deliberated', rows, features).probabilities
  // Of options that are each their own yes or no, the yes.
  const byCandidate = (of: readonly (readonly number[])[]) => {
    const all = readout === 'independent' ? of.map((row) => row[0]!) : (of[0] ?? [])
    return order.map((i) => all[i]!)
  }
  return {
    name,
    readout,
    mass,
    candidates: order.map((i) => names[i]!),
    probabilities: byCandidate(calibrated),
    uncalibrated: byCandidate(rows).map(Math.exp),
    is_deliberated: decision.deliberated !== null,
    truth: label === null ? null : truthInWords(decision, label.truth),
  }
}

/** A label as `truthOf` would take it: the way back. */
function truthInWords({ readout, names }: Decision, truth: readonly number[]): DecisionReply['truth'] {
  const [first = 0] = truth
  if (readout === 'ordinal') return first
  const isInWords = isStatement(readout) && names[0] !== 'true' && Number.isInteger(first)
  if (readout === 'exclusive' || isInWords) return names[Math.round(first)] ?? null
  if (readout === 'independent') return names.filter((_, i) => truth[i]! < 0.5)
  return Number.isInteger(first) ? first === 0 : 1 - first
}
