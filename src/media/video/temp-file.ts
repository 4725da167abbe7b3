// Puts the bytes of a video into a file that another process can seek in. On Linux the file has no name from the moment
// it is open: whatever happens to this process, nothing stays on the disk.
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TempFile {
  /** To be the standard input of a process. */
  readonly handle: FileHandle
  /** The file, as the process that has it as standard input opens it. */
  readonly path: string
  remove(): Promise<void>
}

/** Bytes written in one go, at most: a system may take fewer. */
const CHUNK_BYTES = 4 * 1024 * 1024

/** Writes the bytes, for this user's eyes only. */
export async function writeTempFile(data: Uint8Array): Promise<TempFile> {
  const path = join(tmpdir(), `assay-video-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  const isUnnamed = process.platform === 'linux'
  const remove = async () => {
    await handle.close()
    if (!isUnnamed) await rm(path, { force: true })
  }
  try {
    if (isUnnamed) await rm(path, { force: true })
    for (let at = 0; at < data.length; ) {
      const { bytesWritten } = await handle.write(data, at, Math.min(CHUNK_BYTES, data.length - at))
      at += bytesWritten
    }
    return { handle, path: isUnnamed ? '/proc/self/fd/0' : path, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
