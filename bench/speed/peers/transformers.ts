// transformers.js on the same folder, in two hands: a user's (`generate` on the whole prompt, one token) and an
// expert's (`forward` with the state's keys and values kept, and logits asked for the last position only, which
// `generate` does by itself).
import { basename, dirname, join } from 'node:path'
import { serveContender } from '../contender.ts'
import { timed } from '../timing.ts'

interface Tensor {
  readonly dims: readonly number[]
  readonly data: Float32Array | BigInt64Array
  dispose(): void
}

interface Model {
  generate(inputs: object): Promise<Tensor>
  forward(inputs: object): Promise<Record<string, Tensor>>
}

interface Library {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => Tensor
  readonly Idefics3ForConditionalGeneration: { from_pretrained(name: string, options: object): Promise<Model> }
}

export interface PeerSetup {
  readonly peers: string
  readonly model: string
  readonly dtype: 'q8' | 'fp32'
  readonly threads: number
}

const make = async ({ peers, model: folder, dtype, threads }: PeerSetup) => {
  const entry = join(peers, 'node_modules/@huggingface/transformers/dist/transformers.node.mjs')
  const library = (await import(entry)) as Library
  library.env.allowRemoteModels = false
  library.env.localModelPath = dirname(folder)
  const model = await library.Idefics3ForConditionalGeneration.from_pretrained(basename(folder), {
    device: 'cpu',
    dtype: { embed_tokens: dtype, decoder_model_merged: dtype, vision_encoder: 'q8' },
    local_files_only: true,
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 },
  })
  const tensor = (values: readonly number[], dims: readonly number[] = [1, values.length]) =>
    new library.Tensor('int64', BigInt64Array.from(values, BigInt), dims)
  const ones = (count: number) => tensor(new Array<number>(count).fill(1))
  const lastOnly = () => tensor([1], [])
  let kept: Record<string, Tensor> = {}
  let length = 0

  /** The likeliest next token: reads the logits, as whoever asked would. */
  const best = ({ logits }: Record<string, Tensor>): number => {
    const row = (logits as Tensor).data as Float32Array
    let at = 0
    for (let i = 1; i < row.length; i++) if ((row[i] as number) > (row[at] as number)) at = i
    return at
  }

  return {
    /** One token behind the whole prompt. */
    async generate(ids: readonly number[]) {
      const { ms, result } = await timed(() =>
        model.generate({ inputs: tensor(ids), attention_mask: ones(ids.length), max_new_tokens: 1, do_sample: false }),
      )
      return { ms, best: Number(result.data.at(-1)) }
    },
    /** Logits behind the whole prompt, without what `generate` adds. */
    async whole(ids: readonly number[]) {
      const { ms, result } = await timed(async () => {
        const out = await model.forward({ input_ids: tensor(ids), attention_mask: ones(ids.length), num_logits_to_keep: lastOnly() })
        return best(out)
      })
      return { ms, best: result }
    },
    /** Reads a state and keeps its keys and values. */
    async read(ids: readonly number[]) {
      const { ms, result } = await timed(() =>
        model.forward({ input_ids: tensor(ids), attention_mask: ones(ids.length), num_logits_to_keep: lastOnly() }),
      )
      kept = Object.fromEntries(
        Object.entries(result).flatMap(([name, value]) =>
          name.startsWith('present') ? [[name.replace('present', 'past_key_values'), value]] : [],
        ),
      )
      length = ids.length
      return { ms }
    },
    /** Questions behind the state that was read, one after the other. */
    async questions(all: readonly (readonly number[])[]) {
      const { ms, result } = await timed(async () => {
        const answers: number[] = []
        for (const ids of all) {
          const out = await model.forward({
            input_ids: tensor(ids),
            attention_mask: ones(length + ids.length),
            position_ids: tensor(ids.map((_, i) => length + i)),
            past_key_values: kept,
            num_logits_to_keep: lastOnly(),
          })
          answers.push(best(out))
        }
        return answers
      })
      return { ms: ms / all.length, best: result }
    },
  }
}

export type TransformersMethods = Awaited<ReturnType<typeof make>>
serveContender(make)
