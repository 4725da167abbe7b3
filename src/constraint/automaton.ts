// Regular expressions over bytes to a deterministic automaton. Expressions are values (`sequence`, `either`, …)
// rather than a syntax; the automaton is built lazily from Thompson's NFA by subset construction, so that only
// states that are visited cost anything.

/** A state of an automaton. States are small integers, so that callers can cache by them. */
export type AutomatonState = number

/**
 * A set of texts, read byte by byte (UTF-8). From every state that `step` gives, some path leads to a state that
 * accepts.
 */
export interface Automaton {
  readonly start: AutomatonState
  /** The state after the byte (0 to 255), or null when no text of the set continues like that. */
  step(state: AutomatonState, byte: number): AutomatonState | null
  /** Whether the bytes so far are a text of the set. */
  accepts(state: AutomatonState): boolean
}

/** A regular expression over bytes. `bytes` is a class of single bytes as ranges [from, to], both included. */
export type ByteExpression =
  | { readonly type: 'bytes'; readonly ranges: readonly (readonly [number, number])[] }
  | { readonly type: 'sequence'; readonly parts: readonly ByteExpression[] }
  | { readonly type: 'either'; readonly ways: readonly ByteExpression[] }
  | { readonly type: 'any-number'; readonly of: ByteExpression }

export function bytes(...ranges: readonly (readonly [number, number])[]): ByteExpression {
  return { type: 'bytes', ranges }
}

export function sequence(...parts: readonly ByteExpression[]): ByteExpression {
  return { type: 'sequence', parts }
}

export function either(...ways: readonly ByteExpression[]): ByteExpression {
  return { type: 'either', ways }
}

export function anyNumber(of: ByteExpression): ByteExpression {
  return { type: 'any-number', of }
}

export function optional(of: ByteExpression): ByteExpression {
  return either(of, sequence())
}

/** From `least` to `most` times. */
export function repeat(of: ByteExpression, least: number, most: number): ByteExpression {
  let tail = sequence()
  for (let i = least; i < most; i++) tail = optional(sequence(of, tail))
  return sequence(...new Array<ByteExpression>(least).fill(of), tail)
}

/** Exactly this text, in UTF-8. */
export function literal(text: string): ByteExpression {
  return sequence(...Array.from(new TextEncoder().encode(text), (byte) => bytes([byte, byte])))
}

/** One ASCII character of the given ones; `0-9` style ranges are not understood. */
export function oneOf(characters: string): ByteExpression {
  return bytes(...Array.from(characters, (character) => [character.charCodeAt(0), character.charCodeAt(0)] as const))
}

/** Nodes of the NFA: `arcs[n]` are moves by a byte, `empty[n]` are free moves. */
class Nfa {
  readonly arcs: { ranges: readonly (readonly [number, number])[]; to: number }[][] = []
  readonly empty: number[][] = []

  node(): number {
    this.arcs.push([])
    this.empty.push([])
    return this.arcs.length - 1
  }

  /** Adds the expression behind node `from` and gives the node where it ends. */
  add(expression: ByteExpression, from: number): number {
    switch (expression.type) {
      case 'bytes': {
        const to = this.node()
        this.arcs[from]!.push({ ranges: expression.ranges, to })
        return to
      }
      case 'sequence':
        return expression.parts.reduce((at, part) => this.add(part, at), from)
      case 'either': {
        const to = this.node()
        for (const way of expression.ways) this.empty[this.add(way, from)]!.push(to)
        return to
      }
      case 'any-number': {
        const loop = this.node()
        this.empty[from]!.push(loop)
        this.empty[this.add(expression.of, loop)]!.push(loop)
        const to = this.node()
        this.empty[loop]!.push(to)
        return to
      }
    }
  }

  /** All nodes reached by free moves, sorted. */
  closure(nodes: readonly number[]): number[] {
    const reached = new Set(nodes)
    const open = [...reached]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const next of this.empty[node] as number[]) {
        if (reached.has(next)) continue
        reached.add(next)
        open.push(next)
      }
    }
    return [...reached].sort((a, b) => a - b)
  }
}

const UNKNOWN = -2
const NOWHERE = -1

/** Compiles the expression. The automaton caches the states it has built, so one automaton should serve many reads. */
export function compileExpression(expression: ByteExpression): Automaton {
  const nfa = new Nfa()
  const first = nfa.node()
  const last = nfa.add(expression, first)
  const sets: number[][] = []
  const accepting: boolean[] = []
  const moves: Int32Array[] = [] // [state][byte] -> state, NOWHERE or UNKNOWN
  const known = new Map<string, AutomatonState>()

  const stateOf = (nodes: readonly number[]): AutomatonState => {
    const set = nfa.closure(nodes)
    const key = set.join()
    const old = known.get(key)
    if (old !== undefined) return old
    const state = sets.length
    known.set(key, state)
    sets.push(set)
    accepting.push(set.includes(last))
    moves.push(new Int32Array(256).fill(UNKNOWN))
    return state
  }
  const work = (state: AutomatonState, byte: number): number => {
    const targets: number[] = []
    for (const node of sets[state] as number[]) {
      for (const { ranges, to } of nfa.arcs[node]!) {
        if (ranges.some(([from, upTo]) => byte >= from && byte <= upTo)) targets.push(to)
      }
    }
    return targets.length === 0 ? NOWHERE : stateOf(targets)
  }

  return {
    start: stateOf([first]),
    step(state, byte) {
      const row = moves[state] as Int32Array
      let next = row[byte] as number
      if (next === UNKNOWN) {
        next = work(state, byte)
        row[byte] = next
      }
      return next === NOWHERE ? null : next
    },
    accepts: (state) => accepting[state] as boolean,
  }
}

/** The state after all bytes, or null. */
export function run(automaton: Automaton, state: AutomatonState, text: Uint8Array): AutomatonState | null {
  let at: AutomatonState | null = state
  for (let i = 0; i < text.length && at !== null; i++) at = automaton.step(at, text[i] as number)
  return at
}

/**
 * The same texts, optionally behind one space: many tokenizers write the first word of an answer with the space before
 * it.
 */
export function withLeadingSpace(automaton: Automaton): Automaton {
  const SPACE = 0x20
  // State 0 is the new start; the others are those of the automaton, one further.
  return {
    start: 0,
    step(state, byte) {
      if (state === 0 && byte === SPACE && automaton.step(automaton.start, SPACE) === null) return automaton.start + 1
      const next = automaton.step(state === 0 ? automaton.start : state - 1, byte)
      return next === null ? null : next + 1
    },
    accepts: (state) => automaton.accepts(state === 0 ? automaton.start : state - 1),
  }
}
