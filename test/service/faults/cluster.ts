// A PostgreSQL of a test's own, to be stopped and started under a service. It refuses to run as root, so root runs it
// as the user postgres.
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Cluster {
  readonly url: string
  start(): Promise<void>
  /** Ends every connection, and refuses new ones until it is started again. */
  stop(): Promise<void>
  remove(): Promise<void>
}

interface Binaries {
  readonly folder: string
  /** Whom to run as; null: whoever runs the tests. */
  readonly user: { readonly uid: number; readonly gid: number } | null
}

/** Where the binaries are, or why there is no cluster to be had. */
export function findBinaries(): Binaries | string {
  const debian = '/usr/lib/postgresql'
  const folders = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []
  const folder = [...folders, ...(process.env.PATH ?? '').split(':')].find((one) => existsSync(join(one, 'initdb')))
  if (folder === undefined) return 'initdb of PostgreSQL is not installed'
  if (process.getuid?.() !== 0) return { folder, user: null }
  try {
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
    return { folder, user: { uid: id('-u'), gid: id('-g') } }
  } catch {
    return 'root may not run PostgreSQL, and there is no user postgres'
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Makes and starts a cluster in a temporary folder, reached on 127.0.0.1 only. */
export async function startCluster({ folder: binaries, user }: Binaries): Promise<Cluster> {
  const home = await mkdtemp(join(tmpdir(), 'assay-cluster-'))
  if (user !== null) await chown(home, user.uid, user.gid)
  const data = join(home, 'data')
  const port = await freePort()
  const as = { ...(user ?? {}), cwd: home }
  const control = (...args: string[]) => run(join(binaries, 'pg_ctl'), ['-D', data, '-w', ...args], as)
  const start = async (): Promise<void> => {
    const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories= -c fsync=off`
    await control('-l', join(home, 'log'), '-o', settings, 'start')
  }
  await run(join(binaries, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], as)
  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop: async () => void (await control('-m', 'immediate', 'stop')),
    async remove() {
      await control('-m', 'immediate', 'stop').catch(() => {})
      await rm(home, { recursive: true, force: true })
    },
  }
}
