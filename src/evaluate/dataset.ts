// Reads files of labelled requests, one row at a time, and chooses among them. Nothing in a row is trusted: one that is
// not a request becomes a row with a fault.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { fileFault } from '../core/file-fault.ts'
import { jsonlLines } from '../core/jsonl.ts'
import type { Json } from '../core/types.ts'
import { isObject, jsonTypeOf, ownField, type UntrustedObject } from '../core/untrusted.ts'
import { statePathsFrom } from '../pipeline/state/paths.ts'
import type { AskRequest } from '../wire/types.ts'
import { parquetRows } from './parquet.ts'
import { readTruth } from './truth.ts'

/** A labelled request. */
export interface Row {
  /** Its own id, made unique by `#2`, `#3` … where a data set repeats one; else file and line. */
  readonly id: string
  /** Its index over all files, from 0. */
  readonly at: number
  /** Source and task of the row, else the name of its file. */
  readonly task: string
  readonly request: Pick<AskRequest, 'state' | 'questions'>
  /** By question id, or `question/argument`. A question without a truth is asked and not graded. */
  readonly truth: Readonly<Record<string, Json>>
  /** Further values that count as right. */
  readonly accept: Readonly<Record<string, readonly Json[]>>
  /** Why it cannot be asked; null for a good row. */
  readonly fault: string | null
}

/** A file as results name it: the last two parts of its path, and the SHA-256 of its bytes. */
export interface DatasetFile {
  readonly name: string
  readonly sha256: string
  readonly rows: number
}

/**
 * Which rows are asked: the first `limit` of each file, and of these `sample` by the hash of seed and id, so that a
 * larger sample holds a smaller one.
 */
export interface Selection {
  readonly limit: number | null
  readonly sample: number | null
  readonly seed: number
}

export interface Dataset {
  readonly files: readonly DatasetFile[]
  /** Indices of the rows that are asked. */
  readonly chosen: ReadonlySet<number>
}

/**
 * Reads rows in order. `images` is the folder of relative image paths; null for the folder of each file. Throws
 * `invalid_request` when a file cannot be read.
 */
export async function* readRows(paths: readonly string[], images: string | null): AsyncGenerator<Row & { readonly file: number }> {
  const taken = new Map<string, number>()
  let at = 0
  for (const [file, path] of paths.entries()) {
    const folder = images ?? dirname(path)
    let place = 0
    for await (const { line, value } of readable(path)) {
      const row = checkRow(value, `${shortPath(path)}:${line}`, taskOf(path), folder)
      yield { ...row, id: takeId(row.id, taken), at: at++, file }
      place++
    }
    if (place === 0) throw new EngineError('invalid_request', `${shortPath(path)} holds no rows; give labelled requests, one a line.`)
  }
}

/** A row's name across runs: rows of several data sets may have one id. */
export function rowName({ task, id }: Pick<Row, 'task' | 'id'>): string {
  return `${task}\u0000${id}`
}

/** An id that no row before has. `taken`: ids that rows have, each with the last number that was put behind it. */
function takeId(id: string, taken: Map<string, number>): string {
  const last = taken.get(id)
  if (last === undefined) {
    taken.set(id, 1)
    return id
  }
  let number = last + 1
  while (taken.has(`${id}#${number}`)) number++
  taken.set(id, number)
  return takeId(`${id}#${number}`, taken)
}

/** Hashes the files and chooses rows. `readRows` reads them again, so that a large data set is never held in memory. */
export async function openDataset(paths: readonly string[], { limit, sample, seed }: Selection): Promise<Dataset> {
  const counts = paths.map(() => 0)
  const ranked: { readonly at: number; readonly rank: string }[] = []
  for await (const { id, at, file } of readRows(paths, null)) {
    counts[file] = (counts[file] as number) + 1
    if (limit !== null && (counts[file] as number) > limit) continue
    ranked.push({ at, rank: sample === null ? '' : sha256(`${seed}:${id}`) })
  }
  if (sample !== null) ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const chosen = new Set(ranked.slice(0, sample ?? ranked.length).map((row) => row.at))
  const files: DatasetFile[] = []
  for (const [i, path] of paths.entries()) files.push({ name: shortPath(path), sha256: await hashFile(path), rows: counts[i] as number })
  return { files, chosen }
}

/** The last two parts of a path: enough to tell files apart, without the folders of the machine. */
export function shortPath(path: string): string {
  return resolve(path).split(/[\\/]/).filter(Boolean).slice(-2).join('/')
}

