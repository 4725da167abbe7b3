// A note beside an embedded database: where the service that runs on it listens. Other commands read it, so that links
// and messages name the port that really serves. A service on PostgreSQL leaves none, since several may share it.
import { readFile, rm, writeFile } from 'node:fs/promises'
import { isAlive } from '../core/is-alive.ts'
import { isObject } from '../core/untrusted.ts'

const noteOf = (database: string): string => `${database}.serving`

/** Leaves the note; the result takes it away. Not being able to write it is no reason not to serve. */
export async function noteServing(database: string, url: string): Promise<() => Promise<void>> {
  const text = `${JSON.stringify({ url, pid: process.pid })}\n`
  await writeFile(noteOf(database), text, { mode: 0o600 }).catch(() => {})
  return async () => {
    // A second service may have written its own since.
    const found = await readFile(noteOf(database), 'utf8').catch(() => null)
    if (found === text) await rm(noteOf(database), { force: true }).catch(() => {})
  }
}

/** Where the service on this database listens; null when none does, also after it was killed. */
export async function servingAt(database: string): Promise<string | null> {
  const note: unknown = await readFile(noteOf(database), 'utf8')
    .then(JSON.parse, () => null)
    .catch(() => null)
  if (!isObject(note) || typeof note.url !== 'string' || !Number.isSafeInteger(note.pid)) return null
  return /^https?:\/\/[^\s#?]+$/.test(note.url) && isAlive(note.pid as number) ? note.url : null
}
