// Labelled evidence to a calibration. Nothing is left to chance: folds come from a hash of the state, so the same evidence gives the same file.
import { createHash } from 'node:crypto'
import { DECISION_READOUTS, type DecisionReadout, type PassMode } from '../questions/shared/decision.ts'
import { type CalibratedModel, type Calibration, type HeldOut, sealCalibration } from './calibration.ts'
import { chooseGate, type Gate, type GateCase, uncertaintyOf } from './deliberation/gate.ts'
import { driftReferenceOf } from './drift/reference.ts'
import { calibrateRows } from './hierarchy/apply.ts'
import { type Grown, growTree } from './hierarchy/hierarchical-fit.ts'
import type { CalibrationNode, CalibrationRoot, CalibrationTree, CalibrationTrees } from './hierarchy/tree.ts'
import { chooseBlends, withBlends } from './maps/isotonic-selection.ts'
import { type MapKind, mapKindOf, PARAMETERS } from './maps/maps.ts'
import { crossEntropy } from './metrics/scores.ts'
import { type Evidence, samplesOf } from './outcomes/evidence.ts'

export interface FitOptions {
  /** False lets maps change the first place: a tilt of scales, and biases of a question's candidates from 30 labels on. Default true: temperatures. */
  readonly preserveArgmax?: boolean
  /** Most decisions that may deliberate, from 0 to 1. Default 0.25. */
  readonly share?: number
  /** Wordings and questions with fewer labels than this get no map of their own: it would hardly differ, and a file would be long. Default 5. */
  readonly leastLabels?: number
}

const FOLDS = 5
/** Held-out decisions kept for sets and abstention, of each read-out. */
const MOST_HELD_OUT = 2000
/** From so many labels on, deliberated decisions have maps of their own; below, they start from those of single passes. */
const LEAST_OWN_LABELS = 200
const GATE = { keep: 0.9, resamples: 500, seed: 1 } as const

/** Fits the maps of both regimes, the gates, and what sets and abstention are chosen from. The order of the evidence does not matter. */
export function fit(evidence: readonly Evidence[], model: CalibratedModel, options: FitOptions = {}): Calibration {
  const sorted = inOrder(evidence)
  const folds = sorted.map(({ state }) => foldOf(state))
  const crossFitted = Array.from({ length: FOLDS }, (_, fold) =>
    growTrees(
      sorted.filter((_, i) => folds[i] !== fold),
      options,
    ),
  )
  const blends = chooseBlends(sorted, folds, crossFitted)
  const heldOutTrees = crossFitted.map((trees, fold) =>
    withBlends(
      trees,
      blends,
      sorted.filter((_, i) => folds[i] !== fold),
    ),
  )
  const judged = sorted.map((one, i) => judge(one, heldOutTrees[folds[i]!]!))
  const gates: Partial<Record<DecisionReadout, Gate>> = {}
  const heldOut: Partial<Record<DecisionReadout, HeldOut>> = {}
  for (const readout of DECISION_READOUTS) {
    const cases = judged.filter(({ evidence: { readout: own } }) => own === readout)
    if (cases.length === 0) continue
    const gate = chooseGate(cases.map(gateCaseOf), { share: options.share ?? 0.25, ...GATE })
    gates[readout] = gate
    heldOut[readout] = heldOutOf(cases, gate)
  }
  return sealCalibration(
    rounded({
      format: 1,
      model: { id: model.id, revision: model.revision, templateHash: model.templateHash },
      fittedOn: summaryOf(sorted),
      trees: withBlends(growTrees(sorted, options), blends, sorted),
      gates,
      heldOut,
      reference: driftReferenceOf(sorted),
    }),
  )
}

/** Which of five folds a state is in: always the same. */
export function foldOf(state: string): number {
  return createHash('sha256').update(state).digest().readUInt32BE(0) % FOLDS
}

/** Sums are taken in this order, so that theirs changes not even the last bit. */
function inOrder(evidence: readonly Evidence[]): Evidence[] {
  const named = evidence.map((one) => ({ one, name: JSON.stringify([one.question, one.state, one.task, one.truth, one.single]) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ one }) => one)
}

