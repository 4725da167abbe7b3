// Levels as System One clients send them (a text, JSON, or null for a level that only its place describes) to labelled ones.
import { type Fields, isObject } from './faults.ts'

function isBlank(level: unknown): boolean {
  return level === null || (typeof level === 'string' && level.trim() === '')
}

/** A level of our own wire: a label, perhaps a description, and nothing else. */
function isLabelled(level: unknown): level is Fields & { readonly label: string } {
  if (!isObject(level) || typeof level.label !== 'string' || level.label.trim() === '') return false
  return Object.keys(level).every((field) => field === 'label' || field === 'description')
}

function labelOf(level: unknown): string | null {
  if (typeof level === 'string') return isBlank(level) ? null : level
  return isLabelled(level) ? level.label : null
}

/**
 * The levels with a label each, all different. A text is its own label. What has none (null, JSON, a text that was there before) is labelled by its
 * place from 0, as that wire counts; JSON becomes the description. What is no level of that wire either is left for the engine to refuse.
 */
export function engineLevels(levels: readonly unknown[]): readonly unknown[] {
  const taken = new Set(levels.map(labelOf))
  const seen = new Set<string>()
  return levels.map((level, place) => {
    const label = labelOf(level)
    if (label !== null && !seen.has(label)) {
      seen.add(label)
      return level
    }
    if (!isBlank(level) && typeof level !== 'string' && typeof level !== 'object') return level
    const candidates = [String(place), `level ${place}`]
    let free = candidates.find((candidate) => !taken.has(candidate)) ?? `level ${place} of ${levels.length}`
    while (taken.has(free)) free += ' '
    taken.add(free)
    return isBlank(level) ? free : { label: free, description: level }
  })
}
