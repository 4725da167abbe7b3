// Bounds what labels weigh in a fit, whoever gave them: within the labels of one account, and for labels that other
// accounts lend to its fit.
import { mean } from '../../core/math.ts'
import { calibrationPath, type Evidence } from '../evidence/evidence.ts'

/** A label weighs at most so many times another, whatever selection probability was claimed for it. */
export const MOST_CLAIMED_WEIGHT = 4
/** Labels of another account weigh at most this share of the labels of the account that a fit is for. */
export const MOST_LENT_SHARE = 1 / 3
/** Labels of another account weigh at most as much as so many in one wording. */
export const MOST_LENT_LABELS = 25

/** The labels with bounded weights that add up to their number: selection probabilities shift weight, and add none. */
export function fairlyWeighted<T extends Evidence>(labels: readonly T[]): T[] {
  const weights = labels.map(({ weight = 1 }) => Math.min(MOST_CLAIMED_WEIGHT, weight))
  const meanWeight = mean(weights)
  return labels.map((label, i) => ({ ...label, weight: weights[i]! / meanWeight }))
}

/**
 * The labels that other accounts lend to a fit. Each lender weighs at most a third of what the account's own labels do
 * (so at most a quarter of both together), and at most as much as 25 labels in one wording.
 * @param own labels of the account that the fit is for, fairly weighted.
 * @param lenders labels by account.
 */
export function lentLabels<T extends Evidence>(own: readonly Evidence[], lenders: readonly (readonly T[])[]): T[] {
  const most = MOST_LENT_SHARE * totalOf(own)
  return lenders.flatMap((labels) => {
    const fair = fairlyWeighted(labels)
    const byWording = new Map<string, number>()
    for (const label of fair) byWording.set(wordingOf(label), (byWording.get(wordingOf(label)) ?? 0) + label.weight!)
    const bounded = fair.map((label) => scaled(label, Math.min(1, MOST_LENT_LABELS / byWording.get(wordingOf(label))!)))
    const share = Math.min(1, most / totalOf(bounded))
    return share > 0 ? bounded.map((label) => scaled(label, share)) : []
  })
}

function totalOf(labels: readonly Evidence[]): number {
  return labels.reduce((sum, { weight = 1 }) => sum + weight, 0)
}

function scaled<T extends Evidence>(label: T, factor: number): T {
  return { ...label, weight: label.weight! * factor }
}

/** Questions of one wording share its map. */
function wordingOf(label: Evidence): string {
  return calibrationPath(label, label.single[0]?.length ?? 0)
    .slice(0, 3)
    .join('/')
}
