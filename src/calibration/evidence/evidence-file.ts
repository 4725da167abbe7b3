// Evidence files: a header line that names the model, then one labelled decision a line. Every field is checked on
// reading.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { EngineError } from '../../core/errors.ts'
import { jsonlLines } from '../../core/jsonl.ts'
import { logSumExp } from '../../core/math.ts'
import { isObject, type UntrustedObject } from '../../core/untrusted.ts'
import type { CalibratedModel } from '../../questions/shared/decision.ts'
import { DECISION_READOUTS } from '../../questions/shared/readouts.ts'
import { type Evidence, ownEvidence } from './evidence.ts'

/** Evidence with the model that it came from. */
export interface EvidenceFile {
  readonly model: CalibratedModel
  readonly evidence: readonly Evidence[]
}

/** The first line of an evidence file. */
export function evidenceHeader({ id, revision, templateHash }: CalibratedModel): string {
  return JSON.stringify({ format: 1, model: { id, revision, templateHash } })
}

/** One labelled decision as a line, log-probabilities to seven digits, without what came with it from its origin. */
export function evidenceLine(evidence: Evidence): string {
  const short = (rows: Evidence['single']): number[][] => rows.map((row) => row.map(shortened))
  return JSON.stringify({
    ...ownEvidence(evidence),
    single: short(evidence.single),
    deliberated: evidence.deliberated === null ? null : short(evidence.deliberated),
    mass: shortened(evidence.mass),
  })
}

/** No log-probability is below −100, since JSON has no infinity. */
function shortened(value: number): number {
  return Number(Math.max(value, -100).toPrecision(7))
}

/** Writes header and lines, compressed when the name ends in `.gz`. */
export async function writeEvidence(path: string, model: CalibratedModel, evidence: Iterable<Evidence>): Promise<void> {
  // Line by line, since a string cannot hold the evidence of a long run.
  function* lines(): Generator<string> {
    yield `${evidenceHeader(model)}\n`
    for (const one of evidence) yield `${evidenceLine(one)}\n`
  }
  const file = createWriteStream(path)
  await (path.endsWith('.gz') ? pipeline(lines, createGzip(), file) : pipeline(lines, file))
}

/**
 * Reads an evidence file, compressed or not. Throws what reading throws, and `invalid_request` with file name, line
 * number and field for a line that is not evidence.
 */
export async function readEvidence(path: string): Promise<EvidenceFile> {
  let model: CalibratedModel | null = null
  const evidence: Evidence[] = []
  for await (const { line, text, isEnded } of jsonlLines(path)) {
    const fail = (problem: string): never => {
      throw new EngineError('invalid_request', `${path}, line ${line}: ${problem}`)
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      fail(`not JSON${isEnded ? '' : '; the line was cut short, take it out or write the file again'}.`)
    }
    if (!isObject(value)) return fail('not an object.')
    if (model === null) model = headerOf(value, fail)
    else evidence.push(evidenceOf(value, fail))
  }
  if (model === null) throw new EngineError('invalid_request', `${path} is empty; an evidence file starts with ${HEADER_SHAPE}.`)
  return { model, evidence }
}

const HEADER_SHAPE = '{"format":1,"model":{"id":…,"revision":…,"templateHash":…}}'
const READOUTS: readonly string[] = DECISION_READOUTS
/** Keeps sums of weights and of their squares finite. */
const LARGEST_WEIGHT = 1e6

type Fail = (problem: string) => never

function headerOf({ format, model }: UntrustedObject, fail: Fail): CalibratedModel {
  if (format !== 1 || !isObject(model)) return fail(`an evidence file starts with ${HEADER_SHAPE}.`)
  const { id, revision, templateHash } = model
  if (!isWord(id) || !isWord(revision) || !isWord(templateHash))
    return fail('"model" needs "id", "revision" and "templateHash", all texts.')
  return { id, revision, templateHash }
}

function evidenceOf(value: UntrustedObject, fail: Fail): Evidence {
  const { task, state, readout, hasImage, wording, question, single, deliberated, mass, tokens = null, truth, weight } = value
  for (const field of ['task', 'state', 'wording', 'question'] as const) if (!isWord(value[field])) fail(`"${field}" must be a text.`)
  if (typeof readout !== 'string' || !READOUTS.includes(readout)) fail(`"readout" must be one of ${READOUTS.join(', ')}.`)
  if (typeof hasImage !== 'boolean') fail('"hasImage" must be true or false.')
  // A sum of probabilities may be rounded to a little above 1.
  if (typeof mass !== 'number' || !(mass >= 0 && mass <= 1 + 1e-6)) fail('"mass" must be a number from 0 to 1.')
  if (tokens !== null && !(Number.isInteger(tokens) && (tokens as number) >= 0)) fail('"tokens" must be a whole number from 0 on.')
  if (weight !== undefined && !(typeof weight === 'number' && weight > 0 && weight <= LARGEST_WEIGHT))
    fail(`"weight" must be above 0 and at most ${LARGEST_WEIGHT}.`)
  const rows = rowsOf(single, 'single', fail)
  const pooled = deliberated === null || deliberated === undefined ? null : rowsOf(deliberated, 'deliberated', fail)
  if (pooled !== null && (pooled.length !== rows.length || pooled.some((row, i) => row.length !== rows[i]!.length)))
    fail('"deliberated" must have the rows and candidates of "single".')
  const isTwoWay = readout !== 'exclusive' && readout !== 'ordinal'
  if (isTwoWay && rows.some((row) => row.length !== 2)) fail(`rows of readout "${String(readout)}" have 2 candidates.`)
  if (readout !== 'independent' && rows.length !== 1) fail(`readout "${String(readout)}" has 1 row, not ${rows.length}.`)
  if (!Array.isArray(truth) || truth.length !== rows.length)
    return fail(`"truth" must be a list of ${rows.length}, one index for each row.`)
  for (const [i, index] of truth.entries())
    if (typeof index !== 'number' || !(index >= 0 && index <= rows[i]!.length - 1))
      fail(`"truth" ${i} must lie between 0 and ${rows[i]!.length - 1}.`)
  if (readout === 'exclusive' && !Number.isInteger(truth[0])) fail('"truth" must be a whole number: options have nothing between them.')
  // A field that is not checked here is an error of types.
  const scores = { single: rows, deliberated: pooled, mass, tokens }
  const checked: Readonly<Record<keyof Evidence, unknown>> = { task, state, readout, hasImage, wording, question, ...scores, truth, weight }
  return checked as Evidence
}

function rowsOf(value: unknown, field: string, fail: Fail): readonly (readonly number[])[] {
  if (!Array.isArray(value) || value.length === 0) return fail(`"${field}" must be a list of rows of log-probabilities.`)
  for (const [i, row] of value.entries()) {
    if (!Array.isArray(row) || row.length < 2) return fail(`"${field}" row ${i} must list 2 log-probabilities or more.`)
    if (!row.every((logP) => typeof logP === 'number' && logP <= 1e-6))
      return fail(`"${field}" row ${i} must hold log-probabilities, none above 0.`)
    const total = logSumExp(row)
    if (Math.abs(total) > 1e-3) return fail(`"${field}" row ${i} sums to ${Math.exp(total).toPrecision(4)} in probability, not to 1.`)
  }
  return value
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
