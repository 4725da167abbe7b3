// What a branch asks of which rows of a state: of those that it names, or of each row by itself where the options of a
// selection are rows. A table is long; a row is short, and says what it says beside the heads of its columns.

import { groupBy } from '../../../../core/group-by.ts'
import type { Branch, Scores } from '../../../backend.ts'
import { joined } from '../../runtime/tensors.ts'
import { meanRow } from './looks.ts'
import type { NamedRows, ShownRows } from './named-rows.ts'

/** A branch, and the rows it is asked about; null: the whole state. */
export interface RowBranch {
  readonly branch: Branch
  readonly shown: ShownRows | null
}

/** Of so many rows each is asked about by itself, at most: one by one they take longer than together. */
const MOST_EACH = 16

export function rowBranches(branch: Branch, rows: NamedRows | null): RowBranch[] {
  const { readout, candidates, instructions } = branch
  const shown = rows?.of(instructions) ?? null
  const isEach = shown === null && readout === 'independent' && candidates.length <= MOST_EACH
  const each = isEach ? rows?.ofEach(candidates.map(({ name }) => name)) : null
  return each?.map((row) => ({ branch: { ...branch, readout: 'binary', candidates: [] }, shown: row })) ?? [{ branch, shown }]
}

/** Branches that are asked about the same rows share passes. */
export function bySameRows(asked: readonly RowBranch[]): RowBranch[][] {
  return [...groupBy(asked, ({ shown }) => keyOf(shown)).values()]
}

function keyOf(shown: ShownRows | null): string {
  const lists = [...(shown ?? [])].map(([{ part, where }, rows]) => [
    part,
    typeof where === 'string' ? where : where.start,
    ...[...rows].sort(),
  ])
  return JSON.stringify(lists)
}

/** The scores of a branch that was asked as several, and counts as it is. */
export function together(scores: readonly Scores[], inputTokens: number): Scores {
  if (scores.length === 1) return { ...(scores[0] as Scores), inputTokens }
  const features = joined(scores.map((one) => one.features as Float32Array))
  return {
    rows: scores.flatMap(({ rows }) => rows),
    inputTokens,
    features: meanRow(features, features.length / scores.length, 0, scores.length),
  }
}
