// A calibration file: plain JSON, bound to the model and template it was fitted on, named by a hash of its content.
// `calibratorOf` turns it into the calibrator of the engine; the calibration of another model is never used.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { EngineError } from '../core/errors.ts'
import { ownField } from '../core/untrusted.ts'
import { type CalibratedModel, type Calibrator, isSameVersion, type ModelVersion, type PassMode } from '../questions/shared/decision.ts'
import { DECISION_READOUTS, type DecisionReadout } from '../questions/shared/readouts.ts'
import type { Gate } from './deliberation/gate.ts'
import { type DriftReference, driftReferenceSchema } from './drift/reference.ts'
import { applyHead, type Head, headSchema, isHeadFor } from './heads/head.ts'
import { calibrateRows } from './hierarchy/apply.ts'
import type { CalibrationNode, CalibrationTree, CalibrationTrees } from './hierarchy/tree.ts'
import { findMapOf } from './maps/maps.ts'

/**
 * Decisions calibrated by maps that were not fitted on them (five folds by state). Prediction sets and abstention are
 * chosen from them.
 */
export interface HeldOut {
  /** How many decisions there were; a file keeps some of them. */
  readonly count: number
  /** Probability of the true candidate, in rising order. */
  readonly truth: readonly number[]
  /** The largest probability, and 1 or 0 for whether that candidate was the true one, by rising confidence. */
  readonly pairs: readonly (readonly [confidence: number, isRight: number])[]
}

/** What a calibration was fitted on. */
export interface FittedOn {
  readonly decisions: number
  readonly states: number
  /** Labelled distributions; a `select` gives one for each option. */
  readonly labels: Readonly<Record<PassMode, number>>
  /** Decisions of each task. */
  readonly tasks: Readonly<Record<string, number>>
  /** Hashes of some of the states, see `sketchStates`; absent in older files. */
  readonly sketch?: readonly string[]
}

export interface Calibration {
  readonly format: 1
  /** `cal_` and 12 hex digits of the SHA-256 of everything else. */
  readonly version: string
  readonly model: CalibratedModel
  readonly fittedOn: FittedOn
  readonly trees: CalibrationTrees
  /** When a decision is deliberated, by read-out. */
  readonly gates: Readonly<Partial<Record<DecisionReadout, Gate>>>
  readonly heldOut: Readonly<Partial<Record<DecisionReadout, HeldOut>>>
  /** Heads learned from the labels of one question each, by the hash of the question. A head replaces the map. */
  readonly heads?: Readonly<Record<string, Head>>
  /** Histograms of the decisions it was fitted on, for drift detection; absent where there is none. */
  readonly reference?: DriftReference
}

/** Names a calibration by its content. */
export function sealCalibration(content: Omit<Calibration, 'version'>): Calibration {
  return { ...content, version: versionOf(content) }
}

function versionOf(content: object): string {
  const { version: _, ...rest } = content as { readonly version?: unknown }
  return `cal_${createHash('sha256').update(canonicalJson(rest)).digest('hex').slice(0, 12)}`
}

/** JSON with sorted keys, so that equal content gives equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}

export type ModelCalibrator = Calibrator & {
  /** Of the calibration in use; null without one, or when it was made for another model. */
  readonly version: string | null
  /** A calibration was given, but for another revision of the model or another template. It is not used. */
  readonly isMismatch: boolean
}

/**
 * The calibrator of a model. Without a calibration, or with that of another model, probabilities are the model's own.
 */
export function calibratorOf(calibration: Calibration | null, model: ModelVersion): ModelCalibrator {
  const isMismatch = calibration !== null && !isSameVersion(calibration.model, model)
  const used = isMismatch ? null : calibration
  return {
    version: used?.version ?? null,
    isMismatch,
    calibrate(key, passMode, rows, features) {
      const head = used?.heads?.[key.question]
      if (head === undefined || !isHeadFor(head, key, rows, features)) return calibrateRows(used?.trees ?? null, key, passMode, rows)
      return { probabilities: applyHead(head, rows, features), note: { applied: 'learned', level: 'question', labels: head.labels } }
    },
  }
}

const finite = z.number()
const notNegative = z.number().min(0)
const mixtureSchema = z
  .strictObject({ weight: z.number().min(0).max(1), positions: z.array(finite).min(1), heights: z.array(finite) })
  .refine(({ positions, heights }) => positions.length === heights.length && isRising(positions) && isRising(heights), {
    message: 'positions and heights must be as many, and rise',
  })
