// A tiled picture to its cells: their positions in the picture, and which of them become tokens.

/** Cells along each side of a tile of the shipped model. */
export const CELLS_PER_SIDE = 8

/**
 * Where a cell lies, as fractions of the picture: centre and size. `isGlobal` for cells of the tile that shows the
 * whole picture.
 */
export interface Cell {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly isGlobal: boolean
}

/**
 * The cells of a tiled picture in the order of the vision encoder: tiles row-major, then the whole picture; cells
 * row-major in a tile.
 */
export function cellsOf(rows: number, cols: number, perSide: number = CELLS_PER_SIDE): Cell[] {
  const cells: Cell[] = []
  const tile = (row: number, col: number, height: number, width: number, isGlobal: boolean): void => {
    for (let i = 0; i < perSide; i++) {
      for (let j = 0; j < perSide; j++) {
        cells.push({
          x: (col + (j + 0.5) / perSide) * width,
          y: (row + (i + 0.5) / perSide) * height,
          width: width / perSide,
          height: height / perSide,
          isGlobal,
        })
      }
    }
  }
  for (let row = 0; row < rows; row++) for (let col = 0; col < cols; col++) tile(row, col, 1 / rows, 1 / cols, false)
  tile(0, 0, 1, 1, true)
  return cells
}

/**
 * Layout features of cells or words: centre, size, whether it is of the whole picture, and the picture's log(width /
 * height). [cell][6]
 */
export function layoutFeatures(cells: readonly Cell[], aspect: number): Float32Array {
  return Float32Array.from(cells.flatMap(({ x, y, width, height, isGlobal }) => [x, y, width, height, Number(isGlobal), Math.log(aspect)]))
}

/**
 * For each word the index of the cell it stands in, or else of the nearest one. Cells of the whole picture are taken
 * only where there are no others.
 */
export function nearestCells(cells: readonly Cell[], words: readonly Cell[]): number[] {
  const isCut = cells.some(({ isGlobal }) => !isGlobal)
  return words.map(({ x, y }) => {
    let nearest = 0
    let least = Number.POSITIVE_INFINITY
    cells.forEach((cell, i) => {
      if (isCut && cell.isGlobal) return
      const apart = Math.max(Math.abs(x - cell.x) / cell.width, Math.abs(y - cell.y) / cell.height)
      if (apart < least) [nearest, least] = [i, apart]
    })
    return nearest
  })
}

/** The tile of a cell that is counted tile by tile. */
export const tileOf = (cell: number, perSide: number = CELLS_PER_SIDE): number => Math.floor(cell / perSide ** 2)

/**
 * A cell counted tile by tile to its index row by row across all tiles of `cols` columns, which is the order of the
 * encoder's output.
 */
export function encoderCell(cell: number, cols: number, perSide: number = CELLS_PER_SIDE): number {
  const tile = tileOf(cell, perSide)
  const inside = cell % perSide ** 2
  const row = Math.floor(tile / cols) * perSide + Math.floor(inside / perSide)
  return (row * cols + (tile % cols)) * perSide + (inside % perSide)
}

/** A cell whose pixels differ by no more than this in every channel is of one colour. */
const LARGEST_FLAT_RANGE = 8

/**
 * The cells that are not of one colour, as indexes in the order of `cellsOf`. Flat ones, most of a page, would be
 * tokens without meaning.
 */
export function keptCells(tiles: readonly Uint8Array[], tileSize: number, perSide: number = CELLS_PER_SIDE): number[] {
  const kept: number[] = []
  const side = tileSize / perSide
  tiles.forEach((tile, index) => {
    for (let cell = 0; cell < perSide ** 2; cell++) {
      const top = Math.floor(cell / perSide) * side
      const left = (cell % perSide) * side
      if (!isFlat(tile, tileSize, left, top, side)) kept.push(index * perSide ** 2 + cell)
    }
  })
  return kept
}

function isFlat(tile: Uint8Array, tileSize: number, left: number, top: number, side: number): boolean {
  for (let channel = 0; channel < 3; channel++) {
    let low = 255
    let high = 0
    for (let y = top; y < top + side; y++) {
      for (let x = left; x < left + side; x++) {
        const value = tile[(y * tileSize + x) * 3 + channel] as number
        if (value < low) low = value
        if (value > high) high = value
      }
    }
    if (high - low > LARGEST_FLAT_RANGE) return false
  }
  return true
}
