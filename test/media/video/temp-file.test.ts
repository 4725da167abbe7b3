import { type FileHandle, open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { afterEach, expect, it, vi } from 'vitest'
import { writeTempFile } from '../../../src/media/video/temp-file.ts'

afterEach(() => vi.restoreAllMocks())

it('the bytes of a video are written whole where the system takes fewer at a time', async () => {
  const nothing = await open(devNull)
  const files = Object.getPrototypeOf(nothing) as FileHandle
  await nothing.close()
  type Write = (data: Uint8Array, at: number, length: number) => Promise<{ bytesWritten: number }>
  const write = files.write as Write
  const little = function (this: FileHandle, data: Uint8Array, at = 0, length = data.length) {
    return write.call(this, data, at, Math.min(1000, length))
  }
  vi.spyOn(files, 'write').mockImplementation(little as typeof files.write)
  const data = Uint8Array.from({ length: 4500 }, (_, i) => i % 251)
  const { handle, remove } = await writeTempFile(data)
  const written = new Uint8Array(5000)
  const { bytesRead } = await handle.read(written, 0, 5000, 0)
  expect(written.subarray(0, bytesRead)).toEqual(data)
  await remove()
})
