// Draws points as SVG: axes, lines, bands, bars and labels. Marks have CSS classes; the style sheet is that of the
// page, or, for a chart in a file of its own, one that is given. The speed bench draws with this too.
import { type Content, type Markup, markup } from './markup.ts'

export interface ChartAxis {
  readonly label: string
  readonly range: readonly [number, number]
  readonly ticks: readonly number[]
  readonly show: (value: number) => string
  /** Default linear. A logarithmic axis needs a range above 0. */
  readonly scale?: 'linear' | 'log'
}

interface ChartMargin {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export interface ChartOptions {
  /** What the chart shows, for people who cannot see it. */
  readonly title: string
  readonly x: ChartAxis
  readonly y: ChartAxis
  /** In pixels; default 340 by 300. */
  readonly width?: number
  readonly height?: number
  /** In pixels, around the drawing. */
  readonly margin?: ChartMargin
  /** The style sheet of a chart in a file of its own, which also shows its title. */
  readonly css?: string
}

export type ChartPoint = readonly [x: number, y: number]

const MARGIN: ChartMargin = { left: 58, right: 20, top: 10, bottom: 38 }
/** Pixels between the labels of two lines. */
const LABEL_HEIGHT = 17

export class Chart {
  readonly #options: ChartOptions
  readonly #width: number
  readonly #height: number
  readonly #margin: ChartMargin
  readonly #marks: Markup[] = []

  constructor(options: ChartOptions) {
    this.#options = options
    this.#width = options.width ?? 340
    this.#height = options.height ?? 300
    this.#margin = options.margin ?? MARGIN
  }

  #x(value: number): number {
    const { left, right } = this.#margin
    return left + shareOf(this.#options.x, value) * (this.#width - left - right)
  }

  #y(value: number): number {
    const { top, bottom } = this.#margin
    return this.#height - bottom - shareOf(this.#options.y, value) * (this.#height - top - bottom)
  }

  #path(points: readonly ChartPoint[]): string {
    const drawn = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y))
    return drawn.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${this.#x(x).toFixed(1)} ${this.#y(y).toFixed(1)}`).join('')
  }

  line(points: readonly ChartPoint[], style: string): this {
    this.#marks.push(markup`<path class="line ${style}" d="${this.#path(points)}"/>`)
    return this
  }

  /** The area between a lower and an upper line with the same x values. */
  band(lower: readonly ChartPoint[], upper: readonly ChartPoint[], style: string): this {
    this.#marks.push(markup`<path class="band ${style}" d="${this.#path([...lower, ...upper.toReversed()])}Z"/>`)
    return this
  }

  /** A bar from the x axis; `height` in units of the y axis. */
  bar(from: number, to: number, height: number, style: string): this {
    const [foot] = this.#options.y.range
    const [left, top] = [this.#x(from), this.#y(foot + height)]
    const [wide, high] = [Math.max(0.5, this.#x(to) - left - 0.5), this.#y(foot) - top]
    this.#marks.push(
      markup`<rect class="bar ${style}" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${wide.toFixed(1)}" height="${Math.max(0, high).toFixed(1)}"/>`,
    )
    return this
  }

  /** Dots with a short text above each; `words` are shown to who points at one. */
  dots(dots: readonly { readonly at: ChartPoint; readonly text: string; readonly words: string }[], style: string): this {
    for (const { at, text, words } of dots) {
      const [x, y] = [this.#x(at[0]).toFixed(1), this.#y(at[1])]
      this.#marks.push(
        markup`<g><title>${words}</title><circle class="${style}" cx="${x}" cy="${y.toFixed(1)}" r="4"/><text class="tick" x="${x}" y="${(y - 8).toFixed(1)}" text-anchor="middle">${text}</text></g>`,
      )
    }
    return this
  }

  /** Names lines at the right edge, each as near to the end of its line as the labels above it allow. */
  endLabels(labels: readonly { readonly at: number; readonly text: string; readonly style: string }[]): this {
    const x = this.#width - this.#margin.right + 10
    let lowest = Number.NEGATIVE_INFINITY
    for (const { at, text, style } of labels.toSorted((a, b) => b.at - a.at)) {
      lowest = Math.max(this.#y(at), lowest + LABEL_HEIGHT)
      this.#marks.push(markup`<text class="name ${style}" x="${x.toFixed(1)}" y="${(lowest + 4).toFixed(1)}">${text}</text>`)
    }
    return this
  }

  toMarkup(): Markup {
    const { title, x, y, css } = this.#options
    const { left, top } = this.#margin
    const [right, bottom] = [this.#width - this.#margin.right, this.#height - this.#margin.bottom]
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
    const own = css === undefined ? null : markup` xmlns="http://www.w3.org/2000/svg"`
    const heading = css === undefined ? null : markup`<style>${css}</style><text class="title" x="${left}" y="${top - 20}">${title}</text>`
    return markup`<svg${own} class="chart" viewBox="0 0 ${this.#width} ${this.#height}" role="img" aria-label="${title}"><title>${title}</title>${heading}${grid}${this.#marks}
<text class="axis" x="${(left + right) / 2}" y="${this.#height - 6}" text-anchor="middle">${x.label}</text>
<text class="axis" transform="translate(12 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${y.label}</text></svg>`
  }
}

/** Where a value lies between the ends of its axis, from 0 to 1. */
function shareOf({ range: [low, high], scale }: ChartAxis, value: number): number {
  return scale === 'log' ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)
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

/** A range that holds all values, from one of 1, 2 or 5 times a power of ten to another, and all such numbers in it. */
export function logTicks(values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const powers = Array.from({ length: Math.ceil(Math.log10(high / low)) + 3 }, (_, i) => 10 ** (Math.floor(Math.log10(low)) + i))
  const steps = powers.flatMap((power) => [power, 2 * power, 5 * power])
  const first = steps.findLastIndex((step) => step <= low)
  const last = steps.findIndex((step) => step >= high)
  return steps.slice(first, last + 1)
}
