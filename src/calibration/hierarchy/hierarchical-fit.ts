// Fits the tree of maps of one read-out to its labelled distributions, from the root down: a hierarchical Bayesian
// model in which the map of a parent is the prior of its children, with a between-group variance at each level. The
// task that labels come from is a level between kind and wording, so that ten wordings of one task do not count as ten
// independent groups. Decisions do not know their task, so the finished tree leaves that level out.
import { mean } from '../../core/math.ts'
import type { Sample } from '../evidence/evidence.ts'
import { floored } from '../maps/apply-map.ts'
import { type FittedMap, fitMap, type MapPrior, type MapSample } from '../maps/fit-map.ts'
import type { CalibrationMap } from '../maps/map.ts'
import { cholesky, inverseDiagonal, solveCholesky } from '../numerics/optimise.ts'
import { betweenGroupVariance, type CalibrationNode, type CalibrationRoot } from './tree.ts'

/** Of each parameter, [parameter]. */
type Variances = readonly number[]

/** Estimated between-group variances are kept above the square of this: moments of few groups are noisy. */
const SMALLEST_DEVIATION = 0.05

/** A between-group variance is estimated from at least so many groups with at least so many labels each. */
const LEAST_GROUPS = 8
const LEAST_GROUP_LABELS = 20

export interface TreeFitOptions {
  /** Variance of the biases of candidates; 0 for none, so that the likeliest candidate never changes. */
  readonly biasVariance: number
  /** Labels of a question before its candidates get biases. */
  readonly biasLabels: number
  /** Nodes with fewer labels than this are left to their parents. */
  readonly leastLabels: number
}

/** Levels of groups below the read-out, which is level 0. */
const [KIND, TASK, WORDING, QUESTION] = [1, 2, 3, 4] as const

/** The samples of a group, and the map fitted to them. */
export interface SampleGroup {
  readonly name: string
  /** 0 for the read-out, then `KIND` to `QUESTION`. */
  readonly level: number
  /** Positions in the list of samples. */
  readonly members: number[]
  readonly children: Map<string, SampleGroup>
  labels: number
  /** Information on each parameter that all samples of the group give, [parameter]. */
  information: number[]
  fitted: FittedMap | null
  prior: MapPrior | null
}

/** A tree, with the groups it was made of: the tree of deliberated decisions starts from them. */
export interface FittedTree {
  readonly tree: CalibrationRoot
  readonly groups: SampleGroup
  /** Between-group variances, [kind, task, wording, question][parameter]. */
  readonly between: readonly Variances[]
}

/** What is believed of a model that nobody has labels for. */
function rootPrior({ parameters }: CalibrationMap): MapPrior {
  return { mean: parameters.map(({ prior }) => prior.mean), variance: parameters.map(({ prior }) => prior.variance) }
}

/** `single`: the fit of single passes when the samples are deliberated decisions, else null. */
export function fitTree(samples: readonly Sample[], map: CalibrationMap, single: FittedTree | null, options: TreeFitOptions): FittedTree {
  const rows: readonly MapSample[] = samples.map(({ logProbabilities, target, weight }) => ({
    z: floored(logProbabilities),
    target,
    weight,
  }))
  const root = groupsOf(samples)
  const prior = single === null ? rootPrior(map) : deliberatedPrior(map, single.tree)
  const levels = ['kind', 'task', 'wording', 'question'] as const
  let between: readonly Variances[] =
    single === null
      ? levels.map((level) => map.parameters.map(({ usualVariance }) => usualVariance[level]))
      : single.between.map((level) => level.map((variance) => variance / 2))
  // The information that one label gives on each parameter, on average.
  const whole = fitMap(map, rows, prior)
  const perLabel = whole.information.map((line, i) => line[i]! / Math.max(root.labels, 1e-9))
  for (let round = 0; round < 3; round++) {
    const weights = discountedWeights(root, rows, between, perLabel)
    const context: FitContext = { map, rows, weights, between, options }
    fitDown(root, context, prior, single?.groups ?? null)
    if (round < 2) between = estimateBetween(root, context)
  }
  const [kinds, tasks, wordings, questions] = between
  const withoutTasks = [kinds!, wordings!.map((variance, i) => variance + tasks![i]!), questions!]
  return { tree: { ...nodeOf(root, null, options), spread: withoutTasks }, groups: root, between }
}

function deliberatedPrior({ parameters }: CalibrationMap, single: CalibrationRoot): MapPrior {
  const variance = single.variance.map((variance, i) => variance + parameters[i]!.passModeVariance)
  return { mean: single.parameters, variance }
}

