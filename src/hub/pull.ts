// Pulls a model from a hub: finds out which files it needs, downloads and checks them in a folder of their own, and
// puts that in its place when all of it is right. What was cut short goes on where it was; what is there already is not
// asked for again.
import { copyFile, link, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { familyFor } from '../backends/onnx/families/index.ts'
import { type JsonObject, type ModelFolder, openFolder } from '../backends/onnx/runtime/layout.ts'
import { isInside, readWeights, requireSoundWeights } from '../backends/onnx/runtime/weights.ts'
import { EngineError } from '../core/errors.ts'
import { makeFolder } from '../core/files.ts'
import { isAlive } from '../core/is-alive.ts'
import { isObject } from '../core/untrusted.ts'
import { downloadFile, hasChecksum, PART } from './download.ts'
import { type Hub, HubUnreachable } from './http.ts'
import { goneFrom, nameOf, type PulledModel, type PullRecord, placeOf, pulledModels, RECORD_FILE, readPulled } from './library.ts'
import { isCommit, type Repository, type RepositoryFile, type RepositoryName, readFiles, readRevision } from './repository.ts'
import { configurationOf, type DtypeWish, graphsOf } from './select-files.ts'

export interface PullOptions {
  readonly hub: Hub
  /** Folder of the library. */
  readonly home: string
  readonly repository: RepositoryName
  readonly dtype: DtypeWish
  /** Hears how many bytes of how many are there. The total may grow once, when a graph names further weights. */
  readonly onProgress?: (done: number, total: number, file: string) => void
  /** Default: the system's. */
  readonly now?: () => Date
}

export interface PullResult {
  readonly model: PulledModel
  /** Null: it was downloaded. `present`: it was there. `offline`: it was there, and the hub could not be asked. */
  readonly reused: 'present' | 'offline' | null
}

const LOCK_FILE = '.lock'
/** Kept free beside what is downloaded. */
const SPARE_BYTES = 64 * 2 ** 20

/**
 * Throws `model_not_found` when the hub has no such repository or revision, and `model_not_available` when it cannot be
 * reached or used, when this engine cannot run the model, or when what comes is not what was listed.
 */
export async function pullModel(options: PullOptions): Promise<PullResult> {
  const { hub, home, repository, dtype } = options
  if (isCommit(repository.revision)) {
    const there = await readPulled(home, nameOf({ id: repository.id, commit: repository.revision, dtype }))
    if (there !== null) return { model: there, reused: 'present' }
  }
  const found = await readRevision(hub, repository).catch(async (error: unknown) => {
    const kept = error instanceof HubUnreachable ? await keptBefore(options) : null
    if (kept === null) throw error
    return kept
  })
  if ('folder' in found) return { model: found, reused: 'offline' }
  const name = nameOf({ ...found, dtype })
  const there = await readPulled(home, name)
  if (there !== null) return { model: there, reused: 'present' }

  const { slot, folder, partial } = placeOf(home, name)
  await makeFolder(partial)
  const lock = await lockFolder(partial, name)
  const discard = async (): Promise<void> => {
    const gone = goneFrom(partial)
    await lock.moveTo(gone)
    await rm(gone, { recursive: true, force: true })
  }
  try {
    // Another process may have been sooner.
    const now = await readPulled(home, name)
    if (now !== null) {
      await discard()
      return { model: now, reused: 'present' }
    }
    const files = await readFiles(hub, repository.id, found.commit)
    const record = await fill(options, { ...found, files }, join(partial, basename(folder)), discard)
    await writeFile(join(partial, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`)
    // Without a record it is no model: what is left of one gives way.
    await rm(slot, { recursive: true, force: true })
    await lock.moveTo(slot)
    return { model: { ...record, name, folder }, reused: null }
  } finally {
    await lock.end()
  }
}

/** The newest of the same repository, revision and formats. */
async function keptBefore({ home, repository, dtype }: PullOptions): Promise<PulledModel | null> {
  const models = await pulledModels(home)
  const isSame = ({ id, revision, dtype: pulled }: PulledModel): boolean =>
    id === repository.id && revision === repository.revision && JSON.stringify(pulled) === JSON.stringify(dtype)
  return models.find(isSame) ?? null
}

/**
 * Downloads into the folder what the model needs, and holds it all against itself. `discard`: takes the folder away,
 * where the model cannot be run and no further try would go on.
 */
async function fill(options: PullOptions, repository: Repository, folder: string, discard: () => Promise<void>): Promise<PullRecord> {
  const { hub, home, dtype, onProgress, repository: asked } = options
  const { id, commit, license, files } = repository
  let [done, total] = [0, 0]
  const donors = (await pulledModels(home)).filter((model) => model.id === id)
  const download = async (file: RepositoryFile): Promise<void> => {
    const path = join(folder, ...file.path.split('/'))
    await takeFrom(donors, file, path)
    const onBytes = (bytes: number): void => {
      done += bytes
      onProgress?.(done, total, file.path)
    }
    await downloadFile({ hub, id, commit, file, path, onBytes })
  }
  const refuse = async (error: unknown): Promise<never> => {
    await discard()
    throw error
  }
  const config = files.find(({ path }) => path === 'config.json')
  if (config === undefined)
    return refuse(new EngineError('model_not_available', `${id} has no config.json, so it is no model that can be run; check its name`))

  // What the model is decides what is needed, so this file comes before all others.
  total = config.bytes
  await download(config)
  const { modelType, graphs } = await graphsNeeded(repository, folder, dtype).catch(refuse)
  const others = configurationOf(files).filter(({ path }) => path !== 'config.json')
  const likely = [...new Set(graphs.flatMap((graph) => graph.likely))]
  const wanted = [...others, ...graphs.map(({ file }) => file)]
  total += sum([...wanted, ...likely])
  await requireRoom(folder, await missingBytes([...wanted, ...likely], folder), id)
  for (const file of wanted) await download(file)

  const weights = weightsOf(
    repository,
    graphs.map(({ file }) => file),
    folder,
  )
  total += sum(weights) - sum(likely)
  await requireRoom(folder, await missingBytes(weights, folder), id)
  for (const file of weights) await download(file)

  await openFolder(folder)
  for (const { file } of graphs) requireSoundWeights({ path: join(folder, ...file.path.split('/')), files: [file.path] })
  const pulledAt = (options.now?.() ?? new Date()).toISOString()
  const all = [config, ...wanted, ...weights]
  return {
    id,
    revision: asked.revision,
    commit,
    endpoint: hub.endpoint,
    dtype,
    modelType,
    license,
    pulledAt,
    bytes: sum(all),
    files: all.map(({ path, bytes, checksum }) => ({ path, bytes, checksum })),
  }
}

const sum = (files: readonly RepositoryFile[]): number => files.reduce((total, { bytes }) => total + bytes, 0)

/** A file with the same checksum that another revision brought shares its place on the disk, or is copied. */
async function takeFrom(models: readonly PulledModel[], file: RepositoryFile, path: string): Promise<void> {
  for (const model of models) {
    const same = model.files.find(({ bytes, checksum }) => bytes === file.bytes && checksum.hex === file.checksum.hex)
    if (same === undefined || file.checksum.kind !== 'sha256') continue
    const from = join(model.folder, ...same.path.split('/'))
    if (!(await hasChecksum(from, file))) continue
    await makeFolder(dirname(path))
    await link(from, path).catch((error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? undefined : copyFile(from, path)))
    return
  }
}

/** What the model is, and the graphs that it is run with. Throws `model_not_available` where it cannot be run. */
async function graphsNeeded(repository: Repository, folder: string, dtype: DtypeWish) {
  const { modelType, config } = await configurationIn(join(folder, 'config.json'), repository.id)
  const family = await familyFor({ modelType, config, files: repository.files.map(({ path }) => path) })
  return { modelType, graphs: graphsOf(repository, family, dtype) }
}

async function configurationIn(path: string, id: string): Promise<Pick<ModelFolder, 'modelType' | 'config'>> {
  let config: unknown = null
  try {
    config = JSON.parse(await readFile(path, 'utf8'))
  } catch {
    // Said below.
  }
  const modelType = isObject(config) ? config.model_type : undefined
  if (typeof modelType === 'string') return { modelType, config: config as JsonObject }
  throw new EngineError('model_not_available', `config.json of ${id} has no model_type, so it is no model that can be run; check its name`)
}

/** The files that the graphs take weights from. Throws when one lies elsewhere, or is not there. */
function weightsOf({ id, files }: Repository, graphs: readonly RepositoryFile[], folder: string): RepositoryFile[] {
  const found = new Map<string, RepositoryFile>()
  for (const graph of graphs) {
    let locations: Set<string>
    try {
      locations = new Set(readWeights(join(folder, ...graph.path.split('/'))).flatMap(({ external }) => external?.location ?? []))
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause
      throw new EngineError('model_not_available', `${graph.path} of ${id} is no graph (${cause.message}); take another export of it`, {
        cause,
      })
    }
    for (const location of locations) {
      const path = posix.join(posix.dirname(graph.path), location)
      const file = isInside(location) ? files.find((one) => one.path === path) : undefined
      if (file === undefined) {
        const where = isInside(location) ? `${path}, which ${id} does not have` : `outside of its folder (${JSON.stringify(location)})`
        throw new EngineError('model_not_available', `${graph.path} takes weights from ${where}; take another export of it`)
      }
      found.set(path, file)
    }
  }
  return [...found.values()]
}

/** Bytes that are still to come, beside what an earlier try left. */
async function missingBytes(files: readonly RepositoryFile[], folder: string): Promise<number> {
  const sizeOf = (path: string): Promise<number> =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    )
  let bytes = 0
  for (const file of files) {
    const path = join(folder, ...file.path.split('/'))
    bytes += Math.max(0, file.bytes - Math.max(await sizeOf(path), await sizeOf(path + PART)))
  }
  return bytes
}

async function requireRoom(folder: string, bytes: number, id: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes + SPARE_BYTES) return
  const mb = (count: number): string => `${Math.ceil(count / 1e6)} MB`
  const message = `${id} takes ${mb(bytes)}, and the disk has ${mb(free)} free; make room, ask for a smaller --dtype, or set ASSAY_HOME to a folder on another disk`
  throw new EngineError('model_not_available', message)
}

/** A folder of this process alone, by a note that lies in it. */
interface FolderLock {
  /** Moves the folder, which stays this process's own. */
  moveTo(place: string): Promise<void>
  end(): Promise<void>
}

/** Two downloads into one folder would undo each other. The note of a process that is gone counts no more. */
async function lockFolder(folder: string, name: string): Promise<FolderLock> {
  const path = join(folder, LOCK_FILE)
  for (let tries = 0; ; tries++) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') {
        await makeFolder(folder)
        continue
      }
      if (code !== 'EEXIST') throw error
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (tries > 0 || isAlive(holder)) {
      const message = `${name} is being pulled by another process (${holder}); wait for it, or remove ${path} if that is something else`
      throw new EngineError('model_not_available', message)
    }
    await rm(path, { force: true })
  }
  let at = folder
  return {
    async moveTo(place) {
      await rename(at, place)
      at = place
    },
    end: () => rm(join(at, LOCK_FILE), { force: true }),
  }
}
