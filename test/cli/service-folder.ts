// What the tests of commands on the database of a service share: a new folder for each test, and a command line in it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'
import { runCli } from '../../src/cli/program.ts'
import { openStore } from '../../src/service/store/open.ts'
import { fakeTerminal } from '../shared/terminal.ts'

/** Call it once in a file of tests. `hasDatabase`: a service has run in the folder before each test. */
export function serviceFolder({ hasDatabase = false } = {}) {
  const service = {
    folder: '',
    async run(args: readonly string[], isInteractive = false) {
      const { terminal, heard } = fakeTerminal(service.folder, { isInteractive, isErrorInteractive: isInteractive, columns: 100 })
      const code = await runCli(args, terminal, () => Promise.reject(new Error('no engine is needed')))
      return { code, ...heard, json: () => JSON.parse(heard.out) }
    },
  }
  beforeEach(async () => {
    service.folder = await mkdtemp(join(tmpdir(), 'assay-cli-service-'))
    vi.stubEnv('DATABASE_URL', undefined)
    if (hasDatabase) await (await openStore(join(service.folder, 'assay.db'))).close()
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(service.folder, { recursive: true, force: true })
  })
  return service
}
