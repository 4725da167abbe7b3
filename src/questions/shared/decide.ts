// Decides a scored branch: reads it once and calibrates it. Where that leaves it uncertain, deliberation reads it again
// in other ways, pools the passes and calibrates again. Every kind whose answer is probabilities decides here.
import type { Branch } from '../../backends/backend.ts'
import { entropyBits, logSoftmax } from '../../core/math.ts'
import type { SetAndAbstention } from '../../wire/types.ts'
import { claimsOf, type Formula, probabilityOf } from '../logic/formula.ts'
import { formulaOf } from '../logic/parse.ts'
import type { DecisionReport, QuestionContext } from './checked-question.ts'
import { askedClaim } from './claims.ts'
import { all, free, type QuestionCoroutine, score } from './coroutine.ts'
import { canonicalOrder, type Decision, type DecisionReadout, decisionKey } from './decision.ts'
import { OPERATORS, type Rows } from './operators.ts'

export interface DecideResult {
  /**
   * [row][candidate] calibrated, in the order of the branch's candidates; for `independent`, [candidate] rows of [yes,
   * no].
   */
  readonly probabilities: Rows
  readonly decision: Decision
  readonly report: DecisionReport
  readonly setAndAbstention: SetAndAbstention
}

/** Log-probabilities are cut here: JSON has no infinities, and below this nothing differs. */
const LOG_FLOOR = -50

export interface DecideOptions {
  /** What the candidates are called in `SetAndAbstention.set`, in the branch's order; default: their own names. */
  readonly names?: readonly string[]
  /** The instructions that name the decision; default: the branch's. */
  readonly asked?: string
}

/** Between yes and no it is the claim that is decided, so it has one probability however it is asked. */
export function* decide(
  branch: Branch,
  readout: DecisionReadout,
  context: QuestionContext,
  options: DecideOptions = {},
): QuestionCoroutine<DecideResult> {
  const claim = askedClaim(branch)
  if (claim === null) return yield* (readout === 'binary' ? decideStatement : decideBranch)(branch, readout, context, options)
  const yesThenNo = <T>(given: readonly T[]): T[] => claim.order.map((i) => given[i]!)
  const names = branch.candidates.map(({ name }) => name)
  const found = yield* decideStatement(claim.branch, 'binary', context, { ...options, names: yesThenNo(options.names ?? names) })
  return {
    ...found,
    // Of two, the order that sorts is the order that puts back.
    probabilities: [yesThenNo(found.probabilities[0]!)],
    decision: { ...found.decision, names: yesThenNo(names), ...(claim.order[0] === 0 ? {} : { asWritten: claim.order }) },
  }
}

/**
 * A statement that is put together from others: these are decided, each once, and the laws of probability do the rest.
 * Where the caller describes what true and false mean, it is read as it is written.
 */
function* decideStatement(
  branch: Branch,
  readout: DecisionReadout,
  context: QuestionContext,
  options: DecideOptions,
): QuestionCoroutine<DecideResult> {
  const isDescribed = branch.candidates.some(({ description }) => description !== null)
  const formula = isDescribed ? branch.instructions : formulaOf(branch.instructions)
  if (typeof formula === 'string') return yield* decideBranch({ ...branch, instructions: formula }, readout, context, options)
  const claims = claimsOf(formula)
  const parts = yield* all(claims.map((instructions) => decideBranch({ ...branch, instructions }, 'binary', context, {})))
  const key = decisionKey(branch, 'composed', context.hasImages, options.asked)
  const single = [logOfChances(formula, claims, parts)]
  const { probabilities, note } = context.calibrator.calibrate(key, 'single', single, null)
  const mass = Math.min(...parts.map(({ decision }) => decision.mass))
  const names = branch.candidates.map(({ name }) => name)
  return {
    probabilities,
    decision: { ...key, names, single, deliberated: null, mass, features: null, value: null },
    report: {
      entropyBits: entropyBits(probabilities[0]!),
      mass,
      isDeliberated: parts.some(({ report }) => report.isDeliberated),
      calibration: note,
    },
    setAndAbstention: context.predictionSets(key, probabilities, options.names ?? names),
  }
}

