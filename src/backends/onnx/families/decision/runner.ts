// The three graphs of our own model as typed calls. Shapes: S state tokens, N image cells, T branch tokens, R marks, W read rows; see training/graphs.py.
import { readFile } from 'node:fs/promises'
import { EngineError } from '../../../../errors.ts'
import { findGraph, type ModelFolder } from '../../layout.ts'
import type { OnnxOptions } from '../../options.ts'
import { loadRuntime, openSession, type Runtime, type Session, type Tensor } from '../../session.ts'
import { CONTROL, KINDS, type Kind } from './control.ts'
import { exposeInner, type InnerNames, type InnerState } from './features.ts'
import type { PackedBranch, PackedState } from './pack.ts'

const VISION_WIDTH = 192
const PLACE_WIDTH = 6
const OFFSET_WIDTH = 5

/** What the vision encoder made of a picture: [cell][192] features and [cell][5] offsets. */
export interface EncodedPicture {
  readonly features: Float32Array
  readonly offsets: Float32Array
}

/** A state as the branches need it. */
export interface EncodedState {
  readonly ids: Tensor
  readonly words: Tensor
  readonly memory: Tensor
  readonly keys: Tensor
  readonly values: Tensor
  readonly pairs: Tensor
  /** [S][128] each: what a first token looks for, and what a last token offers. */
  readonly endQueries: Float32Array
  readonly endKeys: Float32Array
  readonly endWidth: number
  readonly bytes: number
}

/** Tokens already written behind a read, and what of the branch to look at. */
export interface BranchRun {
  readonly packed: PackedBranch
  readonly kind: Kind
  readonly written: readonly number[]
  /** 1 per state token that the question may see. */
  readonly seen: Float32Array
}

export class Runner {
  readonly #ort: Runtime
  readonly #state: Session
  readonly #branch: Session
  readonly #vision: Session | null
  readonly #inner: InnerNames | null

  private constructor(ort: Runtime, state: Session, branch: Session, inner: InnerNames | null, vision: Session | null) {
    this.#ort = ort
    this.#state = state
    this.#branch = branch
    this.#inner = inner
    this.#vision = vision
  }

  static async open(folder: ModelFolder, options: OnnxOptions): Promise<Runner> {
    const open = (name: string): Promise<Session> => openSession(findGraph(folder, name, ['fp32'], options), options)
    const hasVision = folder.files.includes('onnx/vision_encoder.onnx')
    const branch = findGraph(folder, 'branch_reader', ['fp32'], options)
    const exposed = exposeInner(await readFile(branch.path))
    return new Runner(
      await loadRuntime(),
      await open('state_encoder'),
      await openSession(branch, options, exposed?.bytes),
      exposed?.names ?? null,
      hasVision ? await open('vision_encoder') : null,
    )
  }

  get seesImages(): boolean {
    return this.#vision !== null
  }

