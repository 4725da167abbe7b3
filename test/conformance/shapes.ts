// What a reply must look like, written as JSON that looks like it. Literals stand for themselves; objects may hold more
// than is listed; a string in angle brackets stands for any value of a kind.

export type Shape = null | boolean | number | string | readonly Shape[] | { readonly [field: string]: Shape }

function isProbability(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value < 1
}

function sumsToOne(probabilities: readonly unknown[]): boolean {
  if (probabilities.length < 2 || !probabilities.every(isProbability)) return false
  return Math.abs((probabilities as readonly number[]).reduce((sum, p) => sum + p, 0) - 1) < 1e-6
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const KINDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  '<any>': () => true,
  '<string>': (value) => typeof value === 'string',
  '<text>': (value) => typeof value === 'string' && value.trim() !== '',
  '<event>': (value) => typeof value === 'string' && /^evt_[0-9a-f]{24}$/.test(value),
  '<boolean>': (value) => typeof value === 'boolean',
  '<number>': (value) => typeof value === 'number' && Number.isFinite(value),
  '<count>': (value) => Number.isInteger(value) && (value as number) >= 0,
  '<probability>': isProbability,
  '<dollars>': (value) => typeof value === 'string' && /^\d+\.\d{9}$/.test(value),
  /** An object of probabilities that sum to one. */
  '<distribution>': (value) => isObject(value) && sumsToOne(Object.values(value)),
  /** An array of objects with a `probability` each, which sum to one. */
  '<distribution list>': (value) => Array.isArray(value) && sumsToOne(value.map((item) => (isObject(item) ? item.probability : null))),
  '<string or null>': (value) => value === null || typeof value === 'string',
}

/** Where and how a value has another shape; empty when it has this one. `at` is a JSON Pointer. */
export function misfits(value: unknown, shape: Shape, at = ''): readonly string[] {
  const said = () => (JSON.stringify(value) ?? 'nothing').slice(0, 80)
  if (typeof shape === 'string' && /^<.*>$/.test(shape)) {
    const kind = KINDS[shape]
    if (kind === undefined) throw new TypeError(`There is no kind ${shape}; there are ${Object.keys(KINDS).join(', ')}.`)
    return kind(value) ? [] : [`${at || '/'} is no ${shape}: ${said()}`]
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value) || value.length !== shape.length) return [`${at || '/'} is no array of ${shape.length}: ${said()}`]
    return shape.flatMap((inner, i) => misfits(value[i], inner as Shape, `${at}/${i}`))
  }
  if (isObject(shape)) {
    if (!isObject(value)) return [`${at || '/'} is no object: ${said()}`]
    return Object.entries(shape).flatMap(([field, inner]) => {
      return misfits(Object.hasOwn(value, field) ? value[field] : undefined, inner as Shape, `${at}/${field}`)
    })
  }
  return value === shape ? [] : [`${at || '/'} is not ${JSON.stringify(shape)}: ${said()}`]
}
