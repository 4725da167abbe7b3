// Turns levels as System One clients send them (a text, JSON, or null for a level that only its place describes) into
// labelled ones.
import { DEEPEST_WORDS } from '../../core/limits.ts'
import { isObject, type UntrustedObject } from '../../core/untrusted.ts'

/** Longer JSON is a description, not a label; and what is read of a hostile level is bounded. */
const MOST_CHARACTERS = 1000

/** A level of our own wire: a label, perhaps a description, and nothing else. */
function isLabelled(level: unknown): level is UntrustedObject & { readonly label: string } {
  if (!isObject(level) || typeof level.label !== 'string' || level.label.trim() === '') return false
  return Object.keys(level).every((field) => field === 'label' || field === 'description')
}

/**
 * JSON as words: `key: value; key: one, two`. The model places these nearly as well as plain texts, and JSON as it is
 * written much worse. Null when it is long or deep. `budget` is what is left of the characters.
 */
function spoken(value: unknown, budget: { left: number }, depth = 0): string | null {
  if (typeof value !== 'object' || value === null) {
    const text = String(value)
    budget.left -= text.length
    return budget.left < 0 ? null : text
  }
  // The engine refuses what is deeper.
  if (depth > DEEPEST_WORDS) return null
  const parts: string[] = []
  for (const key of Object.keys(value)) {
    const member = (value as UntrustedObject)[key]
    budget.left -= Array.isArray(value) ? 2 : key.length + 4
    const said = budget.left < 0 ? null : spoken(member, budget, depth + 1)
    if (said === null) return null
    const nested = isObject(member) ? `(${said})` : said
    parts.push(Array.isArray(value) ? nested : `${key}: ${nested}`)
  }
  return parts.join(Array.isArray(value) ? ', ' : '; ')
}

/** What a level calls itself; null when it has no words, or is none of that wire. */
function labelOf(level: unknown): string | null {
  const label = isLabelled(level)
    ? level.label
    : typeof level === 'object' && level !== null
      ? spoken(level, { left: MOST_CHARACTERS })
      : level
  return typeof label === 'string' && label.trim() !== '' ? label : null
}

/**
 * The levels with a label each, all different. A text is its own label, and so are the words of JSON. What has none
 * (null, blanks, or what was there before) is labelled by its place from 0, as that wire counts, and described by what
 * was sent. Numbers and the like are left for the engine to refuse.
 */
export function engineLevels(levels: readonly unknown[]): readonly unknown[] {
  const labels = levels.map(labelOf)
  const taken = new Set(labels)
  const seen = new Set<string>()
  return levels.map((level, place) => {
    const label = labels[place] as string | null
    if (label !== null && !seen.has(label)) {
      seen.add(label)
      return isLabelled(level) ? level : label
    }
    if (typeof level !== 'string' && typeof level !== 'object') return level
    let free = [String(place), `level ${place}`].find((candidate) => !taken.has(candidate)) ?? `level ${place} of ${levels.length}`
    while (taken.has(free)) free += ' '
    taken.add(free)
    const hasWords = level !== null && (typeof level === 'object' || level.trim() !== '')
    return hasWords ? { label: free, description: level } : free
  })
}
