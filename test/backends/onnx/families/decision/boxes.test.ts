// Cells, made by hand, to boxes: where a box lies, when there is none, and that cells of one element make one box.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CellScores, everyBox, oneBox } from '../../../../../src/backends/onnx/families/decision/boxes.ts'
import { type Cell, cellsOf } from '../../../../../src/backends/onnx/families/decision/cells.ts'
import { overlap } from '../../../../../src/core/math.ts'
import { SEED } from './shared.ts'

/** A cell of a tenth of the picture's width and a hundredth of its height. */
const cell = (x: number, y: number, isGlobal = false): Cell => ({ x, y, width: 0.1, height: 0.01, isGlobal })

interface Seen {
  readonly cell: Cell
  readonly logit: number
  /** Left, top, right, bottom, in cells. */
  readonly offsets: readonly [number, number, number, number]
}

function scoresOf(seen: readonly Seen[], absent = -10): CellScores {
  return {
    image: 'page',
    cells: seen.map((one) => one.cell),
    lines: [],
    logits: seen.map((one) => one.logit),
    offsets: seen.flatMap((one) => [...one.offsets, 1]),
    absent,
  }
}

const expectEdges = (edges: readonly number[], expected: readonly number[]): void => {
  expect(edges).toHaveLength(4)
  edges.forEach((edge, i) => {
    expect(edge).toBeCloseTo(expected[i]!, 9)
  })
}

describe('overlap', () => {
  it('is the area in common over the area of both', () => {
    expect(overlap([0, 0, 0.2, 0.2], [0, 0, 0.2, 0.2])).toBeCloseTo(1, 12)
    expect(overlap([0, 0, 0.2, 0.2], [0.1, 0, 0.3, 0.2])).toBeCloseTo(1 / 3, 12)
    expect(overlap([0, 0, 0.2, 0.2], [0.05, 0.05, 0.15, 0.15])).toBeCloseTo(1 / 4, 12)
  })

  it('is 0 for boxes that only touch, and for empty ones', () => {
    expect(overlap([0, 0, 0.2, 0.2], [0.2, 0, 0.4, 0.2])).toBe(0)
    expect(overlap([0, 0, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1])).toBe(0)
    expect(overlap([0.1, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1])).toBe(0)
  })
})

describe('oneBox', () => {
  it('reaches from the centre of the likeliest cell as far as the offsets say', () => {
    const { boxes, logProbability } = oneBox(
      scoresOf([
        { cell: cell(0.5, 0.5), logit: 5, offsets: [1, 2, 3, 4] },
        { cell: cell(0.1, 0.9), logit: -5, offsets: [0.5, 0.5, 0.5, 0.5] },
      ]),
    )
    expect(boxes).toHaveLength(1)
    expect(boxes[0]!.image).toBe('page')
    expectEdges(boxes[0]!.edges, [0.4, 0.48, 0.8, 0.54])
    expect(logProbability).toBeCloseTo(-Math.log1p(Math.exp(-10) + Math.exp(-15)), 9)
    expect(boxes[0]!.logProbability).toBe(logProbability)
  })

  it('is the box of the line where a word of it is likeliest', () => {
    const scores = scoresOf([{ cell: cell(0.1, 0.9), logit: 1, offsets: [1, 1, 1, 1] }])
    const { boxes } = oneBox({
      ...scores,
      lines: [
        [0.2, 0.1, 0.5, 0.14],
        [0.2, 0.1, 0.5, 0.14],
      ],
      logits: [1, 6, 6],
    })
    expectEdges(boxes[0]!.edges, [0.2, 0.1, 0.5, 0.14])
  })

  it('ends at the edges of the picture', () => {
    const { boxes } = oneBox(scoresOf([{ cell: cell(0.05, 0.99), logit: 5, offsets: [9, 0, 99, 9] }]))
    expectEdges(boxes[0]!.edges, [0, 0.99, 1, 1])
  })

  it('may lie beside the centre of its cell', () => {
    const { boxes } = oneBox(scoresOf([{ cell: cell(0.5, 0.5), logit: 5, offsets: [-0.2, 0.5, 0.4, 0.5] }]))
    expectEdges(boxes[0]!.edges, [0.52, 0.495, 0.54, 0.505])
  })

  it('has its edges in order when the encoder mistakes one for the other', () => {
    const { boxes } = oneBox(scoresOf([{ cell: cell(0.5, 0.5), logit: 5, offsets: [-0.4, 0.5, 0.2, 0.5] }]))
    expectEdges(boxes[0]!.edges, [0.52, 0.495, 0.54, 0.505])
  })

  it('is weighed over the cells that agree, those of the whole picture a tenth', () => {
    const { boxes, logProbability } = oneBox(
      scoresOf([
        { cell: cell(0.5, 0.5), logit: 2, offsets: [2, 2, 2, 2] }, // 0.30 to 0.70
        { cell: cell(0.5, 0.5, true), logit: 2, offsets: [1.5, 2, 2, 2] }, // 0.35 to 0.70
        { cell: cell(0.9, 0.1), logit: 1, offsets: [0.5, 0.5, 0.5, 0.5] }, // elsewhere
      ]),
    )
    expectEdges(boxes[0]!.edges, [(0.3 + 0.1 * 0.35) / 1.1, 0.48, 0.7, 0.52])
    expect(logProbability).toBeCloseTo(Math.log((2 * Math.exp(2)) / (2 * Math.exp(2) + Math.exp(1) + Math.exp(-10))), 9)
  })

  it('is where cells agree, not where the likeliest one is alone', () => {
    const lone: Seen = { cell: cell(0.9, 0.1), logit: 2.2, offsets: [0.5, 0.5, 0.5, 0.5] }
    const pair = (isGlobal: boolean) =>
      [0.5, 0.52].map((x): Seen => ({ cell: cell(x, 0.5, isGlobal), logit: 2, offsets: [(x - 0.4) * 10, 2, (0.6 - x) * 10, 2] }))
    const { boxes, logProbability } = oneBox(scoresOf([lone, ...pair(false)]))
    expectEdges(boxes[0]!.edges, [0.4, 0.48, 0.6, 0.52])
    expect(logProbability).toBeCloseTo(Math.log((2 * Math.exp(2)) / (2 * Math.exp(2) + Math.exp(2.2) + Math.exp(-10))), 9)
    expectEdges(oneBox(scoresOf([lone, ...pair(true)])).boxes[0]!.edges, [0.85, 0.095, 0.95, 0.105])
  })

  it('is nothing when nothing is likelier than all cells together', () => {
    const seen = [0.1, 0.5].map((x): Seen => ({ cell: cell(x, 0.5), logit: 0, offsets: [1, 1, 1, 1] }))
    // Two cells of logit 0 are as likely as a "nothing" of log 2.
    expect(oneBox(scoresOf(seen, Math.log(2) - 0.01)).boxes).toHaveLength(1)
    const { boxes, logProbability } = oneBox(scoresOf(seen, Math.log(2) + 0.01))
    expect(boxes).toEqual([])
    expect(logProbability).toBeCloseTo(Math.log(0.5 + 0.0025), 3)
  })

  it('is nothing in a picture without cells', () => {
    expect(oneBox(scoresOf([]))).toEqual({ boxes: [], logProbability: 0 })
  })
})

