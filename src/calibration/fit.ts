// Fits a calibration to labelled evidence. Folds come from a hash of the state, so the same evidence gives the same
// file.
import { createHash } from 'node:crypto'
import { argmax, mean, sum } from '../core/math.ts'
import type { CalibratedModel, PassMode } from '../questions/shared/decision.ts'
import { DECISION_READOUTS, type DecisionReadout } from '../questions/shared/readouts.ts'
import { nearestCandidate } from '../questions/shared/truth.ts'
import { type Calibration, type HeldOut, sealCalibration } from './calibration.ts'
import { isUncertain } from './deliberation/deliberation.ts'
import { type Gate, type GateCase, isShort, uncertaintyOf } from './deliberation/gate.ts'
import { DEFAULT_SHARE, gatesOf } from './deliberation/gates.ts'
import { driftReferenceOf } from './drift/reference.ts'
import { type Evidence, samplesOf } from './evidence/evidence.ts'
import { calibrateRows } from './hierarchy/apply.ts'
import { type FittedTree, fitTree } from './hierarchy/hierarchical-fit.ts'
import { chooseMixtures, withMixtures } from './hierarchy/isotonic-selection.ts'
import type { CalibrationNode, CalibrationRoot, CalibrationTree, CalibrationTrees } from './hierarchy/tree.ts'
import { withFirstParameters } from './maps/map.ts'
import { keptName, mapFor } from './maps/maps.ts'
import { crossEntropy } from './metrics/scores.ts'
import { sketchStates } from './outcomes/fitted-states.ts'

export interface FitOptions {
  /**
   * False lets maps change which candidate is likeliest: all parameters are fitted, and the candidates of a question
   * get biases from 30 labels on. Default true.
   */
  readonly preserveArgmax?: boolean
  /** Most of all decisions that may deliberate, from 0 to 1. Default `DEFAULT_SHARE`. */
  readonly share?: number
  /** Wordings and questions with fewer labels get no map of their own, which keeps the file short. Default 5. */
  readonly leastLabels?: number
}

const FOLDS = 5
/** Held-out decisions of a read-out that are kept for prediction sets and abstention. */
const MOST_HELD_OUT = 2000
/** With fewer labels, the maps of deliberated decisions start from those of single passes. */
const LEAST_OWN_LABELS = 200
/** Of the biases of candidates: their prior variance, and the labels from which a question gets them. */
const BIASES = { variance: 0.5 ** 2, labels: 30 } as const
/** Default of `FitOptions.leastLabels`. */
const LEAST_LABELS = 5

/**
 * Fits the maps of both pass modes, the gates, and the held-out decisions that prediction sets and abstention are
 * chosen from. The order of the evidence does not matter.
 */
export function fit(evidence: readonly Evidence[], model: CalibratedModel, options: FitOptions = {}): Calibration {
  const sorted = inOrder(evidence)
  const folds = sorted.map(({ state }) => foldOf(state))
  const without = (fold: number): Evidence[] => sorted.filter((_, i) => folds[i] !== fold)
  const crossFitted = Array.from({ length: FOLDS }, (_, fold) => fitTrees(without(fold), options))
  const mixtures = chooseMixtures(sorted, folds, crossFitted)
  const heldOutTrees = crossFitted.map((trees, fold) => withMixtures(trees, mixtures, without(fold)))
  const decisions = sorted.map((one, i) => calibrated(one, heldOutTrees[folds[i]!]!))
  const byReadout = DECISION_READOUTS.flatMap((readout) => {
    const cases = decisions.filter(({ evidence: { readout: own } }) => own === readout)
    return cases.length === 0 ? [] : [{ readout, cases }]
  })
  const gates = gatesOf(
    byReadout.map(({ readout, cases }) => ({ readout, cases: cases.map(gateCaseOf) })),
    options.share ?? DEFAULT_SHARE,
  )
  const heldOut = Object.fromEntries(byReadout.map(({ readout, cases }) => [readout, heldOutOf(cases, gates[readout]!)]))
  return sealCalibration(
    rounded({
      format: 1,
      model: { id: model.id, revision: model.revision, templateHash: model.templateHash },
      fittedOn: summaryOf(sorted),
      trees: withMixtures(fitTrees(sorted, options), mixtures, sorted),
      gates,
      heldOut,
      reference: driftReferenceOf(sorted),
    }),
  )
}

/** The fold of a state, from 0 to 4. It depends on the state alone. */
export function foldOf(state: string): number {
  return createHash('sha256').update(state).digest().readUInt32BE(0) % FOLDS
}

/** A fixed order to sum in, so that not even the last bit of a sum depends on the order of the input. */
function inOrder(evidence: readonly Evidence[]): Evidence[] {
  const named = evidence.map((one) => ({ one, name: JSON.stringify([one.question, one.state, one.task, one.truth, one.single]) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ one }) => one)
}

