// Pictures go through the vision encoder a few tiles a pass: in order, only what shows something, and no further once the request has given up.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CELLS } from '../../src/backends/onnx/families/decision/cells.ts'
import { Pictures } from '../../src/backends/onnx/families/decision/pictures.ts'
import { Runner } from '../../src/backends/onnx/families/decision/runner.ts'
import { openFolder } from '../../src/backends/onnx/layout.ts'
import { normaliseTiles } from '../../src/backends/onnx/tiles.ts'
import { makeTurns } from '../../src/backends/onnx/turns.ts'
import type { Picture } from '../../src/types.ts'

const RULE = { longestEdge: 1024, tileSize: 256, split: true, upscale: false }
const CELLS_A_TILE = CELLS * CELLS

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
  const passes: { count: number; kept: readonly number[] }[] = []
  const runner: Pick<Runner, 'tiles'> = {
    async tiles(_pixels, count, _size, kept) {
      passes.push({ count, kept })
      onPass(passes.length)
      return {
        features: Float32Array.from(kept.flatMap((cell) => [passes.length, cell])),
        offsets: Float32Array.from(kept),
      }
    },
  }
  return { passes, pictures: new Pictures(runner as Runner, makeTurns(), RULE, 1e6) }
}

describe('pictures', () => {
  it('are read four tiles a pass, those that show something, and only cells that are not flat are kept, in order', async () => {
    const { passes, pictures } = recording()
    const seen = await pictures.see(picture, undefined)
    expect(passes.map(({ count }) => count)).toEqual([4, 1])
    expect(seen.cells.length).toBe(passes.reduce((sum, { kept }) => sum + kept.length, 0))
    expect(seen.cells.length).toBeLessThan(7 * CELLS_A_TILE)
    expect(seen.offsets.length).toBe(seen.cells.length)
    expect(Array.from(seen.features)).toEqual(passes.flatMap(({ kept }, pass) => kept.flatMap((cell) => [pass + 1, cell])))
    for (const { count, kept } of passes) for (const cell of kept) expect(cell).toBeLessThan(count * CELLS_A_TILE)
    // The left tiles are white but for their edge.
    expect(seen.cells.filter(({ x, isGlobal }) => x < 0.25 && !isGlobal)).toEqual([])
  })

  it('are read once, whatever state they stand in', async () => {
    const { passes, pictures } = recording()
    const seen = await pictures.see(picture, undefined)
    expect(await pictures.see({ ...picture }, undefined)).toBe(seen)
    expect(passes).toHaveLength(2)
  })

  it('are not read to the end when the request gives up', async () => {
    const stop = new AbortController()
    const { passes, pictures } = recording(() => stop.abort(new Error('gone')))
    await expect(pictures.see(picture, stop.signal)).rejects.toThrow('gone')
    expect(passes).toHaveLength(1)
  })
})

describe('the vision encoder in 8 bits, which is what runs', () => {
  it('reads a tile the same to the last bit, whatever runs beside it', async () => {
    const runner = await Runner.open(await openFolder(fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))), {})
    expect(runner.files).toContain('onnx/vision_encoder_int8.onnx')
    const side = 256
    const of = (level: (i: number) => number) => Uint8Array.from({ length: side * side * 3 }, (_, i) => level(i))
    const tiles = [of((i) => (i * 2_654_435_761) >>> 24), of((i) => ((Math.floor(i / 3) % side) & 32 ? 255 : 0)), of(() => 0)]
    const cells = (count: number) => Array.from({ length: count * CELLS_A_TILE }, (_, cell) => cell)
    const together = await runner.tiles(normaliseTiles(tiles, side), tiles.length, side, cells(tiles.length))
    const alone = []
    for (const tile of tiles) alone.push(await runner.tiles(normaliseTiles([tile], side), 1, side, cells(1)))
    for (const name of ['features', 'offsets'] as const) {
      expect([...together[name]]).toEqual(alone.flatMap((one) => [...one[name]]))
      expect(together[name].every(Number.isFinite)).toBe(true)
    }
    await runner.close()
  })
})