/** The maps alone, of all read-outs and both regimes. */
export function growTrees(evidence: readonly Evidence[], options: FitOptions = {}): CalibrationTrees {
  const settings = { biasVariance: options.preserveArgmax === false ? 0.5 ** 2 : 0, biasLabels: 30, leastLabels: options.leastLabels ?? 5 }
  // A scale keeps its likeliest level under a temperature; a tilt may move it.
  const kindOf = (readout: DecisionReadout): MapKind =>
    readout === 'ordinal' && options.preserveArgmax !== false ? 'temperature' : mapKindOf(readout)
  const grow = (regime: PassMode, singles: ReadonlyMap<DecisionReadout, Grown> | null): ReadonlyMap<DecisionReadout, Grown> => {
    const samples = evidence.flatMap((one) => samplesOf(one, regime))
    const roots = DECISION_READOUTS.flatMap((readout): [DecisionReadout, Grown][] => {
      const own = samples.filter((sample) => sample.readout === readout)
      // The same decisions' labels must not count twice, as prior and as data: that would make second looks seem to help, or harm, by themselves.
      const labels = own.reduce((sum, { weight }) => sum + weight, 0)
      const start = labels >= LEAST_OWN_LABELS ? null : (singles?.get(readout) ?? null)
      return own.length === 0 ? [] : [[readout, growTree(own, kindOf(readout), start, settings)]]
    })
    return new Map(roots)
  }
  const treeOf = (grown: ReadonlyMap<DecisionReadout, Grown>): CalibrationTree =>
    Object.fromEntries([...grown].map(([readout, { tree }]) => [readout, padded(tree, PARAMETERS[mapKindOf(readout)].length)]))
  const single = grow('single', null)
  return { single: treeOf(single), deliberated: treeOf(grow('deliberated', single)) }
}

/** A tree whose maps leave some of their parameters alone: those are 0, and known to be. */
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

interface Judged {
  readonly evidence: Evidence
  /** Calibrated probabilities, [row][candidate]. */
  readonly single: readonly (readonly number[])[]
  readonly deliberated: readonly (readonly number[])[] | null
}

function judge(evidence: Evidence, trees: CalibrationTrees): Judged {
  const of = (regime: PassMode, rows: Evidence['single']) => calibrateRows(trees, evidence, regime, rows).probabilities
  return {
    evidence,
    single: of('single', evidence.single),
    deliberated: evidence.deliberated === null ? null : of('deliberated', evidence.deliberated),
  }
}

function gateCaseOf({ evidence, single, deliberated }: Judged): GateCase {
  const targets = samplesOf(evidence, 'single').map(({ target }) => target)
  const lossOf = (rows: Judged['single']): number => rows.reduce((sum, row, i) => sum + crossEntropy(row, targets[i]!), 0) / rows.length
  return {
    uncertainty: uncertaintyOf(single),
    gain: deliberated === null ? null : lossOf(single) - lossOf(deliberated),
    state: evidence.state,
  }
}

/** What the engine would have said of each: the deliberated distribution where the gate asks for it. */
function heldOutOf(cases: readonly Judged[], gate: Gate): HeldOut {
  const rows = cases.flatMap(({ evidence, single, deliberated }) => {
    const said = deliberated !== null && uncertaintyOf(single) > gate.threshold ? deliberated : single
    const targets = samplesOf(evidence, 'single').map(({ target }) => target)
    return said.map((probabilities, i) => ({ probabilities, target: targets[i]! }))
  })
  const truth = rows.map(({ probabilities, target }) => probabilities[target.indexOf(Math.max(...target))]!)
  const pairs = rows.map(({ probabilities, target }): [number, number] => {
    const top = Math.max(...probabilities)
    return [top, target[probabilities.indexOf(top)]! >= 0.5 ? 1 : 0]
  })
  return {
    count: rows.length,
    truth: thinned(truth.sort((a, b) => a - b)).map(fourDigits),
    pairs: thinned(pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1])).map(([top, isRight]) => [fourDigits(top), isRight] as const),
  }
}

/** Evenly spaced ones of a sorted list, so that it keeps its shape. */
function thinned<T>(sorted: readonly T[]): readonly T[] {
  if (sorted.length <= MOST_HELD_OUT) return sorted
  return Array.from({ length: MOST_HELD_OUT }, (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / MOST_HELD_OUT)]!)
}

function fourDigits(probability: number): number {
  return Math.round(probability * 1e4) / 1e4
}

function summaryOf(evidence: readonly Evidence[]): Calibration['fittedOn'] {
  const tasks: Record<string, number> = {}
  for (const { task } of evidence) tasks[task] = (tasks[task] ?? 0) + 1
  const count = (regime: PassMode): number => evidence.reduce((sum, one) => sum + (one[regime]?.length ?? 0), 0)
  return {
    decisions: evidence.length,
    states: new Set(evidence.map(({ state }) => state)).size,
    labels: { single: count('single'), deliberated: count('deliberated') },
    tasks: Object.fromEntries(Object.entries(tasks).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Numbers to six digits, so that a file stays small and does not change with the last bit of a processor. */
function rounded<T>(value: T): T {
  if (typeof value === 'number') return Number(value.toPrecision(6)) as T
  if (Array.isArray(value)) return value.map(rounded) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rounded(inner)])) as T
}
