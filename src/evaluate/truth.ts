// A truth as a data set writes it to the truth of a question: data sets differ in how they say "yes", a level, or that nothing is known.
import type { Json } from '../core/types.ts'

/** The field of an answer that a truth may be wrapped in, as in `{"choice": "x"}`. */
const WRAPPINGS: Readonly<Record<string, readonly string[]>> = {
  noul: ['noul'],
  choice: ['choice'],
  score: ['score', 'level'],
  select: ['selected', 'select'],
  fill: ['value', 'parsed', 'fill'],
  extract: ['value', 'values', 'coordinates', 'boxes', 'extract'],
}
const ANY_WRAPPING = ['answer', 'expected', 'truth', 'label']

const YES = new Set(['true', 'yes', 'y', '1'])
const NO = new Set(['false', 'no', 'n', '0'])

type Map = Readonly<Record<string, Json>>

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The truth of a question of this type; undefined when nothing is known, so that the question is asked and not graded. A null is "nothing is known",
 * save for `extract`, where it says "not there". `noul`: booleans, or yes and no in words or numbers. `score`: a level, or its label.
 */
export function readTruth(question: unknown, given: Json | undefined): Json | undefined {
  if (given === undefined || !isMap(question)) return undefined
  const type = String(question.type)
  const truth = unwrap(type, given)
  if (truth === null && type !== 'extract') return undefined
  if (type === 'noul' && typeof truth === 'string') {
    const word = truth.trim().toLowerCase()
    return YES.has(word) ? true : NO.has(word) ? false : truth
  }
  if (type === 'score' && typeof truth === 'string') {
    const level = labelsOf(question.criteria).indexOf(truth)
    return level >= 0 ? level : truth.trim() !== '' && Number.isFinite(Number(truth)) ? Number(truth) : truth
  }
  if (type === 'choice' && (typeof truth === 'number' || typeof truth === 'boolean')) return String(truth)
  return truth
}

function unwrap(type: string, given: Json): Json {
  if (!isMap(given)) return given
  for (const field of [...(WRAPPINGS[type] ?? []), ...ANY_WRAPPING]) if (Object.hasOwn(given, field)) return given[field] as Json
  return given
}

function labelsOf(criteria: Json | undefined): string[] {
  if (!Array.isArray(criteria)) return []
  return criteria.map((level: Json) => (typeof level === 'string' ? level : isMap(level) ? String(level.label) : ''))
}
