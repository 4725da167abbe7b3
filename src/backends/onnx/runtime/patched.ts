// Opens a decoder graph with the patches of patch.ts. Each patch is kept only if the logits of a probe stay the same.
import { readFile, stat } from 'node:fs/promises'
import { logSoftmax, mean } from '../../../core/math.ts'
import { type ModelCheck, notApplicable } from '../../../core/model-check.ts'
import type { OnnxOptions } from '../options.ts'
import type { GraphFile } from './layout.ts'
import { type Patch, patchGraph } from './patch.ts'
import { openSession, type Session } from './session.ts'

/**
 * Larger graph files, in bytes, are not patched: that would hold them in memory twice. External weights do not count.
 */
const LARGEST_GRAPH = 1024 ** 3

/**
 * The most that the next-token distributions of a patched graph may differ from those of the graph as it came: total
 * variation (half the sum of absolute differences), mean over the tokens of the probe. Integer products cost
 * well-behaved models less than a percent; models with a few huge activations lose their top token (onnxruntime issue
 * 29849).
 */
const LARGEST_CHANGE = 0.05
/**
 * The same where int8 activations get a scale for each row. Both differ from float then, each in its own way: on random
 * weights of SmolVLM-256M's shape one scale for all by 0.059, a scale for each row by 0.041, and the one from the other
 * by 0.066.
 */
const LARGEST_RESCALING = 0.15
/** The same where numbers are only added in another order. */
const LARGEST_ROUNDING = 0.001

export interface PatchedSession {
  readonly session: Session
  /** The applied patches that change numbers, for the revision of the model. */
  readonly applied: readonly string[]
  /** Which patches were tried, how much each changed, and which one is used. */
  readonly check: ModelCheck
}

/** Runs a fixed probe and gives its logits, [token][vocabulary]. */
type LogitsOf = (session: Session) => Promise<readonly Float32Array[]>

export async function openPatched(graph: GraphFile, options: OnnxOptions, logitsOf: LogitsOf): Promise<PatchedSession> {
  if ((await stat(graph.path)).size > LARGEST_GRAPH) {
    const check = notApplicable('patches', `${graph.files[0]} is larger than ${LARGEST_GRAPH / 1024 ** 2} MiB and runs as it came`)
    return { session: await openSession(graph, options), applied: [], check }
  }
  const bytes = await readFile(graph.path)
  // One session at a time: two would hold the weights twice.
  let expected: readonly Float32Array[] | null = null
  const refused: string[] = []
  for (const patch of patchesToTry(bytes)) {
    expected ??= await logitsAndRelease(await openSession(graph, options), logitsOf)
    const applied = [...(patch.quantisedNodes > 0 ? ['accuracy_level 4'] : []), ...(patch.scaledRows > 0 ? ['row scales'] : [])]
    const most = patch.scaledRows > 0 ? LARGEST_RESCALING : patch.quantisedNodes > 0 ? LARGEST_CHANGE : LARGEST_ROUNDING
    const what = [...(patch.isCascade ? ['cascade attention'] : []), ...applied].join(' with ')
    const tried = await tryPatch(() => openSession(graph, options, patch.bytes), logitsOf, expected, most)
    const found = `${what} (${tried.found})`
    if (tried.session === null) refused.push(found)
    else return { session: tried.session, applied, check: checkOf(found, refused) }
  }
  // Picking rows changes nothing in the rows that are left (in a dynamic int8 head, they are then scaled without the
  // others, which is closer).
  const rows = patchGraph(bytes, { accuracyLevel: false, logitRows: true, cascade: false })
  return { session: await openSession(graph, options, rows?.bytes), applied: [], check: checkOf(null, refused) }
}

function checkOf(used: string | null, refused: readonly string[]): ModelCheck {
  const without = refused.length === 0 ? '' : `refused ${refused.join(', ')}`
  if (used !== null) return { check: 'patches', status: 'passed', detail: [`uses ${used}`, without].filter(Boolean).join('; ') }
  if (refused.length === 0) return notApplicable('patches', 'there is no patch for this graph, which runs one question a pass')
  const remedy = 'nothing needs to be done: the graph runs as it came, one question a pass; another --dtype may take them'
  return { check: 'patches', status: 'noted', detail: without, remedy }
}

async function logitsAndRelease(session: Session, logitsOf: LogitsOf): Promise<readonly Float32Array[]> {
  try {
    return await logitsOf(session)
  } finally {
    await session.release()
  }
}

interface TriedPatch {
  /** Null when its logits are not as expected. */
  readonly session: Session | null
  readonly found: string
}

/**
 * The session, if its logits are as expected. A patched graph that does not open or fails on the probe is not for this
 * runtime, and the graph as it came is used.
 */
async function tryPatch(
  open: () => Promise<Session>,
  logitsOf: LogitsOf,
  expected: readonly Float32Array[],
  most: number,
): Promise<TriedPatch> {
  const session = await open().catch(() => null)
  if (session === null) return { session, found: 'the runtime does not open it' }
  const logits = await logitsOf(session).catch(() => null)
  const change = logits === null ? null : meanChange(logits, expected)
  const found = change === null ? 'it fails on a probe' : `moves ${change.toPrecision(2)} of a distribution, at most ${most} is taken`
  if (change !== null && change <= most) return { session, found }
  await session.release()
  return { session: null, found }
}

/**
 * The patches to try, the fastest first. Each is made when it is asked for, since it holds the file in memory again.
 */
function* patchesToTry(bytes: Uint8Array): Generator<Patch> {
  const wishes = [
    { accuracyLevel: true, logitRows: true, cascade: true },
    { accuracyLevel: false, logitRows: true, cascade: true },
    { accuracyLevel: true, logitRows: true, cascade: false },
  ]
  const tried: string[] = []
  for (const wish of wishes) {
    const patch = patchGraph(bytes, wish)
    if (patch === null || (!patch.isCascade && patch.quantisedNodes === 0)) continue
    const what = `${patch.isCascade} ${patch.quantisedNodes}`
    if (tried.includes(what)) continue
    tried.push(what)
    yield patch
  }
}

/** Mean over rows of the total variation between the distributions of two sets of logits. */
export function meanChange(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  const changes = a.map((logits, row) => {
    const other = logSoftmax(b[row] as Float32Array)
    return logSoftmax(logits).reduce((sum, logP, id) => sum + Math.abs(Math.exp(logP) - Math.exp(other[id] as number)), 0) / 2
  })
  return mean(changes)
}
