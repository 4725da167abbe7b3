// Looks at a model folder as a whole: that it loads, that its answers hold where the engine counts on it, and how fast
// it is on this machine.
import { EngineError } from '../../core/errors.ts'
import { sum } from '../../core/math.ts'
import { MODEL_CHECKS, type ModelCheck, notApplicable } from '../../core/model-check.ts'
import type { Prompt } from '../../core/types.ts'
import type { Backend, Branch, Device, ModelInfo } from '../backend.ts'
import type { OnnxOptions } from './options.ts'
import { checkPacking } from './packing.ts'
import { PARITY_NATS } from './parity.ts'
import { openFolder } from './runtime/layout.ts'

/** Milliseconds: the median, the fastest and the slowest of `runs`. */
export interface Duration {
  readonly median: number
  readonly least: number
  readonly most: number
  readonly runs: number
}

/** How long this machine takes for a state of some 60 words with one claim about it, through the worker. */
export interface ModelSpeed {
  readonly device: Device
  readonly loadMs: Duration
  /** A new state with its first question. */
  readonly firstQuestionMs: Duration
  /** One more question about a state that was read. */
  readonly nextQuestionMs: Duration
}

export interface ModelVerification {
  /** Whether nothing failed, and everything could be looked at. */
  readonly ok: boolean
  /** Null when it could not be read, or does not load. */
  readonly modelType: string | null
  readonly model: Pick<ModelInfo, 'revision' | 'contextLength' | 'capabilities' | 'scorer'> | null
  readonly checks: readonly ModelCheck[]
  /** Null when it does not load, or fails on a question. Says nothing of whether the model is sound. */
  readonly speed: ModelSpeed | null
}

export interface VerifyOptions {
  /** How it is loaded. */
  readonly model?: OnnxOptions
  /**
   * What was looked at before. With a failed one the model is not loaded: bytes that are not its own may do anything.
   */
  readonly before?: readonly ModelCheck[]
  /** Hears what is done now. */
  readonly onStep?: (what: string) => void
}

type Load = () => Promise<Backend>

/** A model is loaded again for its median while this has not passed. */
const LOADING_MS = 5000
const LOADS = 3
const QUESTIONS = 7

/** Throws `model_not_found` when there is no such folder; everything else that is wrong with it is a check. */
export async function verifyFolder(
  path: string,
  load: Load,
  { model: { device = 'cpu' } = {}, before = [], onStep = () => {} }: VerifyOptions = {},
): Promise<ModelVerification> {
  const done = (
    checks: readonly ModelCheck[],
    found: Pick<ModelVerification, 'modelType' | 'model' | 'speed'> = { modelType: null, model: null, speed: null },
  ): ModelVerification => {
    const all = [...before, ...checks]
    const skipped = MODEL_CHECKS.filter((check) => check !== 'files' && !all.some((one) => one.check === check)).map(
      (check): ModelCheck => ({ check, status: 'skipped', detail: 'not looked at, since the model cannot be used as it is' }),
    )
    const places = (check: ModelCheck): number => MODEL_CHECKS.indexOf(check.check)
    const sorted = [...all, ...skipped].sort((a, b) => places(a) - places(b))
    return { ok: sorted.every(({ status }) => status !== 'failed' && status !== 'skipped'), checks: sorted, ...found }
  }
  if (before.some(({ status }) => status === 'failed')) return done([])

  onStep('loading')
  const loads: number[] = []
  let modelType: string
  let backend: Backend
  try {
    ;({ modelType } = await openFolder(path))
    backend = await timed(load, loads)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'model_not_found') throw error
    return done([failure('load', error)])
  }
  try {
    while (loads.length < LOADS && sum(loads) < LOADING_MS) {
      await backend.close()
      backend = await timed(load, loads)
    }
    const { info } = backend
    const { revision, contextLength, capabilities, scorer } = info
    const reads = capabilities.images ? 'texts and pictures' : 'texts'
    const detail = `${modelType}, revision ${revision.slice(0, 12)}, ${contextLength} tokens, reads ${reads}`
    const said = info.checks ?? []
    const unsaid = (['symbols', 'patches'] as const).filter((check) => !said.some((one) => one.check === check))
    const { unseen } = capabilities
    const checks: ModelCheck[] = [
      unseen === undefined ? { check: 'load', status: 'passed', detail } : withNextStep('load', 'noted', `${detail}: ${unseen}`),
      ...said,
      ...unsaid.map((check) => notApplicable(check, 'its family says nothing of them')),
      checkDevice(device, info),
    ]
    onStep('asking questions alone and together')
    checks.push(await checkPacking(backend).catch((error: unknown) => failure('packing', error)))
    onStep('timing questions')
    const speed = await speedOf(backend, loads).catch(() => null)
    return done(checks, { modelType, model: { revision, contextLength, capabilities, scorer }, speed })
  } finally {
    await backend.close()
  }
}

