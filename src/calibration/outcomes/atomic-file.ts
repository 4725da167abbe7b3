// Writes a file whole or not at all, even when the process crashes; and a lock file that names the writer of a folder.
import { link, open, readFile, realpath, rename, unlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { EngineError } from '../../core/errors.ts'
import { makeFolder } from '../../core/files.ts'
import { isAlive } from '../../core/is-alive.ts'

/** Writes to a second file and renames it, so that a reader sees the old text or the new one, never a part. */
export async function writeWhole(folder: string, name: string, text: string): Promise<void> {
  const beside = join(folder, `${name}.${process.pid}.new`)
  const file = await open(beside, 'w')
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(beside, join(folder, name))
  await syncFolder(folder)
}

/** Makes a rename or deletion durable. Systems that cannot open folders need no such call. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** The bytes of a file; null when it does not exist. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** The code of a system error, such as `ENOSPC`. Its message names paths of the machine, so it goes to `cause` only. */
export function systemCode(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return typeof code === 'string' ? code : 'an unknown error'
}

const LOCK = 'lock'

/**
 * Folders this process writes to. A lock may bear the process id of an earlier process, as that of a container's first
 * process does.
 */
const lockedFolders = new Set<string>()

/**
 * Makes the folder and its lock file, and returns the function that releases it. Throws `overloaded` when another
 * writer has the lock; the lock of a process that is gone is taken over.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await makeFolder(folder)
  // The real path, so that a link to the folder does not open it a second time.
  const name = await realpath(folder)
  if (lockedFolders.has(name)) throw inUse('this very process', 'share the store that is open')
  lockedFolders.add(name)
  try {
    await takeLock(join(folder, LOCK))
  } catch (error) {
    lockedFolders.delete(name)
    throw error
  }
  return async () => {
    await unlink(join(folder, LOCK)).catch(() => {})
    lockedFolders.delete(name)
  }
}

async function takeLock(path: string): Promise<void> {
  // The lock appears together with the name of its owner: a file that is made first and written later could be taken
  // for an abandoned one.
  const mine = `${path}.${process.pid}`
  await writeFile(mine, JSON.stringify({ pid: process.pid, host: hostname() }))
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      const isMine = await link(mine, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false
          throw error
        },
      )
      if (isMine) return
      const owner = livingOwner((await readIfThere(path))?.toString() ?? '')
      if (owner === null) await clearLock(path)
      else {
        const where = owner.host === hostname() ? '' : ` on ${owner.host}`
        throw inUse(`process ${owner.pid}${where}`, `close it, or delete the file "${LOCK}" in the folder when it no longer runs`)
      }
    }
    throw inUse('other processes', 'try again')
  } finally {
    await unlink(mine).catch(() => {})
  }
}

/**
 * Removes an abandoned lock under a lock of its own: of several processes that saw it, one looks again and removes it.
 * Until then it stays, so that nobody's new lock can be removed instead.
 */
async function clearLock(path: string): Promise<void> {
  const clearing = `${path}.clearing`
  await takeLock(clearing)
  try {
    const bytes = await readIfThere(path)
    if (bytes !== null && livingOwner(bytes.toString()) === null) await unlink(path)
  } finally {
    await unlink(clearing).catch(() => {})
  }
}

function inUse(who: string, remedy: string): EngineError {
  return new EngineError('overloaded', `The folder is being written to by ${who}; ${remedy}.`)
}

/**
 * Null when the lock names nobody (its writer was killed before it could) or a process of this machine that is gone.
 */
function livingOwner(text: string): { readonly pid: number; readonly host: string } | null {
  try {
    const { pid, host } = JSON.parse(text) as { pid?: unknown; host?: unknown }
    if (typeof pid !== 'number' || typeof host !== 'string') return null
    // Our own id belongs to an earlier process, since our folders are in `lockedFolders`.
    const isGone = host === hostname() && (pid === process.pid || !isAlive(pid))
    return isGone ? null : { pid, host }
  } catch {
    return null
  }
}
