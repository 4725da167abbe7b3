// Alternatives timed in turn, round by round, so that a slow minute of the machine slows all of them: ratios inside one
// run hold, milliseconds of two runs do not compare. Rounds in which other processes took more than a tenth of the
// machine are left out where enough others remain.
import { type Watch, watchOthers } from './machine.ts'

/** One alternative. Returns its parts in milliseconds as measured by itself, without the cost of asking for them. */
export interface Case {
  readonly name: string
  run(round: number): Promise<Readonly<Record<string, number>>>
  /** What stands for a round that is not counted, where a whole one would take long. */
  warmUp?(): Promise<unknown>
}

/** Milliseconds of one part of one case. */
export interface Series {
  readonly name: string
  readonly median: number
  readonly low: number
  readonly high: number
  readonly samples: readonly number[]
  /** Samples left out, or kept for want of better ones, in which others used the machine. */
  readonly disturbed: number
  readonly isDoubtful: boolean
}

interface Sample {
  readonly ms: number
  readonly isDisturbed: boolean
}

/** More of the machine than this used by others, and a sample is disturbed. */
const MOST_FOR_OTHERS = 0.1
/** Clean samples that make do without the others. */
const ENOUGH = 3

export interface Interleaving {
  readonly rounds: number
  /** Rounds that are not counted; default 1. */
  readonly warmUps?: number
  /** Processes whose use of the machine is ours. */
  readonly pids: readonly number[]
  say(line: string): void
}

/**
 * Series by `case` or, where a case gives several parts, `case: part`. The order of the cases turns with the rounds.
 */
export async function interleave(cases: readonly Case[], { rounds, warmUps = 1, pids, say }: Interleaving): Promise<Series[]> {
  const samples = new Map<string, Sample[]>()
  for (let round = -warmUps; round < rounds; round++) {
    say(round < 0 ? 'warming up' : `round ${round + 1} of ${rounds}`)
    for (let i = 0; i < cases.length; i++) {
      const one = cases[(i + Math.max(0, round)) % cases.length] as Case
      const { name } = one
      if (round < 0 && one.warmUp !== undefined) {
        await one.warmUp()
        continue
      }
      const watch: Watch = watchOthers(pids)
      const parts = await one.run(round)
      const isDisturbed = watch.shareOfOthers() > MOST_FOR_OTHERS
      if (round < 0) continue
      for (const [part, ms] of Object.entries(parts)) {
        const key = part === '' ? name : `${name}: ${part}`
        const kept = samples.get(key) ?? []
        kept.push({ ms, isDisturbed })
        samples.set(key, kept)
      }
    }
  }
  return [...samples].map(([name, all]) => seriesOf(name, all))
}

export function seriesOf(name: string, all: readonly Sample[]): Series {
  const clean = all.filter(({ isDisturbed }) => !isDisturbed)
  const isDoubtful = clean.length < Math.min(ENOUGH, all.length)
  const used = (isDoubtful ? all : clean).map(({ ms }) => ms)
  return {
    name,
    median: quantile(used, 0.5),
    low: quantile(used, 0.25),
    high: quantile(used, 0.75),
    samples: all.map(({ ms }) => ms),
    disturbed: all.length - clean.length,
    isDoubtful,
  }
}

/** Between the two nearest values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)] ?? Number.NaN
  return below + (at - Math.floor(at)) * ((sorted[Math.ceil(at)] ?? below) - below)
}

/** Milliseconds of work, and its result, so that nobody may leave the work out. */
export async function timed<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const from = performance.now()
  const result = await work()
  return { ms: performance.now() - from, result }
}

/** A straight line through points: least squares. */
export function line(points: readonly (readonly [number, number])[]): { readonly slope: number; readonly start: number } {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const [x, y] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const over = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0)
  const slope = over / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0)
  return { slope, start: y - slope * x }
}
