// Merges a calibration that was fitted on new labels into the one before it, when the evidence of the older one is not
// at hand. Maps of wordings and questions come from the new one, general maps and gates from the one that saw more
// labels; no map is lost, nor what sets and abstention are made from.

import type { PassMode } from '../../questions/shared/decision.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { type Calibration, type HeldOut, sealCalibration } from '../calibration.ts'
import type { Gate } from '../deliberation/gate.ts'
import { type CalibrationNode, type CalibrationRoot, type CalibrationTree, childOf } from '../hierarchy/tree.ts'
import { mergeSketches } from '../outcomes/fitted-states.ts'

/** With so many labels the new map of a wording or question is used, although an older one saw more. */
export const ENOUGH_LABELS = 200

export interface MergeOptions {
  /** Labels with which a wording or question of the new one replaces one that saw more; default 200. */
  readonly enough?: number
  /** Keeps the older maps of read-outs and kinds, and the gates, whatever the new ones saw. Default false. */
  readonly keepsGeneral?: boolean
}

/**
 * Both calibrations are of the same model; of a read-out that was fitted with another map since, nothing older stays;
 * `fittedOn` of the result counts what `fitted` saw, and its sketch has the states of both.
 */
export function mergeCalibrations(before: Calibration, fitted: Calibration, options: MergeOptions = {}): Calibration {
  const enough = { labels: options.enough ?? ENOUGH_LABELS, keepsGeneral: options.keepsGeneral ?? false }
  const treeOf = (passMode: PassMode): CalibrationTree => {
    const kept = Object.entries(before.trees[passMode]).filter(([readout, { map }]) => {
      const newer = rootOf(fitted, readout as DecisionReadout)
      return newer === undefined || newer.map === map
    })
    const olderTree: CalibrationTree = Object.fromEntries(kept)
    const merged = { ...olderTree, ...fitted.trees[passMode] }
    return Object.fromEntries(
      Object.entries(merged).map(([readout, node]) => {
        const name = readout as keyof CalibrationTree
        const [older, newer] = [olderTree[name], fitted.trees[passMode][name]]
        return [readout, older === undefined || newer === undefined ? node : mergeRoots(older, newer, enough)]
      }),
    )
  }
  return sealCalibration({
    // Parts that only the older one has, such as learned heads, stay.
    ...before,
    ...fitted,
    fittedOn: { ...fitted.fittedOn, sketch: mergeSketches(before.fittedOn.sketch ?? [], fitted.fittedOn.sketch ?? []) },
    trees: { single: treeOf('single'), deliberated: treeOf('deliberated') },
    gates: mergeGates(before.gates, fitted.gates, enough),
    heldOut: mergeHeldOut(before.heldOut, fitted.heldOut, enough),
  })
}

/** Of each read-out the newer decisions where they are enough: sets and abstention are then about the caller's own. */
function mergeHeldOut(older: Calibration['heldOut'], newer: Calibration['heldOut'], { labels }: Enough): Calibration['heldOut'] {
  const isEnough = ([name, { count }]: [string, HeldOut]): boolean => count >= Math.min(older[name as DecisionReadout]?.count ?? 0, labels)
  return { ...older, ...Object.fromEntries(Object.entries(newer).filter(isEnough)) }
}

/** Of each read-out the gate that was chosen from labels; of two such the one that saw more decisions. */
function mergeGates(older: Calibration['gates'], newer: Calibration['gates'], { keepsGeneral }: Enough): Calibration['gates'] {
  const isChosen = ({ rule }: Gate): boolean => rule !== 'share'
  const replaces = (gate: Gate, before: Gate | undefined): boolean => {
    if (before === undefined) return true
    if (keepsGeneral) return false
    return isChosen(gate) === isChosen(before) ? gate.decisions >= before.decisions : isChosen(gate)
  }
  return { ...older, ...Object.fromEntries(Object.entries(newer).filter(([name, gate]) => replaces(gate, older[name as DecisionReadout]))) }
}

function rootOf({ trees }: Calibration, readout: DecisionReadout): CalibrationRoot | undefined {
  return trees.single[readout] ?? trees.deliberated[readout]
}

interface Enough {
  readonly labels: number
  readonly keepsGeneral: boolean
}

function mergeRoots(older: CalibrationRoot, newer: CalibrationRoot, enough: Enough): CalibrationRoot {
  const isOlder = enough.keepsGeneral || older.labels > newer.labels
  return { ...mergeNodes(older, newer, 0, enough), spread: isOlder ? older.spread : newer.spread }
}

/** `depth`: 0 read-out, 1 kind, 2 wording, 3 question. */
function mergeNodes(older: CalibrationNode, newer: CalibrationNode, depth: number, enough: Enough): CalibrationNode {
  const isGeneral = depth < 2
  const needed = isGeneral ? older.labels : Math.min(older.labels, enough.labels)
  const usesNewer = newer.labels >= needed && !(isGeneral && enough.keepsGeneral)
  const { children: _, ...own } = usesNewer ? newer : older
  const names = Object.keys({ ...older.children, ...newer.children })
  if (names.length === 0) return own
  const children = names.map((name): [string, CalibrationNode] => {
    const [a, b] = [childOf(older, name), childOf(newer, name)]
    if (a === undefined || b === undefined) return [name, (a ?? b) as CalibrationNode]
    return [name, mergeNodes(a, b, depth + 1, enough)]
  })
  return { ...own, children: Object.fromEntries(children) }
}
