// The machine a bench runs on, and how much other processes use it during a measurement (Linux only, from /proc).
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

const require = createRequire(import.meta.url)

export interface Environment {
  readonly cpu: string
  readonly cores: number
  /** Of the instruction sets that decide the speed of small numbers, those it has; empty when it does not tell. */
  readonly instructions: readonly string[]
  readonly memoryGiB: number
  readonly node: string
  readonly onnxruntime: string
  /** Mean of runnable processes over a minute, before the run. */
  readonly load: number
  readonly date: string
}

export function environment(): Environment {
  const flags =
    readOr('/proc/cpuinfo', '')
      .match(/^flags\s*:(.*)$/m)?.[1]
      ?.split(' ') ?? []
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    instructions: ['avx2', 'avx512f', 'avx512_vnni', 'avx_vnni', 'avx512_bf16', 'amx_int8'].filter((one) => flags.includes(one)),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    onnxruntime: (require('onnxruntime-node/package.json') as { version: string }).version,
    load: loadavg()[0] ?? 0,
    date: new Date().toISOString().slice(0, 10),
  }
}

interface Ticks {
  readonly all: number
  readonly busy: number
  readonly stolen: number
}

/** Ticks since the start of the machine, over all cores; null where there is no /proc. */
function machineTicks(): Ticks | null {
  const words = readOr('/proc/stat', '').split('\n')[0]?.split(/\s+/).slice(1).map(Number)
  if (words === undefined || words.length < 8) return null
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = words
  const busy = user + nice + system + irq + softirq + stolen
  return { all: busy + idle + waiting, busy, stolen }
}

/** Ticks of a process with those it started and waited for. */
function cpuTicksOf(pid: number): number {
  const stat = readOr(`/proc/${pid}/stat`, '')
  // The name, in brackets, may have spaces.
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(words[11] ?? 0) + Number(words[12] ?? 0)
}

export interface Watch {
  /** Share of CPU time that other processes and other guests of the host took since the watch began; 0 if unknown. */
  shareOfOthers(): number
}

/** Ticks of 10 ms: of a shorter stretch than this nothing can be said. */
const LEAST_TICKS = 10

export function watchOthers(pids: readonly number[]): Watch {
  const own = () => [process.pid, ...pids].reduce((sum, pid) => sum + cpuTicksOf(pid), 0)
  const [before, ours] = [machineTicks(), own()]
  return {
    shareOfOthers() {
      const after = machineTicks()
      if (before === null || after === null || after.all - before.all < LEAST_TICKS) return 0
      return Math.max(0, after.busy - before.busy - (own() - ours)) / (after.all - before.all)
    },
  }
}

/** Share of the machine's time that went to other machines on its host, since the start of the watch. */
export function watchSteal(): () => number | null {
  const before = machineTicks()
  return () => {
    const after = machineTicks()
    return before === null || after === null ? null : (after.stolen - before.stolen) / Math.max(1, after.all - before.all)
  }
}

/** Resident bytes of a process; null where it is not told. */
export function residentBytes(pid: number): number | null {
  const pages = readOr(`/proc/${pid}/status`, '').match(/^VmRSS:\s+(\d+) kB/m)?.[1]
  return pages === undefined ? null : Number(pages) * 1024
}

export const isLinux = (): boolean => {
  try {
    return readdirSync('/proc').length > 0
  } catch {
    return false
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
