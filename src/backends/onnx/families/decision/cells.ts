// A tiled picture to the cells that become tokens: where each lies in the picture, and which are worth a token.

/** Cells are `CELLS` x `CELLS` a tile. */
export const CELLS = 8
export const CELLS_A_TILE = CELLS * CELLS

/** Where a cell lies, as fractions of the image: centre and size. `isGlobal` for cells of the whole-image tile. */
export interface Cell {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly isGlobal: boolean
}

/** The cells of a tiled picture in the order of the vision encoder: tiles row-major, then the whole picture; cells row-major in a tile. */
export function cellsOf(rows: number, cols: number): Cell[] {
  const cells: Cell[] = []
  const tile = (row: number, col: number, height: number, width: number, isGlobal: boolean): void => {
    for (let i = 0; i < CELLS; i++) {
      for (let j = 0; j < CELLS; j++) {
        cells.push({
          x: (col + (j + 0.5) / CELLS) * width,
          y: (row + (i + 0.5) / CELLS) * height,
          width: width / CELLS,
          height: height / CELLS,
          isGlobal,
        })
      }
    }
  }
  for (let row = 0; row < rows; row++) for (let col = 0; col < cols; col++) tile(row, col, 1 / rows, 1 / cols, false)
  tile(0, 0, 1, 1, true)
  return cells
}

/** What the decoder is told of each cell: centre, size, global or not, and the picture's shape as log(width / height). [cell][6] */
export function placesOf(cells: readonly Cell[], aspect: number): Float32Array {
  return Float32Array.from(cells.flatMap(({ x, y, width, height, isGlobal }) => [x, y, width, height, Number(isGlobal), Math.log(aspect)]))
}

/** For each word that was read the cell it stands in, or else the nearest: it takes some of its look. Cells of the whole picture only where there are no others. */
export function looksOf(cells: readonly Cell[], words: readonly Cell[]): number[] {
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

export const tileOf = (cell: number): number => Math.floor(cell / CELLS_A_TILE)

/** A cell counted tile by tile, counted line by line across all tiles of `cols` columns: the order in which the encoder gives them. */
export function lineCell(cell: number, cols: number): number {
  const tile = tileOf(cell)
  const inside = cell % CELLS_A_TILE
  const line = Math.floor(tile / cols) * CELLS + Math.floor(inside / CELLS)
  return (line * cols + (tile % cols)) * CELLS + (inside % CELLS)
}

/** A cell whose pixels differ by no more than this in every channel shows nothing. */
const FLAT = 8

/** Cells that are not of one colour, as indexes in the order of `cellsOf`. Flat ones would be tokens that say nothing: most of a page. */
export function keptCells(tiles: readonly Uint8Array[], tileSize: number): number[] {
  const kept: number[] = []
  const side = tileSize / CELLS
  tiles.forEach((tile, index) => {
    for (let cell = 0; cell < CELLS * CELLS; cell++) {
      const top = Math.floor(cell / CELLS) * side
      const left = (cell % CELLS) * side
      if (!isFlat(tile, tileSize, left, top, side)) kept.push(index * CELLS * CELLS + cell)
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
    if (high - low > FLAT) return false
  }
  return true
}
