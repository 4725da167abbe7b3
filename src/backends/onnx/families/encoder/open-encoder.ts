// Opens the encoder graph with fewer nodes than the file has; the file stays as it is.
import { readFile, stat } from 'node:fs/promises'
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import type { GraphFile } from '../../runtime/layout.ts'
import { keepByLayer, roundAtOnce, scaleColumnsAtOnce } from '../../runtime/patches/fewer-nodes.ts'
import { type Graph, readGraph } from '../../runtime/patches/graph.ts'
import { openSession, type Session } from '../../runtime/session.ts'

/** The graph is read into memory to be changed; ours have 23 MB in eight bits, 91 in float32. */
const LARGEST_GRAPH = 1024 ** 3

export async function openEncoder(graph: GraphFile, options: OnnxOptions): Promise<Session> {
  const { size } = await stat(graph.path)
  if (size > LARGEST_GRAPH) throw unknown(graph, `has ${size} bytes, of which at most ${LARGEST_GRAPH} are read`)
  const read = graphOrNull(await readFile(graph.path))
  // Opening a file that holds no graph fails with the reason.
  if (read === null) return openSession(graph, options)
  const isOnCpu = options.device === undefined || options.device === 'cpu'
  if (isOnCpu) {
    roundAtOnce(read)
    scaleColumnsAtOnce(read)
  }
  if (keepByLayer(read, isOnCpu) === 0) throw unknown(graph, 'has attention of another form than our training exports')
  // The runtime would fuse other nodes into SkipLayerNormalization and BiasGelu. On a CPU these take some four times
  // and one and a half times as long as the nodes they replace.
  return openSession(graph, options, read.write(), 'basic')
}

function graphOrNull(bytes: Uint8Array): Graph | null {
  try {
    return readGraph(bytes)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const unknown = ({ files }: GraphFile, what: string): EngineError =>
  new EngineError('model_not_available', `${files[0]} ${what}; take the folder as it was published`)
