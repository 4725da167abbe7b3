import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../../../../dist/cli/main.js', import.meta.url))

it('a model that is loaded leaves no id of the machine behind, under which the runtime would report its use', async () => {
  const home = await mkdtemp(join(tmpdir(), 'assay-home-'))
  const { ORT_DISABLE_TELEMETRY: _, ...env } = process.env
  const asked = await run(process.execPath, [main, 'ask', '--state', 'Thank you!', '--noul', 'It is polite.'], {
    cwd: home,
    env: { ...env, HOME: home, XDG_CACHE_HOME: join(home, 'cache') },
  })
  expect(JSON.parse(asked.stdout).answers.q1.noul).toBeGreaterThan(0)
  expect(await readdir(home)).toEqual([])
  await rm(home, { recursive: true, force: true })
})
