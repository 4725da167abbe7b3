// Answers in rounds of the same steps, where some steps are one of a few control tokens: places in a picture, as models
// write them that have tokens for places. Between such steps there may be text under a constraint of its own.
import type { AutomatonState } from './automaton.ts'
import type { TokenConstraint } from './token-trie.ts'

/** One of some control tokens, with the bytes that stand for each in the decoded text; or a text. */
export type TokenStep =
  | { readonly type: 'control'; readonly tokens: ReadonlyMap<number, Uint8Array> }
  | { readonly type: 'text'; readonly constraint: TokenConstraint }

const NONE = new Uint32Array()

/** A place among the steps; `inner` is the state of a text's own constraint. */
interface Place {
  readonly step: number
  readonly inner: AutomatonState
}

/**
 * None to `most` rounds of the steps; the text may end between rounds only. Each text has a control step behind it, in
 * its round or at the start of the next one, or ends the last round.
 */
export function tokenRounds(steps: readonly TokenStep[], most: number): TokenConstraint {
  const places: Place[] = []
  const known = new Map<string, AutomatonState>()
  const stateAt = (step: number, inner: AutomatonState = innerStart(step)): AutomatonState => {
    const key = `${step} ${inner}`
    const old = known.get(key)
    if (old !== undefined) return old
    known.set(key, places.length)
    return places.push({ step, inner }) - 1
  }
  const stepAt = (at: number): TokenStep | undefined => (at < steps.length * most ? steps[at % steps.length] : undefined)
  const innerStart = (at: number): AutomatonState => {
    const step = stepAt(at)
    return step?.type === 'text' ? step.constraint.start : 0
  }
  const placeOf = (state: AutomatonState): Place => places[state] as Place
  const sorted = new WeakMap<TokenStep, Uint32Array>()
  const controlsOf = (step: TokenStep | undefined): Uint32Array => {
    if (step?.type !== 'control') return NONE
    const kept = sorted.get(step) ?? Uint32Array.from(step.tokens.keys()).sort()
    sorted.set(step, kept)
    return kept
  }
  /** Whether the step is done at this place, so that the one behind it may begin. */
  const isDone = ({ step, inner }: Place): boolean => {
    const own = stepAt(step)
    return own?.type === 'text' && own.constraint.mayEnd(inner)
  }

  return {
    start: stateAt(0),
    allowed(state) {
      const place = placeOf(state)
      const step = stepAt(place.step)
      if (step?.type !== 'text') return controlsOf(step)
      const own = step.constraint.allowed(place.inner)
      const next = isDone(place) ? controlsOf(stepAt(place.step + 1)) : NONE
      return next.length === 0 ? own : Uint32Array.from([...own, ...next]).sort()
    },
    advance(state, token) {
      const place = placeOf(state)
      const step = stepAt(place.step)
      if (step === undefined) return null
      if (step.type === 'control') return step.tokens.has(token) ? stateAt(place.step + 1) : null
      const inner = step.constraint.advance(place.inner, token)
      if (inner !== null) return stateAt(place.step, inner)
      const next = stepAt(place.step + 1)
      return isDone(place) && next?.type === 'control' && next.tokens.has(token) ? stateAt(place.step + 2) : null
    },
    mayEnd(state) {
      const place = placeOf(state)
      return place.step % steps.length === 0
        ? place.inner === innerStart(place.step)
        : isDone(place) && (place.step + 1) % steps.length === 0
    },
    bytesOf(token) {
      for (const step of steps) {
        const bytes = step.type === 'control' ? step.tokens.get(token) : undefined
        if (bytes !== undefined) return bytes
      }
      const text = steps.find((step) => step.type === 'text')
      if (text?.type !== 'text') throw new RangeError(`token ${token} is in no step`)
      return text.constraint.bytesOf(token)
    },
  }
}
