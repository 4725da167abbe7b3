// Reads and writes files that a command names. What the file system refuses is a usage error; what is wrong in a file
// is not.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Calibration, parseCalibration } from '../calibration/calibration.ts'
import { EngineError } from '../core/errors.ts'
import { makeFolder } from '../core/files.ts'
import { UsageError } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** Does what reads `file`. Throws `UsageError` when it cannot be read. */
export async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw new UsageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`)
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
    throw new UsageError(`${file} cannot be written: ${code}`)
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
    json = JSON.parse(text)
  } catch (error) {
    throw new EngineError('invalid_json', `${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
  return parseCalibration(json)
}
