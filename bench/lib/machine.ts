// What a result was measured on.
import { availableParallelism, cpus } from 'node:os'

export const machine = { node: process.version, cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown' }
