// Chooses the questions whose map gets an isotonic mixture: those where held-out folds show a lower log-loss.
import { groupBy } from '../../core/group-by.ts'
import { logSoftmax, mean } from '../../core/math.ts'
import type { PassMode } from '../../questions/shared/decision.ts'
import { type Evidence, type Sample, samplesOf } from '../evidence/evidence.ts'
import { eventOf, fitMixture, type IsotonicMixture, logOddsOf, MIXTURE_LABELS, mixedLogits } from '../maps/mixture.ts'
import { crossEntropy } from '../metrics/scores.ts'
import { parametricLogits } from './apply.ts'
import { type CalibrationNode, type CalibrationTree, type CalibrationTrees, childOf, findMap } from './tree.ts'

/** Questions that get a mixture, by pass mode; named by their path. */
type ChosenQuestions = Readonly<Record<PassMode, ReadonlySet<string>>>

const PASS_MODES: readonly PassMode[] = ['single', 'deliberated']

interface MappedSample {
  readonly sample: Sample
  readonly fold: number
  /** Under the parametric map. */
  readonly logits: readonly number[]
}

/**
 * Questions with 200 labels or more, where five folds by state show the log-loss lower by more than one standard error.
 * @param folds of each piece of evidence. @param crossFitted trees fitted without each fold, [fold].
 */
export function chooseMixtures(
  evidence: readonly Evidence[],
  folds: readonly number[],
  crossFitted: readonly CalibrationTrees[],
): ChosenQuestions {
  const choose = (passMode: PassMode): ReadonlySet<string> => {
    const chosen = new Set<string>()
    for (const [path, members] of questionsOf(evidence, passMode)) {
      // Of labels that are all in one fold, nothing is left to fit on.
      if (new Set(members.map(({ index }) => folds[index])).size < 2) continue
      const gains = crossFitted.flatMap((trees, fold) => {
        const mapped = members.map(({ sample, index }) => ({ sample, fold: folds[index]!, logits: logitsOf(sample, trees, passMode) }))
        const mixture = mixtureOf(mapped.filter((one) => one.fold !== fold))
        const held = mapped.filter((one) => one.fold === fold)
        return held.map(({ sample, logits }) => lossAt(logits, sample) - lossAt(mixedLogits(logits, mixture), sample))
      })
      const meanGain = mean(gains)
      const variance = gains.reduce((sum, gain) => sum + (gain - meanGain) ** 2, 0) / (gains.length - 1)
      if (meanGain > Math.sqrt(variance / gains.length)) chosen.add(path)
    }
    return chosen
  }
  return { single: choose('single'), deliberated: choose('deliberated') }
}

/** The trees with mixtures fitted on this evidence, for the chosen questions. */
export function withMixtures(trees: CalibrationTrees, chosen: ChosenQuestions, evidence: readonly Evidence[]): CalibrationTrees {
  const [single, deliberated] = PASS_MODES.map((passMode): CalibrationTree => {
    let tree = trees[passMode]
    if (chosen[passMode].size === 0) return tree
    for (const [path, members] of questionsOf(evidence, passMode, 1)) {
      if (!chosen[passMode].has(path)) continue
      const blend = mixtureOf(members.map(({ sample }) => ({ sample, fold: 0, logits: logitsOf(sample, trees, passMode) })))
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
  const child = childOf(node, name)
  return child === undefined ? node : { ...node, children: { ...node.children, [name]: replaced(child, rest, change) } }
}

/** Samples of each question with enough labels, and the position of their evidence. */
function questionsOf(
  evidence: readonly Evidence[],
  passMode: PassMode,
  least = MIXTURE_LABELS,
): Map<string, { sample: Sample; index: number }[]> {
  const samples = evidence.flatMap((one, index) => samplesOf(one, passMode).map((sample) => ({ sample, index })))
  const found = groupBy(samples, ({ sample }) => sample.path.join('/'))
  for (const [path, members] of found) if (members.reduce((sum, { sample }) => sum + sample.weight, 0) < least) found.delete(path)
  return found
}

function logitsOf(sample: Sample, trees: CalibrationTrees, passMode: PassMode): readonly number[] {
  const found = findMap(trees, passMode, sample.path)
  return found === null ? sample.logProbabilities : parametricLogits(found, sample.readout, sample.logProbabilities)
}

function mixtureOf(mapped: readonly MappedSample[]): IsotonicMixture {
  return fitMixture(
    mapped.map(({ logits }) => logOddsOf(logits)),
    mapped.map(({ sample, logits }) => sample.target[eventOf(logits)]!),
    mapped.map(({ sample }) => sample.weight),
  )
}

function lossAt(logits: readonly number[], { target, weight }: Sample): number {
  return weight * crossEntropy(logSoftmax(logits).map(Math.exp), target)
}
