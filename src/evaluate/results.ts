// The results of a run as a file: a header line that binds them, then a line a row, appended and synced when it is
// done. A run that was killed continues where it stopped: a torn last line is cut off and its row asked again.
import { type FileHandle, open, readFile, truncate } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { makeFolder } from '../core/files.ts'
import { serial } from '../core/serial.ts'
import type { DeliberationMode } from '../questions/shared/deliberation.ts'
import { type DatasetFile, type Selection, shortPath } from './dataset.ts'
import type { RowResult } from './run.ts'

export const RESULTS_FORMAT = 'assay-results 1'

/** A stage of the chain that answers. */
export interface BoundStage {
  readonly id: string
  /** As it was written; null where none was. */
  readonly threshold: number | null
  /** Null where the model could not be asked. */
  readonly revision: string | null
  readonly templateHash: string | null
  /** Version of the calibration; null for none. */
  readonly calibration: string | null
}

/** What the answers of a run depend on: two runs with the same binding give the same answers. */
export interface RunBinding {
  readonly engine: string
  /** Of a chain, its id and the first stage that answers. */
  readonly model: { readonly id: string; readonly revision: string; readonly templateHash: string }
  /** Of a chain, in their order; absent for a model. */
  readonly stages?: readonly BoundStage[]
  /** Version of the calibration; null for none. */
  readonly calibration: string | null
  readonly deliberation: DeliberationMode
  readonly selfCheck: boolean
  readonly dataset: readonly DatasetFile[]
  readonly selection: Selection
}

/** How a run was made, beside its binding. Parts of one run may differ in it. */
export interface RunCircumstances {
  /** ISO 8601. */
  readonly begun: string
  readonly command: string
  readonly parallel: number
  readonly machine: { readonly node: string; readonly platform: string; readonly cores: number; readonly cpu: string }
}

export interface ResultsHeader {
  readonly format: typeof RESULTS_FORMAT
  readonly binding: RunBinding
  readonly circumstances: RunCircumstances
}

export interface RunResults {
  readonly header: ResultsHeader
  /** By index in the data set; of two results of one row, the later. */
  readonly rows: readonly RowResult[]
}

export interface ResultsFile {
  /** Rows that the file held when it was opened. */
  readonly done: readonly RowResult[]
  /** Resolves when the row is on disk. */
  append(result: RowResult): Promise<void>
  close(): Promise<void>
}

/**
 * Reads a results file. Throws `invalid_request` when it is not one, or a line other than a torn last one is broken.
 */
export async function readResults(path: string): Promise<RunResults> {
  const found = await load(path)
  if (found === null) throw new EngineError('invalid_request', `${shortPath(path)} is not there or empty; make it with assay eval.`)
  return { header: found.header, rows: found.rows }
}

/**
 * Opens results to append to. Rows in the file must have the same binding, else `invalid_request` says what differs.
 */
export async function openResults(path: string, binding: RunBinding, circumstances: RunCircumstances): Promise<ResultsFile> {
  await makeFolder(dirname(path))
  const found = await load(path)
  if (found !== null) {
    refuseOther(path, found.header.binding, binding)
    if (found.length < found.bytes) await truncate(path, found.length)
  } else await truncate(path, 0).catch(() => {})
  const file = await open(path, 'a')
  const append = appender(file)
  if (found === null) await append({ format: RESULTS_FORMAT, binding, circumstances } satisfies ResultsHeader)
  return { done: found?.rows ?? [], append, close: () => file.close() }
}

/** Lines that arrive during one write go into the next write together. */
function appender(file: FileHandle): (value: object) => Promise<void> {
  let waiting: string[] = []
  // A failed write fails the calls that wait for it; the next one may try again.
  const inTurn = serial()
  let next: Promise<void> | null = null
  const flush = async (): Promise<void> => {
    next = null
    const lines = waiting
    waiting = []
    await file.appendFile(lines.join(''))
    await file.datasync()
  }
  return (value) => {
    waiting.push(`${JSON.stringify(value)}\n`)
    next ??= inTurn(flush)
    return next
  }
}

interface Loaded extends RunResults {
  /** Bytes of whole lines, and of the file. */
  readonly length: number
  readonly bytes: number
}

