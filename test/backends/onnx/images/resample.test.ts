// The two ways of resizing give the same bytes. That those are Pillow's is held by the goldens of the families that
// see.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Raster, resample, resamplePlainly } from '../../../../src/backends/onnx/images/resample.ts'
import { loadKernels } from '../../../../src/backends/onnx/images/resample-simd.ts'

/** Levels drawn from `levels` by a small generator: extremes side by side ring most. */
function drawn(width: number, height: number, seed: number, levels: readonly number[] | null): Raster {
  let state = seed | 1
  const data = Uint8Array.from({ length: width * height * 3 }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return levels === null ? state & 255 : (levels[(state >>> 8) % levels.length] as number)
  })
  return { width, height, data }
}

/** Not `toEqual`: it takes seconds for megabytes. */
const isSame = (a: Raster, b: Raster): boolean => a.width === b.width && a.height === b.height && Buffer.compare(a.data, b.data) === 0

describe('resample', () => {
  it('has vectors on this machine, or the tests below compare a thing with itself', () => {
    expect(loadKernels(22)).not.toBeNull()
  })

  it('gives the bytes of the plain loops for any size', () => {
    const side = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 400 }))
    const levels = fc.constantFrom(null, [0, 255], [0], [255], [254, 255])
    const filters = fc.constantFrom('lanczos' as const, 'bicubic' as const, 'bilinear' as const)
    fc.assert(
      fc.property(side, side, side, side, fc.integer(), levels, filters, (width, height, toWidth, toHeight, seed, of, filter) => {
        const picture = drawn(width, height, seed, of)
        return isSame(resample(picture, toWidth, toHeight, filter), resamplePlainly(picture, toWidth, toHeight, filter))
      }),
      { seed: 5, numRuns: 300 },
    )
  })

  it.each([
    [1280, 800, 1024, 640],
    [1024, 640, 1024, 768],
    [1024, 768, 256, 256],
    [300, 2400, 128, 1024],
    [4000, 30, 1024, 8],
  ])('gives the bytes of the plain loops from %i x %i to %i x %i', (width, height, toWidth, toHeight) => {
    const picture = drawn(width, height, 9, null)
    expect(isSame(resample(picture, toWidth, toHeight), resamplePlainly(picture, toWidth, toHeight))).toBe(true)
  })

  it('does not touch a picture that has the size already, and leaves the one it is given as it was', () => {
    const picture = drawn(30, 20, 3, null)
    expect(resample(picture, 30, 20)).toBe(picture)
    const before = picture.data.slice()
    resample(picture, 10, 40)
    expect(picture.data).toEqual(before)
  })

  it('takes rows that are too long for the memory of the vectors', () => {
    const long = drawn(5_700_000, 1, 4, [7])
    const { width, height, data } = resample(long, 5_700_000, 2)
    expect([width, height, data.length, data.every((level) => level === 7)]).toEqual([5_700_000, 2, 34_200_000, true])
  })

  it('refuses a size without pixels', () => {
    expect(() => resample(drawn(3, 3, 1, null), 0, 3)).toThrow('cannot resize to 0 x 3')
  })
})
