// The risk-coverage curve: the share of errors among the most confident decisions (Geifman & El-Yaniv 2017; excess area
// Geifman et al. 2019). Decisions have weights, so that the options of one `select` count as one decision together.

export interface RiskCurve {
  /** By falling confidence: the share of all weight up to here, the share of errors in it, and the confidence here. */
  readonly points: readonly (readonly [coverage: number, risk: number, confidence: number])[]
  /** Mean risk over coverage. */
  readonly area: number
  /** The area if every right answer came before every wrong one. */
  readonly oracle: number
}

interface RankedDecision {
  readonly confidence: number
  readonly isRight: boolean
  readonly weight: number
}

/** Equal confidences share the errors among them, so that their order never matters. `decisions` must not be empty. */
export function weightedRisk(decisions: readonly RankedDecision[]): RiskCurve {
  const order = decisions.toSorted((a, b) => b.confidence - a.confidence)
  const total = decisions.reduce((sum, { weight }) => sum + weight, 0)
  const points: [number, number, number][] = []
  let [covered, errors, area] = [0, 0, 0]
  for (let start = 0; start < order.length; ) {
    let end = start
    let [here, wrong] = [0, 0]
    for (; end < order.length && order[end]!.confidence === order[start]!.confidence; end++) {
      here += order[end]!.weight
      if (!order[end]!.isRight) wrong += order[end]!.weight
    }
    let passed = 0
    for (; start < end; start++) {
      passed += order[start]!.weight
      const risk = (errors + (wrong * passed) / here) / (covered + passed)
      points.push([(covered + passed) / total, risk, order[start]!.confidence])
      area += (risk * order[start]!.weight) / total
    }
    covered += here
    errors += wrong
  }
  return { points, area, oracle: oracleOf(errors / total) }
}

/** The integral over coverage c of what cannot be avoided, max(0, 1 - (1 - e) / c). */
function oracleOf(errors: number): number {
  return errors >= 1 ? 1 : errors + (1 - errors) * Math.log(1 - errors)
}

/** The risk when at least this share of all weight is answered. */
export function riskAt({ points }: RiskCurve, coverage: number): number {
  return (points.find(([covered]) => covered >= coverage - 1e-9) ?? points.at(-1)!)[1]
}
