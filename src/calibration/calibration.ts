// The file of a calibration: plain JSON, bound to the model and template it was fitted on, named by a hash of what is in it.
// `judgeOf` makes of it what the engine asks for probabilities; another model's calibration is never used silently.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { EngineError } from '../core/errors.ts'
import { type Calibrator, DECISION_READOUTS, type DecisionReadout, type PassMode } from '../questions/shared/decision.ts'
import type { Gate } from './deliberation/gate.ts'
import { type DriftReference, driftReferenceSchema } from './drift/reference.ts'
import { applyHead, type Head, headSchema, isHeadFor } from './heads/head.ts'
import { calibrateRows } from './hierarchy/apply.ts'
import type { CalibrationNode, CalibrationTree, CalibrationTrees } from './hierarchy/tree.ts'
import { mapKindOf, PARAMETERS } from './maps/maps.ts'

/** The model and template that evidence and calibrations are bound to. */
export interface CalibratedModel {
  readonly id: string
  readonly revision: string
  readonly templateHash: string
}

/** Calibrated decisions that no map had seen (five folds by state): what sets and abstention are chosen from. */
export interface HeldOut {
  /** Decisions before they were thinned out to what is kept here. */
  readonly count: number
  /** Probability of the true candidate, rising. */
  readonly truth: readonly number[]
  /** The largest probability and whether that candidate was the true one (1 or 0), by rising confidence. */
  readonly pairs: readonly (readonly [confidence: number, isRight: number])[]
}

/** What it was fitted on. Counts of labelled distributions: a `select` gives one for each option. */
export interface FittedOn {
  readonly decisions: number
  readonly states: number
  readonly labels: Readonly<Record<PassMode, number>>
  /** Decisions of each task. */
  readonly tasks: Readonly<Record<string, number>>
}

export interface Calibration {
  readonly format: 1
  /** `cal_` and 12 hex digits of the SHA-256 of everything else. */
  readonly version: string
  readonly model: CalibratedModel
  readonly fittedOn: FittedOn
  readonly trees: CalibrationTrees
  /** When a decision is worth a second look, by read-out. */
  readonly gates: Readonly<Partial<Record<DecisionReadout, Gate>>>
  readonly heldOut: Readonly<Partial<Record<DecisionReadout, HeldOut>>>
  /** Heads learned from labels of one question each, by its hash (see learn.ts). They come before any map. */
  readonly heads?: Readonly<Record<string, Head>>
  /** What decisions looked like when it was fitted; absent when drift is not to be seen. */
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

/** JSON with sorted keys: the same content, the same text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}

export type CalibrationJudge = Calibrator & {
  /** Of the calibration in use; null without one, or when it was made for another model. */
  readonly version: string | null
  /** A calibration was given, but for another revision of the model or another template: nothing of it is used. */
  readonly isMismatch: boolean
}

/** What turns log-probabilities of this model into probabilities. Without a calibration, or with another model's, they stay as they are. */
export function judgeOf(calibration: Calibration | null, model: Pick<CalibratedModel, 'revision' | 'templateHash'>): CalibrationJudge {
  const isMismatch =
    calibration !== null && (calibration.model.revision !== model.revision || calibration.model.templateHash !== model.templateHash)
  const used = isMismatch ? null : calibration
  return {
    version: used?.version ?? null,
    isMismatch,
    calibrate(key, regime, rows, features) {
      const head = used?.heads?.[key.question]
      if (head === undefined || !isHeadFor(head, key, rows, features)) return calibrateRows(used?.trees ?? null, key, regime, rows)
      return { probabilities: applyHead(head, rows, features), note: { applied: 'learned', level: 'question', labels: head.labels } }
    },
  }
}

const finite = z.number()
const positive = z.number().min(0)
const blendSchema = z
  .strictObject({ weight: z.number().min(0).max(1), positions: z.array(finite).min(1), heights: z.array(finite) })
  .refine(({ positions, heights }) => positions.length === heights.length && isRising(positions) && isRising(heights), {
    message: 'positions and heights must be as many, and rise',
  })
