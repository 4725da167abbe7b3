// Runs a program on a file that a stranger sent: bounded in time, memory and processor time, without a file that it
// could write, without our environment, and killed when its output is not wanted any more.
import { spawn } from 'node:child_process'
import { Queue } from '../../core/queue.ts'

export interface LimitedRun {
  readonly program: string
  readonly arguments: readonly string[]
  /** File descriptor of its standard input. */
  readonly input: number
  readonly timeoutMs: number
  /** Of its address space; held where there is a POSIX shell that can, as on Linux. */
  readonly memoryBytes: number
  readonly signal: AbortSignal | undefined
  /** Takes its standard output. When it throws, the program is killed. */
  onOutput(chunk: Buffer): void
}

export interface ProcessEnd {
  readonly isTimedOut: boolean
  /** Milliseconds that it ran, without its wait for a turn. */
  readonly tookMs: number
  /** Null when it was ended by a signal. */
  readonly code: number | null
  /** The beginning of what it wrote to standard error. */
  readonly said: string
}

/** Programs that run at the same time; the others wait. */
const AT_ONCE = 2
const MOST_SAID = 4096
/** Sets limits and becomes the program. A limit that the system does not know is passed over. */
const SHELL = '/bin/sh'
const SCRIPT = 'for l in "c 0" "f 0" "v $1" "t $2"; do ulimit -$l 2>/dev/null || :; done; shift 2; exec "$@"'

let running = 0
const waiting = new Queue<() => void>()

/**
 * Runs the program to its end. Rejects with what `onOutput` threw, with the reason of the signal, or with the error of
 * the system when the program cannot be started. The program is gone by then.
 */
export async function runLimited(run: LimitedRun): Promise<ProcessEnd> {
  await turn(run.signal)
  try {
    run.signal?.throwIfAborted()
    return await runNow(run)
  } finally {
    // The turn goes to the next one as it is, so that nobody comes between.
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/** Resolves when one of the turns is the caller's. Rejects with the reason of the signal. */
async function turn(signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  if (running < AT_ONCE) {
    running++
    return
  }
  await new Promise<void>((resolve, reject) => {
    const go = () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }
    const onAbort = () => {
      waiting.remove(go)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    waiting.push(go)
  })
}

function runNow({ program, arguments: args, input, timeoutMs, memoryBytes, signal, onOutput }: LimitedRun): Promise<ProcessEnd> {
  const cpuSeconds = Math.ceil(timeoutMs / 1000) * 2 + 1
  const limits = [String(Math.ceil(memoryBytes / 1024)), String(cpuSeconds)]
  const hasShell = process.platform !== 'win32'
  const child = spawn(hasShell ? SHELL : program, hasShell ? ['-c', SCRIPT, 'sh', ...limits, program, ...args] : args, {
    stdio: [input, 'pipe', 'pipe'],
    // Nothing of ours: a decoder needs no keys.
    env: { PATH: process.env.PATH, LC_ALL: 'C', SystemRoot: process.env.SystemRoot },
    windowsHide: true,
  })
  return new Promise((resolve, reject) => {
    let refusal: { readonly reason: unknown } | null = null
    let isTimedOut = false
    let said = ''
    const begun = performance.now()
    const kill = () => child.kill('SIGKILL')
    const refuse = (reason: unknown) => {
      refusal ??= { reason }
      kill()
    }
    const timer = setTimeout(() => {
      isTimedOut = true
      kill()
    }, timeoutMs)
    const onAbort = () => refuse(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    child.stdout?.on('data', (chunk: Buffer) => {
      if (refusal !== null || isTimedOut) return
      try {
        onOutput(chunk)
      } catch (error) {
        refuse(error)
      }
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < MOST_SAID) said += chunk.toString('latin1').slice(0, MOST_SAID - said.length)
    })
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    child.on('error', (error) => {
      end()
      reject(refusal === null ? error : refusal.reason)
    })
    child.on('close', (code) => {
      end()
      if (refusal === null) resolve({ isTimedOut, tookMs: performance.now() - begun, code, said })
      else reject(refusal.reason)
    })
  })
}
