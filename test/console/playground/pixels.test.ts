import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boxAround, coordinatesText, draggedTo, pixelAt, placed, steppedTo } from '../../../src/console/playground/pixels.ts'

const SIZE = [1280, 800] as const
/** The picture as it is drawn in a column, on a phone, and larger than it is. */
const DRAWN = [
  { left: 772, top: 190, width: 461, height: 288.125 },
  { left: 37, top: -20, width: 316, height: 197.5 },
  { left: 0, top: 0, width: 2560, height: 1600 },
]

describe('pointing at a picture', () => {
  it.each(DRAWN)('gives the pixel as sent, at any width: %o', (at) => {
    const place = (x: number, y: number) => pixelAt(at.left + (x / 1280) * at.width, at.top + (y / 800) * at.height, at, SIZE)
    expect(place(0.5, 0.5)).toEqual([0, 0])
    expect(place(423.5, 210.5)).toEqual([423, 210])
    expect(place(1279.5, 799.5)).toEqual([1279, 799])
  })

  it('never leaves the picture', () => {
    fc.assert(
      fc.property(fc.double({ min: -9000, max: 9000, noNaN: true }), fc.double({ min: -9000, max: 9000, noNaN: true }), (x, y) => {
        const [column, row] = pixelAt(x, y, DRAWN[0]!, SIZE)
        expect(column >= 0 && column <= 1279 && row >= 0 && row <= 799).toBe(true)
      }),
      { seed: 3 },
    )
  })

  it('is a point while the pointer hardly moves on the page, and a box from then on', () => {
    // One CSS pixel of the second picture is four of its own.
    expect(draggedTo([100, 100], [108, 100], DRAWN[1]!, SIZE)).toEqual({ type: 'point', at: [108, 100] })
    expect(draggedTo([100, 100], [90, 140], DRAWN[1]!, SIZE)).toEqual({ type: 'box', from: [100, 100], to: [90, 140] })
    expect(draggedTo([100, 100], [108, 100], DRAWN[2]!, SIZE)).toEqual({ type: 'box', from: [100, 100], to: [108, 100] })
  })

  it('reads as a request would say it, whichever corner came first', () => {
    expect(boxAround([90, 140], [100, 100])).toEqual([90, 100, 101, 141])
    expect(coordinatesText({ type: 'box', from: [100, 100], to: [90, 140] })).toBe('[90, 100, 101, 141]')
    expect(coordinatesText({ type: 'point', at: [3, 4] })).toBe('[3, 4]')
  })

  it('moves by arrow keys, one pixel or ten, and stops at the edges', () => {
    expect(steppedTo('ArrowRight', false, [5, 5], SIZE)).toEqual([6, 5])
    expect(steppedTo('ArrowUp', true, [5, 5], SIZE)).toEqual([5, 0])
    expect(steppedTo('ArrowRight', true, [1275, 5], SIZE)).toEqual([1279, 5])
    expect([steppedTo('Enter', false, [5, 5], SIZE), steppedTo('constructor', false, [5, 5], SIZE)]).toEqual([null, null])
  })
})

describe('a box on a picture', () => {
  it('stands in shares of the picture, so that it is right at any width', () => {
    expect(placed([320, 200, 640, 600], SIZE)).toEqual({ left: '25%', top: '25%', width: '25%', height: '50%' })
    expect(placed([0, 0, 1280, 800], SIZE)).toEqual({ left: '0%', top: '0%', width: '100%', height: '100%' })
  })
})
