// Made-up results: decisions with known probabilities and truths, so that the numbers of a report can be worked out.

import { seededRandom } from '../../src/core/random.ts'
import { brierOf, logLossOf } from '../../src/evaluate/claim-scores.ts'
import type { AnswerDistribution, GradedQuestion } from '../../src/evaluate/graded-question.ts'
import type { ResultsHeader } from '../../src/evaluate/results.ts'
import type { RowResult } from '../../src/evaluate/run.ts'
import type { Claim } from '../../src/questions/shared/grade.ts'

export const header: ResultsHeader = {
  format: 'assay-results 1',
  binding: {
    engine: 'assay-engine/0',
    model: { id: 'm', revision: 'r', templateHash: 't' },
    calibration: null,
    deliberation: 'automatic',
    selfCheck: false,
    dataset: [{ name: 'a/b.jsonl', sha256: 'f'.repeat(64), rows: 3 }],
    selection: { limit: null, sample: null, seed: 0 },
  },
  circumstances: { begun: '', command: 'assay eval a/b.jsonl', parallel: 1, machine: { node: 'v', platform: 'p', cores: 1, cpu: 'c' } },
}

export interface Made {
  readonly readout?: AnswerDistribution['readout']
  readonly names?: readonly string[]
  readonly probabilities: readonly (readonly number[])[]
  readonly truth: readonly number[]
  /** Probabilities before calibration; default: the same. */
  readonly single?: readonly (readonly number[])[]
  readonly deliberated?: readonly (readonly number[])[]
  readonly id?: string
  readonly type?: GradedQuestion['type']
}

const logs = (rows: readonly (readonly number[])[]) => rows.map((row) => row.map(Math.log))

export function question({
  readout = 'binary',
  names = ['true', 'false'],
  probabilities,
  truth,
  single,
  deliberated,
  id,
  type,
}: Made): GradedQuestion {
  const claim: Claim = { readout, names, probabilities, truth }
  return {
    id: id ?? 'q',
    type: type ?? 'noul',
    said: 0,
    truth: truth.join(),
    right: 1,
    guess: 0.5,
    logLoss: logLossOf(claim),
    brier: brierOf(claim),
    confidence: Math.max(...probabilities[0]!),
    top: 1,
    entropyBits: 1,
    mass: 1,
    deliberated: deliberated !== undefined,
    passes: 1,
    calibration: { applied: 'identity', level: 'none', labels: 0 },
    distribution: {
      readout,
      hasImage: false,
      wording: 'w',
      question: 'q',
      names,
      probabilities,
      truth,
      single: logs(single ?? probabilities),
      deliberated: deliberated === undefined ? null : logs(deliberated),
      tokens: null,
    },
  }
}

/** A value that was written, rightly or not: it has no distribution, and nothing that comes of one. */
export function read(right: number, confidence: number): GradedQuestion {
  const written = question({ probabilities: [[1, 0]], truth: [0], type: 'fill' })
  return { ...written, right, confidence, logLoss: null, brier: null, distribution: null }
}

export function row(at: number, questions: readonly GradedQuestion[], more: Partial<RowResult> = {}): RowResult {
  return { at, id: `row ${at}`, task: 'task', state: `state ${at}`, ms: at + 1, passes: 1, inputTokens: 1, questions, ...more }
}

/**
 * Yes-or-no decisions whose answers are calibrated, while the model before calibration is overconfident by a factor in
 * logits.
 */
export function calibratedRows(count: number, seed: number, tooSure = 1): RowResult[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, (_, at) => {
    const logit = (random() - 0.5) * 6
    const p = 1 / (1 + Math.exp(-logit))
    const raw = 1 / (1 + Math.exp(-logit * tooSure))
    return row(at, [question({ probabilities: [[p, 1 - p]], single: [[raw, 1 - raw]], truth: [random() < p ? 0 : 1] })], {
      task: `task ${at % 2}`,
    })
  })
}
