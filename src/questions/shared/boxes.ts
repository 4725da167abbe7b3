// Grades boxes that were found against the true ones.
import { overlap } from '../../core/math.ts'
import type { Json } from '../../core/types.ts'
import type { Coordinates } from '../../wire/types.ts'
import type { Grade } from './grade.ts'

/** A box is right from this intersection over union. */
const LEAST_OVERLAP = 0.5

type BoxConfidence = Pick<Grade, 'confidence'>

/** Boxes claim nothing: their confidence is the model's own, not calibrated. */
function gradeOf({ confidence }: BoxConfidence, said: Json, right: number): Grade {
  return { said, right, guess: 0, confidence, claim: null }
}

function isBox(value: Json | undefined): value is Coordinates {
  return Array.isArray(value) && value.length === 4 && value.every((edge) => typeof edge === 'number')
}

/** Null when the truth is neither a box nor null. */
export function gradeBox(answer: BoxConfidence, found: Coordinates | null, truth: Json): Grade | null {
  if (truth === null) return gradeOf(answer, found, Number(found === null))
  if (!isBox(truth)) return null
  const shared = found === null ? 0 : overlap(found, truth)
  return { ...gradeOf(answer, found, Number(shared >= LEAST_OVERLAP)), overlap: shared }
}

/** Null when the truth is no list of boxes. */
export function gradeBoxes(answer: BoxConfidence, found: readonly Coordinates[], truth: Json): Grade | null {
  const wanted = truth === null ? [] : isBox(truth) ? [truth] : truth
  if (!Array.isArray(wanted) || !wanted.every((one) => isBox(one))) return null
  return gradeOf(answer, found, boxesF1(found, wanted))
}

/** Each box found is matched with the wanted one it overlaps most, the best pairs first. Both empty: 1. */
function boxesF1(found: readonly Coordinates[], wanted: readonly Coordinates[]): number {
  if (found.length === 0 && wanted.length === 0) return 1
  const pairs = found
    .flatMap((a, i) => wanted.map((b, j) => ({ i, j, shared: overlap(a, b) })))
    .filter(({ shared }) => shared >= LEAST_OVERLAP)
  pairs.sort((a, b) => b.shared - a.shared)
  const [usedFound, usedWanted] = [new Set<number>(), new Set<number>()]
  for (const { i, j } of pairs) {
    if (usedFound.has(i) || usedWanted.has(j)) continue
    usedFound.add(i)
    usedWanted.add(j)
  }
  return (2 * usedFound.size) / (found.length + wanted.length)
}
