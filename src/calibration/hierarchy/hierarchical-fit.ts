// Labelled distributions of one read-out to its tree of maps, from the root down: each map is fitted with its parent as prior.
// A parent is fitted with its big children held back, as if each spoke once about itself: what is left for a child is then not counted twice.
// Between kind and wording stands the task the labels come from, so that ten wordings of one task are not ten witnesses; decisions do not know their task,
// so the finished tree goes without it.

import { type FittedMap, fitMap, type MapPrior, type MapSample } from '../maps/fit-map.ts'
import { floored, type MapKind, PARAMETERS } from '../maps/maps.ts'
import { cholesky, inverseDiagonal, solveCholesky } from '../numerics/optimise.ts'
import type { Sample } from '../outcomes/evidence.ts'
import { betweenGroupVariance, type CalibrationNode, type CalibrationRoot } from './tree.ts'

/** Variances of each parameter, [parameter]. */
type Variances = readonly number[]

/**
 * What is believed of a model that nobody has labels for: it is too sure, T about 1.5, and leans to neither side. That one leaning holds for all tasks is
 * believed less than that one temperature does: base rates differ from task to task.
 */
export const ROOT_PRIOR: Readonly<Record<MapKind, MapPrior>> = {
  affine: { mean: [-Math.log(1.5), 0], variance: [0.5 ** 2, 0.25 ** 2] },
  temperature: { mean: [-Math.log(1.5)], variance: [0.5 ** 2] },
  tilt: { mean: [-Math.log(1.5), 0, 0], variance: [0.5 ** 2, 0.25 ** 2, 0.1 ** 2] },
}

/** Deliberated decisions start from the map of single ones, give or take this. */
const REGIME_OFFSET: Readonly<Record<MapKind, Variances>> = {
  affine: [0.3 ** 2, 0.3 ** 2],
  temperature: [0.3 ** 2],
  tilt: [0.3 ** 2, 0.3 ** 2, 0.1 ** 2],
}

/** How far apart kinds, tasks, wordings and questions are while too few are known to tell. [kind, task, wording, question][parameter] */
const USUAL_SPREAD: Readonly<Record<MapKind, readonly Variances[]>> = {
  affine: [
    [0.2 ** 2, 0.3 ** 2],
    [0.35 ** 2, 0.6 ** 2],
    [0.2 ** 2, 0.3 ** 2],
    [0.2 ** 2, 0.3 ** 2],
  ],
  temperature: [[0.2 ** 2], [0.35 ** 2], [0.2 ** 2], [0.2 ** 2]],
  tilt: [
    [0.2 ** 2, 0.3 ** 2, 0.1 ** 2],
    [0.35 ** 2, 0.5 ** 2, 0.2 ** 2],
    [0.2 ** 2, 0.3 ** 2, 0.1 ** 2],
    [0.2 ** 2, 0.3 ** 2, 0.1 ** 2],
  ],
}

/** Estimated spreads are kept within these standard deviations: moments of few groups run wild. */
const LEAST_SPREAD = 0.05
const MOST_SPREAD: Readonly<Record<MapKind, readonly number[]>> = { affine: [0.7, 1.2], temperature: [0.7], tilt: [0.7, 1, 0.4] }

/** So many maps with so many labels each are needed before their spread is believed. */
const SPREAD_GROUPS = 8
const SPREAD_LABELS = 20

export interface GrowOptions {
  /** Variance of the biases of candidates; 0 for none, so that the first place never changes. */
  readonly biasVariance: number
  /** Labels of a question before its candidates get biases. */
  readonly biasLabels: number
  /** Nodes with fewer labels than this are left to their parents. */
  readonly leastLabels: number
}

/** Levels of groups: read-out, kind, task, wording, question. */
const [KIND, TASK, WORDING, QUESTION] = [1, 2, 3, 4] as const

export interface Group {
  readonly name: string
  /** 0 for the read-out, and so on. */
  readonly level: number
  /** Positions in the list of samples. */
  readonly members: number[]
  readonly children: Map<string, Group>
  labels: number
  /** How much all below says about this map, as information on each parameter. */
  information: number[]
  fitted: FittedMap | null
  prior: MapPrior | null
}

/** A tree, and the groups it was made of: what the tree of the other regime starts from. */
export interface Grown {
  readonly tree: CalibrationRoot
  readonly groups: Group
  /** [kind, task, wording, question][parameter] */
  readonly spread: readonly Variances[]
}

