// Converts between a place on the page and pixels of a picture as it was sent. It is pure, so that it is the same at
// any width and zoom.
import type { Coordinates, Point } from '../../wire/types.ts'

/** Where a picture is drawn, in CSS pixels of the window: `getBoundingClientRect` of its element. */
export interface DrawnAt {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** A place or a box that somebody pointed at, in whole pixels of the picture as sent. */
export type Pointed = { readonly type: 'point'; readonly at: Point } | { readonly type: 'box'; readonly from: Point; readonly to: Point }

/** Dragging less than this many CSS pixels is a click. */
export const SHORTEST_DRAG = 4

function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most))
}

/** The pixel under a place of the window. `size`: width and height of the picture; outside of it, its nearest pixel. */
export function pixelAt(x: number, y: number, { left, top, width, height }: DrawnAt, [across, down]: Point): Point {
  const column = Math.floor(((x - left) / width) * across)
  const row = Math.floor(((y - top) / height) * down)
  return [clamp(column, across - 1), clamp(row, down - 1)]
}

/** What a pointer that went down at `from` and is at `to` points at. */
export function draggedTo(from: Point, to: Point, { width }: DrawnAt, [across]: Point): Pointed {
  const shortest = (SHORTEST_DRAG * across) / width
  const isDrag = Math.abs(to[0] - from[0]) >= shortest || Math.abs(to[1] - from[1]) >= shortest
  return isDrag ? { type: 'box', from, to } : { type: 'point', at: to }
}

/** The box whose two opposite corner pixels are these: both are inside it, so right and bottom are one further. */
export function boxAround([ax, ay]: Point, [bx, by]: Point): Coordinates {
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx) + 1, Math.max(ay, by) + 1]
}

/** As a request or an outcome would write it. */
export function coordinatesText(pointed: Pointed): string {
  return JSON.stringify(pointed.type === 'point' ? pointed.at : boxAround(pointed.from, pointed.to)).replaceAll(',', ', ')
}

export interface Placed {
  readonly left: string
  readonly top: string
  readonly width: string
  readonly height: string
}

/** A box in percent of its picture, which holds at any width. */
export function placed([left, top, right, bottom]: Coordinates, [across, down]: Point): Placed {
  const share = (part: number, whole: number) => `${Number(((part / whole) * 100).toFixed(4))}%`
  return { left: share(left, across), top: share(top, down), width: share(right - left, across), height: share(bottom - top, down) }
}

const STEPS: Readonly<Record<string, Point>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/** Where an arrow key moves a point to: one pixel, or ten with `isFast`. Null for any other key. */
export function steppedTo(key: string, isFast: boolean, [x, y]: Point, [across, down]: Point): Point | null {
  const step = Object.hasOwn(STEPS, key) ? STEPS[key]! : null
  if (step === null) return null
  const pace = isFast ? 10 : 1
  return [clamp(x + step[0] * pace, across - 1), clamp(y + step[1] * pace, down - 1)]
}