  #ints(values: readonly number[]): Tensor {
    return new this.#ort.Tensor(
      'int64',
      BigInt64Array.from(values, (value) => BigInt(value)),
      [values.length],
    )
  }

  #floats(values: Float32Array, shape: readonly number[]): Tensor {
    return new this.#ort.Tensor('float32', values, shape)
  }

  /** `pixels`: [tile][3][size][size], -1 to 1. `kept`: the cells to give, in the order of `cellsOf`. */
  async picture(pixels: Float32Array, tiles: number, size: number, kept: readonly number[]): Promise<EncodedPicture> {
    if (this.#vision === null)
      throw new EngineError('capability_not_supported', 'this model reads no images; use one with a vision encoder')
    const { image_features: features, image_boxes: offsets } = await this.#vision.run({
      pixel_values: this.#floats(pixels, [tiles, 3, size, size]),
    })
    return { features: take(features as Tensor, VISION_WIDTH, kept), offsets: take(offsets as Tensor, OFFSET_WIDTH, kept) }
  }

  /** `features` and `places` of all images of the state, in order. */
  async state(packed: PackedState, features: readonly Float32Array[], places: readonly Float32Array[]): Promise<EncodedState> {
    const ids = this.#ints(packed.ids)
    const outputs = await this.#state.run({
      ids,
      cases: this.#ints(packed.cases),
      segments: this.#ints(packed.segments),
      positions: this.#ints(packed.positions),
      cells: this.#ints(packed.imageCells),
      image_features: this.#rows(features, VISION_WIDTH),
      image_places: this.#rows(places, PLACE_WIDTH),
    })
    const { words, memory, keys, values, pairs, end_queries: queries, end_keys: endKeys } = outputs as Record<string, Tensor>
    const held = [words, memory, keys, values, queries, endKeys] as Tensor[]
    return {
      ids,
      words: words as Tensor,
      memory: memory as Tensor,
      keys: keys as Tensor,
      values: values as Tensor,
      pairs: pairs as Tensor,
      endQueries: (queries as Tensor).data as Float32Array,
      endKeys: (endKeys as Tensor).data as Float32Array,
      endWidth: (queries as Tensor).dims[1] as number,
      bytes: held.reduce((sum, tensor) => sum + (tensor.data as Float32Array).byteLength, 0),
    }
  }

  /** At least one row: the graph gathers from it even when no token is an image cell. */
  #rows(parts: readonly Float32Array[], width: number): Tensor {
    const rows = Math.max(1, parts.reduce((sum, part) => sum + part.length, 0) / width)
    const all = new Float32Array(rows * width)
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return this.#floats(all, [rows, width])
  }

  /** Logits of the marks, in the order of `packed.marks`, and what the model thought on the way; null when its graph does not say. */
  async score(state: EncodedState, run: BranchRun): Promise<{ logits: Float32Array; inner: InnerState | null }> {
    const names = this.#inner
    const outputs = await this.#branch.run(this.#feeds(state, run), ['logits', ...(names === null ? [] : [names.topic, names.hidden])])
    const dataOf = (name: string): Float32Array => (outputs[name] as Tensor).data as Float32Array
    const inner = names === null ? null : { topic: dataOf(names.topic), hidden: dataOf(names.hidden), marks: run.packed.marks.length }
    return { logits: dataOf('logits'), inner }
  }

  /** Pointer logits over the state, [S] each, and the logit of "nothing there". */
  async point(state: EncodedState, run: BranchRun): Promise<{ start: Float32Array; end: Float32Array; absent: number }> {
    const { start, end, absent } = (await this.#branch.run(this.#feeds(state, run), ['start', 'end', 'absent'])) as Record<string, Tensor>
    return {
      start: (start as Tensor).data as Float32Array,
      end: (end as Tensor).data as Float32Array,
      absent: ((absent as Tensor).data as Float32Array)[0] as number,
    }
  }

  /** Logits of the next token: [8192] by the vocabulary, [S] by copying. */
  async next(state: EncodedState, run: BranchRun): Promise<{ vocabulary: Float32Array; copy: Float32Array }> {
    const { vocabulary, copy } = (await this.#branch.run(this.#feeds(state, run), ['vocabulary', 'copy'])) as Record<string, Tensor>
    return { vocabulary: (vocabulary as Tensor).data as Float32Array, copy: (copy as Tensor).data as Float32Array }
  }

  #feeds(state: EncodedState, { packed, kind, written, seen }: BranchRun): Record<string, Tensor> {
    const last = packed.positions.at(-1) as number
    const tail = (value: (index: number) => number): number[] => written.map((_, index) => value(index))
    const ids = [...packed.ids, ...written]
    // A scored kind is 0 to 3; for reads the marks are not looked at, and any kind will do.
    const kindIndex = Math.min(KINDS.indexOf(kind), 3)
    return {
      ids: this.#ints(ids),
      cases: this.#ints([...packed.cases, ...tail(() => 0)]),
      positions: this.#ints([...packed.positions, ...tail((i) => last + 1 + i)]),
      // Written tokens are a branch of their own, each seeing those before it.
      owners: this.#ints([...packed.owners, ...tail(() => WRITTEN)]),
      orders: this.#ints([...packed.ids.map(() => 0), ...tail((i) => i + 1)]),
      ranks: this.#floats(Float32Array.from([...packed.ranks, ...tail(() => -1)]), [ids.length]),
      marks: this.#ints(packed.marks),
      kinds: this.#ints(packed.marks.map(() => kindIndex)),
      reads: this.#ints([written.length === 0 ? (packed.marks[0] as number) : ids.length - 1]),
      read_tokens: this.#ints([written.at(-1) ?? CONTROL.mark]),
      state_ids: state.ids,
      state_seen: this.#floats(seen, [seen.length]),
      words: state.words,
      memory: state.memory,
      keys: state.keys,
      values: state.values,
      pairs: state.pairs,
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#state.release(), this.#branch.release(), this.#vision?.release()])
  }
}

/** Owner of written tokens: none of the options'. */
const WRITTEN = 1000

/** Some rows of a [rows][width] tensor, copied. */
function take(tensor: Tensor, width: number, rows: readonly number[]): Float32Array {
  const data = tensor.data as Float32Array
  const taken = new Float32Array(rows.length * width)
  rows.forEach((row, i) => {
    taken.set(data.subarray(row * width, (row + 1) * width), i * width)
  })
  return taken
}
