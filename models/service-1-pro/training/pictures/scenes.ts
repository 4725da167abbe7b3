/** Short videos as HTML, a page a frame, in which one thing happens or nothing does; with what is true of them. */
import { Elements } from './elements.ts'
import { drawDialog, pageKinds } from './page-kinds.ts'
import type { PageKind } from './page-parts.ts'
import type { Random } from './random.ts'
import { outlineOf, shapeColours, shapeNames } from './shape-pictures.ts'
import { drawTheme } from './theme.ts'
import type { Vocabulary } from './vocabulary.ts'

export const directions = ['left', 'right', 'up', 'down'] as const
export type Happening = (typeof directions)[number] | 'grows' | 'shrinks' | 'appears' | 'disappears' | 'changes colour'

/** A thing of a shape video; `happening` is null when it stays as it is. */
export interface Thing {
  readonly colour: string
  readonly shape: string
  readonly happening: Happening | null
  /** Its colour at the end. */
  readonly lastColour: string
}

/** What a video of shapes shows. */
export interface ShapeScene {
  readonly type: 'shapes'
  readonly things: readonly Thing[]
}

/** What a video of screens shows: a page a frame, and whether a dialog lies over it. */
export interface ScreenScene {
  readonly type: 'screens'
  readonly pages: readonly { readonly kind: string; readonly hasDialog: boolean }[]
}

export interface Video<Scene = ShapeScene | ScreenScene> {
  readonly width: number
  readonly height: number
  /** A page of HTML a frame. */
  readonly frames: readonly string[]
  readonly scene: Scene
}

const SHAPE_SIZES = [
  [160, 160],
  [200, 150],
  [240, 180],
  [256, 256],
  [180, 240],
] as const
const SCREEN_SIZES = [
  [256, 256],
  [256, 256],
  [240, 200],
  [320, 240],
] as const
const WAYS: Readonly<Partial<Record<Happening, readonly [number, number]>>> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }
const HAPPENINGS: readonly Happening[] = [...directions, 'grows', 'shrinks', 'appears', 'disappears', 'changes colour']

/** A thing at a time from 0 (the first frame) to 1 (the last one); null when it is not there. */
interface Look {
  readonly left: number
  readonly top: number
  readonly side: number
  readonly colour: string
}

export function drawShapeVideo(random: Random): Video<ShapeScene> {
  const [width, height] = random.pick(SHAPE_SIZES)
  const count = random.int(3, 5)
  const smallest = Math.min(width, height)
  const ground = random.chance(0.5) ? '#fff' : `hsl(${random.int(0, 359)} ${random.int(0, 25)}% ${random.int(84, 96)}%)`
  const colours = random.shuffle(Object.keys(shapeColours).filter((colour) => colour !== 'white'))
  const shapes = random.shuffle(shapeNames.filter((name) => name !== 'rectangle'))
  const things = Array.from({ length: random.pick([1, 1, 2, 2, 3]) }, (_, i): Thing => {
    const happening = i === 0 && random.chance(0.85) ? random.pick(HAPPENINGS) : null
    const colour = colours[i]!
    return { colour, shape: shapes[i]!, happening, lastColour: happening === 'changes colour' ? colours[8]! : colour }
  })
  // Each thing has its own row, so that none covers another.
  const rows = random.shuffle(things.map((_, i) => i))
  const at = things.map((thing, i) => {
    const [high, room] = [height / things.length, Math.min(height / things.length, smallest) * 0.85]
    const side = room * (0.5 + 0.3 * random.next())
    const fill = random.pick(shapeColours[thing.colour]!)
    const lastFill = thing.lastColour === thing.colour ? fill : random.pick(shapeColours[thing.lastColour]!)
    const [wayX, wayY] = WAYS[thing.happening!] ?? [0, 0]
    const [freeX, freeY] = [width - side, high - side]
    // A thing that moves starts at one edge and crosses most of the picture.
    const from = (way: number, free: number): number =>
      (way === 0 ? random.next() : way > 0 ? 0.15 * random.next() : 0.85 + 0.15 * random.next()) * free
    const [left, top] = [from(wayX, freeX), from(wayY, freeY)]
    const far = 0.6 + 0.2 * random.next()
    const when = random.int(1, count - 1) / (count - 1)
    const base = high * rows[i]!
    return (time: number): Look | null => {
      const { happening } = thing
      const isLate = time >= when - 1e-9
      if ((happening === 'appears' && !isLate) || (happening === 'disappears' && isLate)) return null
      const scale = happening === 'grows' ? 0.35 + 0.65 * time : happening === 'shrinks' ? 1 - 0.65 * time : 1
      return {
        left: left + wayX * far * freeX * time + (side * (1 - scale)) / 2,
        top: base + top + wayY * far * freeY * time + (side * (1 - scale)) / 2,
        side: side * scale,
        colour: happening === 'changes colour' && isLate ? lastFill : fill,
      }
    }
  })
  const outlines = things.map(({ shape }) => outlineOf(shape, random))
  const frames = Array.from({ length: count }, (_, n) => {
    const drawn = at.map((look, i) => {
      const now = look(n / (count - 1))
      return now === null
        ? ''
        : `<svg viewBox="0 0 100 100" preserveAspectRatio="none" style="position:absolute;left:${now.left}px;top:${now.top}px" width="${now.side}" height="${now.side}" fill="${now.colour}">${outlines[i]}</svg>`
    })
    return `<body style="margin:0;background:${ground};position:relative;height:100vh;overflow:hidden">${drawn.join('')}</body>`
  })
  return { width, height, frames, scene: { type: 'shapes', things } }
}

/** Kinds of page with distinct names. */
const KINDS = pageKinds.filter(({ name, onlyTrain }) => !onlyTrain && !['parts', 'words', 'calendar'].includes(name))
export const screenKinds = KINDS.map(({ name }) => name)

export function drawScreenVideo(random: Random, words: Vocabulary): Video<ScreenScene> {
  const [width, height] = random.pick(SCREEN_SIZES)
  const { css } = drawTheme(random, width)
  const kinds = random.sample(KINDS, 3)
  const draw = (kind: PageKind): string => kind.draw(new Elements(random, words, 'calm'), true)
  const count = random.int(3, 4)
  const story = random.pick(['nothing', 'page', 'page', 'opens', 'opens', 'closes', 'pages'] as const)
  const when = random.int(1, count - 1)
  const pageAt = (n: number): number => (story === 'page' ? Number(n >= when) : story === 'pages' ? Math.min(n, 2) : 0)
  const dialogAt = (n: number): boolean => (story === 'opens' ? n >= when : story === 'closes' ? n < when : false)
  const bodies = kinds.map(draw)
  const dialog = drawDialog(new Elements(random, words, 'calm'))
  const shown = Array.from({ length: count }, (_, n) => ({ page: pageAt(n), hasDialog: dialogAt(n) }))
  return {
    width,
    height,
    frames: shown.map(({ page, hasDialog }) => `<style>${css}</style><body>${bodies[page]}${hasDialog ? dialog : ''}</body>`),
    scene: { type: 'screens', pages: shown.map(({ page, hasDialog }) => ({ kind: kinds[page]!.name, hasDialog })) },
  }
}
