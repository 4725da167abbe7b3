// The three graphs of the model under the names that hub exports have: GroupQueryAttention with rotary embedding
// outside, positions as an input.
import { BOOL, FLOAT, INT64, makeGraph } from './graph.ts'
import { lookUp, makeProduct, type Precision, toInt32 } from './products.ts'
import type { Shape } from './shape.ts'
import { embeddings, transposed, type Weights } from './weights.ts'

export function writeEmbedder(path: string, shape: Shape, weights: Weights, precision: Precision): void {
  const graph = makeGraph(path, 'embed_tokens')
  const { vocabulary, hidden } = shape
  graph.input('input_ids', INT64, ['batch_size', 'sequence_length'])
  graph.output('inputs_embeds', FLOAT, ['batch_size', 'sequence_length', hidden])
  lookUp(graph, precision, embeddings(weights, vocabulary, hidden), vocabulary, hidden, 'input_ids', 'inputs_embeds')
  graph.save()
}

/** `takes`: embeddings, as decoders with images do, or ids, as text-only models do; those give logits for every token. */
export function writeDecoder(
  path: string,
  shape: Omit<Shape, 'vision'>,
  weights: Weights,
  precision: Precision,
  takes: 'inputs_embeds' | 'input_ids' = 'inputs_embeds',
): void {
  const { hidden, layers, heads, keyHeads, headSize, inner, vocabulary, positions, rotaryBase, normEpsilon } = shape
  const graph = makeGraph(path, 'decoder_model_merged')
  const product = makeProduct(graph, precision)
  const cache = (length: string) => ['batch_size', keyHeads, length, headSize]
  if (takes === 'inputs_embeds') graph.input('inputs_embeds', FLOAT, ['batch_size', 'sequence_length', hidden])
  else {
    graph.input('input_ids', INT64, ['batch_size', 'sequence_length'])
    lookUp(graph, precision, embeddings(weights, vocabulary, hidden), vocabulary, hidden, 'input_ids', 'inputs_embeds')
  }
  graph.input('attention_mask', INT64, ['batch_size', 'total_sequence_length'])
  graph.input('position_ids', INT64, ['batch_size', 'sequence_length'])
  if (takes === 'inputs_embeds') graph.input('num_logits_to_keep', INT64, [])
  graph.output('logits', FLOAT, ['batch_size', 'num_logits', vocabulary])

  const half = headSize / 2
  const angles = Float64Array.from({ length: positions * half }, (_, i) => Math.floor(i / half) / rotaryBase ** ((i % half) / half))
  const cos = graph.floats(Float32Array.from(angles, Math.cos), [positions, half])
  const sin = graph.floats(Float32Array.from(angles, Math.sin), [positions, half])

  // GroupQueryAttention counts valid keys: all of them, less one.
  const valid = graph.op('ReduceSum', ['attention_mask', graph.integers([1], [1])], { attributes: { keepdims: 0 } })
  const last = toInt32(graph, graph.op('Sub', [valid, graph.integers([1], [1])]))
  const total = toInt32(graph, graph.op('Gather', [graph.op('Shape', ['attention_mask']), graph.integers([1], [])]))

  const norm = (input: string, name: string) =>
    graph.op('SimplifiedLayerNormalization', [input, graph.tensor(`${name}.weight`, FLOAT, [hidden], weights.gains(name, hidden))], {
      name,
      attributes: { axis: 2, epsilon: { float: normEpsilon } },
    })
  const linear = (input: string, name: string, inputs: number, outputs: number, gain = 1) =>
    product(input, name, weights.product(name, inputs, outputs, gain), inputs, outputs)
  const rotate = (input: string, count: number) =>
    graph.op('RotaryEmbedding', [input, 'position_ids', cos, sin], {
      domain: 'com.microsoft',
      attributes: { num_heads: count, rotary_embedding_dim: 0 },
    })

  let x = 'inputs_embeds'
  for (let i = 0; i < layers; i++) {
    const layer = `layers.${i}`
    const h = norm(x, `${layer}.input_layernorm`)
    const q = rotate(linear(h, `${layer}.q_proj`, hidden, heads * headSize), heads)
    const k = rotate(linear(h, `${layer}.k_proj`, hidden, keyHeads * headSize), keyHeads)
    const v = linear(h, `${layer}.v_proj`, hidden, keyHeads * headSize)
    const parts = [`${i}.key`, `${i}.value`]
    for (const part of parts) {
      graph.input(`past_key_values.${part}`, FLOAT, cache('past_sequence_length'))
      graph.output(`present.${part}`, FLOAT, cache('total_sequence_length'))
    }
    const attended = `${layer}.attention/output`
    const past = parts.map((part) => `past_key_values.${part}`)
    graph.ops('GroupQueryAttention', [q, k, v, ...past, last, total], [attended, ...parts.map((part) => `present.${part}`)], {
      domain: 'com.microsoft',
      attributes: { num_heads: heads, kv_num_heads: keyHeads, scale: { float: headSize ** -0.5 } },
    })
    x = graph.op('Add', [x, linear(attended, `${layer}.o_proj`, heads * headSize, hidden, RESIDUAL)])
    const g = norm(x, `${layer}.post_attention_layernorm`)
    const gate = linear(g, `${layer}.gate_proj`, hidden, inner)
    const open = graph.op('Mul', [gate, graph.op('Sigmoid', [gate])])
    const mixed = graph.op('Mul', [open, linear(g, `${layer}.up_proj`, hidden, inner)])
    x = graph.op('Add', [x, linear(mixed, `${layer}.down_proj`, inner, hidden, RESIDUAL)])
  }
  x = norm(x, 'norm')
  if (takes === 'inputs_embeds') {
    // The last n positions; 0 keeps all: a slice from -0 is a slice from the start.
    const start = graph.op('Reshape', [graph.op('Neg', ['num_logits_to_keep']), graph.integers([1], [1])])
    x = graph.op('Slice', [x, start, graph.integers([Number.MAX_SAFE_INTEGER], [1]), graph.integers([1], [1])])
  }
  product(x, 'lm_head', transposed(embeddings(weights, vocabulary, hidden), vocabulary, hidden), hidden, vocabulary, 'logits')
  graph.save()
}

