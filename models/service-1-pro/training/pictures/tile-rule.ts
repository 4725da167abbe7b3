/** How service-1-pro cuts pictures; its config.json must say the same. */
import type { TileRule } from '../../../../src/backends/onnx/images/tiles.ts'

export const tileRule: TileRule = { longestEdge: 1024, tileSize: 256, split: true, upscale: false }
