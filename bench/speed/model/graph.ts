// ONNX graphs node by node, as onnx.proto has them, with their weights in a file beside. Field numbers:
// onnx/onnx.proto.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { concat, lengthField, textField, varintField } from '../../../src/backends/onnx/runtime/protobuf.ts'

export const FLOAT = 1
export const UINT8 = 2
export const INT8 = 3
export const INT32 = 6
export const INT64 = 7
export const BOOL = 9

type Attribute = number | { readonly float: number } | readonly number[] | string
export type Size = number | string

export interface Graph {
  op(kind: string, inputs: readonly string[], options?: NodeOptions): string
  ops(kind: string, inputs: readonly string[], outputs: readonly string[], options?: NodeOptions): void
  /** A tensor of its own name; those of 1 KiB and more go to the file of weights. */
  tensor(name: string, type: number, sizes: readonly number[], data: ArrayBufferView): string
  floats(values: Float32Array | readonly number[], sizes: readonly number[]): string
  integers(values: readonly number[], sizes: readonly number[]): string
  input(name: string, type: number, sizes: readonly Size[]): void
  output(name: string, type: number, sizes: readonly Size[]): void
  save(): void
}

export interface NodeOptions {
  readonly domain?: string
  readonly name?: string
  readonly output?: string
  readonly attributes?: { readonly [name: string]: Attribute }
}

/** Weights of a file start at pages, so that they can be mapped. */
const PAGE = 4096
const OUTSIDE = 1024
const ATTRIBUTE_TYPES = { float: 1, int: 2, text: 3, ints: 7 } as const

export function makeGraph(path: string, name: string): Graph {
  const nodes: Uint8Array[] = []
  const tensors: Uint8Array[] = []
  const inputs: Uint8Array[] = []
  const outputs: Uint8Array[] = []
  const dataPath = `${path}_data`
  const file = openSync(dataPath, 'w')
  let written = 0
  let count = 0

  const outside = (data: Uint8Array): Uint8Array[] => {
    const offset = Math.ceil(written / PAGE) * PAGE
    for (let at = 0; at < data.length; ) at += writeSync(file, data, at, data.length - at, offset + at)
    written = offset + data.length
    const entry = (key: string, value: string) => concat(lengthField(13, [textField(1, key), textField(2, value)]))
    return [
      entry('location', basename(dataPath)),
      entry('offset', String(offset)),
      entry('length', String(data.length)),
      varintField(14, 1),
    ]
  }

  const tensor: Graph['tensor'] = (tensorName, type, sizes, data) => {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    const content = bytes.length < OUTSIDE ? lengthField(9, [bytes]) : outside(bytes)
    const dims = sizes.map((size) => varintField(1, size))
    tensors.push(...lengthField(5, [...dims, varintField(2, type), textField(8, tensorName), ...content]))
    return tensorName
  }
  const ops: Graph['ops'] = (kind, from, to, { domain, name: given, attributes = {} } = {}) => {
    nodes.push(
      ...lengthField(1, [
        ...from.map((one) => textField(1, one)),
        ...to.map((one) => textField(2, one)),
        textField(3, given ?? `${kind}_${++count}`),
        textField(4, kind),
        ...Object.entries(attributes).flatMap(([key, value]) => lengthField(5, attribute(key, value))),
        ...(domain === undefined ? [] : [textField(7, domain)]),
      ]),
    )
  }

  return {
    tensor,
    ops,
    op(kind, from, options = {}) {
      const output = options.output ?? `${kind}_${++count}_out`
      ops(kind, from, [output], options)
      return output
    },
    floats: (values, sizes) =>
      tensor(`floats_${++count}`, FLOAT, sizes, values instanceof Float32Array ? values : Float32Array.from(values)),
    integers: (values, sizes) => tensor(`integers_${++count}`, INT64, sizes, BigInt64Array.from(values, BigInt)),
    input: (one, type, sizes) => void inputs.push(...lengthField(11, valueInfo(one, type, sizes))),
    output: (one, type, sizes) => void outputs.push(...lengthField(12, valueInfo(one, type, sizes))),
    save() {
      closeSync(file)
      const graph = lengthField(7, [...nodes, textField(2, name), ...tensors, ...inputs, ...outputs])
      const opset = (domain: string, version: number) => lengthField(8, [textField(1, domain), varintField(2, version)])
      writeFileSync(
        path,
        concat([varintField(1, 10), textField(2, 'assay-bench'), ...graph, ...opset('', 21), ...opset('com.microsoft', 1)]),
      )
    },
  }
}

function attribute(name: string, value: Attribute): Uint8Array[] {
  if (typeof value === 'number') return [textField(1, name), varintField(3, value), varintField(20, ATTRIBUTE_TYPES.int)]
  if (typeof value === 'string') return [textField(1, name), textField(4, value), varintField(20, ATTRIBUTE_TYPES.text)]
  if ('float' in value) {
    const bytes = new Uint8Array(Float32Array.of(value.float).buffer)
    return [textField(1, name), Uint8Array.of(2 * 8 + 5, ...bytes), varintField(20, ATTRIBUTE_TYPES.float)]
  }
  return [textField(1, name), ...value.map((one) => varintField(8, one)), varintField(20, ATTRIBUTE_TYPES.ints)]
}

function valueInfo(name: string, type: number, sizes: readonly Size[]): Uint8Array[] {
  const dims = sizes.flatMap((size) => lengthField(1, [typeof size === 'number' ? varintField(1, size) : textField(2, size)]))
  return [textField(1, name), ...lengthField(2, lengthField(1, [varintField(1, type), ...lengthField(2, dims)]))]
}
