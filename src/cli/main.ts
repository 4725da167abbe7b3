#!/usr/bin/env node
// The `assay` command: this process as a terminal, and its exit code.
import { runCli } from './program.ts'
import type { Terminal } from './terminal.ts'

const { stdin, stdout, stderr, env } = process

// A reader that has seen enough (`assay … | head`) closes the pipe; that is no error.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const terminal: Terminal = {
  print: (text) => void stdout.write(text),
  warn: (text) => void stderr.write(text),
  async read() {
    stdin.setEncoding('utf8')
    let text = ''
    for await (const chunk of stdin) text += chunk
    return text.replace(/^\uFEFF/, '')
  },
  isInteractive: stdout.isTTY === true,
  isErrorInteractive: stderr.isTTY === true,
  columns: stdout.columns || 80,
  // https://no-color.org: any value but the empty one.
  hasColor: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
  hasUnicode: env.TERM !== 'dumb' && env.TERM !== 'linux',
  folder: process.cwd(),
}

process.exitCode = await runCli(process.argv.slice(2), terminal, async (folder, { calibration } = {}) => {
  // Loaded here so that --help and wrong flags answer at once.
  const { createEngine, localModel } = await import('../index.ts')
  return createEngine({
    ...(folder === null ? {} : { models: [localModel(folder)] }),
    // The shipped calibration, unless one is given (or none at all).
    ...(calibration === undefined ? {} : { calibrations: calibration === null ? [] : [calibration] }),
  })
})
