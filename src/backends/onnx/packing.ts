// Whether a question is answered alone as it is among others that share its passes.
import type { ModelCheck } from '../../core/model-check.ts'
import type { Prompt } from '../../core/types.ts'
import type { Backend, Branch, Scores } from '../backend.ts'
import { largestDifference, PROBE_BRANCHES, probePrompts } from './parity.ts'

/**
 * Most that a log-probability may differ, in nats: two percent of a probability. Float graphs stay below 1e-5; where
 * activations are rounded to 8 bits, sums in another order reach the next of their 255 steps.
 */
export const PACKING_NATS = 0.02

/** The others are of many lengths, since padding is what goes wrong first. */
const OTHERS: readonly Branch[] = ['It is late.', 'The parcel is here, and it is green.', 'Somebody asks for a price of the lamp.'].flatMap(
  (instructions, i): readonly Branch[] => [
    { readout: 'binary', instructions, candidates: [named('true'), named('false')], image: null },
    {
      readout: 'exclusive',
      instructions,
      candidates: Array.from({ length: 2 + 2 * i }, (_, at) => named(`${'very '.repeat(at)}well`)),
      image: null,
    },
  ],
)

function named(name: string) {
  return { name, description: null }
}

/** Asks small questions one by one and all at once, in two orders. Throws what the model throws. */
export async function checkPacking(backend: Backend): Promise<ModelCheck> {
  let worst = 0
  const prompts = probePrompts(backend)
  const together = [...OTHERS.slice(0, 3), ...PROBE_BRANCHES, ...OTHERS.slice(3)]
  for (const prompt of prompts) {
    const alone: number[][] = []
    for (const branch of PROBE_BRANCHES) alone.push(valuesOf(await scoresOf(backend, prompt, [branch])).flat())
    for (const order of [together, [...together].reverse()]) {
      const among = valuesOf(await scoresOf(backend, prompt, order))
      const found = PROBE_BRANCHES.map((branch) => among[order.indexOf(branch)] as number[])
      const difference = largestDifference(alone.flat(), found.flat())
      worst = Number.isNaN(difference) ? Number.NaN : Math.max(worst, difference)
    }
    if (Number.isNaN(worst)) break
  }
  const asked = `${PROBE_BRANCHES.length} questions alone and among ${together.length}, on ${prompts.length} states`
  const most = `at most ${PACKING_NATS} nats are taken`
  if (worst <= PACKING_NATS) {
    const by = worst === 0 ? 'no log-probability differs' : `log-probabilities differ by ${worst.toPrecision(2)}`
    return { check: 'packing', status: 'passed', detail: `${asked}: ${by}, ${most}` }
  }
  const by = Number.isNaN(worst) ? 'log-probabilities are no numbers' : `log-probabilities differ by ${worst.toPrecision(2)}, ${most}`
  const remedy = 'take another --dtype of this model (int8 activations with one scale for a whole pass do this), or another export'
  return { check: 'packing', status: 'failed', detail: `${asked}: ${by}`, remedy }
}

async function scoresOf(backend: Backend, prompt: Prompt, branches: readonly Branch[]): Promise<readonly Scores[]> {
  const prefix = await backend.open(prompt)
  try {
    return await prefix.score(branches)
  } finally {
    prefix.close()
  }
}

const valuesOf = (scores: readonly Scores[]): number[][] =>
  scores.map(({ rows }) => rows.flatMap(({ logProbabilities }) => [...logProbabilities]))
