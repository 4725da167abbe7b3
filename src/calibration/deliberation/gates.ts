// The gates of all read-outs: which decisions are worth a further look, within a share of all of them.
import { sum } from '../../core/math.ts'
import type { DecisionReadout } from '../../questions/shared/readouts.ts'
import { type Gate, type GateCase, gateChooser } from './gate.ts'
import { chooseShort } from './short.ts'

/** A third of the decisions, each at the price of a second pass. */
export const DEFAULT_SHARE = 0.33
/**
 * Which share of the decisions of one read-out may deliberate, tried from the largest down until the gates of all
 * read-outs together stay within `share` of all decisions.
 */
const SHARES_OF_ONE = [1, 0.75, 0.5] as const
const GATE = { keep: 0.9, worth: 0.02, resamples: 500, seed: 1 } as const

export interface GatedReadout {
  readonly readout: DecisionReadout
  readonly cases: readonly GateCase[]
}

export type Gates = Partial<Record<DecisionReadout, Gate>>

/**
 * A gate for each read-out. Of the decisions that the evidence has deliberated, the gates together let through at most
 * `share`.
 */
export function gatesOf(readouts: readonly GatedReadout[], share: number): Gates {
  return withShort(readouts, thresholdsOf(readouts, share), share)
}

/** Gates by uncertainty alone. */
function thresholdsOf(readouts: readonly GatedReadout[], share: number): Gates {
  const choosers = readouts.map(({ readout, cases }) => ({ readout, choose: gateChooser(cases, { share, ...GATE }) }))
  const gatesUnder = (most: number): Gates => Object.fromEntries(choosers.map(({ readout, choose }) => [readout, choose(most)]))
  for (const most of SHARES_OF_ONE.filter((one) => one > share)) {
    const gates = gatesUnder(most)
    if (leftUnder(readouts, gates, share) >= 0) return gates
  }
  return gatesUnder(share)
}

/** The same gates, open for short decisions too, while the thresholds have not used up the share. */
function withShort(readouts: readonly GatedReadout[], gates: Gates, share: number): Gates {
  let left = leftUnder(readouts, gates, share)
  const opened = readouts.map(({ readout, cases }): [DecisionReadout, Gate] => {
    const gate = gates[readout]!
    const short = chooseShort(cases, { threshold: gate.threshold, most: left, ...GATE })
    left -= short?.decisions ?? 0
    return [readout, short === null ? gate : { ...gate, short }]
  })
  return Object.fromEntries(opened)
}

/**
 * How many decisions more may deliberate, over all read-outs: `share` of those that the evidence has deliberated, less
 * those of them that are as uncertain as their gate asks for. Negative when the gates let too many through.
 */
function leftUnder(readouts: readonly GatedReadout[], gates: Gates, share: number): number {
  const above = readouts.flatMap(({ readout, cases }) => {
    return cases.filter(({ gain }) => gain !== null).map(({ uncertainty }) => Number(uncertainty > gates[readout]!.threshold))
  })
  return share * above.length - sum(above)
}
