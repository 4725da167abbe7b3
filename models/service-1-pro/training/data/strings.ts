// Where a text stands in a packed state: in its strings, and in the lines read in its pictures, which may hold wrong
// letters.

import type { PackedState } from '../../../../src/backends/onnx/families/decision/pack.ts'
import type { TextLine } from '../../../../src/backends/onnx/families/decision/text-lines.ts'

/**
 * A string of the state or a line of a picture: its text, and for each token its index in the state and its characters.
 */
export interface StateString {
  readonly whole: string
  readonly isSeen: boolean
  readonly tokens: { readonly token: number; readonly start: number; readonly end: number }[]
}

export function stringsOf(state: PackedState): StateString[] {
  const strings = new Map<string | TextLine, StateString>()
  state.origins.forEach((origin, token) => {
    if (origin === null) return
    const key = origin.inImage?.line ?? `${origin.source.part} ${origin.source.path}`
    const entry = strings.get(key) ?? { whole: origin.text, isSeen: origin.inImage !== undefined, tokens: [] }
    if (origin.end > origin.start) entry.tokens.push({ token, start: origin.start, end: origin.end })
    strings.set(key, entry)
  })
  return [...strings.values()]
}

/** The first and last token of the characters from `at` to `end`, in code units. */
function tokensOf({ tokens }: StateString, at: number, end: number): [number, number][] {
  const inside = tokens.filter((token) => token.end > at && token.start < end)
  const [first, last] = [inside[0], inside.at(-1)]
  return first === undefined || last === undefined ? [] : [[first.token, last.token]]
}

const WORD = /[\p{L}\p{N}]/u

/** Occurrences of a text in a string at word boundaries, as [first, last] token. */
export function occurrences(string: StateString, text: string): [number, number][] {
  const { whole } = string
  const found: [number, number][] = []
  for (let at = whole.indexOf(text); at >= 0 && text !== ''; at = whole.indexOf(text, at + 1)) {
    const end = at + text.length
    if (WORD.test(whole[at - 1] ?? '') && WORD.test(text[0] ?? '')) continue
    if (WORD.test(whole[end] ?? '') && WORD.test(text.at(-1) ?? '')) continue
    found.push(...tokensOf(string, at, end))
  }
  return found
}

/** One letter in this many may be misread; shorter texts than SHORTEST_MISREAD must match exactly. */
const LETTERS_A_FAULT = 5
const SHORTEST_MISREAD = 4

/** Where whole words of a picture are nearest to a text of which some letters may be misread. */
export function misread(strings: readonly StateString[], text: string): [number, number][] {
  if (text.length < SHORTEST_MISREAD) return []
  let fewest = Math.ceil(text.length / LETTERS_A_FAULT)
  let found: [number, number][] = []
  for (const string of strings.filter(({ isSeen }) => isSeen)) {
    const words = [...string.whole.matchAll(/\S+/gu)].map(({ 0: word, index }) => [index, index + word.length] as const)
    for (const [at] of words) {
      for (const [, end] of words) {
        if (Math.abs(end - at - text.length) > fewest) continue
        const faults = distance(text, string.whole.slice(at, end))
        if (faults > fewest) continue
        if (faults < fewest) found = []
        fewest = faults
        found.push(...tokensOf(string, at, end))
      }
    }
  }
  return found
}

/** The edit distance of two texts (Levenshtein 1966). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const exchanged = (row[j] as number) + Number(from[i] !== to[j])
      next.push(Math.min(exchanged, (row[j + 1] as number) + 1, (next[j] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
