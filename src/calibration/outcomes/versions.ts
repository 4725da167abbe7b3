// A folder of calibrations: cal_….json files, and current.json with the served versions, of one model or several, and
// why. When a served file is bad, the version before it is used and a note says so: a bad file must not stop an engine.
import { join } from 'node:path'
import { z } from 'zod'
import { EngineError } from '../../core/errors.ts'
import { makeFolder } from '../../core/files.ts'
import { isSameVersion, type ModelVersion } from '../../questions/shared/decision.ts'
import { type Calibration, parseCalibration } from '../calibration.ts'
import { readIfThere, systemCode, writeWhole } from './atomic-file.ts'

/** Log-loss in nats a decision on held-out states, weighted as the evidence is. */
export interface HeldOutComparison {
  /** Decisions. */
  readonly labels: number
  readonly states: number
  /** Of the served calibration. */
  readonly current: number
  /** Of the new calibration. */
  readonly candidate: number
  /** 95 % interval of candidate − current, by bootstrap over states. */
  readonly interval: readonly [number, number]
  /** Shares of decisions whose likeliest candidate is the true one. Versions kept before 2026-11-29 do not say. */
  readonly right?: { readonly current: number; readonly candidate: number }
}

/** One change of the served version. */
export interface VersionChange {
  /** Milliseconds since 1970, from the caller's clock. */
  readonly at: number
  readonly action: 'serve' | 'roll back'
  /** The version served from then on; null after a roll back to the calibration that comes with the model. */
  readonly version: string | null
  /** The version of the same model served until then. */
  readonly from: string | null
  readonly why: string
  readonly heldOut: HeldOutComparison | null
  /** `hashOfLabels` of those that the version was fitted on; absent where whoever served it did not say. */
  readonly labels?: string
}

export interface CurrentCalibration {
  /** Null when the folder has none for the model. */
  readonly calibration: Calibration | null
  /**
   * Versions that were skipped, and why; empty when all is well. Those of other models are named only where there is
   * none of this one.
   */
  readonly notes: readonly string[]
}

/** Served versions, each of which answers for its own model. */
export interface CalibrationVersions {
  /**
   * The newest served calibration that is intact and, when a model is given, made for it. A damaged file is skipped,
   * not thrown.
   */
  current(model?: ModelVersion): Promise<CurrentCalibration>
  /** Writes the calibration and serves it from now on. Serving the current version again changes nothing. */
  serve(calibration: Calibration, change: Pick<VersionChange, 'at' | 'why' | 'heldOut' | 'labels'>): Promise<void>
  /**
   * Serves the version before the current one of a model; by default, of the model that something was served for last.
   * Throws `invalid_request` when nothing is served.
   */
  rollBack(change: Pick<VersionChange, 'at' | 'why'>, model?: ModelVersion): Promise<VersionChange>
  /** Oldest first. */
  history(): Promise<readonly VersionChange[]>
}

/** Versions in a folder, for any number of models. */
export interface CalibrationFolder extends CalibrationVersions {
  /** Of each model the newest served version that is intact, and what was skipped. */
  newest(): Promise<{ readonly calibrations: readonly Calibration[]; readonly notes: readonly string[] }>
}

/** The content of current.json. */
interface Pointer {
  readonly format: 1
  /** Versions; the last of each model is served, and those before it are what a roll back goes to. */
  readonly serving: readonly string[]
  readonly history: readonly VersionChange[]
}

const CURRENT = 'current.json'
const PREVIOUS = 'previous.json'
/** Older changes are dropped from the history; their files stay. */
const MOST_CHANGES = 500

const version = z.string().regex(/^cal_[0-9a-f]{12}$/)
const modelNamed = z.object({ model: z.object({ revision: z.string(), templateHash: z.string() }) })
const pointerSchema = z.object({
  format: z.literal(1),
  serving: z.array(version),
  history: z.array(
    z.object({
      at: z.number(),
      action: z.enum(['serve', 'roll back']),
      version: version.nullable(),
      from: version.nullable(),
      why: z.string(),
      heldOut: z
        .object({
          labels: z.number(),
          states: z.number(),
          current: z.number(),
          candidate: z.number(),
          interval: z.tuple([z.number(), z.number()]),
          right: z.object({ current: z.number(), candidate: z.number() }).optional(),
        })
        .nullable(),
      labels: z.string().optional(),
    }),
  ),
})

