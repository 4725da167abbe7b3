import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSource } from '../../src/media/sources.ts'

it.skipIf(process.platform === 'win32')('a pipe in the place of a file is refused, and nobody is waited for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-source-'))
  const path = join(folder, 'pipe.png')
  execFileSync('mkfifo', [path])
  const reading = readSource(
    { type: 'path', path, param: '/state/0/source/path' },
    { what: 'image', bytes: 100 },
    { localFiles: true, files: new Map(), fetchUrl: null },
  )
  await expect(reading).rejects.toMatchObject({
    code: 'invalid_image',
    message: 'The path leads to something that is no regular file.',
    param: '/state/0/source/path',
  })
  await rm(folder, { recursive: true })
})
