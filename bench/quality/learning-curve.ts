// What a few labels of one question are worth: fixed questions, with 0 to 200 labelled states each, judged on dev rows.
// Usage: npx tsx bench/quality/learning-curve.ts MODEL_FOLDER DATA_ROOT [OUT.json] [--draws N]
// DATA_ROOT holds dev/ and train/. Each state is asked once; then labels are drawn from the calibration rows, a head is
// learned from them and tested on all dev rows. OUT.json (default bench/results/learning-curve.json) holds numbers
// only; a table of them is written beside it.
import { writeFileSync } from 'node:fs'
import type { Evidence } from '../../src/calibration/evidence/evidence.ts'
import { applyHead } from '../../src/calibration/heads/head.ts'
import { type FeaturedEvidence, LEAST_LABELS, learnHead } from '../../src/calibration/heads/learn.ts'
import { pairedDifference } from '../../src/calibration/metrics/resampling.ts'
import { argmax, mean, toProbabilities } from '../../src/core/math.ts'
import { seededRandom } from '../../src/core/random.ts'
import { createEngine, ENGINE_VERSION, localModel } from '../../src/index.ts'
import type { Decision, DecisionEvent } from '../../src/questions/shared/decision.ts'
import { nearestCandidate, targetOf, truthOf } from '../../src/questions/shared/truth.ts'
import type { AskRequest } from '../../src/wire/types.ts'
import { type FixedQuestion, fixedQuestions, type LabelledState } from '../lib/fixed-questions.ts'

const COUNTS = [10, 25, 50, 100, 200]
const NOTHING = new Float32Array(1)
/** A head of a question with more candidates takes minutes on a small machine, so it gets fewer draws. */
const MANY = 50

const args = process.argv.slice(2)
const drawsAt = args.indexOf('--draws')
const draws = drawsAt < 0 ? 10 : Number(args.splice(drawsAt, 2)[1])
const [folder, root, out = 'bench/results/learning-curve.json'] = args
if (folder === undefined || root === undefined || !(draws >= 1)) {
  throw new Error('usage: npx tsx bench/quality/learning-curve.ts MODEL_FOLDER DATA_ROOT [OUT.json] [--draws N]')
}

