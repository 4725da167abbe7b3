// Graphs of the text model with fewer nodes: the same numbers, from the graph of the golden folder (float32) and from
// the one that ships (8 bits).
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { keepByLayer, roundAtOnce, scaleColumnsAtOnce } from '../../../../src/backends/onnx/runtime/patches/fewer-nodes.ts'
import { type Graph, readGraph } from '../../../../src/backends/onnx/runtime/patches/graph.ts'
import { GROUP_NUMBERS, GROUPS } from '../../../../src/backends/onnx/runtime/patches/group-attention.ts'
import { type Feeds, loadRuntime } from '../../../../src/backends/onnx/runtime/session.ts'
import { floats, ints } from '../../../../src/backends/onnx/runtime/tensors.ts'

const file = (path: string): Uint8Array => readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)))
const TINY = file('test/golden/encoder/model/onnx/encoder.onnx')
const SHIPPED = file('models/service-1-pro/texts/onnx/encoder_int8.onnx')
const graphOf = (bytes: Uint8Array) => readGraph(bytes) as Graph
const count = ({ nodes }: Graph, opType: string) => nodes.filter((node) => node.opType === opType).length

/** Layers, width and heads, as the graph declares them before and after `keepByLayer`. */
function shapeOf(bytes: Uint8Array) {
  const [layers = 0, , , width = 0] = (graphOf(bytes).outputs.find(({ name }) => name === 'keys')?.dims ?? []) as number[]
  const changed = graphOf(bytes)
  keepByLayer(changed, true)
  const heads = changed.outputs.find(({ name }) => name === 'keys.0')?.dims[1] as number
  return { layers, width, heads }
}

/** Vectors of five pieces, the first of which does not see the last, behind some kept ones. */
async function vectorsOf(original: Uint8Array, change: (graph: Graph) => unknown, kept: number): Promise<Float32Array> {
  const ort = await loadRuntime()
  const { layers, width, heads } = shapeOf(original)
  const graph = graphOf(original)
  change(graph)
  const size = width / heads
  const pieces = 5
  const past = (shift: number) => Float32Array.from({ length: layers * kept * width }, (_, i) => Math.sin(1.7 * i + shift))
  /** Of one layer, heads first. */
  const headsFirst = (all: Float32Array, layer: number) =>
    Float32Array.from({ length: kept * width }, (_, i) => {
      const [head, row, at] = [Math.floor(i / (kept * size)), Math.floor(i / size) % kept, i % size]
      return all[(layer * kept + row) * width + head * size + at] as number
    })
  const bias = new Float32Array(pieces * (kept + pieces))
  bias[kept + pieces - 1] = -1e4
  const feeds: Feeds = {
    tokens: ints(ort, [5, 6, 7, 8, 9], [1, pieces]),
    places: ints(ort, [0, 1, 2, 3, 4], [1, pieces]),
    types: ints(ort, [1, 1, 1, 1, 1], [1, pieces]),
    ...(graph.inputs.some(({ name }) => name === GROUPS.groups)
      ? {
          bias: floats(ort, bias, [bias.length]),
          [GROUPS.groups]: ints(ort, [0, pieces, 0, bias.length, 1, 1, pieces, kept + pieces], [1, GROUP_NUMBERS]),
        }
      : { bias: floats(ort, bias, [1, 1, pieces, kept + pieces]) }),
  }
  for (const [name, shift] of [
    ['past_keys', 0],
    ['past_values', 1],
  ] as const) {
    if (graph.inputs.some((input) => input.name === name)) feeds[name] = floats(ort, past(shift), [layers, 1, kept, width])
    else for (let n = 0; n < layers; n++) feeds[`${name}.${n}`] = floats(ort, headsFirst(past(shift), n), [1, heads, kept, size])
  }
  const session = await ort.InferenceSession.create(graph.write(), { graphOptimizationLevel: 'basic', logSeverityLevel: 3 })
  const { vectors } = await session.run(feeds, ['vectors'])
  await session.release()
  return vectors?.data as Float32Array
}

const asItCame = () => {}
function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length)
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0)
}

describe('a graph with fewer nodes', () => {
  it.each([
    [0, true],
    [3, true],
    [0, false],
    [3, false],
  ])('keeps by layer, behind %i kept pieces, attending by group: %s', async (kept, byGroup) => {
    const graph = graphOf(TINY)
    const layers = count(graph, 'Softmax')
    expect(keepByLayer(graph, byGroup)).toBe(layers)
    expect([count(graph, 'Loop'), count(graph, 'Softmax')]).toEqual(byGroup ? [layers, 0] : [0, layers])
    expect(graph.inputs.map(({ name }) => name)).not.toContain('past_keys')
    const expected = await vectorsOf(TINY, asItCame, kept)
    const found = await vectorsOf(TINY, (one) => keepByLayer(one, byGroup), kept)
    expect(largestDifference(found, expected)).toBeLessThan(1e-5)
  })

  it('rounds in one node, to the bit', async () => {
    const graph = graphOf(SHIPPED)
    const before = count(graph, 'Round')
    expect(before).toBeGreaterThan(0)
    expect(roundAtOnce(graph)).toBe(before)
    expect(count(graph, 'Round')).toBe(0)
    expect(await vectorsOf(SHIPPED, roundAtOnce, 3)).toEqual(await vectorsOf(SHIPPED, asItCame, 3))
  })

  it('scales columns as they are written', async () => {
    const graph = graphOf(SHIPPED)
    expect(scaleColumnsAtOnce(graph)).toBe(count(graphOf(SHIPPED), 'MatMulInteger'))
    expect(count(graph, 'MatMulInteger')).toBe(0)
    // Where products in another order turn a rounding, what comes behind it moves a little.
    const expected = await vectorsOf(SHIPPED, asItCame, 3)
    expect(largestDifference(await vectorsOf(SHIPPED, scaleColumnsAtOnce, 3), expected)).toBeLessThan(0.1)
  })

  it('stays as it is where its form is another', () => {
    const graph = graphOf(file('models/service-1-pro/texts/onnx/heads_int8.onnx'))
    const before = [...graph.nodes]
    expect(keepByLayer(graph, true)).toBe(0)
    expect(graph.nodes).toEqual(before)
  })
})