const node = {
  labels: notNegative,
  parameters: z.array(finite.min(-50).max(50)),
  variance: z.array(notNegative),
  biases: z.array(finite).optional(),
  blend: mixtureSchema.optional(),
}
const withChildren = <T extends z.ZodType>(child: T) => ({ ...node, children: z.record(z.string(), child).optional() })
// Kind, wording, question: written out, so that a file cannot nest without limit.
const kind = z.strictObject(withChildren(z.strictObject(withChildren(z.strictObject(node)))))
const root = z.strictObject({ ...withChildren(kind), map: z.string().optional(), spread: z.array(z.array(notNegative)).length(3) })
const perReadout = <T extends z.ZodType>(schema: T) => z.partialRecord(z.enum(DECISION_READOUTS), schema)
const tree = perReadout(root)
const gate = z.strictObject({
  threshold: z.number().min(0).max(1),
  share: z.number().min(0).max(1),
  rule: z.enum(['share', 'gain', 'never']),
  decisions: notNegative,
  gain: z.strictObject({ escalated: finite, interval: z.tuple([finite, finite]), total: finite }).optional(),
  short: z.strictObject({ tokens: z.int().min(1), decisions: notNegative, gain: finite, interval: z.tuple([finite, finite]) }).optional(),
})
const heldOut = z.strictObject({
  count: notNegative,
  truth: z.array(z.number().min(0).max(1)),
  pairs: z.array(z.tuple([z.number().min(0).max(1), z.union([z.literal(0), z.literal(1)])])),
})
const calibrationSchema = z.strictObject({
  format: z.literal(1),
  version: z.string(),
  model: z.strictObject({ id: z.string(), revision: z.string().min(1), templateHash: z.string().min(1) }),
  fittedOn: z.strictObject({
    decisions: notNegative,
    states: notNegative,
    labels: z.strictObject({ single: notNegative, deliberated: notNegative }),
    tasks: z.record(z.string(), notNegative),
    sketch: z.array(z.string().regex(/^[0-9a-f]{8}$/)).optional(),
  }),
  trees: z.strictObject({ single: tree, deliberated: tree }),
  gates: perReadout(gate),
  heldOut: perReadout(heldOut),
  heads: z.record(z.string(), headSchema).optional(),
  reference: driftReferenceSchema.optional(),
})

/**
 * A calibration from JSON, checked down to the last number. Throws `invalid_request` naming the field, or when the
 * content does not match its version: a file that was changed by hand must be fitted again.
 */
export function parseCalibration(json: unknown): Calibration {
  const format = ownField(json, 'format')
  if (format !== 1) {
    const shown = typeof format === 'number' || typeof format === 'string' ? JSON.stringify(format).slice(0, 40) : 'something else'
    const received = format === undefined ? 'no "format"' : `"format": ${shown}`
    throw new EngineError(
      'invalid_request',
      `A calibration file says "format": 1; this one has ${received}. Fit it again with assay calibrate fit.`,
    )
  }
  const { success, data, error } = calibrationSchema.safeParse(json)
  if (!success) {
    const problems = error.issues.map((issue) => {
      const param = issue.path.map((token) => `/${String(token)}`).join('')
      return {
        param,
        message: `The calibration file is damaged at ${param || 'its top'}: ${issue.message}. Fit it again with assay calibrate fit.`,
      }
    })
    throw new EngineError('invalid_request', problems[0]!.message, { param: problems[0]!.param, problems })
  }
  const calibration = data as Calibration
  const { single, deliberated } = calibration.trees
  checkTree(single, '/trees/single')
  checkTree(deliberated, '/trees/deliberated')
  for (const readout of DECISION_READOUTS) {
    const [one, other] = [single[readout], deliberated[readout]]
    if (one !== undefined && other !== undefined && one.map !== other.map) throw unknownMap(`/trees/deliberated/${readout}/map`, other.map)
  }
  const version = versionOf(calibration)
  if (version !== calibration.version) {
    const message = `The calibration file calls itself ${calibration.version}, its content is ${version}: it was changed. Fit it again with assay calibrate fit.`
    throw new EngineError('invalid_request', message, { param: '/version' })
  }
  return calibration
}

/** Checks that every map is known, and that every node has as many numbers as its map has parameters. */
function checkTree(readoutTrees: CalibrationTree, at: string): void {
  for (const [readout, { spread, map: name, ...top }] of Object.entries(readoutTrees)) {
    const map = findMapOf(readout as DecisionReadout, name)
    if (map === undefined) throw unknownMap(`${at}/${readout}/map`, name)
    const count = map.parameters.length
    if (spread.some((level) => level.length !== count)) throw wrongCount(`${at}/${readout}/spread`, count)
    const visit = ({ parameters, variance, children }: CalibrationNode, path: string): void => {
      if (parameters.length !== count || variance.length !== count) throw wrongCount(path, count)
      for (const [name, child] of Object.entries(children ?? {})) visit(child, `${path}/children/${name}`)
    }
    visit(top, `${at}/${readout}`)
  }
}

function unknownMap(param: string, name: string | undefined): EngineError {
  const map = name === undefined ? 'an unnamed map' : `the map ${name}`
  const message = `The calibration file has ${map} at ${param}, which does not belong there. Fit it again with assay calibrate fit.`
  return new EngineError('invalid_request', message, { param })
}

function wrongCount(param: string, count: number): EngineError {
  return new EngineError('invalid_request', `The map at ${param} of the calibration file needs ${count} parameters. Fit it again.`, {
    param,
  })
}

function isRising(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value >= values[i - 1]!)
}
