// Several copies of one model to one `Backend`. A request goes to the copy that holds its state, or the beginning of it, or its pictures, else to the one
// with the fewest requests; and to another one when that copy has gone and does not come back.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../core/errors.ts'
import type { Piece, Prompt } from '../../../core/types.ts'
import type { Backend, CacheCounts, CachesOfBackend, Prefix } from '../../backend.ts'

/** Marks remembered: of each the copy that read it last. */
const MOST_MARKS = 10_000
/** Characters between the marks of a text. */
const GRID = 2048
/**
 * How many requests more than the idlest copy one may have and still be given what it holds a part of: beyond that, reading it again elsewhere is sooner
 * done. A whole state goes where it is whatever waits there: questions about one state share passes.
 */
const MOST_AHEAD = 2

interface Copy {
  readonly backend: Backend
  /** States that are open, and being opened. */
  requests: number
}

/** The copies are the pool's, to be closed with it. */
export function makePool(backends: readonly [Backend, ...Backend[]]): Backend {
  const copies = backends.map((backend): Copy => ({ backend, requests: 0 }))
  const holders = new Map<string, Copy>()

  const idlest = (among: readonly Copy[]): Copy => among.reduce((least, copy) => (copy.requests < least.requests ? copy : least))

  function choose({ whole, parts }: Marks): Copy {
    const least = idlest(copies)
    const ofWhole = holders.get(whole)
    if (ofWhole !== undefined) return ofWhole
    for (const mark of parts) {
      const holder = holders.get(mark)
      if (holder !== undefined && holder.requests <= least.requests + MOST_AHEAD) return holder
    }
    return least
  }

  function remember({ whole, parts }: Marks, copy: Copy): void {
    for (const mark of [...parts, whole]) {
      // The one used last goes to the end.
      holders.delete(mark)
      holders.set(mark, copy)
    }
    for (const oldest of holders.keys()) {
      if (holders.size <= MOST_MARKS) break
      holders.delete(oldest)
    }
  }

  async function openIn(copy: Copy, prompt: Prompt, signal?: AbortSignal): Promise<Prefix> {
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
      const marks = marksOf(prompt.pieces)
      let left: readonly Copy[] = copies
      for (let copy = choose(marks); ; copy = idlest(left)) {
        remember(marks, copy)
        try {
          return await openIn(copy, prompt, signal)
        } catch (error) {
          left = left.filter((other) => other !== copy)
          if (left.length === 0 || !isGone(error)) throw error
        }
      }
    },
    ...(backends.every(({ caches }) => caches !== undefined) && {
      caches: () => summed(backends.flatMap(({ caches }) => caches?.() ?? [])),
    }),
    async close() {
      await Promise.all(backends.map((backend) => backend.close()))
    },
  }
}

/** The copy's worker has ended, and could not be started again. */
const isGone = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 'model_not_available' || error.code === 'model_not_found')

interface Marks {
  readonly whole: string
  /** Of the longest beginning first; pictures are parts too. */
  readonly parts: readonly string[]
}

/** What a state is known by, from its texts and its pictures: beginnings end on a grid of characters and behind each picture. */
function marksOf(pieces: readonly Piece[]): Marks {
  const parts: string[] = []
  let mark = ''
  let begun = ''
  const add = (text: string): void => {
    mark = createHash('sha256').update(mark).update(text).digest('base64')
  }
  for (const piece of pieces) {
    if (piece.type === 'image') {
      add(begun)
      begun = ''
      add(`\uE000${piece.picture.sha256}`)
      parts.push(`picture ${piece.picture.sha256}`, mark)
      continue
    }
    begun += piece.text
    for (; begun.length >= GRID; begun = begun.slice(GRID)) {
      add(begun.slice(0, GRID))
      parts.push(mark)
    }
  }
  add(`${begun}\uE001`)
  return { whole: mark, parts: parts.reverse() }
}

function summed(all: readonly CachesOfBackend[]): CachesOfBackend {
  const sum = (counts: readonly CacheCounts[]): CacheCounts => {
    const of = (field: keyof CacheCounts) => counts.reduce((total, one) => total + one[field], 0)
    return { hits: of('hits'), misses: of('misses'), bytes: of('bytes'), limitBytes: of('limitBytes') }
  }
  return { states: sum(all.map(({ states }) => states)), pictures: sum(all.map(({ pictures }) => pictures)) }
}
