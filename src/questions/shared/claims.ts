// Yes or no, whichever way it is asked: a choice between the two, and a scale from no to yes, are the claim of a noul.
import type { Branch, Candidate } from '../../backends/backend.ts'

const YES = new Set(['yes', 'true'])
const NO = new Set(['no', 'false'])

interface AskedClaim {
  /** As a noul asks it. */
  readonly branch: Branch
  /** Positions of the candidates that say yes and no. */
  readonly order: readonly [yes: number, no: number]
}

/** Null where it is no choice between yes and no, and no scale from no to yes. */
export function askedClaim(branch: Branch): AskedClaim | null {
  const { readout, candidates } = branch
  if (candidates.length !== 2) return null
  const yes = candidates.findIndex(({ name }) => YES.has(wordOf(name)))
  const no = candidates.findIndex(({ name }) => NO.has(wordOf(name)))
  if (yes < 0 || no < 0 || !(readout === 'exclusive' || (readout === 'ordinal' && no === 0))) return null
  const meaning = (name: string, at: number): Candidate => {
    const { description } = candidates[at] as Candidate
    // "Yes" as the meaning of yes says no more than its name.
    const isRepeated = description !== null && (at === yes ? YES : NO).has(wordOf(description))
    return { name, description: isRepeated ? null : description }
  }
  return { branch: { ...branch, readout: 'binary', candidates: [meaning('true', yes), meaning('false', no)] }, order: [yes, no] }
}

function wordOf(name: string): string {
  return name.trim().toLowerCase()
}
