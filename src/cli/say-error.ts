// Prints an error: as lines for a person, as JSON for a program.
import { EngineError } from '../core/errors.ts'
import type { Output } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { painter, plain, type Terminal } from './terminal.ts'

/** Problems that are said one by one. */
const MOST_PROBLEMS = 20

/**
 * On standard error for a person; as JSON on standard output besides, for whoever parses it. Where every input is
 * answered by one line, the line is an error that names its `file`, also for a file that cannot be read.
 */
export function sayError(error: unknown, output: Output, terminal: Terminal, file: string | null = null): void {
  const paint = painter(terminal.hasColor && terminal.isErrorInteractive)
  const message = error instanceof Error ? error.message : String(error)
  const isKnown = error instanceof EngineError || error instanceof UsageError
  const about = output !== 'lines' || file === null || message.includes(file) ? '' : `${file}: `
  const lines = [`${paint('red', 'error:')} ${plain(`${about}${message}`)}`]
  if (error instanceof EngineError) {
    if (error.param) lines.push(`  at ${plain(error.param)}`)
    for (const problem of error.problems.slice(1, MOST_PROBLEMS))
      lines.push(`${paint('red', 'error:')} ${plain(problem.message)}`, `  at ${plain(problem.param)}`)
  }
  // A fault of ours: what lies under it helps whoever mends it.
  const cause = error instanceof Error ? error.cause : undefined
  if (!isKnown || (error instanceof EngineError && error.code === 'internal_error'))
    lines.push(plain(String(cause ?? (error as Error)?.stack ?? '')))
  terminal.warn(`${lines.filter((line) => line !== '').join('\n')}\n`)
  if (output === 'person' || !(error instanceof EngineError || output === 'lines')) return
  const { code, param, problems } =
    error instanceof EngineError ? error : { code: isKnown ? 'invalid_request' : 'internal_error', param: null, problems: [] }
  const said = {
    code,
    message,
    ...(param === null ? {} : { param }),
    ...(problems.length > 1 ? { problems: problems.slice(0, MOST_PROBLEMS) } : {}),
    ...(output === 'lines' && file !== null ? { file } : {}),
  }
  terminal.print(`${JSON.stringify({ error: said }, null, output === 'json' ? 2 : undefined)}\n`)
}
