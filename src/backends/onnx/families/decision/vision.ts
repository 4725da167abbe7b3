// The vision encoder: a picture of any whole number of cells to what is known of each cell; see training/vision/net.py.

import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder } from '../../runtime/layout.ts'
import { loadRuntime, openSession, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { dataOf, floats, takeRows } from '../../runtime/tensors.ts'

const OFFSET_WIDTH = 5

/** Of some cells: [cell][width] features, and [cell][5] offsets of the element's edges, with the logit of "there is one". */
export interface Seen {
  readonly features: Float32Array
  readonly offsets: Float32Array
}

export class VisionEncoder {
  readonly #ort: Runtime
  readonly #session: Session
  /** The files that were read, in the folder. */
  readonly files: readonly string[]

  private constructor(ort: Runtime, session: Session, files: readonly string[]) {
    this.#ort = ort
    this.#session = session
    this.files = files
  }

  static async open(folder: ModelFolder, options: OnnxOptions): Promise<VisionEncoder> {
    // Integers of 8 bits with fixed scales: half the time, and a picture reads the same whatever was read before it.
    const graph = findGraph(folder, 'vision_encoder', ['int8', 'fp32'], options)
    return new VisionEncoder(await loadRuntime(), await openSession(graph, options), graph.files)
  }

  /** `pixels`: [3][height][width], -1 to 1, whole cells. `kept`: the cells to give, counted line by line. */
  async look(pixels: Float32Array, height: number, width: number, kept: readonly number[]): Promise<Seen> {
    const { image_features: features, image_boxes: offsets } = (await this.#session.run({
      pixel_values: floats(this.#ort, pixels, [1, 3, height, width]),
    })) as Record<'image_features' | 'image_boxes', Tensor>
    return {
      features: takeRows(dataOf(features), features.dims[2] as number, kept),
      offsets: takeRows(dataOf(offsets), OFFSET_WIDTH, kept),
    }
  }

  async close(): Promise<void> {
    await this.#session.release()
  }
}
