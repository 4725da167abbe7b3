// A pulled model is put in its place while its folder is this process's own: nobody else may fill it in between.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openHub } from '../../src/hub/http.ts'
import { pullModel } from '../../src/hub/pull.ts'
import { COMMIT, type FakeHub, startFakeHub } from './fake-hub.ts'

/** What lay in each folder when it was renamed. */
const moved = new Map<string, readonly string[]>()
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>()
  const rename: typeof real.rename = async (from, to) => {
    moved.set(basename(String(from)), await real.readdir(String(from)).catch(() => []))
    await real.rename(from, to)
  }
  return { ...real, rename }
})

let home = ''
let hub: FakeHub
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'assay-hub-'))
  hub = await startFakeHub()
})
afterEach(async () => {
  await hub.close()
  await rm(home, { recursive: true, force: true })
})

it('a model has its place before its folder is open to others', async () => {
  const { model } = await pullModel({
    hub: openHub({ endpoint: hub.endpoint }),
    home,
    repository: { id: 'acme/tiny', revision: 'main' },
    dtype: null,
  })
  expect(moved.get(`.partial-${COMMIT.slice(0, 8)}`)).toEqual(['.lock', 'pulled.json', 'tiny'])
  expect(await readdir(join(model.folder, '..'))).toEqual(['pulled.json', 'tiny'])
})
