// A calibration fitted on new labels onto the one before it: for when the labels that one was fitted on are not at hand.
// What is specific (wordings and questions) is taken from the new one, what is general from the one that saw more labels; nothing is forgotten.
import type { PassMode } from '../../questions/shared/decision.ts'
import { type Calibration, sealCalibration } from '../calibration.ts'
import type { CalibrationNode, CalibrationRoot, CalibrationTree } from './tree.ts'

/** Labels from which a wording or a question speaks for itself, though an older map saw more: the error of a map is then mostly not for want of labels. */
export const ENOUGH_LABELS = 200

/** Both are of the same model. `enough`: labels with which a wording or question of `fitted` is believed over one that saw more. `fittedOn` is that of `fitted`. */
export function grafted(before: Calibration, fitted: Calibration, enough: number = ENOUGH_LABELS): Calibration {
  const treeOf = (regime: PassMode): CalibrationTree => {
    const merged = { ...before.trees[regime], ...fitted.trees[regime] }
    return Object.fromEntries(
      Object.entries(merged).map(([readout, node]) => {
        const name = readout as keyof CalibrationTree
        const [old, young] = [before.trees[regime][name], fitted.trees[regime][name]]
        return [readout, old === undefined || young === undefined ? node : rootOf(old, young, enough)]
      }),
    )
  }
  return sealCalibration({
    // What only the older one has, such as learned heads, stays.
    ...before,
    ...fitted,
    trees: { single: treeOf('single'), deliberated: treeOf('deliberated') },
    gates: { ...before.gates, ...fitted.gates },
    heldOut: { ...before.heldOut, ...fitted.heldOut },
  })
}

function rootOf(old: CalibrationRoot, young: CalibrationRoot, enough: number): CalibrationRoot {
  return { ...merge(old, young, 0, enough), spread: old.labels > young.labels ? old.spread : young.spread }
}

/** `depth`: 0 read-out, 1 kind, 2 wording, 3 question. */
function merge(old: CalibrationNode, young: CalibrationNode, depth: number, enough: number): CalibrationNode {
  const isYoung = young.labels >= (depth < 2 ? old.labels : Math.min(old.labels, enough))
  const { children: _, ...own } = isYoung ? young : old
  const names = Object.keys({ ...old.children, ...young.children })
  if (names.length === 0) return own
  const children = names.map((name): [string, CalibrationNode] => {
    const [a, b] = [childOf(old, name), childOf(young, name)]
    if (a === undefined || b === undefined) return [name, (a ?? b) as CalibrationNode]
    return [name, merge(a, b, depth + 1, enough)]
  })
  return { ...own, children: Object.fromEntries(children) }
}

function childOf({ children = {} }: CalibrationNode, name: string): CalibrationNode | undefined {
  return Object.hasOwn(children, name) ? children[name] : undefined
}
