// Makes a request from a file, standard input or flags. Paths in a file are relative to that file, paths in flags to
// the folder of the shell.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { isObject } from '../core/untrusted.ts'
import { statePathsFrom } from '../pipeline/state/paths.ts'
import type { AskRequest, Part, State } from '../wire/types.ts'
import { UsageError } from './exit-codes.ts'
import type { QuestionFlags } from './flags.ts'
import type { Terminal } from './terminal.ts'

/** A request as found, and what to call its questions. */
export interface FoundRequest {
  readonly request: AskRequest
  readonly titles: ReadonlyMap<string, string>
}

export interface StateFlags {
  readonly state?: string
  readonly stateFile?: string
  readonly image?: readonly string[]
}

type Input = Pick<Terminal, 'read' | 'folder'>

/**
 * Reads a request file, or standard input for "-". Throws `UsageError` when it cannot be read, `invalid_json` when it
 * is not JSON.
 */
export async function readRequestFile(file: string, input: Input): Promise<FoundRequest> {
  const path = resolve(input.folder, file)
  const text = file === '-' ? await input.read() : await readText(path, file)
  const request = parseJson(text, file === '-' ? 'standard input' : file)
  const folder = file === '-' ? input.folder : dirname(path)
  return { request: withPathsFrom(request, folder) as AskRequest, titles: titlesOf(request) }
}

/** Makes a request of `--state`, `--state-file`, `--image` and the question flags. */
export async function requestFromFlags(
  state: StateFlags,
  questions: QuestionFlags,
  derives: readonly string[],
  input: Input,
): Promise<FoundRequest> {
  if (questions.isEmpty)
    throw new UsageError('nothing is asked; give a request file, or a question such as --noul "It is urgent." (see assay ask --help)')
  const asked = questions.all()
  return {
    request: {
      state: await stateFrom(state, input),
      questions: Object.fromEntries(asked.map(({ id, question }) => [id, question])),
      ...(derives.length === 0 ? {} : { derive: Object.fromEntries(derives.map(splitDerive)) }),
    },
    titles: new Map(asked.map(({ id, title }) => [id, title])),
  }
}

async function stateFrom({ state, stateFile, image = [] }: StateFlags, input: Input): Promise<State> {
  if (state !== undefined && stateFile !== undefined)
    throw new UsageError('the state is given twice, as --state and as --state-file; keep one')
  const given = stateFile === undefined ? state : await readStateFile(stateFile, input)
  if (image.length === 0) {
    if (given === undefined)
      throw new UsageError('there is no state to ask about; give --state "some text", --state-file <file> or --image <file>')
    return given
  }
  const images = image.map((path): Part => ({ type: 'image', source: { type: 'path', path: resolve(input.folder, path) } }))
  if (given === undefined) return images
  return [...images, typeof given === 'string' ? { type: 'text', text: given } : { type: 'json', value: given as never }]
}

/** `.json` is a JSON state; anything else, and standard input ("-"), is text. */
async function readStateFile(file: string, input: Input): Promise<State> {
  const text = file === '-' ? await input.read() : await readText(resolve(input.folder, file), file)
  return file.toLowerCase().endsWith('.json') ? (parseJson(text, file) as State) : text
}

function splitDerive(text: string): [name: string, expression: string] {
  const match = /^\s*([^\s=]+)\s*=(?!=)(.+)$/s.exec(text)
  if (!match) throw new UsageError(`--derive needs a name and an expression, for example --derive "act=q1 > 0.5"; received "${text}"`)
  return [match[1] as string, (match[2] as string).trim()]
}

async function readText(path: string, asGiven: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : `it cannot be read (${code ?? 'unknown reason'})`
    throw new UsageError(`${asGiven}: ${why}`)
  }
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new EngineError('invalid_json', `${name} is not JSON: ${why}${placeOf(why, text)}`, { cause: error })
  }
}

/** JSON.parse names a position; people look for a line. Empty when it names a line itself, or nothing. */
function placeOf(message: string, text: string): string {
  const position = /position (\d+)(?!.*line)/.exec(message)?.[1]
  if (position === undefined) return ''
  const before = text.slice(0, Number(position)).split('\n')
  return ` (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`
}

/** A request whose state names its files from `folder`. Anything that is not a request stays as it is. */
function withPathsFrom(request: unknown, folder: string): unknown {
  return isObject(request) && Array.isArray(request.state) ? { ...request, state: statePathsFrom(request.state, folder) } : request
}

/** Question id → its instructions, where they are a text. */
function titlesOf(request: unknown): ReadonlyMap<string, string> {
  const questions = isObject(request) && isObject(request.questions) ? request.questions : {}
  return new Map(
    Object.entries(questions).flatMap(([id, question]) =>
      isObject(question) && typeof question.instructions === 'string' ? [[id, question.instructions] as const] : [],
    ),
  )
}
