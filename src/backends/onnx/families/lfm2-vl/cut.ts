// A picture to the parts that the encoder sees: one of a size of its own, or tiles and the whole picture in small
// (transformers, Lfm2VlImageProcessor).
import type { Picture } from '../../../../core/types.ts'
import { type Raster, resample } from '../../images/resample.ts'
import { roundHalfToEven, type Size, smartSize, withinEdge } from '../../images/smart-size.ts'
import { crop } from '../../images/tiles.ts'
import type { CutRule } from './settings.ts'

/** `rows` and `cols` of tiles, 1 and 1 for a picture that is not cut; `whole` is the size that all of it is read at. */
export interface Cut {
  readonly rows: number
  readonly cols: number
  readonly whole: Size
}

export function cutOf(picture: Size, rule: CutRule): Cut {
  const size = withinEdge(picture, rule.longestEdge)
  const factor = rule.patch * rule.downsample
  const [minPixels, maxPixels] = [rule.minTokens * factor ** 2, rule.maxTokens * factor ** 2]
  const whole = smartSize(size, { factor, leastSide: factor, minPixels, maxPixels })
  const rounded = (side: number): number => Math.max(rule.patch, roundHalfToEven(side / factor) * factor)
  const isLarge = rounded(size.width) * rounded(size.height) > maxPixels * rule.tolerance
  if (!isLarge || !rule.split || rule.maxTiles === 1) return { rows: 1, cols: 1, whole }
  return { ...gridFor(size, rule), whole }
}

/** The grid whose aspect is closest; of equally close ones the last that has not twice the pixels of the picture. */
function gridFor({ width, height }: Size, { minTiles, maxTiles, tileSize }: CutRule): { rows: number; cols: number } {
  const grids: { rows: number; cols: number }[] = []
  for (let tiles = minTiles; tiles <= maxTiles; tiles++) {
    for (let cols = 1; cols <= tiles; cols++) if (tiles % cols === 0) grids.push({ rows: tiles / cols, cols })
  }
  let [best, least] = [{ rows: 1, cols: 1 }, Infinity]
  for (const grid of grids) {
    const apart = Math.abs(width / height - grid.cols / grid.rows)
    if (apart < least) [best, least] = [grid, apart]
    else if (apart === least && width * height > 0.5 * tileSize ** 2 * grid.rows * grid.cols) best = grid
  }
  return best
}

/** The tiles row-major and the small whole behind them, or the whole alone. */
export function partsOf(picture: Picture, { rows, cols, whole }: Cut, rule: CutRule): Raster[] {
  const small = () => resample(picture, whole.width, whole.height, 'bilinear')
  if (rows * cols === 1) return [small()]
  const { tileSize: side } = rule
  const large = resample(picture, cols * side, rows * side, 'bilinear')
  const tiles = Array.from({ length: rows * cols }, (_, i): Raster => {
    const data = crop(large, (i % cols) * side, Math.floor(i / cols) * side, side)
    return { width: side, height: side, data }
  })
  return rule.thumbnail ? [...tiles, small()] : tiles
}
