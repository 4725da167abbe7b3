// A labelled question and its answer to numbers: was it right, what log-loss did its probabilities have, and what would guessing have got.
import type { QuestionAnswer } from '../src/answers.ts'
import { overlap } from '../src/math.ts'
import type { Json } from '../src/types.ts'

/** Each number is about one question. `loss` in nats, null for reads. `guess`: the accuracy of guessing; `guessLoss`: the log-loss of the uniform guess. */
export interface Grade {
  readonly right: number
  readonly loss: number | null
  readonly guess: number
  readonly guessLoss: number | null
  /** Intersection over union, for a box that is there. */
  readonly overlap?: number
}

/** Null when the truth cannot be compared (an option that was not offered). */
export function grade(answer: QuestionAnswer, truth: Json, accept: readonly Json[] = []): Grade | null {
  switch (answer.type) {
    case 'noul': {
      if (typeof truth !== 'boolean') return null
      const p = truth ? answer.noul : 1 - answer.noul
      return { right: Number(p > 0.5), loss: -Math.log(p), guess: 0.5, guessLoss: Math.LN2 }
    }
    case 'choice': {
      const names = Object.keys(answer.probabilities)
      const p = answer.probabilities[String(truth)]
      if (p === undefined) return null
      return { right: Number(answer.choice === truth), loss: -Math.log(p), guess: 1 / names.length, guessLoss: Math.log(names.length) }
    }
    case 'score':
      return typeof truth === 'number' ? gradeLevel(answer.probabilities, truth) : null
    case 'select': {
      if (!Array.isArray(truth)) return null
      const entries = Object.entries(answer.probabilities)
      const holds = entries.map(([name]) => truth.includes(name))
      const loss = entries.reduce((sum, [, p], i) => sum - Math.log(holds[i] ? p : 1 - p), 0) / entries.length
      const right = entries.filter(([name], i) => answer.selected.includes(name) === holds[i]).length / entries.length
      return { right, loss, guess: 0.5, guessLoss: Math.LN2 }
    }
    case 'fill': {
      const said = 'parsed' in answer && answer.parsed !== undefined ? String(answer.parsed) : answer.value
      return read([truth, ...accept].some((one) => same(String(one), said)))
    }
    case 'extract':
      return gradeExtract(answer, truth)
    default:
      return null
  }
}

function read(isRight: boolean): Grade {
  return { right: Number(isRight), loss: null, guess: 0, guessLoss: null }
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}

/** A fractional truth (annotators averaged) lies between two levels, and so does its loss. */
function gradeLevel(probabilities: Readonly<Record<string, number>>, truth: number): Grade {
  const values = Object.values(probabilities)
  const low = Math.min(Math.floor(truth), values.length - 1)
  const share = truth - low
  const loss = -(1 - share) * Math.log(values[low] as number) - (share > 0 ? share * Math.log(values[low + 1] as number) : 0)
  const best = values.indexOf(Math.max(...values))
  return { right: Number(best === Math.round(truth)), loss, guess: 1 / values.length, guessLoss: Math.log(values.length) }
}

type Extract = QuestionAnswer & { type: 'extract' }
type Corners = readonly [number, number, number, number]

function gradeExtract(answer: Extract, truth: Json): Grade | null {
  if ('boxes' in answer) return null
  if ('coordinates' in answer) {
    const found = answer.coordinates
    if (truth === null) return read(found === null)
    if (found === null) return { ...read(false), overlap: 0 }
    const shared = overlap(found, truth as unknown as Corners)
    return { ...read(shared >= 0.5), overlap: shared }
  }
  if ('values' in answer) {
    const wanted = (Array.isArray(truth) ? truth.map(String) : []).map((one) => one.toLowerCase()).sort()
    const said = answer.values.map((one) => one.toLowerCase()).sort()
    return read(JSON.stringify(wanted) === JSON.stringify(said))
  }
  if (truth === null || answer.value === null) return { ...read(truth === answer.value), guess: Number(truth === null) }
  return read(same(String(truth), answer.value))
}