describe('everyBox', () => {
  const at = (x: number, y: number, logit: number): Seen => ({ cell: cell(x, y), logit, offsets: [0.5, 0.5, 0.5, 0.5] })

  it('gives each element that is likelier than nothing there, the likeliest first', () => {
    const { boxes, logProbability } = everyBox(scoresOf([at(0.1, 0.1, 1), at(0.5, 0.5, 3), at(0.9, 0.9, -1), at(0.9, 0.1, 2)], 0))
    expect(boxes.map(({ edges }) => Math.round(((edges[0] + edges[2]) / 2) * 100) / 100)).toEqual([0.5, 0.9, 0.1])
    const sigmoid = (x: number) => 1 / (1 + Math.exp(-x))
    expect(boxes.map((box) => box.logProbability)).toEqual([3, 2, 1].map((logit) => expect.closeTo(Math.log(sigmoid(logit)), 9)))
    expect(logProbability).toBeCloseTo(Math.log(sigmoid(1) * sigmoid(3) * sigmoid(1) * sigmoid(2)), 9)
  })

  it('makes one box of the cells of one element', () => {
    const { boxes } = everyBox(
      scoresOf(
        [
          { cell: cell(0.4, 0.5), logit: 2, offsets: [1, 1, 3, 1] },
          { cell: cell(0.5, 0.5), logit: 4, offsets: [2, 1, 2, 1] },
          { cell: cell(0.6, 0.5), logit: 2, offsets: [3, 1, 1, 1] },
          at(0.1, 0.1, 3),
        ],
        0,
      ),
    )
    expect(boxes).toHaveLength(2)
    expectEdges(boxes[0]!.edges, [0.3, 0.49, 0.7, 0.51])
  })

  it('keeps neighbours that only touch apart', () => {
    expect(everyBox(scoresOf([at(0.1, 0.5, 2), at(0.2, 0.5, 2), at(0.3, 0.5, 2)], 0)).boxes).toHaveLength(3)
  })

  it('gives none when no cell is likelier than nothing there, and none of a picture without cells', () => {
    expect(everyBox(scoresOf([at(0.1, 0.5, -2), at(0.2, 0.5, 0)], 0)).boxes).toEqual([])
    expect(everyBox(scoresOf([]))).toEqual({ boxes: [], logProbability: 0 })
  })
})

describe('whatever the encoder says', () => {
  const cells = cellsOf(1, 2)
  const number = fc.float({ min: -6, max: 6, noNaN: true })

  it('boxes lie in the picture with their edges in order, likely as probabilities are, and apart', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, number, number, number, number, fc.nat(cells.length - 1)), { maxLength: 24 }),
        number,
        (rows, absent) => {
          const scores = scoresOf(
            rows.map(([logit, a, b, c, d, index]) => ({ cell: cells[index]!, logit, offsets: [a, b, c, d] })),
            absent,
          )
          const [one, every] = [oneBox(scores), everyBox(scores)]
          expect(one.boxes.length).toBeLessThanOrEqual(1)
          expect([one.logProbability, every.logProbability].filter((logP) => !(logP <= 0))).toEqual([])
          const all = [...one.boxes, ...every.boxes]
          const isSound = ([left, top, right, bottom]: readonly number[]) =>
            left! >= 0 && left! <= right! && right! <= 1 && top! >= 0 && top! <= bottom! && bottom! <= 1
          expect(all.filter(({ edges, logProbability }) => !isSound(edges) || !(logProbability <= 0))).toEqual([])
          every.boxes.forEach((box, i) => {
            for (const other of every.boxes.slice(0, i)) expect(overlap(box.edges, other.edges)).toBeLessThan(0.3)
          })
        },
      ),
      { seed: SEED, numRuns: 500 },
    )
  })
})
