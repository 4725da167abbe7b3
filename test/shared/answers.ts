// What is true of answers whatever the model: the invariants of the contract, one function a type.
import { expect } from 'vitest'
import { parse } from '../../src/constraint/grammar.ts'
import type { ChoiceAnswer, FillAnswer, ScoreAnswer } from '../../src/questions/index.ts'

export const isProbability = (p: unknown) => typeof p === 'number' && p > 0 && p < 1

export function expectDistribution(probabilities: Readonly<Record<string, number>>, names: readonly string[]): void {
  expect(Object.keys(probabilities).sort()).toEqual([...names].sort())
  expect(Object.values(probabilities).every(isProbability)).toBe(true)
  expect(Math.abs(Object.values(probabilities).reduce((sum, p) => sum + p, 0) - 1)).toBeLessThan(1e-6)
}

export function expectChoice({ choice, probabilities, confidence }: ChoiceAnswer, names: readonly string[]): void {
  expectDistribution(probabilities, names)
  expect(probabilities[choice]).toBe(Math.max(...Object.values(probabilities)))
  expect(confidence).toBe(probabilities[choice])
}

export function expectScore({ score, probabilities, legend, confidence }: ScoreAnswer, labels: readonly string[]): void {
  const levels = labels.map((_, level) => String(level))
  expectDistribution(probabilities, levels)
  expect(levels.map((level) => legend[level])).toEqual(labels)
  expect(score).toBeCloseTo(
    levels.reduce((sum, level) => sum + Number(level) * probabilities[level]!, 0),
    9,
  )
  expect(confidence).toBe(Math.max(...Object.values(probabilities)))
}

export function expectFill({ value, parsed, valid, confidence }: FillAnswer, grammar: Parameters<typeof parse>[0]): void {
  expect(isProbability(confidence)).toBe(true)
  if (!valid) return
  const expected = parse(grammar, value)
  expect(expected).not.toBeNull()
  if (typeof expected !== 'string') expect(parsed).toEqual(expected)
}

/** Two sets of answers whose numbers are at most `apart` from each other, and which are equal else. */
export function expectClose(a: unknown, b: unknown, apart = 1e-6, at = ''): void {
  if (typeof a === 'number' && typeof b === 'number') expect(Math.abs(a - b), at).toBeLessThanOrEqual(apart)
  else if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null) {
    expect(Object.keys(b).sort(), at).toEqual(Object.keys(a).sort())
    for (const [key, value] of Object.entries(a)) expectClose(value, (b as Record<string, unknown>)[key], apart, `${at}/${key}`)
  } else expect(b, at).toEqual(a)
}
