// Bodies as large as they may be, whose every byte is meant to cost more than a byte: refused or answered, never a
// fault, and the service goes on.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { QUESTION, type Running, startRunning } from '../running.ts'

let running: Running
beforeAll(async () => {
  running = await startRunning({ fake: { isForgetful: true } })
})
afterAll(() => running.end())

const noul = { type: 'noul', instructions: 'x' }
const ask = (more: object) => JSON.stringify({ state: 'x', questions: { a: noul }, ...more })
const map = (count: number, value: (i: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value(i)]))
const list = (count: number, value: (i: number) => unknown) => Array.from({ length: count }, (_, i) => value(i))

describe('large bodies', () => {
  it.each<[string, number, () => string, string?]>([
    // One expression for a whole string overflowed its stack here, which was a fault of ours.
    ['a broken string of a million escapes', 400, () => `{"state":"${'\\n'.repeat(500_000)}" x`],
    ['a string of escapes without an end', 400, () => `{"state":"${'\\n'.repeat(500_000)}`],
    ['a string of backslashes without an end', 400, () => `"${'\\'.repeat(1_000_000)}`],
    ['spaces and then nothing', 400, () => ' '.repeat(1_000_000)],
    ['lines and then a mistake', 400, () => `${'\n'.repeat(1_000_000)}x`],
    ['a number of a million digits', 400, () => `{"state":[${'1'.repeat(1_000_000)}],"questions":{}}`],
    ['a JSON state of too many values', 400, () => ask({ state: list(45_000, () => 1) })],
    ['more text than the model takes', 400, () => ask({ state: 'word '.repeat(200_000) })],
    [
      'instructions that are longer than the model takes',
      400,
      () => ask({ questions: { a: { type: 'noul', instructions: 'word '.repeat(13_000) } } }),
    ],
    ['very many unknown fields', 200, () => ask(map(20_000, () => 1))],
    ['very many questions', 413, () => ask({ questions: map(7000, () => noul) })],
    ['very many options', 400, () => ask({ questions: { a: { type: 'choice', criteria: list(45_000, (i) => `o${i}`) } } })],
    ['very many unknown fields of a question', 400, () => ask({ questions: { a: { ...noul, ...map(20_000, () => 1) } } })],
    ['very many derives', 400, () => ask({ derive: map(20_000, () => 'a + 1') })],
    ['an expression of sixty kilobytes', 400, () => ask({ derive: { d: `a${'+a'.repeat(30_000)}` } })],
    ['very many parts', 400, () => ask({ state: list(9000, () => ({ type: 'image', x: 1 })) })],
    [
      'very many frames',
      413,
      () => ask({ state: [{ type: 'video', frames: list(8000, (i) => ({ source: 'data:image/png;base64,AA', t_ms: i })) }] }),
    ],
    [
      'very many messages',
      413,
      () => JSON.stringify({ input: list(9000, () => ({ role: 'user', content: 'x' })), questions: [] }),
      '/v1/decisions',
    ],
    [
      'very many decisions',
      413,
      () => JSON.stringify({ input: 'x', questions: list(8000, () => ({ type: 'predicate', instructions: 'x' })) }),
      '/v1/decisions',
    ],
    ['very many levels', 400, () => ask({ questions: { a: { type: 'score', criteria: list(45_000, () => null) } } }), '/v1/systemone'],
    ['more than fifty thousand values', 413, () => ask({ state: list(50_000, () => 1) })],
    ['more than a megabyte of text', 413, () => ask({ state: 'word '.repeat(220_000) })],
    ['a state of base64', 413, () => ask({ state: 'QUJD'.repeat(300_000) })],
    ['instructions of base64', 413, () => ask({ questions: { a: { type: 'noul', instructions: 'QUJD'.repeat(20_000) } } })],
    ['a type of base64', 413, () => ask({ questions: { a: { type: 'QUJD'.repeat(2_000_000) } } })],
    ['a model of base64', 413, () => ask({ model: 'QUJD'.repeat(2_000_000) })],
    ['keys that each value carries', 400, () => ask({ state: { ['k'.repeat(10_000)]: list(1000, () => 1) } })],
    [
      'more options than a request takes',
      413,
      () => ask({ questions: map(100, () => ({ type: 'choice', criteria: list(101, (i) => `o${i}`) })) }),
    ],
    ['very many wrong options', 400, () => ask({ questions: map(90, () => ({ type: 'choice', criteria: list(100, () => ({ x: 1 })) })) })],
    ['very many outcomes', 413, () => JSON.stringify({ event: 'evt_x', outcomes: map(100_000, () => true) }), '/v1/outcomes'],
  ])('of %s are said to be %i', async (_what, status, body, path = '/v1/ask') => {
    const response = await running.post(path, null, { body: body() })
    const text = await response.text()
    expect(response.status, text.slice(0, 300)).toBe(status)
    // What is wrong is said, not all of it again.
    expect(text.length).toBeLessThan(20_000)
  })

  it('leave the service as it was', async () => {
    expect(running.service.context.answerer.load).toEqual({ running: 0, waiting: 0 })
    expect((await running.ask(QUESTION)).status).toBe(200)
  })
})
