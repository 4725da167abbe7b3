// Pictures to what the decoder sees of them: through the vision encoder in full and squeezed into one tile, and of their cells those that show something.
// Kept by content, whatever state they stand in.
import type { Picture } from '../../../../core/types.ts'
import type { CacheCounts } from '../../../backend.ts'
import { ByteCache, type Made } from '../../caching/byte-cache.ts'
import { normaliseGrid, type TileRule, tilePicture } from '../../images/tiles.ts'
import { joined } from '../../runtime/tensors.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { CELLS_A_TILE, type Cell, cellsOf, keptCells, lineCell, tileOf } from './cells.ts'
import type { ReadLine } from './lines.ts'
import type { TextReader } from './reader.ts'
import type { Seen, VisionEncoder } from './vision.ts'

/** The cells of a picture that are not flat, what the encoder says of each, and the lines of text in it. */
export interface SeenPicture extends Seen {
  readonly cells: readonly Cell[]
  readonly lines: readonly ReadLine[]
}

export class Pictures {
  readonly #encoder: Pick<VisionEncoder, 'look'>
  readonly #textReader: Pick<TextReader, 'read'> | null
  readonly #scheduler: FairScheduler
  readonly #rule: TileRule
  readonly #seen: ByteCache<SeenPicture>

  /** `textReader`: null for a model that reads no letters. */
  constructor(
    encoder: Pick<VisionEncoder, 'look'>,
    textReader: Pick<TextReader, 'read'> | null,
    scheduler: FairScheduler,
    rule: TileRule,
    cacheBytes: number,
  ) {
    this.#encoder = encoder
    this.#textReader = textReader
    this.#scheduler = scheduler
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
    let lines: readonly ReadLine[] = []
    for (const view of views) {
      const end = view.first + view.tiles.length
      const own = kept
        .filter((cell) => tileOf(cell) >= view.first && tileOf(cell) < end)
        .map((cell) => lineCell(cell - view.first * CELLS_A_TILE, view.cols))
      if (own.length === 0) continue
      const [height, width] = [(view.tiles.length / view.cols) * tileSize, view.cols * tileSize]
      const pixels = normaliseGrid(view.tiles, tileSize, view.cols)
      parts.push(await this.#scheduler.run(() => this.#encoder.look(pixels, height, width, own), signal))
      const textReader = this.#textReader
      if (textReader !== null && view.first === 0)
        lines = await this.#scheduler.run(() => textReader.read(pixels, height, width, own), signal)
    }
    const all = cellsOf(rows, cols)
    const value = {
      cells: kept.map((cell) => all[cell] as Cell),
      features: joined(parts.map(({ features }) => features)),
      offsets: joined(parts.map(({ offsets }) => offsets)),
      lines,
    }
    return { value, bytes: value.features.byteLength + value.offsets.byteLength + bytesOf(lines) }
  }

  clear(): void {
    this.#seen.clear()
  }
}

/** About what lines take: a number and a half a letter. */
const bytesOf = (lines: readonly ReadLine[]): number => lines.reduce((sum, { text }) => sum + 100 + 12 * text.length, 0)

/** What a picture shows, as a name. */
export function nameOf({ sha256, width, height }: Picture): string {
  return `${sha256} ${width}x${height}`
}
