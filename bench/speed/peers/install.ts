// Brings the peers, in the versions of the lock file beside this, into a folder of the temporary directory: a checkout
// and `npm ci` stay as small as they are. Once there, they are used again.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = fileURLToPath(new URL('.//', import.meta.url))
const FILES = ['package.json', 'package-lock.json']

/** The folder that they belong in; it may not be there yet. */
export function peersFolder(): string {
  const hash = createHash('sha256')
  for (const file of FILES) hash.update(readFileSync(join(HERE, file)))
  return join(tmpdir(), `assay-bench-peers-${hash.digest('hex').slice(0, 12)}`)
}

export const arePeersInstalled = (): boolean => existsSync(peersFolder())

/** Throws with what to do when they cannot be installed; the rest of the bench runs without them. */
export function ensurePeers(say: (line: string) => void): string {
  const folder = peersFolder()
  if (existsSync(folder)) return folder
  say('installing transformers.js and node-llama-cpp (1.2 GB) into a temporary folder')
  const half = `${folder}.part`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half)
  for (const file of FILES) copyFileSync(join(HERE, file), join(half, file))
  try {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: half,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } catch (cause) {
    throw new Error(
      'the peers could not be installed; look at what npm says above, or leave them out: --only grid,pictures,overhead,roofline',
      { cause },
    )
  }
  renameSync(half, folder)
  return folder
}

export const versionOf = (folder: string, name: string): string =>
  (JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version