/**
 * The calibrations of a folder, which is made when the first is served. One process at a time should change it; any
 * number may read.
 */
export function calibrationVersions(folder: string): CalibrationFolder {
  /** The content of current.json, or that of previous.json when it is damaged. */
  const read = async (): Promise<{ readonly pointer: Pointer; readonly notes: readonly string[] }> => {
    const notes: string[] = []
    for (const name of [CURRENT, PREVIOUS]) {
      const bytes = await readIfThere(join(folder, name))
      // Without current.json, nothing was ever served.
      if (bytes === null && notes.length === 0) break
      const pointer = bytes === null ? null : parsePointer(bytes.toString('utf8'))
      if (pointer !== null) return { pointer, notes }
      notes.push(
        `${name} is ${bytes === null ? 'missing' : 'damaged'}; ${name === CURRENT ? `${PREVIOUS} is read instead` : 'nothing is served'}.`,
      )
    }
    return { pointer: { format: 1, serving: [], history: [] }, notes }
  }

  const write = async (serving: readonly string[], history: readonly VersionChange[]): Promise<void> => {
    const before = await readIfThere(join(folder, CURRENT))
    if (before !== null && parsePointer(before.toString('utf8')) !== null) await writeWhole(folder, PREVIOUS, before.toString('utf8'))
    const pointer: Pointer = { format: 1, serving, history: history.slice(-MOST_CHANGES) }
    await writeWhole(folder, CURRENT, `${JSON.stringify(pointer, null, 2)}\n`)
  }

  return {
    async current(model) {
      const { pointer, notes: found } = await read()
      const { calibration, notes } = await newestIntact(pointer.serving.toReversed(), (name) => readCalibration(folder, name, model))
      return { calibration, notes: [...found, ...notes] }
    },

    async newest() {
      const { pointer, notes: found } = await read()
      const [calibrations, notes]: [Calibration[], string[]] = [[], [...found]]
      for (const name of [...pointer.serving].reverse()) {
        // To check one whole takes tens of milliseconds, and of one model there may be hundreds.
        const model = calibrations.length === 0 ? null : await modelNamedIn(folder, name)
        if (model !== null && calibrations.some((newer) => isSameVersion(newer.model, model))) continue
        const { calibration, problem } = await readCalibration(folder, name)
        if (calibration === null) notes.push(`${name} is passed over: ${problem}`)
        else calibrations.push(calibration)
      }
      return { calibrations, notes }
    },

    async serve(calibration, { at, ...about }) {
      refuseUnnamed(calibration)
      const { pointer } = await read()
      await makeFolder(folder)
      // The file exists before anything points at it.
      await writeWhole(folder, `${calibration.version}.json`, `${JSON.stringify(calibration)}\n`)
      const before = await newestIntact(pointer.serving.toReversed(), (name) => readCalibration(folder, name, calibration.model))
      const from = before.calibration?.version ?? null
      if (from === calibration.version) return
      const change: VersionChange = { at, action: 'serve', version: calibration.version, from, ...about }
      await write([...pointer.serving, calibration.version], [...pointer.history, change])
    },

    async rollBack({ at, why }, model) {
      const { pointer } = await read()
      const found = await rollBackOf(pointer.serving, model, (name, of) => readCalibration(folder, name, of))
      if (found === null) {
        throw new EngineError('invalid_request', 'Nothing is served from this folder of calibrations, so there is nothing to roll back.')
      }
      const { position, from, version } = found
      const change: VersionChange = { at, action: 'roll back', version, from, why, heldOut: null }
      await write(pointer.serving.toSpliced(position, 1), [...pointer.history, change])
      return change
    },

    async history() {
      return (await read()).pointer.history
    },
  }
}

function parsePointer(text: string): Pointer | null {
  try {
    const { success, data } = pointerSchema.safeParse(JSON.parse(text))
    return success ? data : null
  } catch {
    return null
  }
}

