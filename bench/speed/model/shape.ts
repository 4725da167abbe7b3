// The size of the random model: SmolVLM-256M's, whose decoder is 134 million weights and whose vision encoder is 93
// million.

export interface Shape {
  readonly hidden: number
  readonly layers: number
  readonly heads: number
  readonly keyHeads: number
  readonly headSize: number
  readonly inner: number
  readonly vocabulary: number
  readonly positions: number
  readonly rotaryBase: number
  readonly normEpsilon: number
  readonly vision: {
    readonly hidden: number
    readonly layers: number
    readonly heads: number
    readonly inner: number
    readonly tile: number
    readonly patch: number
    /** Patches of a side that become one token. */
    readonly scale: number
    readonly longestEdge: number
    readonly normEpsilon: number
  }
}

export const SMOLVLM_256M: Shape = {
  hidden: 576,
  layers: 30,
  heads: 9,
  keyHeads: 3,
  headSize: 64,
  inner: 1536,
  vocabulary: 49_280,
  positions: 8192,
  rotaryBase: 100_000,
  normEpsilon: 1e-5,
  vision: {
    hidden: 768,
    layers: 12,
    heads: 12,
    inner: 3072,
    tile: 512,
    patch: 16,
    scale: 4,
    longestEdge: 2048,
    normEpsilon: 1e-6,
  },
}

/** Image tokens of one tile. */
export const tokensPerTile = ({ vision }: Shape): number => (vision.tile / vision.patch / vision.scale) ** 2
