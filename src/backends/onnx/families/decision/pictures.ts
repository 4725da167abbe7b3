// Pictures to what the decoder sees of them: through the vision encoder in full and squeezed into one tile, and of their cells those that show something.
// Kept by content, whatever state they stand in.
import type { Picture } from '../../../../types.ts'
import type { CacheCounts } from '../../../backend.ts'
import { ByteCache, type Made } from '../../cache.ts'
import { joined } from '../../tensors.ts'
import { normaliseGrid, type TileRule, tilePicture } from '../../tiles.ts'
import type { Turns } from '../../turns.ts'
import { CELLS, type Cell, cellsOf, keptCells } from './cells.ts'
import type { Seen, VisionEncoder } from './vision.ts'

const CELLS_A_TILE = CELLS * CELLS

/** The cells of a picture that are not flat, and what the encoder says of each. */
export interface SeenPicture extends Seen {
  readonly cells: readonly Cell[]
}

export class Pictures {
  readonly #encoder: Pick<VisionEncoder, 'look'>
  readonly #turns: Turns
  readonly #rule: TileRule
  readonly #seen: ByteCache<SeenPicture>

  constructor(encoder: Pick<VisionEncoder, 'look'>, turns: Turns, rule: TileRule, cacheBytes: number) {
    this.#encoder = encoder
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
    const cut = rows * cols
    // The picture in full, put together again so that nothing is cut in two, then the whole squeezed into one tile.
    const views =
      cut === 0
        ? [{ tiles, cols: 1, first: 0 }]
        : [
            { tiles: tiles.slice(0, cut), cols, first: 0 },
            { tiles: tiles.slice(cut), cols: 1, first: cut },
          ]
    const parts: Seen[] = []
    for (const view of views) {
      const end = view.first + view.tiles.length
      const own = kept
        .filter((cell) => tileOf(cell) >= view.first && tileOf(cell) < end)
        .map((cell) => lineCell(cell - view.first * CELLS_A_TILE, view.cols))
      if (own.length === 0) continue
      const [height, width] = [(view.tiles.length / view.cols) * tileSize, view.cols * tileSize]
      parts.push(
        await this.#turns.run(() => this.#encoder.look(normaliseGrid(view.tiles, tileSize, view.cols), height, width, own), signal),
      )
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

const tileOf = (cell: number): number => Math.floor(cell / CELLS_A_TILE)

/** A cell counted tile by tile, counted line by line across all tiles of `cols` columns: the order in which the encoder gives them. */
function lineCell(cell: number, cols: number): number {
  const tile = tileOf(cell)
  const inside = cell % CELLS_A_TILE
  const line = Math.floor(tile / cols) * CELLS + Math.floor(inside / CELLS)
  return (line * cols + (tile % cols)) * CELLS + (inside % CELLS)
}

/** What a picture shows, as a name. */
export function nameOf({ sha256, width, height }: Picture): string {
  return `${sha256} ${width}x${height}`
}
