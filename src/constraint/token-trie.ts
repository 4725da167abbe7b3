// A vocabulary as a trie of bytes, walked side by side with an automaton: which tokens may come next. Tokens that share their first bytes
// share the work, and a byte that leads nowhere cuts off everything below it.
import { type Automaton, run, type State } from './automaton.ts'

/** The bytes of each token id; null for ids that no text is made of (control tokens, unused ids). */
export type Vocabulary = readonly (Uint8Array | null)[]

/** A constraint over token ids. States are small integers; equal states allow the same. */
export interface TokenConstraint {
  readonly start: State
  /** Tokens that may come next, ascending. A token is allowed when all its bytes are, so a text may be cut into tokens in any way. */
  allowed(state: State): Uint32Array
  /** The state after the token, or null when it is not allowed. */
  advance(state: State, token: number): State | null
  /** Whether the text may end here. */
  mayEnd(state: State): boolean
  /** The bytes of an allowed token. */
  bytesOf(token: number): Uint8Array
}

/** The trie as flat arrays in preorder: node i covers the nodes i to `end[i]` − 1; its tokens are `tokens[firstToken[i]]` to `tokens[firstToken[i + 1] - 1]`. */
export interface TokenTrie {
  readonly vocabulary: Vocabulary
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

/** Builds the trie once for a tokenizer (50 000 tokens: some tens of milliseconds). Tokens without bytes are left out: they would never advance. */
export function buildTokenTrie(vocabulary: Vocabulary): TokenTrie {
  const entries: { id: number; said: Uint8Array }[] = []
  vocabulary.forEach((said, id) => {
    if (said !== null && said.length > 0) entries.push({ id, said })
  })
  entries.sort((a, b) => compareBytes(a.said, b.said) || a.id - b.id)

  const depth: number[] = []
  const byte: number[] = []
  const end: number[] = []
  const firstToken: number[] = []
  const path: number[] = [] // node at each depth of the current entry
  let previous = new Uint8Array(0)
  entries.forEach(({ said }, index) => {
    let shared = 0
    while (shared < previous.length && shared < said.length && previous[shared] === said[shared]) shared++
    while (path.length > shared) end[path.pop() as number] = byte.length
    for (let i = shared; i < said.length; i++) {
      path.push(byte.length)
      depth.push(i)
      byte.push(said[i] as number)
      end.push(0)
      firstToken.push(index)
    }
    previous = new Uint8Array(said)
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
export function allowedTokens(trie: TokenTrie, automaton: Automaton, state: State): Uint32Array {
  const { depth, byte, end, firstToken, tokens } = trie
  const states = new Array<State>(trie.maxDepth + 1).fill(state) // states[d]: before the byte at depth d
  const found = new Uint32Array(tokens.length)
  let count = 0
  for (let node = 0; node < byte.length; ) {
    const d = depth[node] as number
    const next = automaton.step(states[d] as State, byte[node] as number)
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

/** Token ids kept in the masks of one constraint (16 MB); when they are more, all are forgotten and worked out again. */
const MASK_IDS = 4_194_304

/** An automaton over bytes as one over tokens. Masks are kept per state, so make one per grammar and share it between reads. */
export function constrainTokens(trie: TokenTrie, automaton: Automaton): TokenConstraint {
  const masks = new Map<State, Uint32Array>()
  let kept = 0
  const bytesOf = (token: number): Uint8Array => {
    const said = trie.vocabulary[token]
    if (!said) throw new RangeError(`token ${token} has no bytes in a vocabulary of ${trie.vocabulary.length}`)
    return said
  }
  return {
    start: automaton.start,
    allowed(state) {
      let mask = masks.get(state)
      if (mask === undefined) {
        mask = allowedTokens(trie, automaton, state)
        kept += mask.length
        if (kept > MASK_IDS) {
          masks.clear()
          kept = mask.length
        }
        masks.set(state, mask)
      }
      return mask
    },
    advance(state, token) {
      const said = trie.vocabulary[token]
      return said && said.length > 0 ? run(automaton, state, said) : null
    },
    mayEnd: (state) => automaton.accepts(state),
    bytesOf,
  }
}
