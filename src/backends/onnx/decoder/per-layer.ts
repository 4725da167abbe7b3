// Numbers for each layer (Gemma 3n and 4): besides the embedding of a token, its graph gives numbers that each layer of
// the decoder takes on its own. So a row of such a model is the embedding of a token and these numbers, side by side.
// The features of a picture take the place of the embedding alone: the numbers for the layers stay those that the graph
// gives for the image token.
import { EngineError } from '../../../core/errors.ts'
import { inputsOf, outputsOf, type Runtime, type Session, type SessionValue, type Tensor } from '../runtime/session.ts'
import { ints } from '../runtime/tensors.ts'
import type { Embedder } from './contract.ts'
import { embeddingRows } from './embeddings.ts'

/** What exports call them, as an output of the embeddings and as an input of the decoder. */
export const PER_LAYER = 'per_layer_inputs'

const total = (sizes: readonly number[]): number => sizes.reduce((product, size) => product * size, 1)
const numbersOf = (values: readonly SessionValue[]): SessionValue | undefined => values.find(({ name }) => name === PER_LAYER)

/**
 * How a decoder graph takes the numbers of a token, [layers, numbers]; null where it takes none. Throws
 * `model_not_available` where it takes them in a form that is not known, or where the embeddings are not made for it.
 */
function shapeOf(embedder: Session, decoder: Session, graphName: string): readonly number[] | null {
  const [given, taken] = [numbersOf(outputsOf(embedder)), numbersOf(inputsOf(decoder))]
  const refuse = (what: string, remedy: string): never => {
    throw new EngineError('model_not_available', `${what}; ${remedy}`)
  }
  const sameModel = 'take both files from the same model'
  if (given === undefined && taken === undefined) return null
  if (given === undefined) return refuse(`${graphName} takes ${PER_LAYER}, which embed_tokens does not give`, sameModel)
  if (taken === undefined) return refuse(`embed_tokens gives ${PER_LAYER}, which ${graphName} does not take`, sameModel)
  const said = ({ shape }: SessionValue): number[] => shape.slice(2).filter((size): size is number => typeof size === 'number' && size > 0)
  const sizes = said(taken)
  if (taken.type !== 'float32' || given.type !== 'float32' || taken.shape.length < 3 || sizes.length !== taken.shape.length - 2) {
    const what = `${graphName} takes ${PER_LAYER} as ${taken.type} [${taken.shape.join(', ')}], embed_tokens gives ${given.type}`
    return refuse(what, 'float32 [batch, sequence, layers, numbers] was expected: take another dtype or export of this model')
  }
  const own = said(given)
  if (own.length === given.shape.length - 2 && total(own) !== total(sizes)) {
    return refuse(`embed_tokens gives ${total(own)} numbers of a token for all layers, ${graphName} takes ${total(sizes)}`, sameModel)
  }
  return sizes
}

/**
 * The embeddings of a decoder graph, with the numbers for its layers beside them where it takes any. Throws
 * `model_not_available` where both graphs are not made for each other.
 */
export function layeredRows(runtime: Runtime, embedder: Session, decoder: Session, width: number, graphName: string): Embedder {
  const shape = shapeOf(embedder, decoder, graphName)
  const plain = embeddingRows(runtime, embedder, width)
  if (shape === null) return plain
  const beside = total(shape)
  const all = width + beside
  return {
    ...plain,
    width: all,
    async embed(ids) {
      const out = await embedder.run({ input_ids: ints(runtime, ids, [1, ids.length]) }, ['inputs_embeds', PER_LAYER])
      const [own, more] = [out.inputs_embeds, out[PER_LAYER]].map((tensor) => (tensor as Tensor).data as Float32Array)
      const rows = new Float32Array(ids.length * all)
      for (let i = 0; i < ids.length; i++) {
        rows.set((own as Float32Array).subarray(i * width, (i + 1) * width), i * all)
        rows.set((more as Float32Array).subarray(i * beside, (i + 1) * beside), i * all + width)
      }
      return rows
    },
    feeds(data, rows, tokens) {
      const count = rows * tokens
      const [own, more] = [new Float32Array(count * width), new Float32Array(count * beside)]
      for (let i = 0; i < count; i++) {
        own.set(data.subarray(i * all, i * all + width), i * width)
        more.set(data.subarray(i * all + width, (i + 1) * all), i * beside)
      }
      return { ...plain.feeds(own, rows, tokens), [PER_LAYER]: new runtime.Tensor('float32', more, [rows, tokens, ...shape]) }
    },
  }
}
