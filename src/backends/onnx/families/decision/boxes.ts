// Pointer logits over the cells and words of an image to boxes. The vision encoder says how far the element around a
// cell reaches, the text reader where the line of a word is.
import { argmax, logSigmoid, logSumExp, overlap } from '../../../../core/math.ts'
import type { Box } from '../../../backend.ts'
import type { Cell } from './cells.ts'
import { OFFSET_WIDTH } from './vision-encoder.ts'

type Edges = Box['edges']

/** The boxes of the cells, and behind them of the words, within the image. */
function edgesOf(scores: CellScores): Edges[] {
  return [...edgesOfCells(scores), ...scores.lines]
}

function edgesOfCells({ cells, offsets }: CellScores): Edges[] {
  const side = (value: number): number => Math.min(1, Math.max(0, value))
  return cells.map(({ x, y, width, height }, i) => {
    const [left, top, right, bottom] = [0, 1, 2, 3].map((k) => offsets[i * OFFSET_WIDTH + k] as number) as [number, number, number, number]
    // An element may lie beside the centre of its cell (an offset below zero), and the encoder may then mistake one
    // edge for the other.
    const [x1, x2] = [side(x - left * width), side(x + right * width)]
    const [y1, y2] = [side(y - top * height), side(y + bottom * height)]
    return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
  })
}

export interface CellScores {
  readonly image: string
  readonly cells: readonly Cell[]
  /** For each word that was read the box of its line. */
  readonly lines: readonly Edges[]
  /** Pointer logits of the cells and of the words. */
  readonly logits: ArrayLike<number>
  /**
   * [cell][5]: distances (left, top, right, bottom) from the cell's centre to the edges of its element, in cells, and
   * the logit of "there is one".
   */
  readonly offsets: ArrayLike<number>
  readonly absent: number
}

/** Cells whose boxes overlap by at least this mean the same element. */
const LEAST_OVERLAP_OF_SAME = 0.5
/** Two answers must overlap by less than this. */
const LARGEST_OVERLAP_OF_OTHERS = 0.3
/** The weight of boxes from the tile of the whole image, which shows everything smaller. */
const GLOBAL_WEIGHT = 0.1
/** How many of the likeliest cells the answer is chosen from. */
const MOST_CANDIDATES = 24

/** How much the box of each cell counts. */
function weightsOf({ cells }: CellScores, probabilities: readonly number[]): number[] {
  return probabilities.map((probability, i) => probability * (cells[i]?.isGlobal ? GLOBAL_WEIGHT : 1))
}

/**
 * The weighted mean box of the cells that agree with cell `best`, and which cells those are. `edges` are those of
 * `edgesOf`.
 */
function gather(edges: readonly Edges[], weights: readonly number[], best: number): { mean: Edges; agreeing: number[] } {
  const agreeing = edges.flatMap((other, i) => (i === best || overlap(edges[best] as Edges, other) >= LEAST_OVERLAP_OF_SAME ? [i] : []))
  const total = agreeing.reduce((sum, i) => sum + (weights[i] as number), 0)
  const mean = [0, 1, 2, 3].map(
    (side) => agreeing.reduce((sum, i) => sum + (weights[i] as number) * ((edges[i] as Edges)[side] as number), 0) / total,
  )
  return { mean: mean as unknown as Edges, agreeing }
}

function likeliestFirst(weights: readonly number[]): number[] {
  return weights.map((_, i) => i).sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b)
}

/**
 * Of the likeliest cells, the one whose box has the highest expected overlap with the truth when each cell is right
 * with its weight as probability.
 */
function mostAgreed(edges: readonly Edges[], weights: readonly number[]): number {
  const candidates = likeliestFirst(weights).slice(0, MOST_CANDIDATES)
  const expected = candidates.map((i) =>
    candidates.reduce((sum, j) => sum + (weights[j] as number) * overlap(edges[i] as Edges, edges[j] as Edges), 0),
  )
  return candidates[argmax(expected)] as number
}

/** The box with the highest expected overlap with the truth, or none. */
export function oneBox(scores: CellScores): { boxes: Box[]; logProbability: number } {
  const norm = logSumExp([scores.absent, logSumExp(scores.logits)])
  const logAbsent = scores.absent - norm
  if (logAbsent >= Math.log(0.5)) return { boxes: [], logProbability: logAbsent }
  const probabilities = Array.from(scores.logits, (logit) => Math.exp(logit - norm))
  const [edges, weights] = [edgesOf(scores), weightsOf(scores, probabilities)]
  const { mean, agreeing } = gather(edges, weights, mostAgreed(edges, weights))
  const logProbability = Math.min(0, Math.log(agreeing.reduce((sum, i) => sum + (probabilities[i] as number), 0)))
  return { boxes: [{ image: scores.image, edges: mean, logProbability }], logProbability }
}

/**
 * A box for every element with a cell that is likelier than "nothing there", the likeliest first; cells that agree make
 * one box.
 */
export function everyBox(scores: CellScores): { boxes: Box[]; logProbability: number } {
  const margins = Array.from(scores.logits, (logit) => logit - scores.absent)
  const probabilities = margins.map((margin) => Math.exp(logSigmoid(margin)))
  const order = likeliestFirst(probabilities).filter((i) => (probabilities[i] as number) > 0.5)
  const [edges, weights] = [edgesOf(scores), weightsOf(scores, probabilities)]
  const boxes: Box[] = []
  for (const best of order) {
    const { mean } = gather(edges, weights, best)
    if (boxes.some((box) => overlap(box.edges, mean) >= LARGEST_OVERLAP_OF_OTHERS)) continue
    boxes.push({ image: scores.image, edges: mean, logProbability: Math.log(probabilities[best] as number) })
  }
  return { boxes, logProbability: margins.reduce((sum, margin) => sum + logSigmoid(Math.abs(margin)), 0) }
}
