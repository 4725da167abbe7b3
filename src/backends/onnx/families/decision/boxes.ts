// Cells of an image to pixel boxes: a pointer picks the cells, the vision encoder says how far the element around each cell reaches.
import { logSigmoid, logSumExp } from '../../../../math.ts'
import type { Box } from '../../../backend.ts'
import type { Cell } from './cells.ts'

type Edges = Box['edges']

/** `offsets` of a cell: distances (left, top, right, bottom) from its centre to the edges of its element, in cells. */
function edgesOf({ x, y, width, height }: Cell, offsets: ArrayLike<number>, at: number): Edges {
  const side = (value: number): number => Math.min(1, Math.max(0, value))
  const [left, top, right, bottom] = [0, 1, 2, 3].map((i) => offsets[at + i] as number) as [number, number, number, number]
  return [side(x - left * width), side(y - top * height), side(x + right * width), side(y + bottom * height)]
}

/** Intersection over union of two boxes; 0 when either is empty. */
export function overlap(a: Edges, b: Edges): number {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0])
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1])
  if (width <= 0 || height <= 0) return 0
  const area = (edges: Edges): number => (edges[2] - edges[0]) * (edges[3] - edges[1])
  return (width * height) / (area(a) + area(b) - width * height)
}

export interface CellScores {
  readonly image: string
  readonly cells: readonly Cell[]
  /** Pointer logits of the cells. */
  readonly logits: ArrayLike<number>
  /** [cell][5]: four offsets and whether there is an element. */
  readonly offsets: ArrayLike<number>
  readonly absent: number
}

/** Cells that mean the same element agree in at least this overlap. */
const SAME = 0.5

/** The weighted mean box of the cells that agree with cell `best`, and which cells those are. */
function gather(scores: CellScores, weights: readonly number[], best: number): { edges: Edges; agreeing: number[] } {
  const edges = scores.cells.map((cell, i) => edgesOf(cell, scores.offsets, i * 5))
  const agreeing = edges.flatMap((other, i) => (i === best || overlap(edges[best] as Edges, other) >= SAME ? [i] : []))
  // The whole-image tile sees everything smaller: its boxes count less.
  const weight = (i: number): number => (weights[i] as number) * (scores.cells[i]?.isGlobal ? 0.25 : 1)
  const total = agreeing.reduce((sum, i) => sum + weight(i), 0)
  const mean = [0, 1, 2, 3].map((side) => agreeing.reduce((sum, i) => sum + weight(i) * ((edges[i] as Edges)[side] as number), 0) / total)
  return { edges: mean as unknown as Edges, agreeing }
}

/** The most probable box, or none. */
export function oneBox(scores: CellScores): { boxes: Box[]; logProbability: number } {
  const norm = logSumExp([scores.absent, logSumExp(scores.logits)])
  const logAbsent = scores.absent - norm
  if (logAbsent >= Math.log(0.5)) return { boxes: [], logProbability: logAbsent }
  const probabilities = Array.from(scores.logits, (logit) => Math.exp(logit - norm))
  const best = probabilities.indexOf(Math.max(...probabilities))
  const { edges, agreeing } = gather(scores, probabilities, best)
  const logProbability = Math.min(0, Math.log(agreeing.reduce((sum, i) => sum + (probabilities[i] as number), 0)))
  return { boxes: [{ image: scores.image, edges, logProbability }], logProbability }
}

/** Every element with a cell that is more likely than not, the likeliest first; cells that agree make one box. */
export function everyBox(scores: CellScores): { boxes: Box[]; logProbability: number } {
  const probabilities = Array.from(scores.logits, (logit) => Math.exp(logSigmoid(logit)))
  const order = probabilities.map((_, i) => i).filter((i) => (probabilities[i] as number) > 0.5)
  order.sort((a, b) => (probabilities[b] as number) - (probabilities[a] as number) || a - b)
  const boxes: Box[] = []
  for (const best of order) {
    const { edges } = gather(scores, probabilities, best)
    if (boxes.some((box) => overlap(box.edges, edges) >= 0.3)) continue
    boxes.push({ image: scores.image, edges, logProbability: Math.log(probabilities[best] as number) })
  }
  return { boxes, logProbability: Array.from(scores.logits, (logit) => logSigmoid(Math.abs(logit))).reduce((sum, x) => sum + x, 0) }
}
