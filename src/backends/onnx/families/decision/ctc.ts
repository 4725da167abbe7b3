// Connectionist temporal classification (Graves et al. 2006): a path of classes over steps to the labels it stands for,
// repeats counted once and blanks left out. Class 0 is the blank.

/** A label of the best path, and the steps it spans. */
export interface CtcLabel {
  readonly label: number
  readonly from: number
  readonly to: number
  /** Of its likeliest step. */
  readonly logProbability: number
}

/** [step][class] logits from `from` to `end` as log-probabilities. */
export function logProbabilitiesOf(logits: Float32Array, from: number, end: number, classes: number): Float32Array {
  const logs = logits.slice(from, end)
  for (let at = 0; at < logs.length; at += classes) normalise(logs.subarray(at, at + classes))
  return logs
}

/** In place, and without the sorting of math.ts: classes have an order, and a page has thousands of steps. */
function normalise(logits: Float32Array): void {
  let top = -Infinity
  for (const logit of logits) top = Math.max(top, logit)
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - top)
  const norm = top + Math.log(sum)
  for (let i = 0; i < logits.length; i++) logits[i] = (logits[i] as number) - norm
}

/** The labels of the likeliest class of each step. */
export function bestPath(logProbabilities: Float32Array, classes: number): CtcLabel[] {
  const found: CtcLabel[] = []
  let previous = 0
  for (let step = 0; step * classes < logProbabilities.length; step++) {
    const { best, logProbability } = likeliest(logProbabilities, step * classes, classes)
    const last = found.at(-1)
    if (best !== 0 && best === previous && last !== undefined) {
      found[found.length - 1] = { ...last, to: step + 1, logProbability: Math.max(last.logProbability, logProbability) }
    } else if (best !== 0) found.push({ label: best, from: step, to: step + 1, logProbability })
    previous = best
  }
  return found
}

function likeliest(logs: Float32Array, from: number, count: number): { best: number; logProbability: number } {
  let best = 0
  for (let i = 1; i < count; i++) if ((logs[from + i] as number) > (logs[from + best] as number)) best = i
  return { best, logProbability: logs[from + best] as number }
}

/** The log-probability of a sequence of labels, summed over all its paths. `logProbabilities`: [step][class]. */
export function ctcLogProbability(logProbabilities: Float32Array, classes: number, sequence: readonly number[]): number {
  const steps = logProbabilities.length / classes
  const labels = sequence.flatMap((label) => [0, label]).concat(0)
  let last = new Float64Array(labels.length).fill(-Infinity)
  last[0] = logProbabilities[0] as number
  if (labels.length > 1) last[1] = logProbabilities[labels[1] as number] as number
  for (let step = 1; step < steps; step++) {
    const next = new Float64Array(labels.length)
    labels.forEach((label, i) => {
      const mayJump = label !== 0 && label !== labels[i - 2]
      const before = logSum(last[i] as number, last[i - 1] ?? -Infinity, mayJump ? (last[i - 2] ?? -Infinity) : -Infinity)
      next[i] = before + (logProbabilities[step * classes + label] as number)
    })
    last = next
  }
  return logSum(last.at(-1) as number, last.at(-2) ?? -Infinity, -Infinity)
}

function logSum(a: number, b: number, c: number): number {
  const top = Math.max(a, b, c)
  return top === -Infinity ? top : top + Math.log(Math.exp(a - top) + Math.exp(b - top) + Math.exp(c - top))
}