/** The maps alone, of all read-outs and both pass modes. */
export function fitTrees(evidence: readonly Evidence[], options: FitOptions = {}): CalibrationTrees {
  const isFree = options.preserveArgmax === false
  const settings = {
    biasVariance: isFree ? BIASES.variance : 0,
    biasLabels: BIASES.labels,
    leastLabels: options.leastLabels ?? LEAST_LABELS,
  }
  const fitMode = (
    passMode: PassMode,
    singles: ReadonlyMap<DecisionReadout, FittedTree> | null,
  ): ReadonlyMap<DecisionReadout, FittedTree> => {
    const samples = evidence.flatMap((one) => samplesOf(one, passMode))
    const roots = DECISION_READOUTS.flatMap((readout): [DecisionReadout, FittedTree][] => {
      const own = samples.filter((sample) => sample.readout === readout)
      if (own.length === 0) return []
      const whole = mapFor(readout)
      const map = isFree ? whole : withFirstParameters(whole, whole.fittedByDefault)
      // Labels of the same decisions must not count twice, as prior and as data: deliberation would then seem to help
      // or to harm by itself.
      const labels = sum(own.map(({ weight }) => weight))
      const start = labels >= LEAST_OWN_LABELS ? null : (singles?.get(readout) ?? null)
      return [[readout, fitTree(own, map, start, settings)]]
    })
    return new Map(roots)
  }
  const treeOf = (fitted: ReadonlyMap<DecisionReadout, FittedTree>): CalibrationTree =>
    Object.fromEntries(
      [...fitted].map(([readout, { tree }]) => {
        const map = mapFor(readout)
        return [readout, { ...padded(tree, map.parameters.length), ...keptName(map, readout) }]
      }),
    )
  const single = fitMode('single', null)
  return { single: treeOf(single), deliberated: treeOf(fitMode('deliberated', single)) }
}

/** The tree with `count` parameters a map: those that were not fitted are 0, with variance 0. */
function padded(tree: CalibrationRoot, count: number): CalibrationRoot {
  const filled = (values: readonly number[]): number[] => [...values, ...new Array<number>(count - values.length).fill(0)]
  const ofNode = <N extends CalibrationNode>(node: N): N => ({
    ...node,
    parameters: filled(node.parameters),
    variance: filled(node.variance),
    ...(node.children === undefined
      ? {}
      : { children: Object.fromEntries(Object.entries(node.children).map(([name, child]) => [name, ofNode(child)])) }),
  })
  return tree.parameters.length === count ? tree : { ...ofNode(tree), spread: tree.spread.map(filled) }
}

interface CalibratedEvidence {
  readonly evidence: Evidence
  /** Calibrated probabilities, [row][candidate]. */
  readonly single: readonly (readonly number[])[]
  readonly deliberated: readonly (readonly number[])[] | null
}

function calibrated(evidence: Evidence, trees: CalibrationTrees): CalibratedEvidence {
  const under = (passMode: PassMode, rows: Evidence['single']) => calibrateRows(trees, evidence, passMode, rows).probabilities
  return {
    evidence,
    single: under('single', evidence.single),
    deliberated: evidence.deliberated === null ? null : under('deliberated', evidence.deliberated),
  }
}

function gateCaseOf({ evidence, single, deliberated }: CalibratedEvidence): GateCase {
  const targets = samplesOf(evidence, 'single').map(({ target }) => target)
  const lossOf = (rows: CalibratedEvidence['single']): number => mean(rows.map((row, i) => crossEntropy(row, targets[i]!)))
  return {
    uncertainty: uncertaintyOf(single),
    gain: deliberated === null ? null : lossOf(single) - lossOf(deliberated),
    state: evidence.state,
    tokens: evidence.tokens ?? null,
  }
}

/** The distributions that the engine would have answered: the deliberated one where the gate asks for it. */
function heldOutOf(cases: readonly CalibratedEvidence[], gate: Gate): HeldOut {
  const rows = cases.flatMap(({ evidence, single, deliberated }) => {
    const isAgain = isUncertain(single, evidence.mass, gate.threshold) || isShort(gate.short, evidence.tokens ?? null)
    const answered = deliberated !== null && isAgain ? deliberated : single
    return answered.map((probabilities, i) => ({ probabilities, right: nearestCandidate(evidence.truth[i]!) }))
  })
  const truth = rows.map(({ probabilities, right }) => probabilities[right]!)
  const pairs = rows.map(({ probabilities, right }): [number, number] => [
    Math.max(...probabilities),
    argmax(probabilities) === right ? 1 : 0,
  ])
  return {
    count: rows.length,
    truth: thinned(truth.sort((a, b) => a - b)).map(fourDigits),
    pairs: thinned(pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1])).map(([top, isRight]) => [fourDigits(top), isRight] as const),
  }
}

/** At most `MOST_HELD_OUT` evenly spaced items of a sorted list, which keep its quantiles. */
function thinned<T>(sorted: readonly T[]): readonly T[] {
  if (sorted.length <= MOST_HELD_OUT) return sorted
  return Array.from({ length: MOST_HELD_OUT }, (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / MOST_HELD_OUT)]!)
}

function fourDigits(probability: number): number {
  return Math.round(probability * 1e4) / 1e4
}

/** What a calibration says it was fitted on. */
export function summaryOf(evidence: readonly Evidence[]): Calibration['fittedOn'] {
  const tasks: Record<string, number> = {}
  for (const { task } of evidence) tasks[task] = (tasks[task] ?? 0) + 1
  const count = (passMode: PassMode): number => evidence.reduce((sum, one) => sum + (one[passMode]?.length ?? 0), 0)
  return {
    decisions: evidence.length,
    states: new Set(evidence.map(({ state }) => state)).size,
    labels: { single: count('single'), deliberated: count('deliberated') },
    tasks: Object.fromEntries(Object.entries(tasks).sort(([a], [b]) => (a < b ? -1 : 1))),
    sketch: sketchStates(evidence),
  }
}

/** Numbers to six digits: the file stays small and does not depend on the last bit of a processor. */
function rounded<T>(value: T): T {
  if (typeof value === 'number') return Number(value.toPrecision(6)) as T
  if (Array.isArray(value)) return value.map(rounded) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)])) as T
}
