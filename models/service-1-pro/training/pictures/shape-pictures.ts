/** Very simple pictures: coloured shapes on a plain ground, as HTML with the same attributes as the pages. */
import type { Random } from './random.ts'

export const shapeColours: Readonly<Record<string, readonly string[]>> = {
  red: ['#e11', '#c0262d', '#ff0000'],
  green: ['#0a0', '#00ff00', '#2e8b57'],
  blue: ['#11e', '#0099ff', '#1e60d0', '#0000ff'],
  yellow: ['#ffdc00', '#ffff00', '#f5c400'],
  black: ['#000', '#111'],
  gray: ['#808080', '#999', '#6e6e6e'],
  brown: ['#8b4513', '#a0522d', '#795548'],
  teal: ['#008080', '#00a0a0'],
  purple: ['#800080', '#8e24aa'],
  orange: ['#ff8c00', '#f57c00'],
  pink: ['#ff69b4', '#f48fb1'],
  white: ['#fff'],
}

const outlines: Readonly<Record<string, (random: Random) => string>> = {
  circle: () => '<circle cx="50" cy="50" r="50"/>',
  square: () => '<rect width="100" height="100"/>',
  rectangle: () => '<rect width="100" height="100"/>',
  triangle: (random) =>
    random.pick(['<path d="M50 0L100 100 0 100z"/>', '<path d="M0 0L100 0 50 100z"/>', '<path d="M0 0L100 60 20 100z"/>']),
  star: () => '<path d="M50 0L62 36 100 36 69 58 81 95 50 72 19 95 31 58 0 36 38 36z"/>',
  hexagon: () => '<path d="M25 0L75 0 100 50 75 100 25 100 0 50z"/>',
}
export const shapeNames = Object.keys(outlines)

/** SVG in a square of 100. */
export const outlineOf = (name: string, random: Random): string => outlines[name]!(random)

export function drawShapes(random: Random, width: number, height: number): string {
  const smallest = Math.min(width, height)
  const count = random.chance(0.4) ? 1 : random.int(2, 9)
  const ground = random.chance(0.5) ? '#fff' : `hsl(${random.int(0, 359)} ${random.int(0, 25)}% ${random.int(82, 96)}%)`
  const colours = Object.keys(shapeColours).filter((colour) => colour !== 'white')
  const taken: number[][] = []
  const shapes: string[] = []
  for (let attempt = 0; attempt < count * 6 && shapes.length < count; attempt++) {
    const name = random.pick(shapeNames)
    const colour = random.pick(colours)
    const side = Math.max(7, smallest * (count === 1 ? 0.25 + 0.5 * random.next() : random.pick([0.1, 0.2, 0.3])))
    const w = Math.min(width, name === 'rectangle' ? side * random.pick([0.45, 0.6, 1.7]) : side)
    const left = Math.round(random.next() * (width - w))
    const top = Math.round(random.next() * (height - side))
    if (taken.some(([x, y, s]) => Math.abs(x! - left) < Math.max(s!, w) + 2 && Math.abs(y! - top) < Math.max(s!, side) + 2)) continue
    taken.push([left, top, Math.max(w, side)])
    const fill = random.pick(shapeColours[colour]!)
    shapes.push(
      `<svg data-role="shape" data-name="${colour} ${name}" data-flags="" viewBox="0 0 100 100" preserveAspectRatio="none" style="position:absolute;left:${left}px;top:${top}px" width="${w}" height="${side}" fill="${fill}">${outlineOf(name, random)}</svg>`,
    )
  }
  const panels = width > 2.5 * height && random.chance(0.7)
  const bars = panels
    ? [1 / 3, 2 / 3].map(
        (x) => `<div style="position:absolute;left:${x * width - 6}px;top:0;width:12px;height:100%;background:#ddd"></div>`,
      )
    : []
  return `<body style="margin:0;background:${ground};position:relative;height:100vh;overflow:hidden">${bars.join('')}${shapes.join('')}</body>`
}