const node = {
  labels: positive,
  parameters: z.array(finite.min(-50).max(50)),
  variance: z.array(positive),
  biases: z.array(finite).optional(),
  blend: blendSchema.optional(),
}
const over = <T extends z.ZodType>(child: T) => ({ ...node, children: z.record(z.string(), child).optional() })
// Kind, wording, question: written out, so that a file cannot nest deeper than a reader can go.
const kind = z.strictObject(over(z.strictObject(over(z.strictObject(node)))))
const root = z.strictObject({ ...over(kind), spread: z.array(z.array(positive)).length(3) })
const perReadout = <T extends z.ZodType>(schema: T) => z.partialRecord(z.enum(DECISION_READOUTS), schema)
const tree = perReadout(root)
const gate = z.strictObject({
  threshold: z.number().min(0).max(1),
  share: z.number().min(0).max(1),
  rule: z.enum(['share', 'gain', 'never']),
  decisions: positive,
  gain: z.strictObject({ escalated: finite, interval: z.tuple([finite, finite]), total: finite }).optional(),
})
const heldOut = z.strictObject({
  count: positive,
  truth: z.array(z.number().min(0).max(1)),
  pairs: z.array(z.tuple([z.number().min(0).max(1), z.union([z.literal(0), z.literal(1)])])),
})
const calibrationSchema = z.strictObject({
  format: z.literal(1),
  version: z.string(),
  model: z.strictObject({ id: z.string(), revision: z.string().min(1), templateHash: z.string().min(1) }),
  fittedOn: z.strictObject({
    decisions: positive,
    states: positive,
    labels: z.strictObject({ single: positive, deliberated: positive }),
    tasks: z.record(z.string(), positive),
  }),
  trees: z.strictObject({ single: tree, deliberated: tree }),
  gates: perReadout(gate),
  heldOut: perReadout(heldOut),
  heads: z.record(z.string(), headSchema).optional(),
  reference: driftReferenceSchema.optional(),
})

/**
 * A calibration from JSON, checked down to the last number. Throws `invalid_request` naming the field, or when the content is not what its version says:
 * a file changed by hand is fitted again, not trusted.
 */
export function parseCalibration(json: unknown): Calibration {
  const format = typeof json === 'object' && json !== null && 'format' in json ? json.format : undefined
  if (format !== 1) {
    const said = typeof format === 'number' || typeof format === 'string' ? JSON.stringify(format).slice(0, 40) : 'something else'
    const received = format === undefined ? 'no "format"' : `"format": ${said}`
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
  for (const regime of ['single', 'deliberated'] as const) checkTree(calibration.trees[regime], `/trees/${regime}`)
  const version = versionOf(calibration)
  if (version !== calibration.version) {
    const message = `The calibration file calls itself ${calibration.version}, its content is ${version}: it was changed. Fit it again with assay calibrate fit.`
    throw new EngineError('invalid_request', message, { param: '/version' })
  }
  return calibration
}

/** Every map has the numbers of its kind. */
function checkTree(readoutTrees: CalibrationTree, at: string): void {
  for (const [readout, { spread, ...top }] of Object.entries(readoutTrees)) {
    const count = PARAMETERS[mapKindOf(readout as DecisionReadout)].length
    if (spread.some((level) => level.length !== count)) throw wrongCount(`${at}/${readout}/spread`, count)
    const visit = ({ parameters, variance, children }: CalibrationNode, path: string): void => {
      if (parameters.length !== count || variance.length !== count) throw wrongCount(path, count)
      for (const [name, child] of Object.entries(children ?? {})) visit(child, `${path}/children/${name}`)
    }
    visit(top, `${at}/${readout}`)
  }
}

function wrongCount(param: string, count: number): EngineError {
  return new EngineError('invalid_request', `The map at ${param} of the calibration file needs ${count} parameters. Fit it again.`, {
    param,
  })
}

function isRising(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value >= values[i - 1]!)
}
