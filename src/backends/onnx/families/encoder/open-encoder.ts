// Opens the encoder graph with fewer nodes than the file has; the file stays as it is.
import { readFile, stat } from 'node:fs/promises'
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import type { GraphFile } from '../../runtime/layout.ts'
import { keepByLayer, roundAtOnce, scaleColumnsAtOnce } from '../../runtime/patches/fewer-nodes.ts'
import { readGraph } from '../../runtime/patches/graph.ts'
import { openSession, type Session } from '../../runtime/session.ts'

/** The graph is read into memory to be changed; ours have 23 MB in eight bits, 91 in float32. */
const LARGEST_GRAPH = 1024 ** 3

export async function openEncoder(graph: GraphFile, options: OnnxOptions): Promise<Session> {
  const { size } = await stat(graph.path)
  if (size > LARGEST_GRAPH) throw unknown(graph, `has ${size} bytes, of which at most ${LARGEST_GRAPH} are read`)
  const changed = changedOrNull(graph, await readFile(graph.path), options.device === undefined || options.device === 'cpu')
  // Opening a file that is no graph, or holds what is none, fails with the reason.
  if (changed === null) return openSession(graph, options)
  // The runtime would fuse other nodes into SkipLayerNormalization and BiasGelu. On a CPU these take some four times
  // and one and a half times as long as the nodes they replace.
  return openSession(graph, options, changed, 'basic')
}

function changedOrNull(file: GraphFile, bytes: Uint8Array, isOnCpu: boolean): Uint8Array | null {
  try {
    const graph = readGraph(bytes)
    if (graph === null) return null
    if (isOnCpu) {
      roundAtOnce(graph)
      scaleColumnsAtOnce(graph)
    }
    if (keepByLayer(graph, isOnCpu) === 0) throw unknown(file, 'has attention of another form than our training exports')
    return graph.write()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const unknown = ({ files }: GraphFile, what: string): EngineError =>
  new EngineError('model_not_available', `${files[0]} ${what}; take the folder as it was published`)