/** Log-probabilities of yes and no, by what the claims of the formula were calibrated to. */
function logOfChances(formula: Formula, claims: readonly string[], parts: readonly DecideResult[]): number[] {
  const chances = new Map(claims.map((claim, i) => [claim, parts[i]!.probabilities[0]![0]!]))
  const isTrue = probabilityOf(formula, chances)
  return [isTrue, 1 - isTrue].map((probability) => Math.max(LOG_FLOOR, Math.log(probability)))
}

function* decideBranch(
  branch: Branch,
  readout: DecisionReadout,
  context: QuestionContext,
  options: DecideOptions,
): QuestionCoroutine<DecideResult> {
  const { calibrator, deliberation } = context
  const order = canonicalOrder(branch)
  const isIndependent = readout === 'independent'
  const canonical = (rows: Rows): Rows => {
    const sorted = isIndependent ? order.map((i) => rows[i]!) : rows.map((row) => order.map((i) => row[i]!))
    return sorted.map((row) => logSoftmax(row).map((logP) => Math.max(LOG_FLOOR, logP)))
  }
  const place = new Array<number>(order.length)
  order.forEach((candidate, at) => {
    place[candidate] = at
  })
  const asWritten = place.every((at, i) => at === i) ? {} : { asWritten: place }
  const given = (rows: Rows): Rows => {
    return isIndependent ? place.map((at) => rows[at]!) : rows.map((row) => place.map((at) => row[at]!))
  }

  const key = decisionKey(branch, readout, context.hasImages, options.asked)
  const first = yield* score(branch)
  const features = first.features ?? null
  const mass = Math.min(...first.rows.map((row) => row.mass))
  const single = canonical(first.rows.map(({ logProbabilities }) => logProbabilities))
  let { probabilities, note } = calibrator.calibrate(key, 'single', single, features)

  let pooled: Rows | null = null
  // A head that was fitted on this very question knows more than a further pass would tell.
  if (note.applied !== 'learned' && deliberation.isCalledFor(key, probabilities, mass)) {
    const passes = [single]
    const tops = [topOf(single)]
    for (const name of deliberation.operatorsFor(readout)) {
      const operator = OPERATORS.get(name)!
      if (!deliberation.spend(operator.cost)) break
      const rows = yield* free(operator.run(branch, given(pooled ?? single)))
      if (rows === null) continue
      passes.push(canonical(rows))
      tops.push(topOf(passes.at(-1)!))
      pooled = deliberation.pool(passes)
      ;({ probabilities, note } = calibrator.calibrate(key, 'deliberated', pooled, features))
      if (deliberation.isSettled(tops, probabilities)) break
    }
  }
  // A decision of a fitted head is as sure as it can be made.
  context.decided?.({ readout, probabilities, mass, isLearned: note.applied === 'learned' })
  const candidateNames = order.map((i) => branch.candidates[i]!.name)
  const shown = given(probabilities)
  return {
    probabilities: shown,
    decision: { ...key, names: candidateNames, ...asWritten, single, deliberated: pooled, mass, features, value: null },
    report: {
      // The entropy of the least certain row, for which a second pass would be.
      entropyBits: Math.max(...shown.map((row) => entropyBits(row))),
      mass,
      isDeliberated: pooled !== null,
      calibration: note,
    },
    setAndAbstention: context.predictionSets(key, shown, options.names ?? branch.candidates.map((candidate) => candidate.name)),
  }
}

/** The leading candidate of a pass; of several rows, the pattern of their leaders as one number. */
function topOf(rows: Rows): number {
  return rows.reduce((all, row) => (all * 31 + row.indexOf(Math.max(...row))) % 2_147_483_647, 0)
}
