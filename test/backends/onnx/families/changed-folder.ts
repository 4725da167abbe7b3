// Copies of golden folders with something done to them, and what the family says to them.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, vi } from 'vitest'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { type Graph, readGraph } from '../../../../src/backends/onnx/runtime/patches/graph.ts'
import { loadRuntime } from '../../../../src/backends/onnx/runtime/session.ts'
import { EngineError } from '../../../../src/core/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: a file has no types
export type JsonFile = Record<string, any>
export type Change = (folder: string) => Promise<void>
/** What is wrong with a folder, whose it is, how it comes about, and what is said of it. */
export type FolderCase = readonly [what: string, family: string, change: Change, message: string | RegExp]

export const edit =
  (file: string, change: (json: JsonFile) => void): Change =>
  async (folder) => {
    const json = JSON.parse(await readFile(join(folder, file), 'utf8'))
    change(json)
    await writeFile(join(folder, file), JSON.stringify(json))
  }
export const without =
  (file: string): Change =>
  (folder) =>
    rm(join(folder, file))

/** A graph file of a folder with something done to the graph. */
export const editGraph =
  (name: string, change: (graph: Graph) => void): Change =>
  async (folder) => {
    const file = join(folder, `onnx/${name}.onnx`)
    const graph = readGraph(await readFile(file)) as Graph
    change(graph)
    await writeFile(file, graph.write())
  }

/**
 * Counts the sessions that are opened while the work runs, and those of them that stay open. `whenOpened`: done behind
 * each.
 */
export async function countingSessions<T>(
  work: () => Promise<T>,
  whenOpened: () => Promise<void> = async () => {},
): Promise<{ result: T; opened: number; left: number }> {
  const { InferenceSession } = await loadRuntime()
  const create = InferenceSession.create as (...given: unknown[]) => ReturnType<typeof InferenceSession.create>
  let [opened, left] = [0, 0]
  const spy = vi.spyOn(InferenceSession, 'create').mockImplementation(async (...given: unknown[]) => {
    const session = await create.apply(InferenceSession, given)
    opened++
    left++
    const release = session.release.bind(session)
    session.release = async () => {
      await release()
      left--
    }
    await whenOpened()
    return session
  })
  try {
    const result = await work()
    return { result, opened, left }
  } finally {
    spy.mockRestore()
  }
}

/** `golden`: the folder of the families. Copies are removed after each test. */
export function changedFolders(golden: string) {
  let root = ''
  afterEach(() => rm(root, { recursive: true, force: true }))
  return {
    /** A file of another family in the place of its own. */
    swapped:
      (file: string, family: string): Change =>
      (folder) =>
        cp(join(golden, family, file), join(folder, file)),
    /** A copy of a family's folder, called `tiny`, with something done to it. */
    async folderWith(family: string, change: Change): Promise<string> {
      root = await mkdtemp(join(tmpdir(), 'assay-folder-'))
      const folder = join(root, 'tiny')
      await cp(join(golden, family), folder, { recursive: true })
      await change(folder)
      return folder
    },
    /** What is said of it; no session stays open. */
    async refusalOf(folder: string): Promise<string> {
      const { result: error, left } = await countingSessions(() =>
        loadOnnxModel(folder, { inProcess: true, scoring: 'plain' }).then(
          async (backend) => backend.close(),
          (reason: unknown) => reason,
        ),
      )
      expect(left).toBe(0)
      expect(error).toBeInstanceOf(EngineError)
      expect((error as EngineError).code).toBe('model_not_available')
      expect((error as EngineError).message).not.toContain(root)
      return (error as EngineError).message
    },
  }
}
