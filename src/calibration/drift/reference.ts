// What decisions looked like when a calibration was fitted: small histograms by question and by kind of decision, kept
// in its file. They hold one decision per state and key, since decisions on one state are not independent.
import { z } from 'zod'
import { mean } from '../../core/math.ts'
import type { Decision, DecisionEvent } from '../../questions/shared/decision.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { calibrationPath, type Evidence } from '../evidence/evidence.ts'

/**
 * What drift is measured in. `entropy`: normalised, H / ln K. `top`: the largest probability. `chosen`: which candidate
 * leads; for `independent`, how many hold.
 */
export type DriftMeasure = 'entropy' | 'top' | 'mass' | 'chosen'

/**
 * Counts between edges: bin i holds values above edge i − 1 and up to edge i, so there is one count more than edges.
 */
export interface Histogram {
  readonly edges: readonly number[]
  readonly counts: readonly number[]
}

/**
 * Histograms by key: the hash of a question, or a kind of decision as in `Sample.path`. `chosen` is by question only.
 */
export type DriftReference = Readonly<Record<string, Readonly<Partial<Record<DriftMeasure, Histogram>>>>>

/** A decision, labelled or not. Evidence is one. */
export type Observation = Pick<Evidence, 'state' | 'readout' | 'hasImage' | 'wording' | 'question' | 'single' | 'mass'> & {
  /** What messages call the question. */
  readonly task?: string
}

const histogram = z
  .strictObject({ edges: z.array(z.number()), counts: z.array(z.number().min(0)) })
  .refine(({ edges, counts }) => counts.length === edges.length + 1, { message: 'a histogram has one count more than edges' })
/** The shape of a reference in a calibration file. */
export const driftReferenceSchema = z.record(z.string(), z.partialRecord(z.enum(['entropy', 'top', 'mass', 'chosen']), histogram))

export interface ReferenceOptions {
  /** Bins of equal share; default 10. */
  readonly bins?: number
  /** States a key needs; default 50. */
  readonly leastStates?: number
  /** Keys that are kept, those with the most states; default 200. */
  readonly mostKeys?: number
}

/** The histograms that later decisions are compared with. */
export function driftReferenceOf(observations: Iterable<Observation>, options: ReferenceOptions = {}): DriftReference {
  const { bins = 10, leastStates = 50, mostKeys = 200 } = options
  const keys = [...measuresByKey(observations).values()]
    .filter(({ states }) => states >= leastStates)
    .sort((a, b) => b.states - a.states || (a.key < b.key ? -1 : 1))
    .slice(0, mostKeys)
  return Object.fromEntries(
    keys.map(({ key, values }) => {
      const histograms = Object.entries(values).map(([measure, numbers]): [string, Histogram] => {
        const edges = measure === 'chosen' ? candidateEdges(numbers) : quantileEdges(numbers, bins)
        return [measure, { edges, counts: countsOf(numbers, edges) }]
      })
      return [key, Object.fromEntries(histograms)]
    }),
  )
}

/** The parts of a decision that are measured. */
export type ObservedDecision = Pick<Decision, 'readout' | 'hasImage' | 'wording' | 'question' | 'single' | 'mass'>

interface ObservedDecisions {
  readonly decisions: Readonly<Record<string, ObservedDecision>>
}

/** The decisions of events as observations. */
export function* observationsOf(events: Iterable<Pick<DecisionEvent, 'state'> & ObservedDecisions>): Generator<Observation> {
  for (const { state, decisions } of events) {
    for (const [task, decision] of Object.entries(decisions)) yield { ...observed(decision), state, task }
  }
}

/** These parts, and no others. */
export function observed({ readout, hasImage, wording, question, single, mass }: ObservedDecision): ObservedDecision {
  return { readout, hasImage, wording, question, single, mass }
}

export interface KeyMeasures {
  readonly key: string
  /** The name of the key in messages. */
  readonly name: string
  readonly states: number
  readonly values: Partial<Record<DriftMeasure, number[]>>
}

/** The measures of each question and each kind, one number per state. */
export function measuresByKey(observations: Iterable<Observation>): Map<string, KeyMeasures> {
  const keys = new Map<string, KeyMeasures & { states: number; readonly seen: Set<string> }>()
  for (const observation of observations) {
    const [, kind, , question] = calibrationPath(observation, observation.single[0]?.length ?? 0)
    const measures = measuresOf(observation)
    for (const key of [kind, question]) {
      let found = keys.get(key)
      if (found === undefined) {
        const name = key === kind ? `decisions of kind "${kind}"` : `the question "${observation.task ?? question}"`
        found = { key, name, states: 0, values: {}, seen: new Set() }
        keys.set(key, found)
      }
      if (found.seen.has(observation.state)) continue
      found.seen.add(observation.state)
      found.states++
      for (const measure of ['entropy', 'top', 'mass', 'chosen'] as const) {
        // Which candidate leads cannot be compared between questions.
        if (measure === 'chosen' && key === kind) continue
        found.values[measure] ??= []
        found.values[measure].push(measures[measure])
      }
    }
  }
  return keys
}

function measuresOf({ readout, single, mass }: Observation): Record<DriftMeasure, number> {
  const rows = single.map((row) => {
    const probabilities = row.map(Math.exp)
    const nats = -probabilities.reduce((sum, p, i) => (p > 0 ? sum + p * row[i]! : sum), 0)
    const top = Math.max(...probabilities)
    return { entropy: nats / Math.log(row.length), top, leader: probabilities.indexOf(top) }
  })
  return {
    entropy: mean(rows.map(({ entropy }) => entropy)),
    top: mean(rows.map(({ top }) => top)),
    mass,
    chosen: chosenOf(readout, rows),
  }
}

function chosenOf(readout: DecisionReadout, rows: readonly { readonly leader: number }[]): number {
  return readout === 'independent' ? rows.filter(({ leader }) => leader === 0).length : (rows[0]?.leader ?? 0)
}

/** Inner edges between bins of about equal share, fewer where values repeat. Six digits keep the file small. */
function quantileEdges(values: readonly number[], bins: number): number[] {
  const sorted = [...values].sort((a, b) => a - b)
  const edges: number[] = []
  for (let i = 1; i < bins; i++) {
    const edge = Number(sorted[Math.ceil((i / bins) * sorted.length) - 1]!.toPrecision(6))
    if (edge > (edges.at(-1) ?? -Infinity) && edge < sorted.at(-1)!) edges.push(edge)
  }
  // All values are equal, such as the mass of a model that scores options alone. Other values must not fall into their
  // bin.
  const only = sorted[0]!
  return edges.length > 0 ? edges : [only - 1e-4, only + 1e-4]
}

/** Edges that give each candidate a bin of its own, up to the last that occurred, and one bin for those after it. */
function candidateEdges(values: readonly number[]): number[] {
  return Array.from({ length: values.reduce((a, b) => Math.max(a, b), 0) + 1 }, (_, candidate) => candidate + 0.5)
}

/** How many values lie in each bin. */
export function countsOf(values: readonly number[], edges: readonly number[]): number[] {
  const counts = new Array<number>(edges.length + 1).fill(0)
  for (const value of values) {
    let bin = 0
    while (bin < edges.length && value > edges[bin]!) bin++
    counts[bin]!++
  }
  return counts
}
