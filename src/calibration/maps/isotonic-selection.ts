// Which questions get isotonic steps mixed into their map, and the trees with them in: only where held-out folds say that it helps.

import { logSoftmax } from '../../core/math.ts'
import type { PassMode } from '../../questions/shared/decision.ts'
import { parametricLogits } from '../hierarchy/apply.ts'
import { type Blend, type CalibrationNode, type CalibrationTree, type CalibrationTrees, findMap } from '../hierarchy/tree.ts'
import { crossEntropy } from '../metrics/scores.ts'
import { type Evidence, type Sample, samplesOf } from '../outcomes/evidence.ts'
import { BLEND_LABELS, blendedLogits, eventOf, fitBlend, logOddsOf } from './mixture.ts'

/** Questions that get steps, by regime; named by their path. */
export type ChosenBlends = Readonly<Record<PassMode, ReadonlySet<string>>>

const REGIMES: readonly PassMode[] = ['single', 'deliberated']

interface Place {
  readonly sample: Sample
  readonly fold: number
  /** After the parametric map. */
  readonly logits: readonly number[]
}

/**
 * Questions with 200 labels or more, where five folds by state find the log-loss lower by more than one standard error.
 * `folds`: of each evidence; `crossFitted`: trees grown without each fold.
 */
export function chooseBlends(
  evidence: readonly Evidence[],
  folds: readonly number[],
  crossFitted: readonly CalibrationTrees[],
): ChosenBlends {
  const choose = (regime: PassMode): ReadonlySet<string> => {
    const chosen = new Set<string>()
    for (const [path, members] of questionsOf(evidence, regime)) {
      const gains = crossFitted.flatMap((trees, fold) => {
        const places = members.map(({ sample, index }) => ({ sample, fold: folds[index]!, logits: logitsOf(sample, trees, regime) }))
        const fitted = blendOf(places.filter((place) => place.fold !== fold))
        const held = places.filter((place) => place.fold === fold)
        return held.map(({ sample, logits }) => lossAt(logits, sample) - lossAt(blendedLogits(logits, fitted), sample))
      })
      const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length
      const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (gains.length - 1)
      if (mean > Math.sqrt(variance / gains.length)) chosen.add(path)
    }
    return chosen
  }
  return { single: choose('single'), deliberated: choose('deliberated') }
}

/** Trees with steps fitted on this evidence, for the questions that were chosen. */
export function withBlends(trees: CalibrationTrees, chosen: ChosenBlends, evidence: readonly Evidence[]): CalibrationTrees {
  const [single, deliberated] = REGIMES.map((regime): CalibrationTree => {
    let tree = trees[regime]
    if (chosen[regime].size === 0) return tree
    for (const [path, members] of questionsOf(evidence, regime, 1)) {
      if (!chosen[regime].has(path)) continue
      const blend = blendOf(members.map(({ sample }) => ({ sample, fold: 0, logits: logitsOf(sample, trees, regime) })))
      const [readout, ...rest] = members[0]!.sample.path
      const root = tree[readout as keyof CalibrationTree]!
      tree = { ...tree, [readout]: { ...root, ...replaced(root, rest, (node) => ({ ...node, blend })) } }
    }
    return tree
  })
  return { single: single!, deliberated: deliberated! }
}

function replaced(node: CalibrationNode, path: readonly string[], change: (node: CalibrationNode) => CalibrationNode): CalibrationNode {
  const [name, ...rest] = path
  if (name === undefined) return change(node)
  const child = node.children?.[name]
  return child === undefined ? node : { ...node, children: { ...node.children, [name]: replaced(child, rest, change) } }
}

/** Samples of each question with labels enough, and the position of their evidence. */
function questionsOf(
  evidence: readonly Evidence[],
  regime: PassMode,
  least = BLEND_LABELS,
): Map<string, { sample: Sample; index: number }[]> {
  const found = new Map<string, { sample: Sample; index: number }[]>()
  for (const [index, one] of evidence.entries())
    for (const sample of samplesOf(one, regime)) {
      const path = sample.path.join('/')
      const members = found.get(path)
      if (members === undefined) found.set(path, [{ sample, index }])
      else members.push({ sample, index })
    }
  for (const [path, members] of found) if (members.reduce((sum, { sample }) => sum + sample.weight, 0) < least) found.delete(path)
  return found
}

function logitsOf(sample: Sample, trees: CalibrationTrees, regime: PassMode): readonly number[] {
  const finding = findMap(trees, regime, sample.path)
  return finding === null ? sample.logProbabilities : parametricLogits(finding, sample.readout, sample.logProbabilities)
}

function blendOf(places: readonly Place[]): Blend {
  return fitBlend(
    places.map(({ logits }) => logOddsOf(logits)),
    places.map(({ sample, logits }) => sample.target[eventOf(logits)]!),
    places.map(({ sample }) => sample.weight),
  )
}

function lossAt(logits: readonly number[], { target, weight }: Sample): number {
  return weight * crossEntropy(logSoftmax(logits).map(Math.exp), target)
}
