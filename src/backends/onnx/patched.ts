// A decoder graph to a session with the patches of patch.ts, each kept only if the model still says the same.
import { readFile, stat } from 'node:fs/promises'
import { logSoftmax } from '../../math.ts'
import type { GraphFile } from './layout.ts'
import type { OnnxOptions } from './options.ts'
import { patchGraph } from './patch.ts'
import { openSession, type Session } from './session.ts'

/** Graph files above this are used as they are: patching holds a file in memory twice. Weights in files beside it do not count. */
const LARGEST_GRAPH = 1024 ** 3

/**
 * Most by which the next-token distributions of a faster graph may differ from those of the graph as it came: total variation (half the sum of
 * absolute differences), mean over the tokens of the probe. Integer products cost well-behaved models less than a percent; models with a few
 * huge activations lose their top token (onnxruntime issue 29849).
 */
export const LARGEST_CHANGE = 0.05

export interface PatchedSession {
  readonly session: Session
  /** The patches that are on, for the revision of the model: those that change numbers. */
  readonly applied: readonly string[]
}

/** `logitsOf` runs a fixed probe and gives its logits, [token][vocabulary]. */
export async function openPatched(
  graph: GraphFile,
  options: OnnxOptions,
  logitsOf: (session: Session) => Promise<readonly Float32Array[]>,
): Promise<PatchedSession> {
  if ((await stat(graph.path)).size > LARGEST_GRAPH) return { session: await openSession(graph, options), applied: [] }
  const bytes = await readFile(graph.path)
  const full = patchGraph(bytes, { accuracyLevel: true, logitRows: true })
  if (full === null) return { session: await openSession(graph, options), applied: [] }

  if (full.quantisedNodes > 0) {
    // One session at a time: two would hold the weights twice.
    const plain = await openSession(graph, options)
    const expected = await logitsOf(plain)
    await plain.release()
    const fast = await openSession(graph, options, full.bytes)
    if (meanChange(await logitsOf(fast), expected) <= LARGEST_CHANGE) return { session: fast, applied: ['accuracy_level 4'] }
    await fast.release()
  }
  // Picking rows changes nothing in the rows that are left (in a dynamic int8 head, they are then scaled without the others, which is closer).
  const rows = full.quantisedNodes === 0 ? full : patchGraph(bytes, { accuracyLevel: false, logitRows: true })
  return { session: await openSession(graph, options, rows?.bytes), applied: [] }
}

/** Mean over rows of the total variation between the distributions of two sets of logits. */
export function meanChange(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  const changes = a.map((logits, row) => {
    const other = logSoftmax(b[row] as Float32Array)
    return logSoftmax(logits).reduce((sum, logP, id) => sum + Math.abs(Math.exp(logP) - Math.exp(other[id] as number)), 0) / 2
  })
  return changes.reduce((sum, change) => sum + change, 0) / changes.length
}
