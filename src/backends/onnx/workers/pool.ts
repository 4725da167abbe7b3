// Several copies of one model as one `Backend`. A request goes to the copy that has its state cached, or the beginning
// of it, or its pictures, else to the one with the fewest requests; and to another one when the worker of that copy has
// ended and cannot be restarted.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../core/errors.ts'
import type { Piece, Prompt } from '../../../core/types.ts'
import type { Backend, Prefix } from '../../backend.ts'
import { addedCaches } from '../caching/byte-cache.ts'

/** How many prefix hashes are remembered, each with the copy that read it last. */
const MOST_HASHES = 10_000
/** Characters between the prefixes of a text that are hashed. */
const GRID_CHARACTERS = 2048
/**
 * How many requests more than the idlest copy a copy may have and still get a request whose state it has a part of:
 * beyond that, reading the state again elsewhere is faster. A request whose whole state is cached always goes there,
 * since questions about one state share passes.
 */
const MOST_REQUESTS_AHEAD = 2

interface ModelCopy {
  readonly backend: Backend
  /** States that are open, and being opened. */
  requests: number
}

/** The pool owns the copies: closing it closes them. */
export function makePool(backends: readonly [Backend, ...Backend[]]): Backend {
  const copies = backends.map((backend): ModelCopy => ({ backend, requests: 0 }))
  const holders = new Map<string, ModelCopy>()

  const idlest = (among: readonly ModelCopy[]): ModelCopy => among.reduce((least, copy) => (copy.requests < least.requests ? copy : least))

  function choose({ whole, parts }: PrefixHashes): ModelCopy {
    const least = idlest(copies)
    const ofWhole = holders.get(whole)
    if (ofWhole !== undefined) return ofWhole
    for (const hash of parts) {
      const holder = holders.get(hash)
      if (holder !== undefined && holder.requests <= least.requests + MOST_REQUESTS_AHEAD) return holder
    }
    return least
  }

  function remember({ whole, parts }: PrefixHashes, copy: ModelCopy): void {
    for (const hash of [...parts, whole]) {
      // The hash used last goes to the end.
      holders.delete(hash)
      holders.set(hash, copy)
    }
    for (const oldest of holders.keys()) {
      if (holders.size <= MOST_HASHES) break
      holders.delete(oldest)
    }
  }

  async function openIn(copy: ModelCopy, prompt: Prompt, signal?: AbortSignal): Promise<Prefix> {
    copy.requests += 1
    let isOpen = true
    const close = (): void => {
      if (isOpen) copy.requests -= 1
      isOpen = false
    }
    try {
      const prefix = await copy.backend.open(prompt, signal)
      return {
        tokens: prefix.tokens,
        cachedTokens: prefix.cachedTokens,
        score: (branches, stop) => prefix.score(branches, stop),
        generate: (branch, constraint, stop) => prefix.generate(branch, constraint, stop),
        close() {
          close()
          prefix.close()
        },
      }
    } catch (error) {
      close()
      throw error
    }
  }

  const [{ info }] = backends
  return {
    info,
    async open(prompt, signal) {
      const hashes = prefixHashesOf(prompt.pieces)
      let left: readonly ModelCopy[] = copies
      for (let copy = choose(hashes); ; copy = idlest(left)) {
        remember(hashes, copy)
        try {
          return await openIn(copy, prompt, signal)
        } catch (error) {
          left = left.filter((other) => other !== copy)
          if (left.length === 0 || !isGone(error)) throw error
        }
      }
    },
    ...(backends.every(({ caches }) => caches !== undefined) && {
      caches: () => addedCaches(backends.flatMap(({ caches }) => caches?.() ?? [])),
    }),
    async close() {
      await Promise.all(backends.map((backend) => backend.close()))
    },
  }
}

/** Whether the worker of a copy has ended and could not be restarted. */
const isGone = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 'model_not_available' || error.code === 'model_not_found')

interface PrefixHashes {
  readonly whole: string
  /** The longest prefix first; pictures are parts too. */
  readonly parts: readonly string[]
}

/** Hashes of a state and of its prefixes, which end on a grid of characters and behind each picture. */
function prefixHashesOf(pieces: readonly Piece[]): PrefixHashes {
  const parts: string[] = []
  let hash = ''
  let begun = ''
  const add = (text: string): void => {
    hash = createHash('sha256').update(hash).update(text).digest('base64')
  }
  for (const piece of pieces) {
    if (piece.type === 'image') {
      add(begun)
      begun = ''
      add(`\uE000${piece.picture.sha256}`)
      parts.push(`picture ${piece.picture.sha256}`, hash)
      continue
    }
    begun += piece.text
    for (; begun.length >= GRID_CHARACTERS; begun = begun.slice(GRID_CHARACTERS)) {
      add(begun.slice(0, GRID_CHARACTERS))
      parts.push(hash)
    }
  }
  add(`${begun}\uE001`)
  return { whole: hash, parts: parts.reverse() }
}
