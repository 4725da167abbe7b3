// What the calibration is worth: fitted on one split, scored on another that shares no state with it.
// Usage: npx tsx bench/quality/calibration.ts CALIBRATION_EVIDENCE DEV_EVIDENCE OUT.json
// Evidence comes from `assay eval --calibration none --deliberation always --self-check --evidence FILE`. Reports
// log-loss and halved squared error per decision (the options of a select share one) and smooth calibration error above
// its null value, with intervals by a bootstrap over states.
import { writeFileSync } from 'node:fs'
import { calibratorOf, type ModelCalibrator } from '../../src/calibration/calibration.ts'
import { compare, type ScoredDistribution, scoredDistributions } from '../../src/calibration/compare.ts'
import { uncertaintyOf } from '../../src/calibration/deliberation/gate.ts'
import { type Evidence, keyOf } from '../../src/calibration/evidence/evidence.ts'
import { readEvidence } from '../../src/calibration/evidence/evidence-file.ts'
import { fit as fitCalibration, fitTrees } from '../../src/calibration/fit.ts'
import { pairedDifference } from '../../src/calibration/metrics/resampling.ts'
import { smoothCalibrationError, smoothCalibrationExcess } from '../../src/calibration/metrics/smooth-ece.ts'
import { argmax, sum } from '../../src/core/math.ts'
import { DECISION_READOUTS } from '../../src/questions/shared/readouts.ts'
import { nearestCandidate } from '../../src/questions/shared/truth.ts'

const [fitFile, devFile, out] = process.argv.slice(2)
if (fitFile === undefined || devFile === undefined || out === undefined) {
  throw new Error('usage: npx tsx bench/quality/calibration.ts CALIBRATION_EVIDENCE DEV_EVIDENCE OUT.json')
}
/** Of tasks, each left out at once: growing maps anew for every task takes an hour. */
const GROUPS = 10
const RESAMPLES = { resamples: 1000, seed: 1 } as const

const { model, evidence } = await readEvidence(fitFile)
const { evidence: dev } = await readEvidence(devFile)
const identity = calibratorOf(null, model)
const calibration = fitCalibration(evidence, model)
const fitted = calibratorOf(calibration, model)

const tasks = compare(scoredDistributions(dev, fitted, 'single'), scoredDistributions(dev, identity, 'single'))
const [all] = tasks
// Of one task alone there is no line of its own.
const byTask = all !== undefined && tasks.length === 1 ? [{ ...all, name: dev[0]!.task }] : tasks.slice(1)
const byReadout = DECISION_READOUTS.flatMap((readout) => {
  const own = dev.filter((one) => one.readout === readout)
  if (own.length === 0) return []
  const scored = scoredDistributions(own, fitted, 'single')
  return [{ readout, decisions: own.length, after: excessOf(scored), before: excessOf(scoredDistributions(own, identity, 'single')) }]
})
const notWorse = byTask.filter(({ logLoss }) => logLoss.difference <= 0).length / byTask.length
/** The 95 % interval of the difference lies above 0. */
const surelyWorse = byTask.filter(({ logLoss }) => logLoss.interval[0] > 0).map(({ name }) => name)

// Tasks that no map has seen, a tenth of them at a time: maps grown on all others, scored on these.
const withoutSome = Array.from({ length: Math.min(GROUPS, byTask.length) }, (_, group) => {
  process.stderr.write(`\rwithout ${group + 1} of ${GROUPS} groups of tasks`)
  const left = new Set(byTask.filter((_, i) => i % GROUPS === group).map(({ name }) => name))
  return calibratorOf({ ...calibration, trees: fitTrees(evidence.filter(({ task }) => !left.has(task))) }, model)
})
const allUnseen: [ScoredDistribution[], ScoredDistribution[]] = [[], []]
const unseen = byTask.map(({ name }, i) => {
  const own = dev.filter(({ task }) => task === name)
  const calibrator = withoutSome[i % GROUPS]!
  const [before, after] = [identity, calibrator].map((each) => scoredDistributions(own, each, 'single')) as [
    ScoredDistribution[],
    ScoredDistribution[],
  ]
  allUnseen[0].push(...before)
  allUnseen[1].push(...after)
  return {
    task: name,
    decisions: own.length,
    before: errorOf(before),
    after: errorOf(after),
    logLossBefore: meanOf(before),
    logLossAfter: meanOf(after),
  }
})
process.stderr.write('\n')
const removed = 1 - sum(unseen.map(({ after }) => after)) / sum(unseen.map(({ before }) => before))

const deliberation = DECISION_READOUTS.flatMap((readout) => {
  const own = dev.filter((one) => one.readout === readout && one.deliberated !== null)
  return own.length < 100 ? [] : [{ readout, ...secondLooks(own, fitted, calibration.gates[readout]?.threshold ?? 1) }]
})

const result = {
  model,
  calibration: calibration.version,
  fittedOn: calibration.fittedOn,
  all,
  byReadout,
  byTask,
  notWorse,
  surelyWorse,
  unseen: { removed, pooled: allUnseen.map(excessOf), logLoss: allUnseen.map(meanOf), tasks: unseen },
  deliberation,
}
writeFileSync(out, `${JSON.stringify(result, (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value), 1)}\n`)

