// Points to SVG: axes, lines, bands, bars. Colours are the page's (CSS classes), so that charts follow light and dark.
import { type Content, type Markup, markup } from './markup.ts'

export interface Axis {
  readonly label: string
  readonly range: readonly [number, number]
  readonly ticks: readonly number[]
  readonly show: (value: number) => string
}

export interface ChartOptions {
  /** What the chart shows, for those who cannot see it. */
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly width?: number
  readonly height?: number
}

export type Point = readonly [x: number, y: number]

const MARGIN = { left: 58, right: 20, top: 10, bottom: 38 }

export class Chart {
  readonly #options: ChartOptions
  readonly #width: number
  readonly #height: number
  readonly #marks: Markup[] = []

  constructor(options: ChartOptions) {
    this.#options = options
    this.#width = options.width ?? 340
    this.#height = options.height ?? 300
  }

  #x(value: number): number {
    const [low, high] = this.#options.x.range
    return MARGIN.left + ((value - low) / (high - low)) * (this.#width - MARGIN.left - MARGIN.right)
  }

  #y(value: number): number {
    const [low, high] = this.#options.y.range
    return this.#height - MARGIN.bottom - ((value - low) / (high - low)) * (this.#height - MARGIN.top - MARGIN.bottom)
  }

  #path(points: readonly Point[]): string {
    const drawn = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y))
    return drawn.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${this.#x(x).toFixed(1)} ${this.#y(y).toFixed(1)}`).join('')
  }

  line(points: readonly Point[], style: string): this {
    this.#marks.push(markup`<path class="line ${style}" d="${this.#path(points)}"/>`)
    return this
  }

  /** Between a lower and an upper line over the same places. */
  band(lower: readonly Point[], upper: readonly Point[], style: string): this {
    this.#marks.push(markup`<path class="band ${style}" d="${this.#path([...lower, ...upper.toReversed()])}Z"/>`)
    return this
  }

  /** A bar from the foot of the chart; `height` in units of the y axis. */
  bar(from: number, to: number, height: number, style: string): this {
    const [foot] = this.#options.y.range
    const [left, top] = [this.#x(from), this.#y(foot + height)]
    const [wide, high] = [Math.max(0.5, this.#x(to) - left - 0.5), this.#y(foot) - top]
    this.#marks.push(
      markup`<rect class="bar ${style}" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${wide.toFixed(1)}" height="${Math.max(0, high).toFixed(1)}"/>`,
    )
    return this
  }

  toMarkup(): Markup {
    const { title, x, y } = this.#options
    const [left, right, bottom, top] = [MARGIN.left, this.#width - MARGIN.right, this.#height - MARGIN.bottom, MARGIN.top]
    const grid: Content[] = [
      ...x.ticks.map((tick) => {
        const at = this.#x(tick).toFixed(1)
        return markup`<path class="grid" d="M${at} ${top}V${bottom}"/><text class="tick" x="${at}" y="${bottom + 14}" text-anchor="middle">${x.show(tick)}</text>`
      }),
      ...y.ticks.map((tick) => {
        const at = this.#y(tick)
        return markup`<path class="grid" d="M${left} ${at.toFixed(1)}H${right}"/><text class="tick" x="${left - 6}" y="${(at + 3.5).toFixed(1)}" text-anchor="end">${y.show(tick)}</text>`
      }),
    ]
    return markup`<svg class="chart" viewBox="0 0 ${this.#width} ${this.#height}" role="img" aria-label="${title}"><title>${title}</title>${grid}${this.#marks}
<text class="axis" x="${(left + right) / 2}" y="${this.#height - 6}" text-anchor="middle">${x.label}</text>
<text class="axis" transform="translate(12 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${y.label}</text></svg>`
  }
}

/** Round steps that cover a range with about `count` ticks. */
export function ticksOf([low, high]: readonly [number, number], count = 5): number[] {
  const rough = (high - low) / count
  if (!(rough > 0)) return [low]
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.99) ?? power * 10
  const first = Math.ceil(low / step - 1e-9)
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}