/** Null without a file, or without a whole header in it. */
async function load(path: string): Promise<Loaded | null> {
  const data = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new EngineError('invalid_request', `${shortPath(path)} cannot be read (${error.code}).`, { cause: error })
  })
  if (data === null) return null
  const length = data.lastIndexOf(10) + 1
  if (length === 0) {
    if (data.length > 0 && !'{"format":"assay-results'.startsWith(data.toString('utf8', 0, 24)))
      throw new EngineError('invalid_request', `${shortPath(path)} is no results file of assay eval; give another path.`)
    return null
  }
  // Line by line, since a string cannot hold a long run.
  let from = 0
  let [header, line]: [ResultsHeader | null, number] = [null, 0]
  const rows = new Map<number, RowResult>()
  while (from < length) {
    const end = data.indexOf(10, from)
    const value = parseLine(data.toString('utf8', from, end), path, ++line)
    from = end + 1
    if (header === null) {
      if ((value as Partial<ResultsHeader> | null)?.format !== RESULTS_FORMAT)
        throw new EngineError(
          'invalid_request',
          `${shortPath(path)} is no results file of this version (${RESULTS_FORMAT}); give another path.`,
        )
      header = headerOf(value as Partial<ResultsHeader>, path)
    } else {
      if (!isRow(value)) throw brokenLine(path, line, 'is no result of a row')
      rows.set(value.at, value)
    }
  }
  const inOrder = [...rows.values()].sort((a, b) => a.at - b.at)
  return { header: header as ResultsHeader, rows: inOrder, length, bytes: data.length }
}

function parseLine(text: string, path: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw brokenLine(path, line, 'is not JSON', error)
  }
}

function brokenLine(path: string, line: number, how: string, cause?: unknown): EngineError {
  return new EngineError('invalid_request', `${shortPath(path)}, line ${line} ${how}; remove the line, and its row is asked again.`, {
    cause,
  })
}

/** The header, checked for the fields that are compared. */
function headerOf(header: Partial<ResultsHeader>, path: string): ResultsHeader {
  const { binding, circumstances } = header
  const isWhole = [binding, binding?.model, binding?.selection, circumstances, circumstances?.machine].every(
    (part) => typeof part === 'object' && part !== null,
  )
  if (isWhole && Array.isArray(binding?.dataset)) return header as ResultsHeader
  throw new EngineError('invalid_request', `${shortPath(path)} does not say what its results are about; give another path.`)
}

function isRow(value: unknown): value is RowResult {
  if (typeof value !== 'object' || value === null) return false
  const { at, questions } = value as Partial<RowResult>
  return Number.isInteger(at) && Array.isArray(questions)
}

/** Throws `invalid_request` naming every field that differs. */
function refuseOther(path: string, there: RunBinding, now: RunBinding): void {
  const differences = [...changedFiles(there, now), ...differing(bare(there), bare(now), '')]
  if (differences.length === 0) return
  const message = `${shortPath(path)} holds results of another run: ${differences.slice(0, 6).join('; ')}. Choose another -o, or remove the file to begin anew.`
  throw new EngineError('invalid_request', message)
}

type Fields = Readonly<Record<string, unknown>>

/** What differs in the files: their content binds, their names do not. */
function changedFiles({ dataset: there }: RunBinding, { dataset: now }: RunBinding): string[] {
  if (there.length !== now.length) return [`the number of files was ${there.length} and is ${now.length}`]
  return there.flatMap(({ name, sha256, rows }, i) => {
    const { name: other, sha256: hash, rows: count } = now[i]!
    if (sha256 === hash && rows === count) return []
    const counts = rows === count ? '' : ` (${rows} rows then, ${count} now)`
    return [name === other ? `${name} has changed since${counts}` : `it was of ${name} and is of ${other}${counts}`]
  })
}

/** Without the files, and without the seed where there is no sample that it is of. */
function bare({ dataset: _, selection: { seed, ...selection }, ...binding }: RunBinding): Fields {
  return { ...binding, selection: selection.sample === null ? selection : { ...selection, seed } }
}

function differing(there: Fields, now: Fields, prefix: string): string[] {
  return [...new Set([...Object.keys(there), ...Object.keys(now)])].flatMap((name) => {
    const [a, b] = [there[name], now[name]]
    if (JSON.stringify(a) === JSON.stringify(b)) return []
    const isDeep = [a, b].every((value) => typeof value === 'object' && value !== null)
    const label = `${prefix}${name}`
    return isDeep
      ? differing(a as Fields, b as Fields, `${label}.`)
      : [`${label} was ${JSON.stringify(a) ?? 'absent'} and is ${JSON.stringify(b) ?? 'absent'}`]
  })
}
