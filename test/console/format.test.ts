import { describe, expect, it } from 'vitest'
import { ago, bytes, count, dollars, milliseconds, percent, shortTime } from '../../src/console/format.ts'

describe('amounts', () => {
  it.each([
    ['0.000000000', '$0.00'],
    ['25.000000000', '$25.00'],
    ['1234567.891000000', '$1 234 567.89'],
    ['0.500000000', '$0.50'],
    ['0.000042700', '$0.0000427'],
    ['0.000000001', '$0.000000001'],
    ['-0.000010200', '−$0.0000102'],
  ])('%s reads %s', (amount, text) => {
    expect(dollars(amount)).toBe(text)
  })
})

describe('probabilities', () => {
  it.each([
    [0.0000001, '<0.1 %'],
    [0.9999999, '>99.9 %'],
    [0.0123, '1.2 %'],
    [0.5, '50 %'],
    [0.9876, '98.8 %'],
  ])('%d reads %s, and what is not certain never looks certain', (probability, text) => {
    expect(percent(probability)).toBe(text)
  })
})

describe('counts and times', () => {
  it.each([
    [count(1234567), '1 234 567'],
    [milliseconds(0.25), '0.3 ms'],
    [milliseconds(448), '448 ms'],
    [milliseconds(3020), '3.02 s'],
    [bytes(37_000), '36 KiB'],
    [shortTime(new Date(2026, 10, 3, 9, 5).getTime(), new Date(2026, 11, 1).getTime()), '11-03 09:05'],
    [shortTime(new Date(2025, 10, 3, 9, 5).getTime(), new Date(2026, 0, 1).getTime()), '2025-11-03 09:05'],
    [ago(0, 59_000), 'just now'],
    [ago(0, 3_600_000), '1 hour ago'],
    [ago(0, 3 * 86_400_000), '3 days ago'],
  ])('reads %s as %s', (text, expected) => {
    expect(text).toBe(expected)
  })
})
