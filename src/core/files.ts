// Folders: whether one is there, and making one with its parents one by one. Node's own `mkdir` with `recursive` never
// returns below a folder that refuses new entries, such as `/proc`.
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Throws the system's error when it cannot be made, `EEXIST` when a file is in its place. */
export async function makeFolder(path: string): Promise<void> {
  let fault = await make(path)
  if (fault?.code === 'ENOENT' && dirname(path) !== path) {
    await makeFolder(dirname(path))
    fault = await make(path)
  }
  if (fault !== null) throw fault
}

/** Null when there is such a folder now, else why not. */
async function make(path: string): Promise<NodeJS.ErrnoException | null> {
  return mkdir(path).then(
    () => null,
    async (error: NodeJS.ErrnoException) => ((await isFolder(path)) ? null : error),
  )
}

/** False where there is nothing, or nothing that may be looked at. */
export function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
