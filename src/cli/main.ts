#!/usr/bin/env node
// The `assay` command: this process as a terminal, and its exit code.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Calibration } from '../calibration/calibration.ts'
import { fileOutcomeStore } from '../calibration/outcomes/outcome-file.ts'
import { shippedCalibrations } from '../calibration/shipped.ts'
import { DEFAULT_MODEL } from '../pipeline/models.ts'
import { calibrationsIn } from './outcome-inputs.ts'
import { runCli } from './program.ts'
import type { Terminal } from './terminal.ts'

const { stdin, stdout, stderr, env } = process

// A reader that has seen enough (`assay … 2>&1 | head`) closes the pipe; that is no error, and the work goes on.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

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
  home: env.ASSAY_HOME ? resolve(env.ASSAY_HOME) : join(homedir(), '.assay'),
}

process.exitCode = await runCli(process.argv.slice(2), terminal, async (folder, flags = {}) => {
  const { store, chain, server, device = 'cpu' } = flags
  // Loaded here so that --help and wrong flags answer at once.
  const { createEngine, localModel, modelServer, shippedModel } = await import('../index.ts')
  const calibrations = flags.calibrations ?? (await calibrationsOf(store))
  // Keeps feature vectors, so that heads can be fitted.
  const outcomes = store === undefined ? undefined : await fileOutcomeStore(store, { keepsFeatures: true })
  const here = folder === null ? () => shippedModel({ device }) : () => localModel(folder, { device })
  const engine = await createEngine({
    models: [chain ?? (server === undefined ? here() : modelServer(server))],
    calibrations,
    ...(outcomes === undefined ? {} : { outcomes }),
  })
  return { ...engine, close: () => engine.close().finally(() => outcomes?.close()) }
})

/** Those of a store, if there is one, before the shipped ones. */
async function calibrationsOf(store: string | undefined): Promise<readonly Calibration[]> {
  const served = store === undefined ? [] : await calibrationsIn(store, terminal)
  return [...served, ...(await shippedCalibrations(DEFAULT_MODEL))]
}
