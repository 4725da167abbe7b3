// Seeded random weights by name: every file of the model gets the same numbers for the same name, so none are stored.

export interface Weights {
  /** Uniform numbers of the standard deviation given, `count` of them. */
  random(name: string, count: number, deviation: number): Float32Array
  /** A product's weights, [input][output]; `gain` is on top of what keeps the size of its inputs. */
  product(name: string, inputs: number, outputs: number, gain?: number): Float32Array
  /** Gains of a norm, around one. */
  gains(name: string, count: number): Float32Array
}

export function makeWeights(seed: number): Weights {
  const random: Weights['random'] = (name, count, deviation) => {
    let state = hashOf(`${seed}:${name}`)
    const out = new Float32Array(count)
    // Uniform between -width and width has the deviation width / sqrt(3).
    const scale = (2 * Math.sqrt(3) * deviation) / 2 ** 32
    for (let i = 0; i < count; i++) {
      // Marsaglia's xorshift with 32 bits.
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      out[i] = (state | 0) * scale
    }
    return out
  }
  return {
    random,
    product: (name, inputs, outputs, gain = 1) => random(name, inputs * outputs, gain / Math.sqrt(inputs)),
    gains: (name, count) => random(name, count, 0.1).map((value) => 1 + value),
  }
}

/** FNV-1a over the characters; never 0, where xorshift stands still. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) as number), 0x01000193)
  return hash | 1
}

/** [rows][columns] to [columns][rows]. */
export function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) out[column * rows + row] = values[row * columns + column] as number
  }
  return out
}

/** The weights of the output, [hidden][vocabulary], are the embeddings, [vocabulary][hidden], turned. */
export const embeddings = (weights: Weights, vocabulary: number, hidden: number): Float32Array =>
  weights.random('embeddings', vocabulary * hidden, 2 / Math.sqrt(hidden))
