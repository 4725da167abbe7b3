// What a model folder holds, checked before anything in it is opened: reading a pipe or a device would never end, and a
// link may lead to files that are none of the model's.
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { EngineError } from '../../../core/errors.ts'

/**
 * Files that a model may be made of; others beside config.json are left alone. All of `onnx/` may be named by a graph.
 */
const OF_A_MODEL = /^onnx\/|\.(json|jinja|onnx|onnx\.data)$/

/**
 * Everything in the folder and below its `onnx/`, relative, with forward slashes, sorted. Throws `model_not_available`
 * when a file of the model is no plain file, or lies outside of the folder.
 */
export async function safeFiles(path: string, name: string, top: readonly string[]): Promise<readonly string[]> {
  const graphs = await readdir(join(path, 'onnx'), { recursive: true }).catch(() => [])
  const files = [...top, ...graphs.map((file) => `onnx/${file.replaceAll(sep, '/')}`)].sort()
  const homes = await homesOf(path)
  for (const file of files) if (OF_A_MODEL.test(file)) await requirePlain(join(path, file), file, name, homes)
  return files
}

/** Folders that files of the model may lie in, ending in a separator. */
async function homesOf(path: string): Promise<readonly string[]> {
  const folder = await realpath(path)
  // The cache of Hugging Face's clients: a snapshot is a folder of links to files that are named by their hashes.
  const isSnapshot = basename(dirname(folder)) === 'snapshots'
  return [folder, ...(isSnapshot ? [join(dirname(dirname(folder)), 'blobs')] : [])].map((home) => home + sep)
}

async function requirePlain(path: string, file: string, folder: string, homes: readonly string[]): Promise<void> {
  const refuse = (what: string, remedy: string): never => {
    throw new EngineError('model_not_available', `${file} of '${folder}' is ${what}; ${remedy}`)
  }
  const real = await realpath(path).catch(() => refuse('a link to nothing', 'download the whole repository'))
  if (!homes.some((home) => real.startsWith(home)))
    refuse('a link that leads out of the folder', 'copy the file it leads to into the folder')
  const found = await stat(real).catch(() => refuse('not readable', 'see that this user may read the folder'))
  if (found.isFile() || (found.isDirectory() && !/\.(json|jinja|onnx)$|\.onnx[._]data(_\d+)?$/.test(file))) return
  refuse(found.isDirectory() ? 'a folder, not a file' : 'a pipe, a socket or a device, not a file', 'download it again')
}
