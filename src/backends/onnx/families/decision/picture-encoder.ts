// Pictures to features of their cells and lines of text: by the vision encoder, in full size and squeezed into one
// tile, for cells that are not of one colour. Cached by content, whatever state a picture stands in.
import type { Picture } from '../../../../core/types.ts'
import type { CacheCounts } from '../../../backend.ts'
import { ByteCache, type CacheEntry } from '../../caching/byte-cache.ts'
import { normaliseGrid, tilePicture } from '../../images/tiles.ts'
import { joined } from '../../runtime/tensors.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { type Cell, cellsOf, encoderCell, keptCells, tileOf } from './cells.ts'
import type { PictureConfig } from './configuration.ts'
import type { TextLine } from './text-lines.ts'
import type { TextReader } from './text-reader.ts'
import type { CellFeatures, VisionEncoder } from './vision-encoder.ts'

/** The cells of a picture that are not of one colour, their features, and the lines of text in the picture. */
export interface EncodedPicture extends CellFeatures {
  readonly cells: readonly Cell[]
  readonly lines: readonly TextLine[]
}

export class PictureEncoder {
  readonly #encoder: Pick<VisionEncoder, 'encode'>
  readonly #textReader: Pick<TextReader, 'read'> | null
  readonly #scheduler: FairScheduler
  readonly #config: PictureConfig
  readonly #cache: ByteCache<EncodedPicture>

  /** `textReader`: null for a model that reads no letters. */
  constructor(
    encoder: Pick<VisionEncoder, 'encode'>,
    textReader: Pick<TextReader, 'read'> | null,
    scheduler: FairScheduler,
    config: PictureConfig,
    cacheBytes: number,
  ) {
    this.#encoder = encoder
    this.#textReader = textReader
    this.#scheduler = scheduler
    this.#config = config
    this.#cache = new ByteCache(cacheBytes)
  }

  get counts(): CacheCounts {
    return this.#cache.counts
  }

  async encode(picture: Picture, signal?: AbortSignal): Promise<EncodedPicture> {
    return (await this.#cache.through(pictureKey(picture), (stop) => this.#encode(picture, stop), signal)).value
  }

  async #encode(picture: Picture, signal: AbortSignal): Promise<CacheEntry<EncodedPicture>> {
    const { rule, cellsPerSide } = this.#config
    const { tiles, tileSize, rows, cols } = await tilePicture(picture, rule)
    const kept = keptCells(tiles, tileSize, cellsPerSide)
    const cut = rows * cols
    // The tiles put together again, so that nothing is cut in two, then the whole picture squeezed into one tile.
    const views =
      cut === 0
        ? [{ tiles, cols: 1, first: 0 }]
        : [
            { tiles: tiles.slice(0, cut), cols, first: 0 },
            { tiles: tiles.slice(cut), cols: 1, first: cut },
          ]
    const parts: CellFeatures[] = []
    let lines: readonly TextLine[] = []
    for (const view of views) {
      const end = view.first + view.tiles.length
      const own = kept
        .filter((cell) => tileOf(cell, cellsPerSide) >= view.first && tileOf(cell, cellsPerSide) < end)
        .map((cell) => encoderCell(cell - view.first * cellsPerSide ** 2, view.cols, cellsPerSide))
      if (own.length === 0) continue
      const [height, width] = [(view.tiles.length / view.cols) * tileSize, view.cols * tileSize]
      const pixels = normaliseGrid(view.tiles, tileSize, view.cols)
      parts.push(await this.#scheduler.run(() => this.#encoder.encode(pixels, height, width, own), signal))
      const textReader = this.#textReader
      if (textReader !== null && view.first === 0)
        lines = await this.#scheduler.run(() => textReader.read(pixels, height, width, own), signal)
    }
    const all = cellsOf(rows, cols, cellsPerSide)
    const value = {
      cells: kept.map((cell) => all[cell] as Cell),
      features: joined(parts.map(({ features }) => features)),
      offsets: joined(parts.map(({ offsets }) => offsets)),
      lines,
    }
    return { value, bytes: value.features.byteLength + value.offsets.byteLength + bytesOf(lines) }
  }

  clear(): void {
    this.#cache.clear()
  }
}

/** About how many bytes lines take: a number and a half per letter. */
const bytesOf = (lines: readonly TextLine[]): number => lines.reduce((sum, { text }) => sum + 100 + 12 * text.length, 0)

/** Pictures with the same key show the same. */
function pictureKey({ sha256, width, height }: Picture): string {
  return `${sha256} ${width}x${height}`
}
