// The tree of maps: read-out, kind of decision, wording, question. A decision is calibrated by the nearest node that has labels.

import type { DecisionReadout, PassMode } from '../../questions/shared/decision.ts'
import type { CalibrationReport } from '../../wire/types.ts'
import { weightedMean } from '../numerics/aligned.ts'

/** Isotonic steps mixed into a map from 200 labels on. `weight`: of the steps, in log-odds. Positions and heights are log-odds, rising. */
export interface Blend {
  readonly weight: number
  readonly positions: readonly number[]
  readonly heights: readonly number[]
}

/** A fitted map and those below it. What the numbers are called says `PARAMETERS` of the map. */
export interface CalibrationNode {
  /** Labels it was fitted on, each counted by its weight. */
  readonly labels: number
  readonly parameters: readonly number[]
  /** Posterior variance of each parameter. */
  readonly variance: readonly number[]
  /** One number for each candidate in canonical order, sum 0. Only for a question, and only when the first place may change. */
  readonly biases?: readonly number[]
  readonly blend?: Blend
  readonly children?: Readonly<Record<string, CalibrationNode>>
}

export interface CalibrationRoot extends CalibrationNode {
  /** How far apart maps of a level were found to be: variance of each parameter about the parent, [kind, wording, question][parameter]. */
  readonly spread: readonly (readonly number[])[]
}

export type CalibrationTree = Readonly<Partial<Record<DecisionReadout, CalibrationRoot>>>
export type CalibrationTrees = Readonly<Record<PassMode, CalibrationTree>>

/** What the tree says of a decision: the map, how sure it is of it, and which node it came from. */
export interface Finding {
  readonly parameters: readonly number[]
  /**
   * Of the nearest node. That an unseen child may lie elsewhere is left out: the node was fitted to what such children say, so it is flat enough by
   * itself, and leaving whole tasks out showed lower log-loss without.
   */
  readonly variance: readonly number[]
  readonly biases: readonly number[]
  readonly blend: Blend | null
  readonly level: CalibrationReport['level']
  readonly labels: number
}

const LEVELS = ['readout', 'kind', 'wording', 'question'] as const

/**
 * Walks down as far as there are labels. Where deliberated decisions have none but single ones do, the step that the single ones take from parent to
 * child is taken. Null when nothing of this read-out was ever labelled.
 */
export function findMap(trees: CalibrationTrees, regime: PassMode, path: readonly [string, string, string, string]): Finding | null {
  const readout = path[0] as DecisionReadout
  const single = trees.single[readout]
  const root = trees[regime][readout] ?? single
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
    parameters,
    variance,
    biases: (isReached && own?.biases) || [],
    blend: (isReached && own?.blend) || null,
    level,
    labels,
  }
}

function childOf(node: CalibrationNode, name: string): CalibrationNode | undefined {
  // Names come from a file: only own keys count.
  return node.children !== undefined && Object.hasOwn(node.children, name) ? node.children[name] : undefined
}

/**
 * Between-group variance τ² of estimates that each have a sampling variance v, by moments (DerSimonian & Laird 1986):
 * Q = Σ W (θ − Σ W θ / Σ W)², τ² = max(0, (Q − (k − 1)) / (Σ W − Σ W² / Σ W)), with W = 1 / v.
 */
export function betweenGroupVariance(estimates: readonly number[], variances: readonly number[]): number {
  const precisions = variances.map((variance) => 1 / variance)
  const total = precisions.reduce((sum, precision) => sum + precision, 0)
  const fixed = weightedMean(estimates, precisions)
  const heterogeneity = estimates.reduce((sum, estimate, i) => sum + precisions[i]! * (estimate - fixed) ** 2, 0)
  const denominator = total - precisions.reduce((sum, precision) => sum + precision * precision, 0) / total
  return denominator > 0 ? Math.max(0, (heterogeneity - (estimates.length - 1)) / denominator) : 0
}
