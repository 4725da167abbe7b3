// The decoder as GGUF (version 3), for llama.cpp: the same weights under its names, rows first, queries and keys in the
// order of its rotary embedding. Format: ggml-org/ggml, docs/gguf.md.
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Vocabulary } from './configuration.ts'
import { RESIDUAL } from './graphs.ts'
import type { Shape } from './shape.ts'
import { embeddings, transposed, type Weights } from './weights.ts'

export type GgufType = 'F32' | 'F16' | 'Q8_0'

const TYPES = { F32: 0, F16: 1, Q8_0: 8 } as const
const VALUES = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 } as const
const FILE_TYPES: Readonly<Record<GgufType, number>> = { F32: 0, F16: 1, Q8_0: 7 }
const BLOCK = 32
const ALIGNMENT = 32

interface GgufTensor {
  readonly name: string
  /** Numbers in a row, then rows. */
  readonly sizes: readonly number[]
  readonly type: keyof typeof TYPES
  /** [row][number]; made when it is written. */
  values(): Float32Array
}

/** `template`: the chat template, in Jinja; absent: the file has none. */
export function writeGguf(
  path: string,
  shape: Omit<Shape, 'vision'>,
  weights: Weights,
  vocabulary: Vocabulary,
  type: GgufType,
  template?: string,
): void {
  const tensors = tensorsOf(shape, weights, type)
  const file = openSync(path, 'w')
  let at = 0
  const write = (bytes: Uint8Array): void => {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done)
    at += bytes.length
  }
  const pad = (): void => write(new Uint8Array((ALIGNMENT - (at % ALIGNMENT)) % ALIGNMENT))
  const facts = factsOf(shape, vocabulary, type, template)
  write(Buffer.concat([Buffer.from('GGUF'), uint32(3), uint64(tensors.length), uint64(facts.length), ...facts]))
  let offset = 0
  for (const { name, sizes, type: kind } of tensors) {
    write(Buffer.concat([string(name), uint32(sizes.length), ...sizes.map(uint64), uint32(TYPES[kind]), uint64(offset)]))
    offset += Math.ceil(bytesOf(kind, sizes) / ALIGNMENT) * ALIGNMENT
  }
  pad()
  for (const { type: kind, values } of tensors) {
    write(kind === 'Q8_0' ? blocksOf(values()) : kind === 'F16' ? halvesOf(values()) : new Uint8Array(values().buffer))
    pad()
  }
  closeSync(file)
}

function tensorsOf(shape: Omit<Shape, 'vision'>, weights: Weights, type: GgufType): GgufTensor[] {
  const { hidden, layers, heads, keyHeads, headSize, inner, vocabulary } = shape
  const product = (name: string, from: string, inputs: number, outputs: number, gain = 1, turnedHeads = 0): GgufTensor => ({
    name: `${name}.weight`,
    sizes: [inputs, outputs],
    type,
    values: () => {
      const rows = transposed(weights.product(from, inputs, outputs, gain), inputs, outputs)
      return turnedHeads === 0 ? rows : interleaved(rows, turnedHeads, headSize, inputs)
    },
  })
  const norm = (name: string, from: string): GgufTensor => ({
    name: `${name}.weight`,
    sizes: [hidden],
    type: 'F32',
    values: () => weights.gains(from, hidden),
  })
  const layer = (i: number): GgufTensor[] => {
    const to = `blk.${i}`
    const from = `layers.${i}`
    return [
      norm(`${to}.attn_norm`, `${from}.input_layernorm`),
      product(`${to}.attn_q`, `${from}.q_proj`, hidden, heads * headSize, 1, heads),
      product(`${to}.attn_k`, `${from}.k_proj`, hidden, keyHeads * headSize, 1, keyHeads),
      product(`${to}.attn_v`, `${from}.v_proj`, hidden, keyHeads * headSize),
      product(`${to}.attn_output`, `${from}.o_proj`, heads * headSize, hidden, RESIDUAL),
      norm(`${to}.ffn_norm`, `${from}.post_attention_layernorm`),
      product(`${to}.ffn_gate`, `${from}.gate_proj`, hidden, inner),
      product(`${to}.ffn_up`, `${from}.up_proj`, hidden, inner),
      product(`${to}.ffn_down`, `${from}.down_proj`, inner, hidden, RESIDUAL),
    ]
  }
  // Without an output of its own, llama.cpp takes the embeddings, as this model does.
  return [
    { name: 'token_embd.weight', sizes: [hidden, vocabulary], type, values: () => embeddings(weights, vocabulary, hidden) },
    ...Array.from({ length: layers }, (_, i) => layer(i)).flat(),
    norm('output_norm', 'norm'),
  ]
}

/**
 * Halves of a head to neighbours: llama.cpp turns pairs (0, 1), (2, 3), … where the ONNX graph turns (0, 32), (1, 33),
 * …
 */