function taskOf(path: string): string {
  return basename(path).replace(/(\.jsonl|\.json|\.ndjson|\.parquet)?(\.gz)?$/i, '')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

const TABLE = /\.[ct]sv(\.gz)?$/i

async function* readable(path: string): AsyncGenerator<{ readonly line: number; readonly value: unknown }> {
  if (TABLE.test(path)) {
    const row = '{"state": "…", "questions": {…}, "truth": {…}}'
    throw new EngineError('invalid_request', `${shortPath(path)} is a table; write each of its rows as a line of JSON: ${row}.`)
  }
  try {
    if (path.toLowerCase().endsWith('.parquet')) {
      let line = 0
      for await (const value of parquetRows(path)) yield { line: ++line, value }
      return
    }
    for await (const { line, text } of jsonlLines(path)) {
      let value: unknown
      try {
        value = JSON.parse(text)
      } catch (error) {
        value = error
      }
      yield { line, value }
    }
  } catch (error) {
    // What is missing says itself how to install it.
    if (error instanceof EngineError) throw error
    throw new EngineError('invalid_request', `${shortPath(path)} cannot be read: ${fileFault(error)}`, { cause: error })
  }
}

/** Fields of a row that are named where what is needed is missing. */
const MOST_NAMED = 6

/** A row from a value of a file. `id` and `task` are used where the row has none. */
export function checkRow(value: unknown, id: string, task: string, folder: string): Omit<Row, 'at'> {
  const nothing = { id, task, request: { state: '', questions: {} }, truth: {}, accept: {} }
  if (value instanceof SyntaxError) return { ...nothing, fault: `the line is not JSON: ${value.message}; a row is an object in one line` }
  if (!isObject(value)) return { ...nothing, fault: 'a row is an object with state, questions and truth' }
  const own = (field: string): unknown => ownField(value, field)
  const inner = own('_evaluation')
  const evaluation = isObject(inner) ? inner : {}
  const named = [own('source') ?? evaluation.dataset ?? own('family'), own('task')].filter(
    (word) => typeof word === 'string' && word !== '',
  )
  const row = {
    ...nothing,
    id: text(evaluation.run_id) ?? text(own('id')) ?? id,
    task: named.length === 0 ? task : named.join(': '),
  }
  const [state, questions, truth, accept] = [own('state'), own('questions'), own('truth') ?? own('expected'), own('accept')]
  if (state === undefined || !isObject(questions) || !isObject(truth))
    return { ...row, fault: shapeFault({ state, questions, truth }, value) }
  return {
    ...row,
    request: { state: statePathsFrom(state, folder), questions } as Row['request'],
    truth: Object.fromEntries(
      Object.entries(truth).flatMap(([name, given]) => {
        const read = readTruth(questionNamed(questions, name, trueOption(questions, truth, name)), given as Json)
        return read === undefined ? [] : [[name, read]]
      }),
    ),
    accept: isObject(accept)
      ? Object.fromEntries(Object.entries(accept).map(([name, list]) => [name, Array.isArray(list) ? list : [list]]))
      : {},
    fault: null,
  }
}

/** What a row is, for those who wrote something else. */
const SHAPE = '{"state": "…", "questions": {"angry": {"type": "noul", "instructions": "…"}}, "truth": {"angry": true}}'

/** What of a row is missing or is no object, what is there in its place, and what is meant. */
function shapeFault(parts: Readonly<Record<'state' | 'questions' | 'truth', unknown>>, row: UntrustedObject): string {
  const missing = Object.entries(parts).flatMap(([name, given]) => (given === undefined || given === null ? [name] : []))
  const [first, ...rest] = missing.filter((name) => name !== 'state' || parts.state === undefined)
  if (first !== undefined) {
    const known = ['id', 'source', 'task', 'family', 'state', 'questions', 'truth', 'expected', 'accept', 'metadata', '_evaluation']
    const others = Object.keys(row).filter((name) => !known.includes(name))
    const there = others
      .slice(0, MOST_NAMED)
      .map((name) => JSON.stringify(name.slice(0, 40)))
      .join(', ')
    const instead = others.length === 0 ? '' : `; there ${others.length === 1 ? 'is' : 'are'} ${there}, not known here`
    const verb = rest.length > 0 || first === 'questions' ? 'are' : 'is'
    return `the ${[first, ...rest].join(' and the ')} ${verb} missing${instead}; a row is ${SHAPE}`
  }
  const [name, by] = isObject(parts.questions) ? ['truth', 'truths by question id'] : ['questions', 'questions by id']
  const given = parts[name as keyof typeof parts]
  const shown = typeof given === 'object' ? jsonTypeOf(given) : JSON.stringify(given).slice(0, 40)
  return `the field "${name}" is ${shown}, and takes an object of ${by}; a row is ${SHAPE}`
}

/**
 * The parts of `question/argument`, which names an argument of a choice. A name that is among the ids `of` questions or
 * answers, or has no slash, is a question's alone.
 */
export function splitName(name: string, of: object): { readonly question: string; readonly argument: string | null } {
  const slash = Object.hasOwn(of, name) ? -1 : name.indexOf('/')
  return slash < 0 ? { question: name, argument: null } : { question: name.slice(0, slash), argument: name.slice(slash + 1) }
}

/**
 * A question by its id, or an argument of a choice as `question/argument`. Of options that bring arguments of one name,
 * it is that of `option`, or else of the first.
 */
export function questionNamed(questions: object, name: string, option?: unknown): unknown {
  const { question, argument } = splitName(name, questions)
  const whole = ownField(questions, question)
  if (argument === null) return whole
  const argOf = (asked: unknown): unknown => ownField(ownField(asked, 'args'), argument)
  const options = ownField(whole, 'options') ?? ownField(whole, 'criteria')
  const bring = (Array.isArray(options) ? options : []).filter((one) => argOf(one) !== undefined)
  return argOf(whole) ?? argOf(bring.find((one) => ownField(one, 'value') === option) ?? bring[0])
}

/** The option that a row says is true of the choice that an argument is of; undefined where it does not say. */
function trueOption(questions: object, truth: object, name: string): unknown {
  const { question, argument } = splitName(name, questions)
  const given = ownField(truth, question)
  return argument === null || given === undefined ? undefined : readTruth(ownField(questions, question), given as Json)
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
}
