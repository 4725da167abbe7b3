// Prints an error: as lines for a person, as JSON for a program.
import { EngineError } from '../core/errors.ts'
import { UsageError } from './exit-codes.ts'
import { painter, plain, type Terminal } from './terminal.ts'

/** How results are printed: for a person, as indented JSON, or as one line of JSON each. */
export type Output = 'person' | 'json' | 'lines'

/** On standard error for a person; as JSON on standard output besides, for whoever parses it. */
export function sayError(error: unknown, output: Output, terminal: Terminal): void {
  const paint = painter(terminal.hasColor && terminal.isErrorInteractive)
  const message = error instanceof Error ? error.message : String(error)
  const isKnown = error instanceof EngineError || error instanceof UsageError
  const lines = [`${paint('red', 'error:')} ${plain(message)}`]
  if (error instanceof EngineError) {
    if (error.param) lines.push(`  at ${plain(error.param)}`)
    for (const problem of error.problems.slice(1, 20))
      lines.push(`${paint('red', 'error:')} ${plain(problem.message)}`, `  at ${plain(problem.param)}`)
  }
  // A fault of ours: what lies under it helps whoever mends it.
  const cause = error instanceof Error ? error.cause : undefined
  if (!isKnown || (error instanceof EngineError && error.code === 'internal_error'))
    lines.push(plain(String(cause ?? (error as Error)?.stack ?? '')))
  terminal.warn(`${lines.filter((line) => line !== '').join('\n')}\n`)
  if (output === 'person' || !(error instanceof EngineError)) return
  const { code, param } = error
  terminal.print(
    `${JSON.stringify({ error: { code, message, ...(param === null ? {} : { param }) } }, null, output === 'json' ? 2 : undefined)}\n`,
  )
}