function interleaved(rows: Float32Array, heads: number, size: number, width: number): Float32Array {
  const out = new Float32Array(rows.length)
  for (let head = 0; head < heads; head++) {
    for (let i = 0; i < size; i++) {
      const from = head * size + (i % 2) * (size / 2) + Math.floor(i / 2)
      out.set(rows.subarray(from * width, (from + 1) * width), (head * size + i) * width)
    }
  }
  return out
}

function factsOf(
  shape: Omit<Shape, 'vision'>,
  { tokens, merges, special }: Vocabulary,
  type: GgufType,
  template: string | undefined,
): Buffer[] {
  const number = (key: string, value: number) => Buffer.concat([string(key), uint32(VALUES.uint32), uint32(value)])
  const float = (key: string, value: number) =>
    Buffer.concat([string(key), uint32(VALUES.float32), Buffer.from(Float32Array.of(value).buffer)])
  const text = (key: string, value: string) => Buffer.concat([string(key), uint32(VALUES.string), string(value)])
  const list = (key: string, kind: number, values: readonly Buffer[]) =>
    Buffer.concat([string(key), uint32(VALUES.array), uint32(kind), uint64(values.length), ...values])
  const normal = 1
  const control = 3
  return [
    text('general.architecture', 'llama'),
    text('general.name', 'random SmolVLM-256M decoder'),
    number('general.file_type', FILE_TYPES[type]),
    number('general.quantization_version', 2),
    number('llama.vocab_size', shape.vocabulary),
    number('llama.context_length', shape.positions),
    number('llama.embedding_length', shape.hidden),
    number('llama.block_count', shape.layers),
    number('llama.feed_forward_length', shape.inner),
    number('llama.attention.head_count', shape.heads),
    number('llama.attention.head_count_kv', shape.keyHeads),
    number('llama.attention.key_length', shape.headSize),
    number('llama.attention.value_length', shape.headSize),
    number('llama.rope.dimension_count', shape.headSize),
    float('llama.rope.freq_base', shape.rotaryBase),
    float('llama.attention.layer_norm_rms_epsilon', shape.normEpsilon),
    text('tokenizer.ggml.model', 'gpt2'),
    text('tokenizer.ggml.pre', 'smollm'),
    list('tokenizer.ggml.tokens', VALUES.string, tokens.map(string)),
    list(
      'tokenizer.ggml.token_type',
      VALUES.int32,
      tokens.map((token) => uint32(special.has(token) ? control : normal)),
    ),
    list(
      'tokenizer.ggml.merges',
      VALUES.string,
      merges.map((pair) => string(pair.join(' '))),
    ),
    number('tokenizer.ggml.bos_token_id', tokens.indexOf('<|im_start|>')),
    number('tokenizer.ggml.eos_token_id', tokens.indexOf('<end_of_utterance>')),
    number('tokenizer.ggml.padding_token_id', tokens.indexOf('<|im_end|>')),
    ...(template === undefined ? [] : [text('tokenizer.chat_template', template)]),
  ]
}

const uint32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer)
const uint64 = (value: number): Buffer => Buffer.from(BigUint64Array.of(BigInt(value)).buffer)
const string = (value: string): Buffer => Buffer.concat([uint64(Buffer.byteLength(value)), Buffer.from(value)])

function bytesOf(type: keyof typeof TYPES, sizes: readonly number[]): number {
  const count = sizes.reduce((product, size) => product * size, 1)
  return type === 'F32' ? count * 4 : type === 'F16' ? count * 2 : (count / BLOCK) * (BLOCK + 2)
}

/** Q8_0: blocks of a half (the scale) and 32 levels. */
function blocksOf(values: Float32Array): Uint8Array {
  const out = Buffer.alloc((values.length / BLOCK) * (BLOCK + 2))
  for (let block = 0; block < values.length / BLOCK; block++) {
    const from = block * BLOCK
    const to = block * (BLOCK + 2)
    let largest = 0
    for (let i = 0; i < BLOCK; i++) largest = Math.max(largest, Math.abs(values[from + i] as number))
    const scale = largest / 127
    out.writeUInt16LE(halfOf(scale), to)
    for (let i = 0; i < BLOCK; i++) out.writeInt8(scale === 0 ? 0 : Math.round((values[from + i] as number) / scale), to + 2 + i)
  }
  return out
}

function halvesOf(values: Float32Array): Uint8Array {
  const out = new Uint16Array(values.length)
  for (let i = 0; i < values.length; i++) out[i] = halfOf(values[i] as number)
  return new Uint8Array(out.buffer)
}

const single = new Float32Array(1)
const bits = new Uint32Array(single.buffer)

/** A float as IEEE half, rounded to nearest. Numbers here are far below its largest; tiny ones become 0. */
function halfOf(value: number): number {
  single[0] = value
  const word = bits[0] as number
  const sign = (word >>> 16) & 0x8000
  const exponent = ((word >>> 23) & 0xff) - 112
  if (exponent <= 0) return sign | Math.round(Math.abs(value) * 2 ** 24)
  return sign + (exponent << 10) + (((word & 0x7fffff) + 0x1000) >>> 13)
}
