// From the vectors of slots to logits: what the heads make of the questions of a pass.
import { joined } from '../../runtime/tensors.ts'
import type { Decided, EncoderGraphs } from './graphs.ts'
import { meanRow, type QuestionSlots, slotInputs } from './looks.ts'
import type { PassageView } from './passage-view.ts'

export interface Reading {
  /** By row. */
  readonly logits: readonly number[]
  readonly features: Float32Array
}

/** `view`: the tokens that the questions are decided by, and the means of the passages they stand in. */
export async function decide(
  graphs: EncoderGraphs,
  slots: readonly QuestionSlots[],
  look: 'first' | 'second',
  view: Pick<PassageView, 'memory' | 'means'>,
): Promise<Reading[]> {
  const parts = slots.map(decidedAlike)
  const all = parts.flat()
  const width = slots[0]?.vectors[0]?.length ?? 0
  const decided = new Map<QuestionSlots, Decided>()
  // A question of many slots would fill up those of one with nothing.
  for (const group of [all.filter(({ vectors }) => vectors.length === 1), all.filter(({ vectors }) => vectors.length !== 1)]) {
    if (group.length === 0) continue
    const inputs = slotInputs(group, look, width)
    const { logits, hidden } = await graphs.decide(view.memory, inputs)
    group.forEach((question, i) => {
      const [from, to] = [i * inputs.slots, i * inputs.slots + question.vectors.length]
      decided.set(question, { logits: logits.subarray(from, to), hidden: hidden.subarray(from * width, to * width) })
    })
  }
  return parts.map((part) => {
    const own = part.map((question) => decided.get(question) as Decided)
    const hidden = joined(own.map((one) => one.hidden))
    return {
      logits: own.flatMap(({ logits }) => [...logits]),
      features: featuresOf(view.means, meanRow(hidden, width, 0, hidden.length / width)),
    }
  })
}

/**
 * What of a question is decided together. The options of a choice each stand alone: how likely one is beside another
 * does not depend on what else there is to choose from.
 */
function decidedAlike(slots: QuestionSlots): QuestionSlots[] {
  const { question, vectors, means, told, like } = slots
  if (question.kind !== 'exclusive') return [slots]
  return vectors.map((vector, i) => {
    return { question, vectors: [vector], means: [means[i] as Float32Array], told: [told[i] as Float32Array], like: [like[i] as number] }
  })
}

/** The feature vector of a question about a state, for heads that are learned: two vectors of length one, [2 W]. */
function featuresOf(passages: readonly Float32Array[], hidden: Float32Array): Float32Array {
  const state = meanRow(joined(passages), hidden.length, 0, passages.length)
  return joined([unit(state), unit(hidden)])
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}
