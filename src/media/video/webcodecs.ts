// Videos to pictures by the packages mediabunny and node-webcodecs, in a process of Node of their own: what strangers
// sent is decoded by native code, which must not be able to take this process with it.
import { fileURLToPath } from 'node:url'
import { builtEntry } from '../../core/built-entry.ts'
import type { DecoderCommand } from './process-decoder.ts'

/**
 * Address space of the process. Node itself reserves most of it; what it may use is a fraction.
 */
const MEMORY_BYTES = 8 * 1024 ** 3
const HEAP_MEBIBYTES = 512

/** The decoder as a program; `webcodecs-process.ts` says what it writes. */
export function webcodecsCommand(): DecoderCommand {
  const run = [`--max-old-space-size=${HEAP_MEBIBYTES}`, '--no-warnings', fileURLToPath(builtEntry('media/video/webcodecs-process.js'))]
  return {
    program: process.execPath,
    memoryBytes: MEMORY_BYTES,
    list: ({ container, path }) => [...run, 'list', container, path],
    decode: ({ container, path }, seconds) => [...run, 'decode', container, path, ...seconds.map((second) => second.toFixed(6))],
  }
}
