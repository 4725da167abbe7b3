// Pictures go through the vision encoder in full and squeezed: only what shows something is kept, and nothing goes on
// once the request has given up.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CELLS_PER_SIDE } from '../../../../../src/backends/onnx/families/decision/cells.ts'
import { PictureEncoder } from '../../../../../src/backends/onnx/families/decision/picture-encoder.ts'
import { VisionEncoder } from '../../../../../src/backends/onnx/families/decision/vision-encoder.ts'
import { normaliseGrid } from '../../../../../src/backends/onnx/images/tiles.ts'
import { openFolder } from '../../../../../src/backends/onnx/runtime/layout.ts'
import { makeFairScheduler } from '../../../../../src/backends/onnx/scheduling/fair-scheduler.ts'
import type { Picture } from '../../../../../src/core/types.ts'
import { line } from './shared.ts'

const CONFIG = {
  rule: { longestEdge: 1024, tileSize: 256, split: true, upscale: false },
  cellsPerSide: CELLS_PER_SIDE,
  visionWidth: 256,
  letters: null,
}

/** 600 x 400 pixels: three by two tiles and the whole. Stripes, but for the left part, which is white. */
const picture: Picture = {
  width: 600,
  height: 400,
  data: Uint8Array.from({ length: 600 * 400 * 3 }, (_, i) => {
    const x = Math.floor(i / 3) % 600
    return x < 220 || Math.floor(x / 7) % 2 === 0 ? 255 : 10
  }),
  sha256: 'stripes',
}

/** Says of each cell which pass it was in and which cell of the pass it is. */
function recording(onPass: (pass: number) => void = () => {}) {
  const passes: { height: number; width: number; kept: readonly number[] }[] = []
  const encoder: Pick<VisionEncoder, 'encode'> = {
    async encode(_pixels, height, width, kept) {
      passes.push({ height, width, kept })
      onPass(passes.length)
      return {
        features: Float32Array.from(kept.flatMap((cell) => [passes.length, cell])),
        offsets: Float32Array.from(kept),
      }
    },
  }
  return { encoder, passes, pictures: new PictureEncoder(encoder, null, makeFairScheduler(), CONFIG, 1e6) }
}

describe('pictures', () => {
  it('are read in full and squeezed into one tile, and only cells that are not flat are kept, each where it lies', async () => {
    const { passes, pictures } = recording()
    const seen = await pictures.encode(picture, undefined)
    expect(passes.map(({ height, width }) => [height, width])).toEqual([
      [512, 768],
      [256, 256],
    ])
    expect(seen.cells.length).toBe(passes.reduce((sum, { kept }) => sum + kept.length, 0))
    expect(seen.cells.length).toBeLessThan(7 * CELLS_PER_SIDE ** 2)
    expect(seen.offsets.length).toBe(seen.cells.length)
    // Lines of 24 cells in the picture in full, of 8 in the other: the number that the encoder is asked for is where
    // the cell says it lies.
    const columns = [3 * CELLS_PER_SIDE, CELLS_PER_SIDE]
    seen.cells.forEach(({ x, y, width, height }, i) => {
      const [pass, cell] = [seen.features[2 * i] as number, seen.features[2 * i + 1] as number]
      const across = columns[pass - 1] as number
      expect([cell % across, Math.floor(cell / across)]).toEqual([Math.round(x / width - 0.5), Math.round(y / height - 0.5)])
    })
    // The left tiles are white but for their edge.
    expect(seen.cells.filter(({ x, isGlobal }) => x < 0.25 && !isGlobal)).toEqual([])
  })

  it('have their text read once, in full', async () => {
    const reads: (readonly [number, number])[] = []
    const textReader = {
      read: async (_pixels: Float32Array, height: number, width: number) => {
        reads.push([height, width])
        return [line('Total')]
      },
    }
    const pictures = new PictureEncoder(recording().encoder, textReader, makeFairScheduler(), CONFIG, 1e6)
    expect((await pictures.encode(picture, undefined)).lines).toEqual([line('Total')])
    expect(reads).toEqual([[512, 768]])
    expect((await pictures.encode({ ...picture, data: new Uint8Array(600 * 400 * 3), sha256: 'black' }, undefined)).lines).toEqual([])
    expect(reads).toHaveLength(1)
  })

  it('that show nothing are not read', async () => {
    const { passes, pictures } = recording()
    const seen = await pictures.encode({ ...picture, data: new Uint8Array(600 * 400 * 3), sha256: 'black' }, undefined)
    expect(passes).toEqual([])
    expect(seen.cells).toEqual([])
  })

  it('are read once, whatever state they stand in', async () => {
    const { passes, pictures } = recording()
    const seen = await pictures.encode(picture, undefined)
    expect(await pictures.encode({ ...picture }, undefined)).toBe(seen)
    expect(passes).toHaveLength(2)
  })

  it('are not read to the end when the request gives up', async () => {
    const stop = new AbortController()
    const { passes, pictures } = recording(() => stop.abort(new Error('gone')))
    await expect(pictures.encode(picture, stop.signal)).rejects.toThrow('gone')
    expect(passes).toHaveLength(1)
  })
})

describe('the vision encoder in 8 bits, which is what runs', () => {
  const side = 256
  const of = (level: (i: number) => number) => Uint8Array.from({ length: side * side * 3 }, (_, i) => level(i))
  const noise = of((i) => (i * 2_654_435_761) >>> 24)
  const stripes = of((i) => ((Math.floor(i / 3) % side) & 32 ? 255 : 0))
  const black = of(() => 0)

  it('reads a picture the same every time, and sees across its tiles', async () => {
    const folder = await openFolder(fileURLToPath(new URL('../../../../../models/service-1-pro/pictures', import.meta.url)))
    const encoder = await VisionEncoder.open(folder, {}, CONFIG)
    expect(encoder.files).toContain('onnx/vision_encoder_int8.onnx')
    const look = (tiles: readonly Uint8Array[], cols: number) => {
      const [height, width] = [(tiles.length / cols) * side, cols * side]
      const cells = Array.from({ length: (height / 32) * (width / 32) }, (_, cell) => cell)
      return encoder.encode(normaliseGrid(tiles, side, cols), height, width, cells)
    }
    const four = [noise, stripes, black, noise]
    const once = await look(four, 2)
    await look([noise], 1)
    expect(await look(four, 2)).toEqual(once)
    for (const values of Object.values(once)) expect(values.every(Number.isFinite)).toBe(true)
    // The last cell of the first line of the first tile lies beside the second tile; its first cell is out of sight of
    // it.
    const width = once.features.length / (16 * 16)
    const cell = (features: Float32Array, index: number) => Array.from(features.subarray(index * width, (index + 1) * width))
    const other = await look([noise, black, black, noise], 2)
    expect(cell(other.features, 0)).toEqual(cell(once.features, 0))
    expect(cell(other.features, 7)).not.toEqual(cell(once.features, 7))
    await encoder.close()
  })
})
