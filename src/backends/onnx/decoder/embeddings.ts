// Token ids to rows, and rows to the inputs of a decoder graph: embeddings that another graph makes of the ids, or the
// ids themselves where the decoder graph takes those.
import type { Runtime, Session, Tensor } from '../runtime/session.ts'
import { ints } from '../runtime/tensors.ts'
import type { Embedder } from './contract.ts'

/** `embedder`: the graph that makes embeddings. `width`: numbers of one. */
export function embeddingRows(runtime: Runtime, embedder: Session, width: number): Embedder {
  return {
    width,
    featureWidth: width,
    async embed(ids) {
      const feeds = { input_ids: ints(runtime, ids, [1, ids.length]) }
      const out = await embedder.run(feeds, ['inputs_embeds'])
      return (out.inputs_embeds as Tensor).data as Float32Array
    },
    feeds: (data, rows, tokens) => ({ inputs_embeds: new runtime.Tensor('float32', data, [rows, tokens, width]) }),
    release: () => embedder.release(),
  }
}

/** The row of a token is its id, one number. float32 holds ids exactly up to 2^24. */
export function idRows({ Tensor: Make }: Runtime): Embedder {
  return {
    width: 1,
    featureWidth: 1,
    embed: async (ids) => Float32Array.from(ids),
    feeds: (data, rows, tokens) => ({ input_ids: new Make('int64', BigInt64Array.from(data, BigInt), [rows, tokens]) }),
    release: async () => {},
  }
}
