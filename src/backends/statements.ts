// A question with options as statements, for models that judge what is said, and for lists that are too long to be read
// at once.
import { logSoftmax, logSumExp, mean } from '../core/math.ts'
import type { Candidate, ScoreRow } from './backend.ts'

const written = ({ name, description }: Candidate): string => (description === null ? name : `${name} (${description})`)

/** With a full stop where it ends in nothing. */
export const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** That the candidate is the answer. */
export const theAnswerIs = (instructions: string, candidate: Candidate): string => answerIs(instructions, written(candidate))

/** The same of an answer in words. */
export const answerIs = (instructions: string, answer: string): string => ended(`The answer to "${instructions.trim()}" is: ${answer}`)

/** That the candidate is an answer, beside which there may be others. */
export const oneAnswerIs = (instructions: string, candidate: Candidate): string =>
  ended(`One of the answers to "${instructions.trim()}" is: ${written(candidate)}`)

/**
 * Candidates that exclude each other, from a row [yes, no] for each: they share by the odds of their yes, and the mass
 * is the mean of what yes and no had. Its logarithm is finite also where yes and no have so little that the mass is 0.
 */
export function shareOfClaims(rows: readonly ScoreRow[]): ScoreRow {
  const odds = rows.map(({ logProbabilities: [yes, no] }) => (yes as number) - (no as number))
  const logMass = logSumExp(rows.flatMap(({ logProbabilities }) => logProbabilities)) - Math.log(rows.length)
  return { logProbabilities: logSoftmax(odds).map((share) => share + logMass), mass: mean(rows.map(({ mass }) => mass)) }
}