const engine = await createEngine({ models: [localModel(folder, { inProcess: true, id: 'service-1-pro' })], deadlineMs: 600_000 })
const started = performance.now()
let revision = ''
const curves: Curve[] = []
for (const question of fixedQuestions(root)) {
  const learn = await askAll(question, question.learn)
  const test = await askAll(question, question.test)
  curves.push(curveOf(question, learn, test))
  process.stderr.write(`${question.id}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
}
await engine.close()

const result = { engine: ENGINE_VERSION, revision, draws, leastLabels: LEAST_LABELS, curves }
writeFileSync(out, `${JSON.stringify(result, null, 1)}\n`)
const table = tableOf(curves)
writeFileSync(out.replace(/\.json$/, '.md'), table)
console.log(table)

interface Score {
  readonly labels: number
  readonly accuracy: number
  readonly logLoss: number
  /**
   * How much lower the log-loss is than without labels, on the same dev rows, and its 95 % interval (bootstrap by
   * state).
   */
  readonly gain: { readonly mean: number; readonly interval: readonly [number, number] }
}

interface Curve {
  readonly question: string
  readonly candidates: number
  readonly learnRows: number
  readonly testRows: number
  readonly zeroShot: { readonly accuracy: number; readonly logLoss: number }
  /** What is served: the head where it was chosen, else the model's own. */
  readonly served: readonly (Score & { readonly chosen: number })[]
  /** The head whether it was chosen or not. */
  readonly head: readonly Score[]
  /** Scale and biases only, whether they help or not. */
  readonly withoutFeatures: readonly Score[]
}

interface Asked extends FeaturedEvidence {
  readonly names: readonly string[]
}

/** Each state once, raw: no calibration, one pass. */
async function askAll({ id, question }: FixedQuestion, rows: readonly LabelledState[]): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const { state, truth } of rows) {
    const request = { state, questions: { [id]: question } } as unknown as AskRequest
    let seen: DecisionEvent | null = null
    const observe = (event: DecisionEvent): void => {
      seen = event
    }
    await engine.ask(request, { deliberation: 'never', observe })
    const event = seen as DecisionEvent | null
    const decision = event?.decisions[id]
    if (event === null || decision === undefined) throw new Error(`the engine decided nothing for ${id}`)
    revision = event.revision
    asked.push({ ...labelled(event, decision, truthOf(decision, truth), id), names: decision.names })
  }
  return asked
}

function labelled(event: DecisionEvent, decision: Decision, truth: readonly number[] | null, task: string): FeaturedEvidence {
  const { readout, hasImage, wording, question, single, mass, features } = decision
  if (truth === null || features === null)
    throw new Error(`${task}: ${truth === null ? 'a truth that does not fit' : 'the model gives no features'}`)
  const evidence: Evidence = { task, state: event.state, readout, hasImage, wording, question, single, deliberated: null, mass, truth }
  return { evidence, features }
}

/** Loss in nats and rightness of a decision; of a select, the mean over its options. */
function judged(rows: readonly (readonly number[])[], truth: readonly number[]): { loss: number; right: number } {
  let loss = 0
  let right = 0
  for (const [i, row] of rows.entries()) {
    const target = targetOf(truth[i]!, row.length)
    loss -= target.reduce((sum, t, k) => (t > 0 ? sum + t * Math.log(row[k]!) : sum), 0) / rows.length
    right += Number(argmax(row) === nearestCandidate(truth[i]!)) / rows.length
  }
  return { loss, right }
}

function curveOf({ id }: FixedQuestion, learn: readonly Asked[], test: readonly Asked[]): Curve {
  const candidates = test[0]?.names.length ?? 0
  const own = test.map(({ evidence }) => judged(evidence.single.map(toProbabilities), evidence.truth))
  const states = test.map(({ evidence }) => evidence.state)
  const times = candidates > MANY ? Math.min(4, draws) : draws
  const served: Curve['served'][number][] = []
  const head: Score[] = []
  const withoutFeatures: Score[] = []
  for (const count of COUNTS.filter((n) => n <= learn.length)) {
    const random = seededRandom(count)
    const forced: { loss: number; right: number }[][] = []
    const used: { loss: number; right: number }[][] = []
    const plain: { loss: number; right: number }[][] = []
    let chosen = 0
    for (let draw = 0; draw < times; draw++) {
      const labels = shuffled(learn, random).slice(0, count)
      const learned = learnHead(labels, { leastLabels: 1 })
      const results = test.map(({ evidence, features }) => judged(applyHead(learned.head!, evidence.single, features), evidence.truth))
      chosen += Number(learned.chosen)
      forced.push(results)
      used.push(learned.chosen ? results : own)
      // The same without features is calibration of this one question: a scale and biases.
      const calibrated = learnHead(
        labels.map(({ evidence }) => ({ evidence, features: NOTHING })),
        { leastLabels: 1 },
      )
      plain.push(test.map(({ evidence }) => judged(applyHead(calibrated.head!, evidence.single, NOTHING), evidence.truth)))
    }
    const score = (all: readonly (readonly { loss: number; right: number }[])[]): Score => {
      // Draws are averaged for each row, so that the interval is over what could have been asked.
      const losses = test.map((_, i) => mean(all.map((results) => results[i]!.loss)))
      const gain = pairedDifference(
        own.map(({ loss }) => loss),
        losses,
        states,
        { resamples: 2000, seed: count },
      )
      return { labels: count, accuracy: mean(all.flat().map(({ right }) => right)), logLoss: mean(losses), gain }
    }
    served.push({ ...score(used), chosen: chosen / times })
    head.push(score(forced))
    withoutFeatures.push(score(plain))
  }
  const zeroShot = { accuracy: mean(own.map(({ right }) => right)), logLoss: mean(own.map(({ loss }) => loss)) }
  return { question: id, candidates, learnRows: learn.length, testRows: test.length, zeroShot, served, head, withoutFeatures }
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const all = [...items]
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[all[i], all[j]] = [all[j]!, all[i]!]
  }
  return all
}

function tableOf(all: readonly Curve[]): string {
  const lines = [
    '# Learning a question from labels',
    '',
    `Share right / log-loss in nats on dev rows, after so many labels drawn from calibration rows. Nothing is learned from fewer than ${LEAST_LABELS} labels, nor where`,
    'held-out labels show no gain: there the model answers as it does without labels. Gain: how much lower the log-loss is at the most labels, with its 95 %',
    'interval. Last column: log-loss at the most labels when only a scale and biases are learned from them, without features.',
    '',
    '`team`, `queue` and `relevance` ask what the model was never trained on (`queue` by names that say nothing); `topic`, `intent`, `command`, `act`, `emotion`, `tone`,',
    '`similarity` and `details` it was trained on, with thousands of other rows, so a few labels add little where it is right already. The model is not',
    'calibrated here, so a part of each gain is calibration: what the last column has too. Draws of labels are averaged; accuracy can fall while the log-loss does, where the model was surer than right.',
    '',
    `| question | options | dev rows | 0 | ${COUNTS.join(' | ')} | gain | without features |`,
    `|---|---|---|---|${COUNTS.map(() => '---|').join('')}---|---|`,
  ]
  const pair = ({ accuracy, logLoss }: { accuracy: number; logLoss: number }): string =>
    `${(100 * accuracy).toFixed(1)} / ${logLoss.toFixed(3)}`
  for (const { question, candidates, testRows, zeroShot, served, withoutFeatures } of all) {
    const cells = COUNTS.map((count) => {
      const score = served.find(({ labels }) => labels === count)
      return score === undefined ? '' : pair(score)
    })
    const last = served.at(-1)
    const gain =
      last === undefined ? '' : `${last.gain.mean.toFixed(3)} (${last.gain.interval.map((value) => value.toFixed(3)).join(' to ')})`
    lines.push(
      `| ${question} | ${candidates} | ${testRows} | ${pair(zeroShot)} | ${cells.join(' | ')} | ${gain} | ${withoutFeatures.at(-1)?.logLoss.toFixed(3) ?? ''} |`,
    )
  }
  return `${lines.join('\n')}\n`
}
