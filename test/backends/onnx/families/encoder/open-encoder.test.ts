// Encoder graphs that somebody else made are refused with a reason, whatever their nodes hold.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Graph } from '../../../../../src/backends/onnx/runtime/patches/graph.ts'
import { concat, lengthField, textField, varintField } from '../../../../../src/backends/onnx/runtime/protobuf.ts'
import { changedFolders, editGraph } from '../changed-folder.ts'

const { folderWith, refusalOf } = changedFolders(fileURLToPath(new URL('../../../../golden/encoder', import.meta.url)))

/** Puts a graph of these bytes into the node that makes the vectors (AttributeProto: name 1, g 6, type 20). */
const holding = (graphBytes: Uint8Array) =>
  editGraph('encoder', (graph: Graph) => {
    const attribute = concat([textField(1, 'body'), ...lengthField(6, [graphBytes]), varintField(20, 5)])
    graph.nodes = graph.nodes.map((node) =>
      node.outputs.includes('vectors') ? { ...node, attributes: new Map([...node.attributes, ['body', attribute]]) } : node,
    )
  })

/** A node (GraphProto: node 1) with a graph in an attribute (NodeProto: attribute 5), and so on. */
function graphsInGraphs(depth: number): Uint8Array {
  let graph: Uint8Array = new Uint8Array(0)
  for (let level = 0; level < depth; level++) graph = concat(lengthField(1, [concat(lengthField(5, [concat(lengthField(6, [graph]))]))]))
  return graph
}

describe('an encoder whose nodes hold graphs', () => {
  it('that are none is refused', async () => {
    expect(await refusalOf(await folderWith('model', holding(Uint8Array.of(0x80, 0x80))))).toMatch(/encoder\.onnx/)
  })

  it('in graphs without end is refused', async () => {
    expect(await refusalOf(await folderWith('model', holding(graphsInGraphs(3000))))).toMatch(/more than 16 deep/)
  })
})
