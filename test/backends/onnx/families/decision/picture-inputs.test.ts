// A word that was read takes its look from the cell it stands in.
import { describe, expect, it } from 'vitest'
import { cellsOf, nearestCells } from '../../../../../src/backends/onnx/families/decision/cells.ts'
import { pictureInputsOf, WORD_BOX_WIDTH, wordBoxRows } from '../../../../../src/backends/onnx/families/decision/picture-inputs.ts'
import { tokenizer } from './shared.ts'

const wordAt = (x: number, y: number) => ({ x, y, width: 0.05, height: 0.02, isGlobal: false })

describe('nearestCells', () => {
  const cells = cellsOf(1, 2)

  it('takes the cell that the middle of a word lies in, of the picture in full', () => {
    // Two tiles of 8 x 8 beside each other: the first cell of the second one begins in the middle.
    expect(nearestCells(cells, [wordAt(0.01, 0.01), wordAt(0.51, 0.01), wordAt(0.99, 0.99)])).toEqual([0, 64, 127])
  })

  it('takes the nearest of those that were kept', () => {
    const kept = [cells[0]!, cells[9]!, cells[128]!]
    expect(nearestCells(kept, [wordAt(0.99, 0.99), wordAt(0, 0)])).toEqual([1, 0])
  })

  it('takes one of the whole picture where it was not cut', () => {
    expect(nearestCells(cellsOf(0, 0), [wordAt(0.99, 0.01)])).toEqual([7])
  })
})

describe('pictureInputsOf', () => {
  it('counts cells through all pictures, and words behind them', () => {
    const cells = cellsOf(0, 0).slice(0, 8)
    const line = { text: 'Save', edges: [0.9, 0.92, 0.94, 0.96, 0.98], top: 0, bottom: 0.1 }
    const picture = { cells, features: new Float32Array(8), boxes: new Float32Array(40), lines: [line] } as unknown as Parameters<
      typeof pictureInputsOf
    >[0][number]
    const { layout, cells: rows, wordBoxes } = pictureInputsOf([picture, picture], [1, 2], tokenizer)
    const words = (rows.length - 16) / 2
    expect(words).toBeGreaterThan(0)
    expect(rows).toEqual([...Array(16).keys(), ...Array(words).fill(7), ...Array(words).fill(15)])
    expect(layout.map(({ length }) => length / 6)).toEqual([8, 8, words, words])
    // In heights of the picture, so that of the second one, twice as wide as high, all across is twice as much.
    expect([...wordBoxes.subarray(1, 6)].map((value) => Math.round(value * 100) / 100)).toEqual([0.05, 0.1, 0.9, 0.98, 0])
    expect([...wordBoxes.subarray(-5)].map((value) => Math.round(value * 100) / 100)).toEqual([0.05, 0.1, 1.8, 1.96, 1])
  })
})

describe('wordBoxRows', () => {
  it('gives words their boxes, nothing else any, and no more words than can be compared', () => {
    const count = 1100
    const wordBoxes = Float32Array.from({ length: count * WORD_BOX_WIDTH }, (_, i) => Math.floor(i / WORD_BOX_WIDTH))
    const inputs = { cells: new Array<number>(2 + count).fill(0), wordBoxes }
    // A text, the two cells, and the words behind them.
    const tokens = [-1, 0, 1, ...Array.from({ length: count }, (_, word) => 2 + word)]
    const firsts = [...wordBoxRows(tokens, inputs)].filter((_, i) => i % WORD_BOX_WIDTH === 0)
    expect(firsts).toEqual([-1, -1, -1, ...Array(1024).keys(), ...Array(count - 1024).fill(-1)])
  })
})
