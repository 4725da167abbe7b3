// The ceiling of the machine: matrix products of the model's widest shape, enough of them to hide the overhead of a
// run.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { serveContender } from '../contender.ts'
import { FLOAT, INT8, INT32, makeGraph, UINT8 } from '../model/graph.ts'
import { toInt8 } from '../model/products.ts'
import { makeWeights } from '../model/weights.ts'

export interface ProductsSetup {
  readonly inputs: number
  readonly outputs: number
  readonly threads: number
}

type Kind = 'fp32' | 'int8'

const PRODUCTS = 12

const make = async ({ inputs, outputs, threads }: ProductsSetup) => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-products-'))
  const open = async (kind: Kind) => {
    const path = join(folder, `${kind}.onnx`)
    writeProducts(path, kind, inputs, outputs)
    return InferenceSession.create(path, { intraOpNumThreads: threads, interOpNumThreads: 1, executionProviders: ['cpu'] })
  }
  const sessions = { fp32: await open('fp32'), int8: await open('int8') }
  rmSync(folder, { recursive: true, force: true })

  return {
    /** Floating-point or integer operations a nanosecond (10⁹ a second): the best of `times` runs, as a ceiling. */
    async rate(kind: Kind, rows: number, times: number) {
      const count = rows * inputs
      const x =
        kind === 'fp32'
          ? new Tensor(
              'float32',
              Float32Array.from({ length: count }, (_, i) => (i % 251) / 251),
              [rows, inputs],
            )
          : new Tensor(
              'uint8',
              Uint8Array.from({ length: count }, (_, i) => i % 251),
              [rows, inputs],
            )
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < times; i++) {
        const from = performance.now()
        const out = await sessions[kind].run({ x })
        best = Math.min(best, performance.now() - from)
        if (out.y?.dims[1] !== outputs) throw new Error('the products came out in another shape')
      }
      return (PRODUCTS * 2 * rows * inputs * outputs) / (best * 1e6)
    },
  }
}

/** The same input by different weights; of each product one row is fetched. */
function writeProducts(path: string, kind: Kind, inputs: number, outputs: number): void {
  const graph = makeGraph(path, 'products')
  const weights = makeWeights(1)
  graph.input('x', kind === 'fp32' ? FLOAT : UINT8, ['rows', inputs])
  graph.output('y', kind === 'fp32' ? FLOAT : INT32, [PRODUCTS, outputs])
  const rows = Array.from({ length: PRODUCTS }, (_, i) => {
    const values = weights.product(`w${i}`, inputs, outputs)
    const whole =
      kind === 'fp32'
        ? graph.op('MatMul', ['x', graph.tensor(`w${i}`, FLOAT, [inputs, outputs], values)])
        : graph.op('MatMulInteger', ['x', graph.tensor(`w${i}`, INT8, [inputs, outputs], toInt8(values).levels)])
    return graph.op('Slice', [whole, graph.integers([0], [1]), graph.integers([1], [1]), graph.integers([0], [1])])
  })
  graph.op('Concat', rows, { output: 'y', attributes: { axis: 0 } })
  graph.save()
}

export type ProductsMethods = Awaited<ReturnType<typeof make>>
serveContender(make)
