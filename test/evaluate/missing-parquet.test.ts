// What is said of a Parquet file where the packages that read it are not installed.
import { expect, it, vi } from 'vitest'
import { readRows } from '../../src/evaluate/dataset.ts'

vi.mock('../../src/core/optional-packages.ts', async (original) => {
  const real = await original<typeof import('../../src/core/optional-packages.ts')>()
  const absent = Object.assign(new Error("Cannot find package 'hyparquet' imported from here"), { code: 'ERR_MODULE_NOT_FOUND' })
  const importOptional: typeof real.importOptional = (what, part) => real.importOptional(what, part, () => Promise.reject(absent))
  return { ...real, importOptional }
})

it('rows of a Parquet file say what to install where it cannot be read', async () => {
  await expect(readRows(['rows.parquet'], null).next()).rejects.toMatchObject({
    code: 'capability_not_supported',
    message: expect.stringMatching(/^Reading a Parquet file needs packages .* npm install hyparquet/),
  })
})