const three = (value: number): string => value.toFixed(3)
const four = (value: number): string => value.toFixed(4)
console.log(`${dev.length} decisions of ${byTask.length} tasks; fitted on ${evidence.length} (${calibration.version})`)
if (all !== undefined) {
  const { first, second } = all.calibrationError
  console.log(
    `log-loss ${four(all.logLoss.second)} → ${four(all.logLoss.first)} (difference ${all.logLoss.interval.map(four).join(' to ')})`,
  )
  console.log(`smooth ECE above null ${four(second.excess)} → ${four(first.excess)} (95 % ${first.interval.map(four).join(' to ')})`)
}
console.log(`tasks whose log-loss is not worse: ${three(notWorse)}; surely worse: ${surelyWorse.join(', ') || 'none'}`)
const [before, after] = allUnseen.map(excessOf) as [ReturnType<typeof excessOf>, ReturnType<typeof excessOf>]
const logLosses = allUnseen.map((scored) => four(meanOf(scored))).join(' → ')
console.log(
  `each task unseen: smooth ECE above null ${four(before.excess)} → ${four(after.excess)}, log-loss ${logLosses}; of each task's error, removed: ${three(removed)}`,
)
console.log('\n| read-out | decisions | smooth ECE above null before | after, 95 % |\n|---|---|---|---|')
for (const { readout, decisions, before, after } of byReadout) {
  console.log(
    `| ${readout} | ${decisions} | ${three(before.excess)} | ${three(after.excess)} (${after.interval.map(three).join(' to ')}) |`,
  )
}
console.log('\n| task | decisions | log-loss before | after | unseen: error before | after |\n|---|---|---|---|---|---|')
for (const [i, { name, logLoss, count }] of byTask.entries()) {
  const { before, after } = unseen[i]!
  console.log(`| ${name} | ${count} | ${three(logLoss.second)} | ${three(logLoss.first)} | ${three(before)} | ${three(after)} |`)
}
console.log(
  '\n| read-out | second looks of | gain of all, nats (95 %) | escalated | gain of those | right before | escalated | all |\n|---|---|---|---|---|---|---|---|',
)
for (const { readout, decisions, gain, interval, share, kept, keptInterval, rightBefore, rightAfter, rightGated } of deliberation) {
  const gains = `${four(gain)} (${interval.map(four).join(' to ')}) | ${three(share)} | ${four(kept)} (${keptInterval.map(four).join(' to ')})`
  console.log(`| ${readout} | ${decisions} | ${gains} | ${three(rightBefore)} | ${three(rightGated)} | ${three(rightAfter)} |`)
}

function excessOf(scored: readonly ScoredDistribution[]) {
  const { value, excess, interval } = smoothCalibrationExcess(
    scored.map(({ probability }) => probability),
    scored.map(({ outcome }) => outcome),
    scored.map(({ state }) => state),
    { ...RESAMPLES, weights: scored.map(({ weight }) => weight) },
  )
  return { value, excess, interval }
}

/** Of one task: small ones are noisy, and the noise is in both of what is compared. */
function errorOf(scored: readonly ScoredDistribution[]): number {
  return smoothCalibrationError(
    scored.map(({ probability }) => probability),
    scored.map(({ outcome }) => outcome),
    { weights: scored.map(({ weight }) => weight) },
  ).value
}

function meanOf(scored: readonly ScoredDistribution[]): number {
  const total = sum(scored.map(({ weight }) => weight))
  return sum(scored.map(({ weight, logLoss }) => weight * logLoss)) / total
}

/** What looking again gains when all decisions do, and when those above the gate do. */
function secondLooks(own: readonly Evidence[], calibrator: ModelCalibrator, threshold: number) {
  const [single, pooled] = [scoredDistributions(own, calibrator, 'single'), scoredDistributions(own, calibrator, 'deliberated')]
  const perDecision = (scored: readonly ScoredDistribution[]): number[] => {
    let at = 0
    return own.map(({ single: rows }) => sum(rows.map(() => scored[at++]!.logLoss)) / rows.length)
  }
  const [before, after] = [perDecision(single), perDecision(pooled)]
  const states = own.map(({ state }) => state)
  const { mean: gain, interval } = pairedDifference(before, after, states, RESAMPLES)
  const escalated = own.map((one) => {
    return uncertaintyOf(calibrator.calibrate(keyOf(one), 'single', one.single, null).probabilities) > threshold
  })
  const gated = pairedDifference(
    before,
    before.map((loss, i) => (escalated[i] ? after[i]! : loss)),
    states,
    RESAMPLES,
  )
  const right = (passModeOf: (i: number) => 'single' | 'deliberated'): number => {
    const hits = own.map((one, at) => {
      const passMode = passModeOf(at)
      const { probabilities } = calibrator.calibrate(keyOf(one), passMode, one[passMode] ?? one.single, null)
      return probabilities.filter((row, i) => argmax(row) === nearestCandidate(one.truth[i]!)).length / probabilities.length
    })
    return sum(hits) / hits.length
  }
  return {
    decisions: own.length,
    gain,
    interval,
    share: escalated.filter(Boolean).length / own.length,
    kept: gated.mean,
    keptInterval: gated.interval,
    rightBefore: right(() => 'single'),
    rightGated: right((i) => (escalated[i] ? 'deliberated' : 'single')),
    rightAfter: right(() => 'deliberated'),
  }
}
