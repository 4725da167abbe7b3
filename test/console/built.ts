// The bundle of the console, built by the package's own script: once for all test files that need it, and whole at any
// time.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds beside the place and moves file by file: another test that reads the bundle meanwhile finds the old one or the
 * new one.
 */
export async function buildConsole(): Promise<void> {
  const dist = join(root, 'dist')
  await mkdir(join(dist, 'console'), { recursive: true })
  const folder = await mkdtemp(join(dist, 'console-'))
  try {
    await promisify(execFile)('npm', ['run', '--silent', 'build:console', '--', `--outdir=${folder}`], { cwd: root })
    for (const file of await readdir(folder)) await rename(join(folder, file), join(dist, 'console', file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
