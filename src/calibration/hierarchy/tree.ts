// The tree of maps: read-out, kind of decision, wording, question. A decision is calibrated by the closest node that
// has labels.
import { sum } from '../../core/math.ts'
import { ownEntry } from '../../core/untrusted.ts'
import type { PassMode } from '../../questions/shared/decision.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import type { CalibrationReport } from '../../wire/types.ts'
import type { IsotonicMixture } from '../maps/mixture.ts'
import { weightedMean } from '../numerics/aligned.ts'

/** A fitted map and those below it. The read-out and the name of its root say which map it is. */
export interface CalibrationNode {
  /** Labels it was fitted on, each counted by its weight. */
  readonly labels: number
  readonly parameters: readonly number[]
  /** Posterior variance of each parameter. */
  readonly variance: readonly number[]
  /**
   * [candidate] in canonical order, with sum 0. Only of a question, and only where the likeliest candidate may change.
   */
  readonly biases?: readonly number[]
  /** The name is that of the file format. */
  readonly blend?: IsotonicMixture
  readonly children?: Readonly<Record<string, CalibrationNode>>
}

export interface CalibrationRoot extends CalibrationNode {
  /** The name of the map; absent: the last of the registry that names the read-out. */
  readonly map?: string
  /**
   * Estimated between-group variance of each parameter, [kind, wording, question][parameter].
   * The name is that of the file format.
   */
  readonly spread: readonly (readonly number[])[]
}

export type CalibrationTree = Readonly<Partial<Record<DecisionReadout, CalibrationRoot>>>
export type CalibrationTrees = Readonly<Record<PassMode, CalibrationTree>>

/** The map of a decision, and which node it came from. */
export interface MapLookup {
  /** As its root says. */
  readonly map: string | undefined
  readonly parameters: readonly number[]
  /**
   * Of the closest node. That an unseen child may differ from it is left out: the node was fitted to what such children
   * show, so it is flat enough by itself, and leaving whole tasks out showed lower log-loss without it.
   */
  readonly variance: readonly number[]
  readonly biases: readonly number[]
  readonly mixture: IsotonicMixture | null
  readonly level: CalibrationReport['level']
  readonly labels: number
}

const LEVELS = ['readout', 'kind', 'wording', 'question'] as const

/**
 * Walks down as far as there are labels. Where deliberated decisions have none but single passes do, the step from
 * parent to child is that of the single passes. Null when nothing of this read-out was ever labelled.
 */
export function findMap(
  trees: CalibrationTrees,
  passMode: PassMode,
  path: readonly [readout: string, kind: string, wording: string, question: string],
): MapLookup | null {
  const readout = path[0] as DecisionReadout
  const single = trees.single[readout]
  const root = trees[passMode][readout] ?? single
  if (root === undefined) return null
  let own: CalibrationNode | undefined = root
  let other: CalibrationNode | undefined = root === single ? undefined : single
  let { parameters, variance, labels } = root as CalibrationNode
  let level: CalibrationReport['level'] = 'readout'
  let depth = 0
  for (let next = 1; next < path.length; next++) {
    const name = path[next]!
    const ownChild: CalibrationNode | undefined = own === undefined ? undefined : childOf(own, name)
    const otherChild: CalibrationNode | undefined = other === undefined ? undefined : childOf(other, name)
    const from = other
    own = ownChild
    other = otherChild
    if (ownChild !== undefined) {
      ;({ parameters, variance, labels } = ownChild)
    } else if (otherChild !== undefined && from !== undefined) {
      parameters = parameters.map((value, i) => value + otherChild.parameters[i]! - from.parameters[i]!)
      variance = variance.map((value, i) => value + otherChild.variance[i]!)
      labels = otherChild.labels
    } else break
    level = LEVELS[next]!
    depth = next
  }
  const isReached = depth === path.length - 1
  return {
    map: root.map,
    parameters,
    variance,
    biases: (isReached && own?.biases) || [],
    mixture: (isReached && own?.blend) || null,
    level,
    labels,
  }
}

/** The child of a node under a name, which may come from a file. */
export function childOf({ children = {} }: CalibrationNode, name: string): CalibrationNode | undefined {
  return ownEntry(children, name)
}

/**
 * Between-group variance τ² of estimates that each have a sampling variance v, by moments (DerSimonian & Laird 1986):
 * Q = Σ W (θ − Σ W θ / Σ W)², τ² = max(0, (Q − (k − 1)) / (Σ W − Σ W² / Σ W)), with W = 1 / v.
 */
export function betweenGroupVariance(estimates: readonly number[], variances: readonly number[]): number {
  const precisions = variances.map((variance) => 1 / variance)
  const total = sum(precisions)
  const fixed = weightedMean(estimates, precisions)
  const heterogeneity = estimates.reduce((sum, estimate, i) => sum + precisions[i]! * (estimate - fixed) ** 2, 0)
  const denominator = total - precisions.reduce((sum, precision) => sum + precision * precision, 0) / total
  return denominator > 0 ? Math.max(0, (heterogeneity - (estimates.length - 1)) / denominator) : 0
}
