// A head by hand, the text its vectors are kept as, and the descent it is found by.
import { describe, expect, it } from 'vitest'
import { applyHead, type Head, headSchema, isHeadFor } from '../../src/calibration/heads/head.ts'
import { decodeVector, encodeVector } from '../../src/calibration/heads/vector-text.ts'
import { descend } from '../../src/calibration/numerics/descent.ts'
import { seededRandom } from '../../src/core/random.ts'

const head: Head = {
  question: 'q',
  readout: 'exclusive',
  width: 2,
  labels: 1000,
  scale: 0.5,
  biases: [0.1, -0.2],
  weights: [encodeVector([1, 0]), encodeVector([0, -2])],
}
const rows = [[Math.log(0.8), Math.log(0.2)]]

describe('a head', () => {
  it('adds scaled log-probabilities, biases and weighted features', () => {
    const [row] = applyHead(head, rows, Float32Array.of(0.3, 0.5))
    const logits = [0.5 * Math.log(0.8) + 0.1 + 0.3, 0.5 * Math.log(0.2) - 0.2 - 1]
    const p = 1 / (1 + Math.exp(logits[1]! - logits[0]!))
    const floor = 1 / (2 * 1002)
    expect(row![0]).toBeCloseTo((1 - 2 * floor) * p + floor, 4)
    expect(row![0]! + row![1]!).toBeCloseTo(1, 12)
  })

  it('without weights needs no features', () => {
    const plain = { ...head, weights: [] }
    expect(isHeadFor(plain, { question: 'q', readout: 'exclusive' }, rows, null)).toBe(true)
    expect(applyHead(plain, rows, null)[0]![0]).toBeGreaterThan(0.5)
  })

  it('is for one question, its candidates, and features of its width', () => {
    const features = Float32Array.of(0, 0)
    const key = { question: 'q', readout: 'exclusive' } as const
    expect(isHeadFor(head, key, rows, features)).toBe(true)
    expect(isHeadFor(head, { ...key, question: 'r' }, rows, features)).toBe(false)
    expect(isHeadFor(head, { ...key, readout: 'ordinal' }, rows, features)).toBe(false)
    expect(isHeadFor(head, key, [[0, 0, 0]], features)).toBe(false)
    expect(isHeadFor(head, key, rows, Float32Array.of(0, 0, 0))).toBe(false)
    expect(isHeadFor(head, key, rows, null)).toBe(false)
    expect(() => applyHead(head, rows, null)).toThrow(RangeError)
    expect(() => applyHead(head, [[0, 0, 0]], features)).toThrow(RangeError)
  })

  it('gives yes and no rows for a binary question', () => {
    const yesNo: Head = { ...head, readout: 'binary', biases: [2], weights: [encodeVector([0, 1])] }
    const [row] = applyHead(yesNo, [[Math.log(0.5), Math.log(0.5)]], Float32Array.of(0, -2))
    expect(row![0]).toBeCloseTo(0.5, 4)
    expect(row).toHaveLength(2)
  })

  it('never says 0 or 1, however large its weights', () => {
    const loud = { ...head, weights: [encodeVector([1e6, 0]), encodeVector([0, 0])] }
    const [row] = applyHead(loud, rows, Float32Array.of(1, 1))
    expect(row![1]).toBeGreaterThan(1e-4)
  })

  it('is refused from a file whose vectors are torn or of another width', () => {
    expect(headSchema.safeParse(head).success).toBe(true)
    expect(headSchema.safeParse({ ...head, width: 3 }).success).toBe(false)
    expect(headSchema.safeParse({ ...head, weights: [head.weights[0]] }).success).toBe(false)
    expect(headSchema.safeParse({ ...head, weights: ['?', '?'] }).success).toBe(false)
    expect(headSchema.safeParse({ ...head, scale: Number.NaN }).success).toBe(false)
  })
})

describe('the text of a vector', () => {
  it('keeps every value to a 65 534th of the largest', () => {
    const random = seededRandom(1)
    const values = Array.from({ length: 512 }, () => 40 * (random() - 0.5))
    const back = decodeVector(encodeVector(values))
    const most = Math.max(...values.map(Math.abs))
    for (const [i, value] of values.entries()) expect(Math.abs(back[i]! - value)).toBeLessThanOrEqual(most / 65_534 + 1e-6)
  })

  it('keeps zeros and emptiness', () => {
    expect([...decodeVector(encodeVector([0, 0]))]).toEqual([0, 0])
    expect(decodeVector(encodeVector([])).length).toBe(0)
  })

  it('refuses what is not finite, and torn text', () => {
    expect(() => encodeVector([1, Number.NaN])).toThrow('not finite')
    expect(() => encodeVector([1, Number.POSITIVE_INFINITY])).toThrow('not finite')
    expect(() => decodeVector('AAA')).toThrow('not whole')
    expect(() => decodeVector(encodeVector([1, 2]).slice(0, 7))).toThrow('not whole')
  })
})

describe('descent', () => {
  it('finds the least of a badly scaled bowl', () => {
    const centre = [3, -1, 0.5, 8]
    const steep = [1, 100, 0.01, 10]
    const point = descend(
      new Float64Array(4),
      (x, gradient) => {
        let value = 0
        for (let i = 0; i < 4; i++) {
          gradient[i] = steep[i]! * (x[i]! - centre[i]!)
          value += (steep[i]! * (x[i]! - centre[i]!) ** 2) / 2
        }
        return value
      },
      { tolerance: 1e-14 },
    )
    for (const [i, value] of centre.entries()) expect(point[i]).toBeCloseTo(value, 4)
  })

  it('finds the bottom of Rosenbrock’s valley', () => {
    const point = descend(
      Float64Array.of(-1.2, 1),
      (p, gradient) => {
        const [x, y] = [p[0]!, p[1]!]
        gradient[0] = -2 * (1 - x) - 400 * x * (y - x * x)
        gradient[1] = 200 * (y - x * x)
        return (1 - x) ** 2 + 100 * (y - x * x) ** 2
      },
      { steps: 500, tolerance: 1e-14 },
    )
    expect(point[0]).toBeCloseTo(1, 4)
    expect(point[1]).toBeCloseTo(1, 4)
  })
})
