// Encoder graphs that somebody else made are refused with a reason, whatever their nodes hold.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ATTRIBUTE, GRAPH, NODE } from '../../../../../src/backends/onnx/runtime/onnx-fields.ts'
import type { Graph } from '../../../../../src/backends/onnx/runtime/patches/graph.ts'
import { concat, lengthField, textField, varintField } from '../../../../../src/backends/onnx/runtime/protobuf.ts'
import { changedFolders, editGraph } from '../changed-folder.ts'

const { folderWith, refusalOf } = changedFolders(fileURLToPath(new URL('../../../../golden/encoder', import.meta.url)))

/** Puts a graph of these bytes into the node that makes the vectors. */
const holding = (graphBytes: Uint8Array) =>
  editGraph('encoder', (graph: Graph) => {
    const attribute = concat([
      textField(ATTRIBUTE.name, 'body'),
      ...lengthField(ATTRIBUTE.graph, [graphBytes]),
      varintField(ATTRIBUTE.type, 5),
    ])
    graph.nodes = graph.nodes.map((node) =>
      node.outputs.includes('vectors') ? { ...node, attributes: new Map([...node.attributes, ['body', attribute]]) } : node,
    )
  })

/** A graph of one node that holds a graph of one node, and so on. */
function graphsInGraphs(depth: number): Uint8Array {
  let graph: Uint8Array = new Uint8Array(0)
  for (let level = 0; level < depth; level++) {
    const attribute = lengthField(ATTRIBUTE.graph, [graph])
    graph = concat(lengthField(GRAPH.node, lengthField(NODE.attribute, attribute)))
  }
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
