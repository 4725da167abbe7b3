import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from '../../src/core/files.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-folders-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a folder with all that is above it', () => {
  it('is made, by several at once, and again', async () => {
    const path = join(folder, 'a', 'b', 'c')
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(folder, 'a', 'b'))])
    await makeFolder(path)
    expect((await stat(path)).isDirectory()).toBe(true)
  })

  it('is not made where a file is in the way', async () => {
    await writeFile(join(folder, 'file'), '')
    await expect(makeFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(makeFolder(join(folder, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  // Node's recursive mkdir never comes back from here.
  it.runIf(process.platform === 'linux')('is refused below /proc', async () => {
    await expect(makeFolder('/proc/nope/store')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  })
})
