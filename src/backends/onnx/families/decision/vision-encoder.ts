// The vision encoder: a picture of any whole number of cells to the features of each cell; see training/vision/net.py.
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder } from '../../runtime/layout.ts'
import { type Opening, openGraph, type RunnableSession } from '../../runtime/opening.ts'
import { loadRuntime, outputsOf, type Runtime, type Tensor } from '../../runtime/session.ts'
import { dataOf, floats, takeRows } from '../../runtime/tensors.ts'
import type { PictureConfig } from './configuration.ts'

/**
 * Numbers of a cell's offsets: the distances from its centre to the edges of its element, and the logit of "there is
 * one".
 */
export const OFFSET_WIDTH = 5

export interface CellFeatures {
  /** [cell][vision width] */
  readonly features: Float32Array
  /** [cell][OFFSET_WIDTH], in cells. */
  readonly offsets: Float32Array
}

export class VisionEncoder {
  readonly #ort: Runtime
  readonly #session: RunnableSession
  readonly #cellPixels: number
  /** The files that were read, relative to the folder. */
  readonly files: readonly string[]

  private constructor(ort: Runtime, session: RunnableSession, cellPixels: number, files: readonly string[]) {
    this.#ort = ort
    this.#session = session
    this.#cellPixels = cellPixels
    this.files = files
  }

  /** Throws `model_not_available` when the graph is missing, or gives another vision_width than config.json says. */
  static async open(
    folder: ModelFolder,
    options: OnnxOptions,
    { rule, cellsPerSide, visionWidth }: PictureConfig,
    opening: Opening = 'at load',
  ): Promise<VisionEncoder> {
    // 8-bit integers with fixed scales: half the time, and the features of a picture do not depend on those before it.
    const graph = findGraph(folder, 'vision_encoder', ['int8', 'fp32'], options)
    const session = await openGraph(graph, options, opening, (opened) => {
      const declared = outputsOf(opened)
        .find(({ name }) => name === 'image_features')
        ?.shape.at(-1)
      if (typeof declared !== 'number' || declared === visionWidth) return
      throw new EngineError(
        'model_not_available',
        `config.json of '${folder.name}' has vision_width ${visionWidth}; ${declared} is taken, as ${graph.files[0]} was made with`,
      )
    })
    return new VisionEncoder(await loadRuntime(), session, rule.tileSize / cellsPerSide, graph.files)
  }

  /**
   * `pixels`: [3][height][width], -1 to 1, whole cells. `kept`: the cells whose features are returned, counted row by
   * row.
   */
  async encode(pixels: Float32Array, height: number, width: number, kept: readonly number[]): Promise<CellFeatures> {
    const { image_features: features, image_boxes: offsets } = (await this.#session.run({
      pixel_values: floats(this.#ort, pixels, [1, 3, height, width]),
    })) as Record<'image_features' | 'image_boxes', Tensor>
    const cells = (height / this.#cellPixels) * (width / this.#cellPixels)
    if (features.dims[1] !== cells) {
      throw new EngineError(
        'model_not_available',
        `image.cells_per_tile of config.json asks for ${cells} cells of ${width}x${height} pixels, vision_encoder gives ${features.dims[1]}; take the folder as it was published`,
      )
    }
    return {
      features: takeRows(dataOf(features), features.dims[2] as number, kept),
      offsets: takeRows(dataOf(offsets), OFFSET_WIDTH, kept),
    }
  }

  async close(): Promise<void> {
    await this.#session.release()
  }
}
