// Branches to the arrays that the decision model runs on, behind those of their state. Training rows are made by the
// same function (training/data/render.ts).
import type { Branch, Constraint } from '../../../backend.ts'
import { kindOf } from './control-tokens.ts'
import type { PieceTokenizer } from './piece-tokenizer.ts'

/**
 * A question behind the state, with one entry per token. `owners` is 0 for the question itself and 1… for its
 * options; an option attends to the state, the question and itself, and readout tokens of one question attend
 * to each other. `readouts` are the indexes of the readout tokens: one per option, or one at the end of the
 * question. `ranks` is the position on the scale, 0 to 1, for the readout tokens of an ordinal branch, −1
 * elsewhere.
 */
export interface PackedBranch {
  readonly ids: number[]
  readonly cases: number[]
  readonly positions: number[]
  readonly owners: number[]
  readonly readouts: number[]
  readonly ranks: number[]
  /** Index of each candidate among `readouts`: options are sorted, so that the caller's order cannot matter. */
  readonly readoutOf: number[]
}

/** `from`: the position of its first token. */
export function packBranch(branch: Branch, constraint: Constraint | null, from: number, tokenizer: PieceTokenizer): PackedBranch {
  const packed = {
    ids: [] as number[],
    cases: [] as number[],
    positions: [] as number[],
    owners: [] as number[],
    readouts: [] as number[],
    ranks: [] as number[],
  }
  const push = (id: number, letterCase: number, position: number, owner: number, rank = -1): void => {
    packed.ids.push(id)
    packed.cases.push(letterCase)
    packed.positions.push(position)
    packed.owners.push(owner)
    packed.ranks.push(rank)
  }
  /** Gives the position behind the text. */
  const pushText = (text: string, position: number, owner: number): number => {
    const { ids, cases } = tokenizer.encode(text)
    for (let i = 0; i < ids.length; i++) push(ids[i] as number, cases[i] as number, position + i, owner)
    return position + ids.length
  }
  const pushReadout = (position: number, owner: number, rank?: number): void => {
    packed.readouts.push(packed.ids.length)
    push(control.readout, 0, position, owner, rank)
  }
  const { control } = tokenizer
  push(control.question, 0, from, 0)
  push(control.kindId(kindOf(branch, constraint)), 0, from + 1, 0)
  const behindQuestion = pushText(questionText(branch), from + 2, 0)
  const { candidates, readout } = branch
  if (readout === 'binary' || readout === 'read') {
    pushReadout(behindQuestion, 0)
    return { ...packed, readoutOf: candidates.map((_, i) => i) }
  }
  const options = candidates.map((candidate, index) => ({ text: candidateText(candidate), index }))
  if (readout !== 'ordinal') options.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
  const readoutOf = new Array<number>(candidates.length)
  options.forEach(({ text, index }, place) => {
    const owner = place + 1
    // All options stand at the same positions.
    push(control.option, 0, behindQuestion, owner)
    const behindOption = pushText(text, behindQuestion + 1, owner)
    readoutOf[index] = place
    pushReadout(behindOption, owner, readout === 'ordinal' ? index / Math.max(1, candidates.length - 1) : undefined)
  })
  return { ...packed, readoutOf }
}

function questionText(branch: Branch): string {
  const meanings =
    branch.readout === 'binary'
      ? branch.candidates.flatMap(({ name, description }) => (description === null ? [] : [`${name}: ${description}`]))
      : []
  return [branch.instructions, ...meanings].join('\n')
}

function candidateText({ name, description }: { readonly name: string; readonly description: string | null }): string {
  return description === null ? name : `${name}: ${description}`
}
