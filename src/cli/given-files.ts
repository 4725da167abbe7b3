// Reads and writes files that a command names. What the file system refuses is a usage error; what is wrong in a file
// is not.
import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Calibration, parseCalibration } from '../calibration/calibration.ts'
import { EngineError } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import { makeFolder } from '../core/files.ts'
import { shortPath } from '../evaluate/dataset.ts'
import { UsageError } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** The results of `assay eval`, in a folder that was given for them. */
export const RESULTS_FILE = 'results.jsonl'

/** Does what reads `file`. Throws `UsageError` when it cannot be read. */
export async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new UsageError(`${file} cannot be read: ${fileFault(error)}`)
  }
}

export function noStore(store: string): UsageError {
  return new UsageError(`${store} is no folder; give the one that the engine's outcome store writes to`)
}

/** The full path of a store, and whether there is nothing yet. Throws `UsageError` where it is no folder. */
export async function storeFolder(store: string, terminal: Pick<Terminal, 'folder'>): Promise<{ path: string; isNew: boolean }> {
  const path = resolve(terminal.folder, store)
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new UsageError(`${store} cannot be read: ${fileFault(error)}`)
  })
  if (found?.isDirectory() === false) throw noStore(store)
  return { path, isNew: found === null }
}

/**
 * Throws `UsageError` for the first name that is no file. Relative names start from the terminal's folder.
 * `isReadAgain`: they are read more than once, which a pipe cannot be.
 */
export async function requireFiles(files: readonly string[], terminal: Pick<Terminal, 'folder'>, isReadAgain = false): Promise<void> {
  for (const file of files) {
    const found = await reading(file, () => stat(resolve(terminal.folder, file)))
    if (found.isDirectory()) throw new UsageError(`${file} cannot be read: it is a folder`)
    if (isReadAgain && !found.isFile())
      throw new UsageError(`${file} cannot be read more than once, as rows are: it is no regular file; write the rows to one and give that`)
  }
}

/**
 * Does some work on files whose full paths it was given. Its errors name them by the end of their paths; here they get
 * the names they have on the command line. `names`: from full paths.
 */
export async function sayingNames<T>(names: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const message = [...names].reduce((said, [path, name]) => said.replaceAll(shortPath(path), name), error.message)
    const { code, param, problems, cause } = error
    throw new EngineError(code, message, { cause, problems, ...(param === null ? {} : { param }) })
  }
}

/**
 * Does what writes `file`, in a folder that is made when it is not there. Throws `UsageError` when it cannot be
 * written.
 */
export async function writing<T>(file: string, terminal: Terminal, write: (path: string) => Promise<T>): Promise<T> {
  const path = resolve(terminal.folder, file)
  try {
    await makeFolder(dirname(path))
    return await write(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Only the file system's own refusals: anything else is not about the command line.
    if (error instanceof EngineError || typeof code !== 'string') throw error
    throw new UsageError(`${file} cannot be written: ${fileFault(error)}`)
  }
}

/** A calibration file, its path from the terminal's folder. Throws `UsageError`, and what `calibrationIn` throws. */
export async function readCalibration(file: string, terminal: Terminal): Promise<Calibration> {
  return calibrationIn(file, await reading(file, () => readFile(resolve(terminal.folder, file), 'utf8')))
}

/**
 * The calibration that is written in `text`. Throws `invalid_json` with the file's name, or `invalid_request` when it
 * is JSON of another kind.
 */
export function calibrationIn(file: string, text: string): Calibration {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new EngineError('invalid_json', `${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
  return parseCalibration(json)
}
