// Whether the files of a pulled model are those that were pulled: nothing missing, cut or changed, and nothing added
// that would be loaded in their place.
import { readdir, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { SCORING_FILE } from '../backends/prompted/scoring.ts'
import type { ModelCheck } from '../core/model-check.ts'
import { hasChecksum } from './download.ts'
import type { PulledModel } from './library.ts'

/** So many files are named; the others are counted. */
const MOST_NAMED = 5

/** `onFile` hears of each file before it is read. */
export async function checkFiles(model: PulledModel, onFile: (path: string) => void = () => {}): Promise<ModelCheck> {
  const { folder, files, bytes, id, commit, dtype, name } = model
  const wrong: string[] = []
  for (const { path, ...recorded } of files) {
    onFile(path)
    const at = join(folder, ...path.split('/'))
    const found = await stat(at).catch(() => null)
    if (found?.isFile() !== true) wrong.push(`${path} is missing`)
    else if (found.size < recorded.bytes) wrong.push(`${path} is cut short (${found.size} of ${recorded.bytes} bytes)`)
    else if (!(await hasChecksum(at, recorded))) wrong.push(`${path} was changed (other ${recorded.checksum.kind} than at the pull)`)
  }
  const known = new Set(files.map(({ path }) => path))
  const added = (await loadable(folder)).filter((path) => !known.has(path))
  wrong.push(...added.map((path) => `${path} was added`))
  if (wrong.length === 0) {
    const detail = `${files.length} files, ${bytes} bytes: sizes and checksums as recorded at the pull`
    return { check: 'files', status: 'passed', detail }
  }
  const rest = wrong.length > MOST_NAMED ? `, and ${wrong.length - MOST_NAMED} more` : ''
  const formats =
    typeof dtype === 'string'
      ? dtype
      : Object.entries(dtype ?? {})
          .map((pair) => pair.join('='))
          .join()
  const again = `assay models rm ${name} && assay models pull ${id}@${commit}${formats === '' ? '' : ` --dtype ${formats}`}`
  return { check: 'files', status: 'failed', detail: wrong.slice(0, MOST_NAMED).join(', ') + rest, remedy: `pull it again: ${again}` }
}

/**
 * Files of the folder that decide what a model does, with forward slashes. What `assay models probe` wrote is not among
 * them.
 */
async function loadable(folder: string): Promise<string[]> {
  const all = (await readdir(folder, { recursive: true }).catch(() => [])).map((path) => path.split(sep).join('/'))
  return all.filter((path) => /\.onnx$|^[^/]+\.(json|jinja)$/.test(path) && path !== SCORING_FILE).sort()
}
