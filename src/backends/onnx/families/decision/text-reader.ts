// The text reader: a picture to the lines of text that can be read in it; see training/reading/reader.py.
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder } from '../../runtime/layout.ts'
import { type Opening, openGraph, type RunnableSession } from '../../runtime/opening.ts'
import { loadRuntime, type Runtime, type Tensor } from '../../runtime/session.ts'
import { dataOf, floats } from '../../runtime/tensors.ts'
import type { PictureConfig } from './configuration.ts'
import { Lexicon } from './lexicon.ts'
import { CLASSES_BESIDE_LETTERS, linesOf, type TextLine } from './text-lines.ts'

export class TextReader {
  readonly #ort: Runtime
  readonly #session: RunnableSession
  /** The letters it knows, in the order of its classes. */
  readonly #letters: string
  readonly #lexicon: Lexicon
  readonly #cellPixels: number
  /** The files that were read, in the folder. */
  readonly files: readonly string[]

  private constructor(
    ort: Runtime,
    session: RunnableSession,
    letters: string,
    lexicon: Lexicon,
    cellPixels: number,
    files: readonly string[],
  ) {
    this.#ort = ort
    this.#session = session
    this.#letters = letters
    this.#lexicon = lexicon
    this.#cellPixels = cellPixels
    this.files = files
  }

  /** `words`: known words in lower case, by which words with a wrong letter or two are corrected. */
  static async open(
    folder: ModelFolder,
    options: OnnxOptions,
    letters: string,
    words: Iterable<string>,
    { rule, cellsPerSide }: Pick<PictureConfig, 'rule' | 'cellsPerSide'>,
    opening: Opening = 'at load',
  ): Promise<TextReader> {
    const graph = findGraph(folder, 'text_reader', ['fp32'], options)
    const session = await openGraph(graph, options, opening)
    return new TextReader(await loadRuntime(), session, letters, new Lexicon(words), rule.tileSize / cellsPerSide, graph.files)
  }

  /**
   * `pixels`: [3][height][width], -1 to 1, whole cells. `kept`: the cells that are not of one colour, counted row by
   * row; beyond them and their neighbours nothing is read.
   */
  async read(pixels: Float32Array, height: number, width: number, kept: readonly number[]): Promise<TextLine[]> {
    const cell = this.#cellPixels
    const area = areaOf(kept, height / cell, width / cell)
    const [left, top, high, wide] = [area.left * cell, area.top * cell, (area.bottom - area.top) * cell, (area.right - area.left) * cell]
    const { letters, lines, edges } = (await this.#session.run({
      pixel_values: floats(this.#ort, cropped(pixels, height, width, left, top, high, wide), [1, 3, high, wide]),
    })) as Record<'letters' | 'lines' | 'edges', Tensor>
    const [, rows, steps] = lines.dims as [number, number, number]
    const classes = this.#letters.length + CLASSES_BESIDE_LETTERS
    if (letters.dims[3] !== classes) {
      throw new EngineError(
        'model_not_available',
        `image.letters of config.json are ${this.#letters.length} letters, text_reader gives ${Number(letters.dims[3]) - CLASSES_BESIDE_LETTERS}; take the folder as it was published`,
      )
    }
    const read = linesOf(
      { letters: dataOf(letters), lines: dataOf(lines), edges: dataOf(edges), rows, steps },
      this.#letters,
      this.#lexicon,
    )
    return read.map((line) => ({
      text: line.text,
      edges: line.edges.map((x) => (left + x * wide) / width),
      top: (top + line.top * high) / height,
      bottom: (top + line.bottom * high) / height,
    }))
  }

  async close(): Promise<void> {
    await this.#session.release()
  }
}

/** The smallest rectangle around some cells, with one cell more on each side, in cells; there is at least one cell. */
function areaOf(kept: readonly number[], rows: number, columns: number): { left: number; top: number; right: number; bottom: number } {
  let [left, top, right, bottom] = [columns, rows, 0, 0]
  for (const cell of kept) {
    const [row, column] = [Math.floor(cell / columns), cell % columns]
    left = Math.min(left, column)
    right = Math.max(right, column + 1)
    top = Math.min(top, row)
    bottom = Math.max(bottom, row + 1)
  }
  return { left: Math.max(0, left - 1), top: Math.max(0, top - 1), right: Math.min(columns, right + 1), bottom: Math.min(rows, bottom + 1) }
}

/** A rectangle of [3][height][width]. */
function cropped(pixels: Float32Array, height: number, width: number, left: number, top: number, high: number, wide: number): Float32Array {
  if (high === height && wide === width) return pixels
  const part = new Float32Array(3 * high * wide)
  for (let channel = 0; channel < 3; channel++) {
    for (let row = 0; row < high; row++) {
      const from = (channel * height + top + row) * width + left
      part.set(pixels.subarray(from, from + wide), (channel * high + row) * wide)
    }
  }
  return part
}
