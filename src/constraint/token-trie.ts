// Finds the tokens that may come next, by walking a vocabulary as a trie of bytes side by side with an automaton.
// Tokens that share their first bytes share the work, and a byte that is not allowed cuts off everything below it.
import { type Automaton, type AutomatonState, run } from './automaton.ts'

/** The bytes of each token id; null for ids that are in no text (control tokens, unused ids). */
export type TokenVocabulary = readonly (Uint8Array | null)[]

/** A constraint over token ids. States are small integers; equal states allow the same tokens. */
export interface TokenConstraint {
  readonly start: AutomatonState
  /**
   * Tokens that may come next, ascending. A token is allowed when all its bytes are, so a text may be cut into tokens
   * in any way.
   */
  allowed(state: AutomatonState): Uint32Array
  /** The state after the token, or null when it is not allowed. */
  advance(state: AutomatonState, token: number): AutomatonState | null
  /** Whether the text may end here. */
  mayEnd(state: AutomatonState): boolean
  /** The bytes of an allowed token. */
  bytesOf(token: number): Uint8Array
}

/**
 * The trie as flat arrays in preorder: node i covers the nodes i to `end[i]` − 1; its tokens are
 * `tokens[firstToken[i]]` to `tokens[firstToken[i + 1] - 1]`.
 */
export interface TokenTrie {
  readonly vocabulary: TokenVocabulary
  readonly depth: Uint16Array
  readonly byte: Uint8Array
  readonly end: Uint32Array
  readonly firstToken: Uint32Array
  readonly tokens: Uint32Array
  readonly maxDepth: number
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number)
  return a.length - b.length
}

/**
 * Builds the trie once for a tokenizer (50 000 tokens: some tens of milliseconds). Tokens without bytes are left out:
 * they would never advance.
 */
export function buildTokenTrie(vocabulary: TokenVocabulary): TokenTrie {
  const entries: { id: number; bytes: Uint8Array }[] = []
  vocabulary.forEach((bytes, id) => {
    if (bytes !== null && bytes.length > 0) entries.push({ id, bytes })
  })
  entries.sort((a, b) => compareBytes(a.bytes, b.bytes) || a.id - b.id)

  const depth: number[] = []
  const byte: number[] = []
  const end: number[] = []
  const firstToken: number[] = []
  const path: number[] = [] // node at each depth of the current entry
  let previous = new Uint8Array(0)
  entries.forEach(({ bytes }, index) => {
    let shared = 0
    while (shared < previous.length && shared < bytes.length && previous[shared] === bytes[shared]) shared++
    while (path.length > shared) end[path.pop() as number] = byte.length
    for (let i = shared; i < bytes.length; i++) {
      path.push(byte.length)
      depth.push(i)
      byte.push(bytes[i] as number)
      end.push(0)
      firstToken.push(index)
    }
    previous = new Uint8Array(bytes)
  })
  while (path.length > 0) end[path.pop() as number] = byte.length
  return {
    vocabulary,
    depth: Uint16Array.from(depth),
    byte: Uint8Array.from(byte),
    end: Uint32Array.from(end),
    firstToken: Uint32Array.from([...firstToken, entries.length]),
    tokens: Uint32Array.from(entries, ({ id }) => id),
    maxDepth: depth.reduce((deepest, d) => Math.max(deepest, d + 1), 0),
  }
}

/** The tokens that may follow `state`, ascending. A new array; nothing is cached. */
export function allowedTokens(trie: TokenTrie, automaton: Automaton, state: AutomatonState): Uint32Array {
  const { depth, byte, end, firstToken, tokens } = trie
  const states = new Array<AutomatonState>(trie.maxDepth + 1).fill(state) // states[d]: before the byte at depth d
  const found = new Uint32Array(tokens.length)
  let count = 0
  for (let node = 0; node < byte.length; ) {
    const d = depth[node] as number
    const next = automaton.step(states[d] as AutomatonState, byte[node] as number)
    if (next === null) {
      node = end[node] as number
      continue
    }
    states[d + 1] = next
    // Entries are sorted, so those that end at this node come first among those that start with it.
    const from = firstToken[node] as number
    const upTo = firstToken[node + 1] as number
    for (let i = from; i < upTo; i++) found[count++] = tokens[i] as number
    node++
  }
  return found.slice(0, count).sort()
}

/** The most token ids in the cached masks of one constraint (16 MB). When there are more, the cache is cleared. */
const MOST_CACHED_IDS = 4_194_304

/**
 * An automaton over bytes as one over tokens. Masks are cached per state, so make one per grammar and share it between
 * reads.
 */
export function constrainTokens(trie: TokenTrie, automaton: Automaton): TokenConstraint {
  const masks = new Map<AutomatonState, Uint32Array>()
  let cachedIds = 0
  const bytesOf = (token: number): Uint8Array => {
    const bytes = trie.vocabulary[token]
    if (!bytes) throw new RangeError(`token ${token} has no bytes in a vocabulary of ${trie.vocabulary.length}`)
    return bytes
  }
  return {
    start: automaton.start,
    allowed(state) {
      let mask = masks.get(state)
      if (mask === undefined) {
        mask = allowedTokens(trie, automaton, state)
        cachedIds += mask.length
        if (cachedIds > MOST_CACHED_IDS) {
          masks.clear()
          cachedIds = mask.length
        }
        masks.set(state, mask)
      }
      return mask
    },
    advance(state, token) {
      const bytes = trie.vocabulary[token]
      return bytes && bytes.length > 0 ? run(automaton, state, bytes) : null
    },
    mayEnd: (state) => automaton.accepts(state),
    bytesOf,
  }
}
