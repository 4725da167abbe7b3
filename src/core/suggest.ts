// Finds the known names that look like an unknown one, for "did you mean".

/**
 * Edits (insert, delete, replace, swap of neighbours) from one name to another, or Infinity when they are more than
 * `most`. Restricted Damerau–Levenshtein, at most O(length²).
 */
function editDistance(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, j) => j)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      let least = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (swapped) least = Math.min(least, beforeLast[j - 2]! + 1)
      row.push(least)
    }
    // Later rows follow from the last two, so nothing can come down again.
    if (Math.min(...row) > most && Math.min(...last) > most) return Number.POSITIVE_INFINITY
    beforeLast = last
    last = row
  }
  return last[to.length]!
}

/** Longest name that is compared: hints are for typos, and must stay cheap on hostile input. */
const LONGEST = 64

/** Known names within a third of their length in edits (case aside), nearest first, at most `count`. */
export function nearNames(name: string, known: Iterable<string>, count = 3): string[] {
  if (name.length > LONGEST) return []
  const wanted = name.toLowerCase()
  const near: { candidate: string; distance: number }[] = []
  for (const candidate of known) {
    if (candidate.length > LONGEST) continue
    const most = Math.max(1, Math.floor(Math.max(wanted.length, candidate.length) / 3))
    const distance = editDistance(wanted, candidate.toLowerCase(), most)
    if (distance <= most) near.push({ candidate, distance })
  }
  return near
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

/** Problems of one request that get a hint; the others are told without, since looking for near names takes time. */
export const MOST_HINTS = 20

/** ` Did you mean "a" or "b"?`, or nothing. Starts with a space, to follow a sentence. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearNames(name, known).map((candidate) => JSON.stringify(candidate))
  if (near.length === 0) return ''
  return ` Did you mean ${near.length === 1 ? near[0] : `${near.slice(0, -1).join(', ')} or ${near.at(-1)}`}?`
}