/** What a layer adds is smaller than what it reads, as in trained models: else the last layers would decide alone. */
export const RESIDUAL = 0.5

/**
 * SigLIP as Idefics3 has it: patches, layers, then blocks of patches side by side and one product into the width of the
 * decoder.
 */
export function writeVision(path: string, shape: Shape, weights: Weights, precision: Precision): void {
  const { hidden, layers, heads, inner, tile, patch, scale, normEpsilon } = shape.vision
  const grid = tile / patch
  const graph = makeGraph(path, 'vision_encoder')
  const product = makeProduct(graph, precision)
  const part = grid / scale
  graph.input('pixel_values', FLOAT, ['batch_size', 'num_images', 3, tile, tile])
  graph.input('pixel_attention_mask', BOOL, ['batch_size', 'num_images', tile, tile])
  graph.output('image_features', FLOAT, ['num_tiles', part * part, shape.hidden])
  const reshape = (input: string, sizes: readonly number[]) => graph.op('Reshape', [input, sizesOf(sizes)])
  // A whole 64 bits of ones is -1, "whatever is left".
  const sizesOf = (sizes: readonly number[]) => graph.integers(sizes, [sizes.length])

  // Tiles that only pad a batch have an empty mask: they are dropped.
  const pixels = reshape('pixel_values', [-1, 3, tile, tile])
  const mask = graph.op('Cast', [reshape('pixel_attention_mask', [-1, tile * tile])], { attributes: { to: FLOAT } })
  const real = graph.op('ReduceMax', [mask, graph.integers([1], [1])], { attributes: { keepdims: 0 } })
  const kept = graph.op('Compress', [pixels, graph.op('Cast', [real], { attributes: { to: BOOL } })], { attributes: { axis: 0 } })

  const filters = graph.tensor('patches.weight', FLOAT, [hidden, 3, patch, patch], weights.product('patches', 3 * patch * patch, hidden))
  const conv = graph.op('Conv', [kept, filters], { attributes: { kernel_shape: [patch, patch], strides: [patch, patch] } })
  const rows = graph.op('Transpose', [reshape(conv, [0, hidden, grid * grid])], { attributes: { perm: [0, 2, 1] } })
  let x = graph.op('Add', [rows, graph.floats(weights.random('places', grid * grid * hidden, 0.3), [grid * grid, hidden])])

  const norm = (input: string, name: string) =>
    graph.op(
      'LayerNormalization',
      [input, graph.floats(weights.gains(name, hidden), [hidden]), graph.floats(weights.random(`${name}.bias`, hidden, 0.1), [hidden])],
      { name, attributes: { axis: 2, epsilon: { float: normEpsilon } } },
    )
  const linear = (input: string, name: string, inputs: number, outputs: number, gain = 1) =>
    graph.op('Add', [
      product(input, `vision.${name}`, weights.product(`vision.${name}`, inputs, outputs, gain), inputs, outputs),
      graph.floats(weights.random(`vision.${name}.bias`, outputs, 0.02), [outputs]),
    ])
  for (let i = 0; i < layers; i++) {
    const layer = `layers.${i}`
    const h = norm(x, `vision.${layer}.layer_norm1`)
    const [q, k, v] = ['q_proj', 'k_proj', 'v_proj'].map((name) => linear(h, `${layer}.${name}`, hidden, hidden)) as [
      string,
      string,
      string,
    ]
    const attended = graph.op('MultiHeadAttention', [q, k, v], { domain: 'com.microsoft', attributes: { num_heads: heads } })
    x = graph.op('Add', [x, linear(attended, `${layer}.out_proj`, hidden, hidden, RESIDUAL)])
    const wide = linear(norm(x, `vision.${layer}.layer_norm2`), `${layer}.fc1`, hidden, inner)
    const bent = graph.op('Gelu', [wide], { attributes: { approximate: 'tanh' } })
    x = graph.op('Add', [x, linear(bent, `${layer}.fc2`, inner, hidden, RESIDUAL)])
  }
  x = norm(x, 'vision.post_layernorm')
  x = graph.op('Transpose', [reshape(x, [-1, grid, part, hidden * scale])], { attributes: { perm: [0, 2, 1, 3] } })
  x = graph.op('Transpose', [reshape(x, [-1, part, part, hidden * scale * scale])], { attributes: { perm: [0, 2, 1, 3] } })
  x = reshape(x, [-1, part * part, hidden * scale * scale])
  const width = hidden * scale * scale
  product(x, 'connector', weights.product('connector', width, shape.hidden, 0.1), width, shape.hidden, 'image_features')
  graph.save()
}