async function timed(load: Load, into: number[]): Promise<Backend> {
  const begun = performance.now()
  const backend = await load()
  into.push(performance.now() - begun)
  return backend
}

const AGAIN = 'download the folder again, as it was published'

/** Messages end in the next step, behind their last semicolon. */
function withNextStep(check: ModelCheck['check'], status: ModelCheck['status'], message: string): ModelCheck {
  const at = message.lastIndexOf('; ')
  if (at < 0) return { check, status, detail: message, remedy: AGAIN }
  return { check, status, detail: message.slice(0, at), remedy: message.slice(at + 2) }
}

const failure = (check: ModelCheck['check'], error: unknown): ModelCheck =>
  withNextStep(check, 'failed', error instanceof EngineError ? error.message : `a pass of the model failed; ${AGAIN}`)

function checkDevice(asked: Device | 'auto', { device }: ModelInfo): ModelCheck {
  if (asked === 'cpu') return notApplicable('device', 'runs on the CPU; --device tries another')
  const name = device?.name ?? 'cpu'
  if (name !== 'cpu') {
    const detail = `answers on ${name} as on the CPU: no log-probability differs by more than ${PARITY_NATS} nats`
    return { check: 'device', status: 'passed', detail }
  }
  const reason = device?.reason ?? 'there is none that this platform may have'
  const remedy = 'it answers on the CPU all the same'
  if (asked === 'auto') return { check: 'device', status: 'noted', detail: `no other device is used: ${reason}`, remedy }
  return { check: 'device', status: 'failed', detail: `runs on the CPU: ${reason}`, remedy: `${remedy}; for ${asked}, see the reason` }
}

const WORDS =
  'The order was placed on Monday and has not arrived. The customer wrote twice, asks where it is, and wants the lamp sent again. ' +
  'Our notes say that it left the warehouse on Tuesday with the other parcels, and that the carrier has not scanned it since. ' +
  'A second lamp is in stock.'
const claim = (instructions: string): Branch => ({
  readout: 'binary',
  instructions,
  candidates: ['true', 'false'].map((name) => ({ name, description: null })),
  image: null,
})

async function speedOf(backend: Backend, loads: readonly number[]): Promise<ModelSpeed> {
  const [first, next]: [number[], number[]] = [[], []]
  // The one at the start warms up.
  for (let run = 0; run <= QUESTIONS; run++) {
    const text = `Case ${1000 + run}. ${WORDS}`
    const prompt: Prompt = { pieces: [{ type: 'text', text, source: { part: 0, path: null } }], parts: [{ type: 'text', index: 0, text }] }
    const begun = performance.now()
    const prefix = await backend.open(prompt)
    try {
      await prefix.score([claim('The customer is angry.')])
      const answered = performance.now()
      await prefix.score([claim('The parcel has arrived.')])
      if (run > 0) next.push(performance.now() - answered)
      if (run > 0) first.push(answered - begun)
    } finally {
      prefix.close()
    }
  }
  const device = backend.info.device?.name ?? 'cpu'
  return { device, loadMs: durationOf(loads), firstQuestionMs: durationOf(first), nextQuestionMs: durationOf(next) }
}

function durationOf(ms: readonly number[]): Duration {
  const sorted = ms.map((value) => Number(value.toPrecision(4))).sort((a, b) => a - b)
  const at = (place: number): number => sorted[place] as number
  const median = (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2
  return { median, least: at(0), most: at(sorted.length - 1), runs: sorted.length }
}
