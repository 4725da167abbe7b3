// Makes a request from a file, standard input or flags. Paths in a file are relative to that file, paths in flags to
// the folder of the shell.
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { isObject } from '../core/untrusted.ts'
import { statePathsFrom } from '../pipeline/state/paths.ts'
import type { AskRequest, Part, Source, State } from '../wire/types.ts'
import { UsageError } from './exit-codes.ts'
import type { QuestionFlags } from './flags.ts'
import { reading, requireFiles } from './given-files.ts'
import type { Terminal } from './terminal.ts'

/** A request as found, and what to call its questions and its state. */
export interface FoundRequest {
  readonly request: AskRequest
  readonly titles: ReadonlyMap<string, string>
  /** The state with its paths as they were given; the request has full ones. */
  readonly given: unknown
}

export interface StateFlags {
  readonly state?: string
  readonly stateFile?: string
  readonly image?: readonly string[]
  readonly video?: readonly string[]
}

type Input = Pick<Terminal, 'read' | 'folder'>

/**
 * Reads a request file, or standard input for "-". Throws `UsageError` when it cannot be read, `invalid_json` when it
 * is not JSON.
 */
export async function readRequestFile(file: string, input: Input): Promise<FoundRequest> {
  const path = resolve(input.folder, file)
  const text = file === '-' ? await input.read() : await readText(path, file)
  const isMeantAsState = file !== '-' && !file.toLowerCase().endsWith('.json')
  const hint = isMeantAsState ? `; a text is given with --state-file ${file} and a question, a picture with --image` : ''
  const request = parseJson(text, file === '-' ? 'standard input' : file, hint)
  const folder = file === '-' ? input.folder : dirname(path)
  const given = isObject(request) ? request.state : null
  return { request: withPathsFrom(request, folder) as AskRequest, titles: titlesOf(request), given }
}

/** Makes a request of `--state`, `--state-file`, `--image`, `--video` and the question flags. */
export async function requestFromFlags(
  state: StateFlags,
  questions: QuestionFlags,
  derives: readonly string[],
  input: Input,
): Promise<FoundRequest> {
  if (questions.isEmpty)
    throw new UsageError('nothing is asked; give a request file, or a question such as --noul "It is urgent." (see assay ask --help)')
  const asked = questions.all()
  const given = await stateFrom(state, input)
  return {
    given,
    request: {
      state: statePathsFrom(given, input.folder) as State,
      questions: Object.fromEntries(asked.map(({ id, question }) => [id, question])),
      ...(derives.length === 0 ? {} : { derive: Object.fromEntries(derives.map(splitDerive)) }),
    },
    titles: new Map(asked.map(({ id, title }) => [id, title])),
  }
}

async function stateFrom({ state, stateFile, image = [], video = [] }: StateFlags, input: Input): Promise<State> {
  if (state !== undefined && stateFile !== undefined)
    throw new UsageError('the state is given twice, as --state and as --state-file; keep one')
  const given = stateFile === undefined ? state && textOrJson(state) : await readStateFile(stateFile, input)
  if (image.length + video.length === 0) {
    if (given === undefined)
      throw new UsageError('there is no state to ask about; give --state "some text", --state-file, --image or --video <file>')
    return given
  }
  await requireFiles([...image, ...video], input)
  const sourceOf = (path: string): Source => ({ type: 'path', path })
  const seen: readonly Part[] = [
    ...image.map((path): Part => ({ type: 'image', source: sourceOf(path) })),
    ...video.map((path): Part => ({ type: 'video', source: sourceOf(path) })),
  ]
  if (given === undefined) return seen
  if (isJsonPart(given)) return [...seen, ...given]
  return [...seen, typeof given === 'string' ? { type: 'text', text: given } : { type: 'json', value: given as never }]
}

const isJsonPart = (state: State): state is readonly Part[] => Array.isArray(state) && state.length === 1 && state[0]?.type === 'json'

/** A JSON object or array is that, and never parts that name files: what comes in a flag or a pipe may be anybody's. */
function textOrJson(text: string): State {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    const value = JSON.parse(text)
    return Array.isArray(value) ? [{ type: 'json', value }] : (value as State)
  } catch {
    return text
  }
}

/** `.json` is a JSON state, and so is JSON from standard input ("-"); anything else is text. */
async function readStateFile(file: string, input: Input): Promise<State> {
  const text = file === '-' ? await input.read() : await readText(resolve(input.folder, file), file)
  if (text.includes('\0'))
    throw new UsageError(`${file === '-' ? 'standard input' : file} is no text; give a picture with --image, a video with --video`)
  if (file === '-') return textOrJson(text)
  return file.toLowerCase().endsWith('.json') ? (parseJson(text, file) as State) : text
}

function splitDerive(text: string): [name: string, expression: string] {
  const match = /^\s*([^\s=]+)\s*=(?!=)(.+)$/s.exec(text)
  if (!match) throw new UsageError(`--derive needs a name and an expression, for example --derive "act=q1 > 0.5"; received "${text}"`)
  return [match[1] as string, (match[2] as string).trim()]
}

async function readText(path: string, asGiven: string): Promise<string> {
  return (await reading(asGiven, () => readFile(path, 'utf8'))).replace(/^\uFEFF/, '')
}

/** `hint`: what the caller may have meant, behind the reason. */
function parseJson(text: string, name: string, hint = ''): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new EngineError('invalid_json', `${name} is not JSON: ${why}${placeOf(why, text)}${hint}`, { cause: error })
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