function groupsOf(samples: readonly Sample[]): SampleGroup {
  const make = (name: string, level: number): SampleGroup => {
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

/** The task that gives each wording of a kind most of its labels. Keys are `kind/wording`. */
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
 * Weights of the samples for the fit of a map at each level, [level][sample]. A child with information I about its own
 * map gives I / (1 + τ² I) about that of its parent, with τ² the variance between children (the weights of a
 * random-effects mean). So the map of a parent is the mean of its children, not of their labels.
 */
function discountedWeights(
  root: SampleGroup,
  rows: readonly MapSample[],
  between: readonly Variances[],
  perLabel: readonly number[],
): Float64Array[] {
  const weights = [0, KIND, TASK, WORDING, QUESTION].map(() => Float64Array.from(rows, (row) => row.weight))
  const visit = (group: SampleGroup): void => {
    if (group.children.size === 0) group.information = perLabel.map((information) => information * group.labels)
    else {
      group.information = perLabel.map(() => 0)
      for (const child of group.children.values()) {
        visit(child)
        const kept = keptShare(child, between)
        for (let i = 0; i < perLabel.length; i++) group.information[i]! += child.information[i]! * kept
        for (let level = 0; level <= group.level; level++) for (const member of child.members) weights[level]![member]! *= kept
      }
    }
  }
  visit(root)
  return weights
}

/** The mean over parameters of 1 / (1 + τ² I). */
function keptShare(child: SampleGroup, between: readonly Variances[]): number {
  const ratios = child.information.map((information, i) => information * between[child.level - 1]![i]!)
  return 1 / (1 + mean(ratios))
}

interface FitContext {
  readonly map: CalibrationMap
  readonly rows: readonly MapSample[]
  /** [level][sample] */
  readonly weights: readonly Float64Array[]
  readonly between: readonly Variances[]
  readonly options: TreeFitOptions
}

/** Fits the map of a group and of all groups below it. `single`: the group of single passes it corresponds to. */
function fitDown(group: SampleGroup, context: FitContext, prior: MapPrior, single: SampleGroup | null): void {
  const { map, rows, weights, between, options } = context
  const own = group.members.map((member) => rows[member]!)
  const mayBeBiased = options.biasVariance > 0 && map.nameWithBiases !== undefined
  const isBiased = mayBeBiased && group.level === QUESTION && group.labels >= options.biasLabels
  group.prior = prior
  group.fitted = fitMap(map, own, prior, {
    sampleWeights: group.members.map((member) => weights[group.level]![member]!),
    biasVariance: isBiased ? options.biasVariance : 0,
    start: group.fitted,
  })
  const { parameters } = group.fitted
  for (const child of group.children.values()) {
    const other = single?.children.get(child.name)?.fitted ?? null
    const from = single?.fitted ?? null
    // The expected step from a parent to its child is that of the single passes.
    const mean = parameters.map((value, i) => value + (other === null || from === null ? 0 : other.parameters[i]! - from.parameters[i]!))
    fitDown(child, context, { mean, variance: between[child.level - 1]! }, single?.children.get(child.name) ?? null)
  }
}

/**
 * Between-group variances by moments, [level][parameter]. Each map is moved to where it would be without its prior, by
 * one step of Fisher scoring on all its labels; the variance is what its distance from the parent shows beyond sampling
 * error and the variance between its own children.
 */
function estimateBetween(root: SampleGroup, { map, rows, between }: FitContext): readonly Variances[] {
  const found = map.parameters.map(() => between.map(() => ({ steps: [] as number[], variances: [] as number[] })))
  const visit = (group: SampleGroup, siblings: number): void => {
    // An only child equals its parent and says nothing about the distance between children.
    if (siblings > 1 && group.labels >= LEAST_GROUP_LABELS && group.prior !== null) {
      const { mean, variance } = group.prior
      const { parameters, information } = fitMap(
        map,
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
        const sampling = inverseDiagonal(information)
        const inherited = inheritedShares(group)
        for (const [i, byLevel] of found.entries()) {
          const below = inherited.reduce((sum, share, level) => sum + share * (between[level]?.[i] ?? 0), 0)
          byLevel[group.level - 1]!.steps.push(parameters[i]! + step[i]! - mean[i]!)
          byLevel[group.level - 1]!.variances.push(sampling[i]! + below)
        }
      }
    }
    for (const child of group.children.values()) visit(child, group.children.size)
  }
  visit(root, 1)
  return between.map((level, at) =>
    level.map((usual, i) => {
      const { steps, variances } = found[i]![at]!
      if (steps.length < LEAST_GROUPS) return usual
      const largest = map.parameters[i]!.largestDeviation ** 2
      return Math.min(largest, Math.max(SMALLEST_DEVIATION ** 2, betweenGroupVariance(steps, variances)))
    }),
  )
}

/**
 * How much of the between-group variance of each level stays in the mean of all labels of a group: the sum of the
 * squared shares of its parts, [level below the root].
 */
function inheritedShares(group: SampleGroup): number[] {
  const shares = [0, 0, 0, 0]
  const visit = (part: SampleGroup): void => {
    for (const child of part.children.values()) {
      shares[child.level - 1]! += (child.labels / group.labels) ** 2
      visit(child)
    }
  }
  visit(group)
  return shares
}

/** The node of a group and those below it, without tasks and without children that have too few labels. */
function nodeOf(group: SampleGroup, parent: CalibrationNode | null, options: TreeFitOptions): CalibrationNode {
  const { parameters, biases, variance: own } = group.fitted!
  const prior = group.prior!
  // The uncertainty of the parent adds to that of the child as far as the child depends on its prior.
  const variance = own.map((value, i) => value + (parent === null ? 0 : (value / prior.variance[i]!) ** 2 * parent.variance[i]!))
  const node: CalibrationNode = { labels: group.labels, parameters, variance, ...(biases.length === 0 ? {} : { biases }) }
  const children = [...group.children.values()].flatMap((child): [string, CalibrationNode][] => {
    const below = nodeOf(child, node, options)
    if (child.level === TASK) return Object.entries(below.children ?? {})
    return child.labels >= options.leastLabels ? [[child.name, below]] : []
  })
  return children.length === 0 ? node : { ...node, children: Object.fromEntries(children) }
}
