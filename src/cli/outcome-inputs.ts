// Reads what the commands of `assay outcomes` are given: a store, truths, the model they are about, and the calibration
// that is served.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Calibration } from '../calibration/calibration.ts'
import { fileOutcomeStore } from '../calibration/outcomes/outcome-file.ts'
import type { OutcomeStore, StoredEvent } from '../calibration/outcomes/outcomes.ts'
import { type CalibrationFolder, type CalibrationVersions, calibrationVersions } from '../calibration/outcomes/versions.ts'
import { RECENT_EVENTS, type ServedCalibration, servedFor } from '../calibration/served.ts'
import { EngineError } from '../core/errors.ts'
import { isFolder } from '../core/files.ts'
import type { Json } from '../core/types.ts'
import { ownEntry } from '../core/untrusted.ts'
import { type CalibratedModel, ownDecisions } from '../questions/shared/decision.ts'
import { UsageError } from './exit-codes.ts'
import { noStore, readCalibration, reading } from './given-files.ts'
import type { Terminal } from './terminal.ts'

export interface StoreFlags {
  readonly store: string
  readonly json?: true
}
export interface ServedFlags extends StoreFlags {
  readonly calibrations?: string
  readonly calibration?: string
  readonly model?: string
}

/** Opens the store for the time of some work. */
export async function withStore(
  flags: StoreFlags,
  terminal: Terminal,
  options: { readonly isReadOnly?: boolean },
  work: (store: OutcomeStore) => Promise<void>,
): Promise<void> {
  const folder = resolve(terminal.folder, flags.store)
  // A name mistyped must not become an empty store.
  if (!(await isFolder(folder))) throw noStore(flags.store)
  const store = await fileOutcomeStore(folder, options)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** `question=truth` words to truths. A word that is JSON is read as JSON, unless it is the very name of an option. */
export async function truthsOf(store: OutcomeStore, event: string, words: readonly string[]): Promise<Record<string, Json>> {
  if (words.length === 0) throw new UsageError('give truths as question=truth, for example urgent=true')
  const decisions = (await store.find(event))?.event.decisions ?? {}
  const pairs = words.map((word): [string, Json] => {
    // Names of questions may hold "=", so what is known goes first.
    const known = Object.keys(decisions).filter((name) => word.startsWith(`${name}=`))
    const at = Math.max(word.indexOf('='), ...known.map((name) => name.length))
    if (at < 1) throw new UsageError(`"${word}" is not question=truth`)
    const [name, text] = [word.slice(0, at), word.slice(at + 1)]
    const decision = ownEntry(decisions, name)
    const isName = decision?.readout === 'exclusive' && decision.names.includes(text)
    return [name, isName ? text : jsonOr(text)]
  })
  return Object.fromEntries(pairs)
}

function jsonOr(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

interface OutcomeLine {
  readonly id: string
  readonly outcomes: Readonly<Record<string, Json>>
  readonly line: number
}

export async function linesOf(file: string, terminal: Terminal): Promise<OutcomeLine[]> {
  const text = file === '-' ? await terminal.read() : await reading(file, () => readFile(resolve(terminal.folder, file), 'utf8'))
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  return lines.flatMap((line, i) => {
    if (line.trim() === '') return []
    const value = jsonOr(line) as { readonly event?: unknown; readonly outcomes?: unknown } | null
    if (typeof value !== 'object' || typeof value?.event !== 'string' || typeof value.outcomes !== 'object' || value.outcomes === null)
      throw new EngineError('invalid_json', `${file}, line ${i + 1}: a line is {"event": "evt_…", "outcomes": {…}}.`)
    return [{ id: value.event, outcomes: value.outcomes as OutcomeLine['outcomes'], line: i + 1 }]
  })
}

/** The model of the newest events (by its id when one is given), and its newest events. */
export async function modelIn(
  store: OutcomeStore,
  id: string | undefined,
  most = RECENT_EVENTS,
): Promise<{ readonly model: CalibratedModel; readonly events: readonly StoredEvent[] }> {
  const events: StoredEvent[] = []
  const others = new Set<string>()
  for await (const event of store.recent(Number.MAX_SAFE_INTEGER)) {
    const [newest] = events
    if (newest === undefined && id !== undefined && event.model !== id) others.add(event.model)
    else if (newest === undefined || (event.revision === newest.revision && event.templateHash === newest.templateHash)) {
      events.push({ ...event, decisions: ownDecisions(event) })
    }
    if (events.length === most) break
  }
  const [newest] = events
  if (newest !== undefined) {
    return { model: { id: newest.model, revision: newest.revision, templateHash: newest.templateHash }, events }
  }
  if (others.size > 0) throw new UsageError(`the store has no event of the model "${id}"; it has ${[...others].join(', ')}`)
  throw new UsageError('the store has no events yet; ask something of an engine that keeps its events there')
}

/** The calibrations that a store has served: in it, unless a flag names another folder. */
export function versionsOf(flags: ServedFlags, terminal: Terminal): CalibrationFolder {
  return calibrationVersions(resolve(terminal.folder, flags.calibrations ?? join(flags.store, 'calibrations')))
}

/** The model of an id, by the newest calibration that is served of it. */
export async function modelServed(versions: CalibrationFolder, id: string): Promise<CalibratedModel> {
  const { calibrations } = await versions.newest()
  const found = calibrations.find(({ model }) => model.id === id)
  if (found !== undefined) return found.model
  const others = [...new Set(calibrations.map(({ model }) => model.id))]
  const instead = others.length === 0 ? '' : `; there are calibrations of ${others.join(', ')}`
  throw new UsageError(`no calibration of the model "${id}" is served${instead}`)
}

/** What a store serves, of each model the newest; says what is passed over. */
export async function calibrationsIn(store: string, terminal: Terminal): Promise<readonly Calibration[]> {
  const { calibrations, notes } = await versionsOf({ store }, terminal).newest()
  for (const note of notes) terminal.warn(`${note}\n`)
  return calibrations
}

/** What answers now: what is served, else the calibration of a flag, else what comes with the model. */
export async function servedIn(
  versions: CalibrationVersions,
  model: CalibratedModel,
  flags: ServedFlags,
  terminal: Terminal,
): Promise<Pick<ServedCalibration, 'calibration' | 'isRefitted' | 'servedSince'>> {
  const served = await servedFor(versions, model)
  for (const note of served.notes) terminal.warn(`${note}\n`)
  if (served.isRefitted || flags.calibration === undefined) return served
  return { calibration: await readCalibration(flags.calibration, terminal), isRefitted: false, servedSince: null }
}
