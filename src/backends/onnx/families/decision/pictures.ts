// Pictures to what the decoder sees of them: tiles through the vision encoder, a few a pass, so that what else waits for the model waits for a few tiles
// at most; and of their cells those that show something. Kept by content, whatever state they stand in.
import type { Picture } from '../../../../types.ts'
import type { CacheCounts } from '../../../backend.ts'
import { ByteCache, type Made } from '../../cache.ts'
import { joined } from '../../tensors.ts'
import { normaliseTiles, type TileRule, tilePicture } from '../../tiles.ts'
import type { Turns } from '../../turns.ts'
import { CELLS, type Cell, cellsOf, keptCells } from './cells.ts'
import type { Runner } from './runner.ts'

/** Tiles of a pass: as fast as all of a picture in one, and a quarter faster than one by one. */
const TILES_A_PASS = 4
const CELLS_A_TILE = CELLS * CELLS

/** The cells of a picture that are not flat, each with [192] features and [5] offsets. */
export interface SeenPicture {
  readonly cells: readonly Cell[]
  readonly features: Float32Array
  readonly offsets: Float32Array
}

export class Pictures {
  readonly #runner: Runner
  readonly #turns: Turns
  readonly #rule: TileRule
  readonly #seen: ByteCache<SeenPicture>

  constructor(runner: Runner, turns: Turns, rule: TileRule, cacheBytes: number) {
    this.#runner = runner
    this.#turns = turns
    this.#rule = rule
    this.#seen = new ByteCache(cacheBytes)
  }

  get counts(): CacheCounts {
    return this.#seen.counts
  }

  async see(picture: Picture, signal?: AbortSignal): Promise<SeenPicture> {
    return (await this.#seen.through(nameOf(picture), (stop) => this.#encode(picture, stop), signal)).value
  }

  async #encode(picture: Picture, signal: AbortSignal): Promise<Made<SeenPicture>> {
    const { tiles, tileSize, rows, cols } = await tilePicture(picture, this.#rule)
    const kept = keptCells(tiles, tileSize)
    // Tiles of nothing but flat cells are not run: nothing of them becomes a token.
    const shown = [...new Set(kept.map((cell) => Math.floor(cell / CELLS_A_TILE)))]
    const parts: { features: Float32Array; offsets: Float32Array }[] = []
    for (let from = 0; from < shown.length; from += TILES_A_PASS) {
      const indexes = shown.slice(from, from + TILES_A_PASS)
      const some = indexes.map((index) => tiles[index] as Uint8Array)
      const own = kept.flatMap((cell) => {
        const tile = indexes.indexOf(Math.floor(cell / CELLS_A_TILE))
        return tile === -1 ? [] : [tile * CELLS_A_TILE + (cell % CELLS_A_TILE)]
      })
      parts.push(await this.#turns.run(() => this.#runner.tiles(normaliseTiles(some, tileSize), some.length, tileSize, own), signal))
    }
    const all = cellsOf(rows, cols)
    const value = {
      cells: kept.map((cell) => all[cell] as Cell),
      features: joined(parts.map(({ features }) => features)),
      offsets: joined(parts.map(({ offsets }) => offsets)),
    }
    return { value, bytes: value.features.byteLength + value.offsets.byteLength }
  }

  clear(): void {
    this.#seen.clear()
  }
}

/** What a picture shows, as a name. */
export function nameOf({ sha256, width, height }: Picture): string {
  return `${sha256} ${width}x${height}`
}
