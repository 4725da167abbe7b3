// Products with weights in two makes: float, and dynamic int8 as onnxruntime's quantize_dynamic writes it (weights
// int8, symmetric, one scale a tensor; inputs uint8, quantised anew in every run, once for all products that read
// them).
import { FLOAT, type Graph, INT8, INT32 } from './graph.ts'

export type Product = (input: string, name: string, values: Float32Array, inputs: number, outputs: number, output?: string) => string
export type Precision = 'fp32' | 'q8'

export function makeProduct(graph: Graph, precision: Precision): Product {
  return precision === 'fp32' ? floatProduct(graph) : integerProduct(graph)
}

function floatProduct(graph: Graph): Product {
  return (input, name, values, inputs, outputs, output = `${name}/output`) =>
    graph.op('MatMul', [input, graph.tensor(`${name}.weight`, FLOAT, [inputs, outputs], values)], { name, output })
}

function integerProduct(graph: Graph): Product {
  const quantised = new Set<string>()
  return (input, name, values, inputs, outputs, output = `${name}/output`) => {
    if (!quantised.has(input)) {
      graph.ops('DynamicQuantizeLinear', [input], [`${input}_quantized`, `${input}_scale`, `${input}_zero_point`], {
        name: `${input}_QuantizeLinear`,
      })
      quantised.add(input)
    }
    const { levels, scale } = toInt8(values)
    const weight = graph.tensor(`${name}.weight_quantized`, INT8, [inputs, outputs], levels)
    const weightScale = graph.tensor(`${name}.weight_scale`, FLOAT, [], Float32Array.of(scale))
    const weightZero = graph.tensor(`${name}.weight_zero_point`, INT8, [], Int8Array.of(0))
    const whole = graph.op('MatMulInteger', [`${input}_quantized`, weight, `${input}_zero_point`, weightZero], {
      name: `${name}_quant`,
      output: `${output}_output_quantized`,
    })
    const cast = graph.op('Cast', [whole], { name: `${output}_cast`, output: `${output}_cast_output`, attributes: { to: FLOAT } })
    const both = graph.op('Mul', [`${input}_scale`, weightScale], { name: `${name}_scales_mul`, output: `${name}_scales` })
    return graph.op('Mul', [cast, both], { name: `${name}_output_scale_mul`, output })
  }
}

/** Levels from -127 to 127 of one scale. */
export function toInt8(values: Float32Array): { levels: Int8Array; scale: number } {
  let largest = 0
  for (const value of values) largest = Math.max(largest, Math.abs(value))
  const scale = largest / 127
  const levels = new Int8Array(values.length)
  for (let i = 0; i < values.length; i++) levels[i] = Math.round((values[i] as number) / scale)
  return { levels, scale }
}

/** A table of float rows, or of int8 rows that are widened behind the look-up. */
export function lookUp(
  graph: Graph,
  precision: Precision,
  table: Float32Array,
  rows: number,
  width: number,
  ids: string,
  output: string,
): void {
  if (precision === 'fp32') {
    graph.op('Gather', [graph.tensor('embed_tokens.weight', FLOAT, [rows, width], table), ids], { output })
    return
  }
  const { levels, scale } = toInt8(table)
  const picked = graph.op('Gather', [graph.tensor('embed_tokens.weight_quantized', INT8, [rows, width], levels), ids])
  graph.op('DequantizeLinear', [picked, graph.tensor('embed_tokens.weight_scale', FLOAT, [], Float32Array.of(scale))], { output })
}

/** Casts; `INT32` for counts that GroupQueryAttention reads. */
export const toInt32 = (graph: Graph, input: string): string => graph.op('Cast', [input], { attributes: { to: INT32 } })
