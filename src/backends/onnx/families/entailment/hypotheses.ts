// A branch to the statements that are held against the state: the claim itself, or one for each candidate.
import type { Branch, Candidate } from '../../../backend.ts'

/** Raise it when the words change: calibration is bound to them. */
export const HYPOTHESES_VERSION = 1

const written = ({ name, description }: Candidate): string => (description === null ? name : `${name} (${description})`)
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** One statement for `binary`, one for each candidate otherwise. */
export function hypothesesOf({ readout, instructions, candidates }: Branch): readonly string[] {
  const asked = instructions.trim()
  const answer = (candidate: string): string => ended(`The answer to "${asked}" is: ${candidate}`)
  if (readout === 'binary') return [asked.endsWith('?') ? answer('yes') : ended(asked)]
  if (readout === 'independent') return candidates.map((one) => ended(`One of the answers to "${asked}" is: ${written(one)}`))
  return candidates.map((one) => answer(written(one)))
}