/** `single`: what was grown of single-pass decisions when these are deliberated ones; null otherwise. */
export function growTree(samples: readonly Sample[], kind: MapKind, single: Grown | null, options: GrowOptions): Grown {
  const rows: readonly MapSample[] = samples.map(({ logProbabilities, target, weight }) => ({
    z: floored(logProbabilities),
    target,
    weight,
  }))
  const root = groupsOf(samples)
  const prior =
    single === null
      ? ROOT_PRIOR[kind]
      : { mean: single.tree.parameters, variance: single.tree.variance.map((variance, i) => variance + REGIME_OFFSET[kind][i]!) }
  let spread: readonly Variances[] =
    single === null ? USUAL_SPREAD[kind] : single.spread.map((level) => level.map((variance) => variance / 2))
  // How much one label says about each parameter, on average.
  const whole = fitMap(kind, rows, prior)
  const perLabel = whole.information.map((line, i) => line[i]! / Math.max(root.labels, 1e-9))
  for (let round = 0; round < 3; round++) {
    const heldBack = holdBack(root, rows, spread, perLabel)
    const context: FitContext = { kind, rows, heldBack, spread, options }
    fitDown(root, context, prior, single?.groups ?? null)
    if (round < 2) spread = estimateSpread(root, context)
  }
  const [kinds, tasks, wordings, questions] = spread
  const unseen = [kinds!, wordings!.map((variance, i) => variance + tasks![i]!), questions!]
  return { tree: { ...nodeOf(root, null, options), spread: unseen }, groups: root, spread }
}

function groupsOf(samples: readonly Sample[]): Group {
  const make = (name: string, level: number): Group => {
    return { name, level, members: [], children: new Map(), labels: 0, information: [], fitted: null, prior: null }
  }
  const root = make(samples[0]?.path[0] ?? '', 0)
  const tasks = tasksOf(samples)
  for (const [index, { path, weight }] of samples.entries()) {
    const [, kind, wording, question] = path
    let group = root
    group.members.push(index)
    group.labels += weight
    for (const [depth, name] of [kind, tasks.get(`${kind}/${wording}`)!, wording, question].entries()) {
      const child = group.children.get(name) ?? make(name, depth + 1)
      group.children.set(name, child)
      child.members.push(index)
      child.labels += weight
      group = child
    }
  }
  return root
}

/** The task that each wording of a kind mostly comes from. */
function tasksOf(samples: readonly Sample[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const { path, task, weight } of samples) {
    const name = `${path[1]}/${path[2]}`
    const own = counts.get(name) ?? new Map<string, number>()
    own.set(task, (own.get(task) ?? 0) + weight)
    counts.set(name, own)
  }
  const first = (own: ReadonlyMap<string, number>): string => [...own].reduce((most, one) => (one[1] > most[1] ? one : most))[0]
  return new Map([...counts].map(([name, own]) => [name, first(own)]))
}

/**
 * Weights of the samples for the fit of a map at each level, [level][sample]. A child that says I about itself says I / (1 + τ² I) about its parent,
 * τ² the spread between children (the weights of a random-effects mean). So a parent's map is the middle of its children, not of their labels.
 */
function holdBack(root: Group, rows: readonly MapSample[], spread: readonly Variances[], perLabel: readonly number[]): Float64Array[] {
  const weights = [0, KIND, TASK, WORDING, QUESTION].map(() => Float64Array.from(rows, (row) => row.weight))
  const visit = (group: Group): void => {
    if (group.children.size === 0) group.information = perLabel.map((information) => information * group.labels)
    else {
      group.information = perLabel.map(() => 0)
      for (const child of group.children.values()) {
        visit(child)
        const kept = keptOf(child, spread)
        for (let i = 0; i < perLabel.length; i++) group.information[i]! += child.information[i]! * kept
        for (let level = 0; level <= group.level; level++) for (const member of child.members) weights[level]![member]! *= kept
      }
    }
  }
  visit(root)
  return weights
}

function keptOf(child: Group, spread: readonly Variances[]): number {
  const ratios = child.information.map((information, i) => information * spread[child.level - 1]![i]!)
  return 1 / (1 + ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length)
}

interface FitContext {
  readonly kind: MapKind
  readonly rows: readonly MapSample[]
  readonly heldBack: readonly Float64Array[]
  readonly spread: readonly Variances[]
  readonly options: GrowOptions
}

