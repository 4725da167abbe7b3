// A service in a process of its own, for tests of what happens when processes, databases and disks fail: `assay serve
// --fake` from the sources.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface ServiceChild {
  readonly url: string
  readonly pid: number
  /** What it printed when it was ready. */
  readonly started: { readonly console: string | null; readonly readyMs: number }
  /** All of standard error so far. */
  readonly log: () => string
  kill(signal: NodeJS.Signals): void
  /** How it ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

export interface ChildOptions {
  readonly databaseUrl: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** What the tests' own surroundings set must not reach the child. */
function cleanEnv(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ASSAY_|PORT$|HOST$|DATABASE_URL$|VITEST)/.test(name)))
}

/** Runs a command line from the sources; all it says is kept. */
export function runFromSources(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: root,
    env: { ...cleanEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: signal as NodeJS.Signals | null }))
  return { child, said, ended }
}

/** Starts a service over the fake model on a free port; resolves when it is ready. */
export async function startChild({ databaseUrl, args = [], env = {} }: ChildOptions): Promise<ServiceChild> {
  const { child, said, ended } = runFromSources(['serve', '--port', '0', '--fake', ...args], { DATABASE_URL: databaseUrl, ...env })
  const started = await new Promise<{ url: string; console: string | null; readyMs: number }>((resolve, reject) => {
    child.stdout.on('data', () => {
      const end = said.out.indexOf('\n')
      if (end >= 0) resolve(JSON.parse(said.out.slice(0, end)))
    })
    void ended.then(({ code }) => reject(new Error(`The service ended with ${code}: ${said.err}`)))
  })
  return { url: started.url, pid: child.pid!, started, log: () => said.err, kill: (signal) => void child.kill(signal), ended }
}
