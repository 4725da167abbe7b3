// How much memory a model folder takes when it is loaded, from the sizes of its files.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DEFAULT_CACHE_BYTES, type OnnxOptions } from './options.ts'
import { SUFFIXES } from './runtime/layout.ts'

/**
 * About how many bytes: of each graph the largest file that may be loaded with its weights, and full caches of states
 * and pictures, for each worker. A folder that cannot be read takes none; loading says what is wrong with it.
 */
export async function bytesOfFolder(folder: string, options: OnnxOptions = {}): Promise<number> {
  const { workers = 1, cacheBytes = DEFAULT_CACHE_BYTES } = options
  return workers * ((await graphBytes(folder, options)) + 2 * cacheBytes)
}

async function graphBytes(folder: string, { dtype }: OnnxOptions): Promise<number> {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  // Weights in a file of several graphs, such as decision.onnx_data, count for themselves.
  const byGraph = new Map<string, Map<string, number>>()
  // Graphs lie beside config.json only where there are none below onnx/.
  const below = files.filter((file) => /onnx[\\/]/.test(file))
  for (const file of below.length > 0 ? below : files) {
    const [, name, suffix = ''] = /^(.*?)(_[a-z0-9]+)?\.onnx(?:[._]data.*)?$/.exec(file) ?? []
    if (name === undefined) continue
    const isDtype = Object.values(SUFFIXES).includes(suffix)
    const graph = isDtype ? name : `${name}${suffix}`
    const asked = typeof dtype === 'object' ? dtype[graph.split(/[\\/]/).at(-1)!] : dtype
    const own = isDtype ? suffix : ''
    if (asked !== undefined && own !== SUFFIXES[asked]) continue
    const { size } = await stat(join(folder, file)).catch(() => ({ size: 0 }))
    const sizes = byGraph.get(graph) ?? new Map<string, number>()
    sizes.set(own, (sizes.get(own) ?? 0) + size)
    byGraph.set(graph, sizes)
  }
  return [...byGraph.values()].reduce((sum, sizes) => sum + Math.max(...sizes.values()), 0)
}
