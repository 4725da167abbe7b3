// The options of an engine and of its calls, and what is refused of them before anything is done.
import type { Calibration } from '../../calibration/calibration.ts'
import type { OutcomeStore } from '../../calibration/outcomes/outcomes.ts'
import type { RecordOptions } from '../../calibration/outcomes/record-outcome.ts'
import type { PredictionSetOptions } from '../../calibration/sets/prediction-sets.ts'
import { type Clock, systemClock, timerMs } from '../../core/deadline.ts'
import { EngineError } from '../../core/errors.ts'
import { checkOptionNames, checkSignal, type OptionNames } from '../../core/given-options.ts'
import { REQUEST_LIMITS, type RequestLimits } from '../../core/limits.ts'
import { didYouMean } from '../../core/suggest.ts'
import { jsonTypeOf } from '../../core/untrusted.ts'
import type { DecisionEvent } from '../../questions/shared/decision.ts'
import { DELIBERATION_MODES, type DeliberationMode } from '../../questions/shared/deliberation.ts'
import { OPERATORS, type OperatorTable } from '../../questions/shared/operators.ts'
import { DECISION_READOUTS } from '../../questions/shared/readouts.ts'
import { otherDeliberation } from '../answering-wishes.ts'
import type { GivenModel } from '../models.ts'
import type { ResidenceOptions } from '../residence.ts'
import { checkStateOptions, type StateOptions } from '../state/state.ts'

export interface EngineOptions {
  /** Loaded backends, sources that load on first use, and chains of them. The engine closes them. */
  readonly models: readonly GivenModel[]
  /**
   * Most bytes that loaded models may take together, as their sources say; those that were idle longest are let go for
   * others. Default: no limit. Backends that are handed in stay, and do not count.
   */
  readonly modelBytes?: number
  /** Milliseconds after which a model that nobody asked is let go, until it is asked again. Default: never. */
  readonly modelIdleMs?: number
  readonly limits?: Partial<RequestLimits>
  /** Names by id of models that are not there yet: they are listed, and requests for them get `model_not_available`. */
  readonly announced?: Readonly<Record<string, string>>
  /** How states are read: limits of images and the like. */
  readonly state?: StateOptions
  /**
   * Fitted calibrations, each bound to a model revision; a model that has none here answers with its own probabilities.
   */
  readonly calibrations?: readonly Calibration[]
  readonly deliberation?: DeliberationSettings
  /**
   * Keeps what was decided (never the states), so that outcomes can be recorded and calibrations refitted. Default:
   * nothing is kept.
   */
  readonly outcomes?: OutcomeStore
  /** Default 60 000 ms. */
  readonly deadlineMs?: number
  /** US dollars; default 0. */
  readonly pricePerMillionInputTokens?: number
  readonly clock?: Clock
  /** Wall clock for what is kept, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number
  /** Makes the ids of responses; default `evt_` and 24 random hex digits. */
  readonly makeId?: () => string
}

/** How uncertain decisions are looked at again. */
export interface DeliberationSettings {
  /** Most passes of one decision, the first included; default 4. 1: never more than one. */
  readonly passes?: number
  /** Branches that all decisions of a request may add; default 256. */
  readonly budget?: number
  /** Names of operators by read-out, in place of those that fit the model. */
  readonly operators?: OperatorTable
}

export interface AskOptions extends PredictionSetOptions {
  /** Default `automatic`: where it pays, by the calibration. The others are for measuring. */
  readonly deliberation?: DeliberationMode
  /**
   * Is handed what was decided, with log-probabilities before calibration. What it throws fails the request, as the
   * cause of `internal_error`.
   */
  readonly observe?: (event: DecisionEvent) => void
  /** Stops the request; `ask` rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Default: the engine's. */
  readonly deadlineMs?: number
  /**
   * How the state of this request is read, in place of the engine's settings: the files that came with it, whether
   * local files are open to it.
   */
  readonly state?: StateOptions
  /** Calibrations of this request, in place of the engine's; each is bound to a model revision, as ever. */
  readonly calibrations?: readonly Calibration[]
  /** Id of the response; default: made by the engine. An id names one request. */
  readonly id?: string
}

const ENGINE_OPTIONS: OptionNames<EngineOptions> = {
  models: true,
  modelBytes: true,
  modelIdleMs: true,
  limits: true,
  announced: true,
  state: true,
  calibrations: true,
  deliberation: true,
  outcomes: true,
  deadlineMs: true,
  pricePerMillionInputTokens: true,
  clock: true,
  now: true,
  makeId: true,
}
const DELIBERATION_SETTINGS: OptionNames<DeliberationSettings> = { passes: true, budget: true, operators: true }
const ASK_OPTIONS: OptionNames<AskOptions> = {
  deliberation: true,
  sets: true,
  abstain: true,
  observe: true,
  signal: true,
  deadlineMs: true,
  state: true,
  calibrations: true,
  id: true,
}
const RECORD_OPTIONS: OptionNames<RecordOptions> = { selectionProbability: true }

