// How well an order is told: the rank correlation of what was said with what is true.

/** Spearman's ρ, where ties share their mean rank. Null when one side is constant or there are fewer than two pairs. */
export function spearman(said: readonly number[], truth: readonly number[]): number | null {
  const [a, b] = [ranksOf(said), ranksOf(truth)]
  // Ranks have the same mean on both sides, ties or not.
  const middle = (a.length + 1) / 2
  let [together, spreadA, spreadB] = [0, 0, 0]
  for (const [i, rank] of a.entries()) {
    together += (rank - middle) * (b[i]! - middle)
    spreadA += (rank - middle) ** 2
    spreadB += (b[i]! - middle) ** 2
  }
  return spreadA === 0 || spreadB === 0 ? null : together / Math.sqrt(spreadA * spreadB)
}

/** From 1. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((i, j) => values[i]! - values[j]!)
  const ranks = values.map(() => 0)
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++
    for (const i of order.slice(start, end)) ranks[i] = (start + 1 + end) / 2
    start = end
  }
  return ranks
}
