// Decides a selection. Where it asks of which JSON objects something is so that their fields say ("Which services are
// down?"), they tell it; where it asks which rows compare so with a number or a day ("Which orders cost more than 100
// EUR?"), what stands in the row of each option is read, and compared.
import type { Branch } from '../../backends/backend.ts'
import { mean, toProbabilities } from '../../core/math.ts'
import { claimOfRow, fieldOfRow } from '../logic/compared-rows.ts'
import { comparisonOf } from '../logic/comparison.ts'
import { toldHeld } from '../logic/told.ts'
import type { QuestionContext } from './checked-question.ts'
import { all, free, type QuestionCoroutine } from './coroutine.ts'
import { decide } from './decide.ts'
import type { DecideResult } from './decide-branch.ts'
import { type Compared, type ComparedValue, compareValue, rowOf, STATED, weighedTruth } from './decide-statement.ts'

/** Of more options none is compared: each is a read of its own. */
const MOST_ROWS = 16
/** With less confidence in the values on average, a whole column is mostly another one than is meant. */
const LEAST_CONFIDENCE = 0.85

export function* decideSelection(branch: Branch, context: QuestionContext): QuestionCoroutine<DecideResult> {
  const found = context.usesLogic ? (toldOptions(branch, context) ?? (yield* compareRows(branch, context))) : null
  if (found === null) return yield* decide(branch, 'independent', context)
  const weigh = (row: readonly number[], option: number): readonly number[] => weighed(row, found[option] ?? null)
  return yield* decide(branch, 'independent', context, { weigh })
}

/** By option; null for all where the fields do not say it. */
function toldOptions({ candidates, instructions }: Branch, { records }: QuestionContext): readonly Compared[] | null {
  if (candidates.some(({ description }) => description !== null)) return null
  const names = candidates.map(({ name }) => name)
  return toldHeld(instructions, names, records)?.map((isTrue) => ({ isTrue, confidence: STATED })) ?? null
}

/** By option; null for one without a value, and for all where these are not surely one field of the rows they name. */
function* compareRows(branch: Branch, context: QuestionContext): QuestionCoroutine<readonly (ComparedValue | null)[] | null> {
  const { candidates, instructions, image } = branch
  const names = candidates.map(({ name }) => name)
  if (names.length > MOST_ROWS || candidates.some(({ description }) => description !== null)) return null
  const comparisonWith = (name: string) => comparisonOf(claimOfRow(instructions, name) ?? '')
  // Of "Which of these are true?" the options may compare something.
  if (comparisonWith('A') === null) return null
  const comparisons = names.map(comparisonWith)
  if (comparisons.includes(null)) return null
  const asked: Branch = { readout: 'binary', instructions, candidates: [], image }
  const quiet = { ...context, decided: undefined }
  const found = yield* all(comparisons.map((comparison) => free(compareValue(asked, comparison!, quiet))))
  const values = found.filter((one) => one !== null)
  if (values.length < 2 || mean(values.map(({ confidence }) => confidence)) < LEAST_CONFIDENCE) return null
  const places = found.flatMap((one, i) => (one === null ? [] : [fieldOfRow(one.span, names[i]!, names.toSpliced(i, 1), context)]))
  const rows = new Set(places.map((place) => place?.row))
  const fields = new Set(places.map((place) => place?.field))
  return !places.includes(null) && rows.size === places.length && fields.size === 1 ? found : null
}

/** Decided by the value and by the option as a whole, as `weighedTruth` says. */
function weighed(row: readonly number[], found: Compared | null): readonly number[] {
  return found === null ? row : rowOf(weighedTruth(found, toProbabilities(row)[0]!))
}