function fitDown(group: Group, context: FitContext, prior: MapPrior, single: Group | null): void {
  const { kind, rows, heldBack, spread, options } = context
  const own = group.members.map((member) => rows[member]!)
  const weights = group.members.map((member) => heldBack[group.level]![member]!)
  const isBiased = options.biasVariance > 0 && kind === 'temperature' && group.level === QUESTION && group.labels >= options.biasLabels
  group.prior = prior
  group.fitted = fitMap(kind, own, prior, {
    sampleWeights: weights,
    biasVariance: isBiased ? options.biasVariance : 0,
    start: group.fitted,
  })
  const { parameters } = group.fitted
  for (const child of group.children.values()) {
    const other = single?.children.get(child.name)?.fitted ?? null
    const from = single?.fitted ?? null
    // Deliberated maps step from parent to child as the single ones do.
    const mean = parameters.map((value, i) => value + (other === null || from === null ? 0 : other.parameters[i]! - from.parameters[i]!))
    fitDown(child, context, { mean, variance: spread[child.level - 1]! }, single?.children.get(child.name) ?? null)
  }
}

/**
 * Spread of each level by moments: what each map would be without its prior (one step of Fisher's scoring away, on all its labels), and how far that is
 * from its parent beyond what chance and the spread of its own children explain.
 */
function estimateSpread(root: Group, { kind, rows, spread }: FitContext): readonly Variances[] {
  const found = PARAMETERS[kind].map(() => spread.map(() => ({ steps: [] as number[], variances: [] as number[] })))
  const visit = (group: Group, siblings: number): void => {
    // An only child is its parent: it says nothing about how far children are apart.
    if (siblings > 1 && group.labels >= SPREAD_LABELS && group.prior !== null) {
      const { mean, variance } = group.prior
      const { parameters, information } = fitMap(
        kind,
        group.members.map((member) => rows[member]!),
        group.prior,
        { start: group.fitted },
      )
      const factor = cholesky(information)
      if (factor !== null) {
        const step = solveCholesky(
          factor,
          parameters.map((value, i) => (value - mean[i]!) / variance[i]!),
        )
        const chance = inverseDiagonal(information)
        const inherited = inheritedShare(group)
        for (const [i, byLevel] of found.entries()) {
          const below = inherited.reduce((sum, share, level) => sum + share * (spread[level]?.[i] ?? 0), 0)
          byLevel[group.level - 1]!.steps.push(parameters[i]! + step[i]! - mean[i]!)
          byLevel[group.level - 1]!.variances.push(chance[i]! + below)
        }
      }
    }
    for (const child of group.children.values()) visit(child, group.children.size)
  }
  visit(root, 1)
  return spread.map((level, at) =>
    level.map((usual, i) => {
      const { steps, variances } = found[i]![at]!
      if (steps.length < SPREAD_GROUPS) return usual
      return Math.min(MOST_SPREAD[kind][i]! ** 2, Math.max(LEAST_SPREAD ** 2, betweenGroupVariance(steps, variances)))
    }),
  )
}

/** How much of the spread of each level below stays in the mean of all labels of a group: the sum of squared shares of its parts, [level below the root]. */
function inheritedShare(group: Group): number[] {
  const shares = [0, 0, 0, 0]
  const visit = (part: Group): void => {
    for (const child of part.children.values()) {
      shares[child.level - 1]! += (child.labels / group.labels) ** 2
      visit(child)
    }
  }
  visit(group)
  return shares
}

function nodeOf(group: Group, parent: CalibrationNode | null, options: GrowOptions): CalibrationNode {
  const { parameters, biases, variance: own } = group.fitted!
  const prior = group.prior!
  // What is not known of the parent is not known of the child, as far as the child leans on it.
  const variance = own.map((value, i) => value + (parent === null ? 0 : (value / prior.variance[i]!) ** 2 * parent.variance[i]!))
  const node: CalibrationNode = { labels: group.labels, parameters, variance, ...(biases.length === 0 ? {} : { biases }) }
  const children = [...group.children.values()].flatMap((child): [string, CalibrationNode][] => {
    const below = nodeOf(child, node, options)
    if (child.level === TASK) return Object.entries(below.children ?? {})
    return child.labels >= options.leastLabels ? [[child.name, below]] : []
  })
  return children.length === 0 ? node : { ...node, children: Object.fromEntries(children) }
}