/**
 * Throws `invalid_request` for what would be ignored or cannot be. The models are looked at where they are taken up.
 */
export function checkEngineOptions(options: Partial<EngineOptions>): void {
  checkOptionNames(options, 'createEngine', ENGINE_OPTIONS)
  const { limits, state, deliberation, deadlineMs } = options
  if (limits !== undefined) checkLimits(limits)
  if (state !== undefined) checkStateOptions(state)
  if (deliberation !== undefined) checkOptionNames(deliberation, 'deliberation', DELIBERATION_SETTINGS)
  checkDeadline(deadlineMs)
}

function checkLimits(limits: Partial<RequestLimits>): void {
  checkOptionNames(limits, 'limits', REQUEST_LIMITS)
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue
    throw refused(`limits: ${name} is a whole number from 1 on, received ${shown(value)}.`)
  }
}

/** Throws `invalid_request` for what would be ignored or cannot be. */
export function checkAskOptions(asked: AskOptions): void {
  checkOptionNames(asked, 'ask', ASK_OPTIONS)
  const { deliberation, observe, signal, deadlineMs, state } = asked
  if (deliberation !== undefined && !DELIBERATION_MODES.includes(deliberation)) throw refused(otherDeliberation(deliberation))
  if (observe !== undefined && typeof observe !== 'function') throw refused(`observe is a function, received ${shown(observe)}.`)
  checkSignal(signal)
  checkDeadline(deadlineMs)
  if (state !== undefined) checkStateOptions(state)
}

/** Throws `invalid_request` for what would be ignored. */
export function checkRecordOptions(recorded: RecordOptions): void {
  checkOptionNames(recorded, 'recordOutcome', RECORD_OPTIONS)
}

const DEFAULT_PASSES = 4
const DEFAULT_BRANCHES = 256

/** How decisions are looked at again, defaults filled in. Throws `invalid_request` for what cannot be. */
export function readDeliberation({ passes = DEFAULT_PASSES, budget = DEFAULT_BRANCHES, operators = {} }: DeliberationSettings = {}) {
  refuseUnknownOperators(operators)
  if (!Number.isInteger(passes) || passes < 1 || !(budget >= 0)) {
    throw refused(`deliberation: passes is a whole number from 1 on and budget a number from 0 on, received ${passes} and ${budget}.`)
  }
  return { passes, branches: budget, operators }
}

function refuseUnknownOperators(table: OperatorTable): void {
  const [readouts, known] = [Object.fromEntries(DECISION_READOUTS.map((readout) => [readout, true])), [...OPERATORS.keys()]]
  checkOptionNames(table, 'operators', readouts)
  for (const [readout, names] of Object.entries(table)) {
    if (names === undefined) continue
    if (!Array.isArray(names)) throw refused(`The operators of ${readout} are an array of names; received ${shown(names)}.`)
    for (const name of names) {
      if (known.includes(name)) continue
      throw refused(`There is no operator ${shown(name)}.${didYouMean(String(name), known)} There is ${known.join(', ')}.`)
    }
  }
}

/** What is kept in memory. A timer of an idle model keeps no process alive. Throws `invalid_request`. */
export function readResidence({ modelBytes, modelIdleMs, clock }: EngineOptions): ResidenceOptions {
  for (const [name, value] of Object.entries({ modelBytes, modelIdleMs })) {
    if (value !== undefined && !(value > 0)) throw refused(`${name} is a number above 0, received ${value}.`)
  }
  const after: ResidenceOptions['after'] = (ms, run) => {
    if (clock !== undefined) return clock.after(ms, run)
    const timer = setTimeout(run, timerMs(ms)).unref()
    return () => clearTimeout(timer)
  }
  return { budgetBytes: modelBytes ?? null, idleMs: modelIdleMs ?? null, now: () => (clock ?? systemClock).now(), after }
}

function checkDeadline(deadlineMs: number | undefined): void {
  if (deadlineMs === undefined || deadlineMs > 0) return
  throw refused(`deadlineMs is a number of milliseconds above 0, received ${shown(deadlineMs)}.`)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value === 'number' ? String(value) : jsonTypeOf(value)
}

function refused(message: string): EngineError {
  return new EngineError('invalid_request', message)
}
