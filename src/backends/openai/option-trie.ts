// Token sequences of options as a trie: one request a node gives the log-probabilities of all its branches, so options
// that begin alike share requests. P(option) is the product along its path, its end included.

interface TrieNode {
  readonly path: readonly number[]
  readonly children: Map<number, TrieNode>
  /** An option is this path. */
  isWhole: boolean
}

/** One step: which tokens may follow a path. */
export interface TrieStep {
  readonly path: readonly number[]
  readonly wanted: readonly number[]
}

/** All steps, shortest paths first. `ends`: tokens that end an option. */
export function trieSteps(options: readonly (readonly number[])[], ends: readonly number[]): TrieStep[] {
  const root: TrieNode = { path: [], children: new Map(), isWhole: false }
  for (const option of options) {
    let at = root
    for (const id of option) {
      const next = at.children.get(id) ?? { path: [...at.path, id], children: new Map(), isWhole: false }
      at.children.set(id, next)
      at = next
    }
    at.isWhole = true
  }
  const steps: TrieStep[] = []
  const open = [root]
  for (let node = open.shift(); node !== undefined; node = open.shift()) {
    steps.push({ path: node.path, wanted: [...new Set([...node.children.keys(), ...(node.isWhole ? ends : [])])] })
    open.push(...node.children.values())
  }
  return steps
}

/** The name of a path in a table of steps. */
export const pathKey = (path: readonly number[]): string => path.join()
