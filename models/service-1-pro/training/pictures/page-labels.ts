/** Labels of one picture. All boxes are [left, top, right, bottom] in pixels of the PNG. */
import type { Flag, Role } from './elements.ts'

export type Box = readonly [number, number, number, number]

/** `edges`: the left edge of each character, then the right edge of the last. */
export interface WordLabel {
  readonly text: string
  readonly box: Box
  readonly edges: readonly number[]
}

export interface ElementLabel {
  readonly role: Role
  readonly name: string
  readonly flags: readonly Flag[]
  readonly box: Box
}

export interface PageLabels {
  readonly id: string
  readonly path: string
  readonly width: number
  readonly height: number
  /** A page kind, or "shapes". */
  readonly kind: string
  readonly isDark: boolean
  readonly primaryName: string
  readonly words: readonly WordLabel[]
  readonly elements: readonly ElementLabel[]
}