/** Throws unless a version is named by its content: the name becomes the name of a file. */
export function refuseUnnamed(calibration: Calibration): void {
  if (version.safeParse(calibration.version).success) return
  const message = 'A calibration is called cal_ and 12 hex digits, by what is in it; make it with fit, or read it with parseCalibration.'
  throw new EngineError('invalid_request', message)
}

export type StoredCalibration =
  | { readonly calibration: Calibration; readonly problem: null }
  /** `isOfAnother`: it says that it is of another model, and nothing else of it was checked. */
  | { readonly calibration: null; readonly problem: string; readonly isOfAnother: boolean }

/** The calibration stored under a name, or why it cannot be used. `text` is null when nothing is stored. */
export function storedCalibration(text: string | null, name: string, model: ModelVersion | undefined): StoredCalibration {
  const problem = (words: string, isOfAnother = false): StoredCalibration => ({ calibration: null, problem: words, isOfAnother })
  if (text === null) return problem('it is missing.')
  try {
    const json: unknown = JSON.parse(text)
    const { data: named } = modelNamed.safeParse(json)
    if (model !== undefined && named !== undefined && !isSameVersion(named.model, model)) {
      const { revision } = named.model
      const isRevision = revision !== model.revision
      const other = `on revision ${revision.slice(0, 12)}, the model is ${model.revision.slice(0, 12)}`
      return problem(`it was fitted ${isRevision ? other : 'with another template'}.`, true)
    }
    const calibration = parseCalibration(json)
    return calibration.version === name ? { calibration, problem: null } : problem(`it holds ${calibration.version}.`)
  } catch (error) {
    if (error instanceof EngineError) return problem(error.message)
    if (error instanceof SyntaxError) return problem('it is damaged.')
    throw error
  }
}

/** The first of some versions that can be used. `names`: newest first. `stored`: what is stored under a name. */
export async function newestIntact(
  names: readonly string[],
  stored: (name: string) => Promise<StoredCalibration>,
): Promise<CurrentCalibration> {
  const skipped: { readonly note: string; readonly isOfAnother: boolean }[] = []
  for (const name of names) {
    const found = await stored(name)
    if (found.calibration !== null) {
      return { calibration: found.calibration, notes: skipped.flatMap(({ note, isOfAnother }) => (isOfAnother ? [] : [note])) }
    }
    skipped.push({ note: `${name} is passed over: ${found.problem}`, isOfAnother: found.isOfAnother })
  }
  return { calibration: null, notes: skipped.map(({ note }) => note) }
}

/**
 * Which of the served versions a roll back takes away, by its index, and which one of its model is served then. Null
 * when there is none. `serving`: oldest first. `stored`: what is stored under a name, of a model if one is given.
 */
export async function rollBackOf(
  serving: readonly string[],
  model: ModelVersion | undefined,
  stored: (name: string, model?: ModelVersion) => Promise<StoredCalibration>,
): Promise<{ readonly position: number; readonly from: string; readonly version: string | null } | null> {
  const newestOf = async (versions: readonly string[], of: ModelVersion | undefined): Promise<string | null> => {
    const { calibration } = await newestIntact(versions.toReversed(), (name) => stored(name, of))
    return calibration?.version ?? null
  }
  const from = model === undefined ? (serving.at(-1) ?? null) : await newestOf(serving, model)
  if (from === null) return null
  const position = serving.lastIndexOf(from)
  const own = model ?? (await stored(from)).calibration?.model
  return { position, from, version: await newestOf(serving.toSpliced(position, 1), own) }
}

/** The model that a file says it is of, before anything else in it is checked; null where it says none. */
async function modelNamedIn(folder: string, name: string): Promise<ModelVersion | null> {
  try {
    const bytes = await readIfThere(join(folder, `${name}.json`))
    const { success, data } = modelNamed.safeParse(JSON.parse(bytes?.toString('utf8') ?? 'null'))
    return success ? data.model : null
  } catch {
    return null
  }
}

async function readCalibration(folder: string, name: string, model?: ModelVersion): Promise<StoredCalibration> {
  try {
    const bytes = await readIfThere(join(folder, `${name}.json`))
    return storedCalibration(bytes === null ? null : bytes.toString('utf8'), name, model)
  } catch (error) {
    return { calibration: null, problem: `it cannot be read (${systemCode(error)}).`, isOfAnother: false }
  }
}
