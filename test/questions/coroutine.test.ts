import { describe, expect, it } from 'vitest'
import type { Branch, Scores } from '../../src/backends/backend.ts'
import { all, type QuestionCoroutine, score } from '../../src/questions/shared/coroutine.ts'

const branch = (instructions: string): Branch => ({ readout: 'binary', instructions, candidates: [], image: null })
const reply = (inputTokens: number): Scores => ({ rows: [], inputTokens })

/** Asks `rounds` times, one branch each, and answers with the tokens it was told. */
function* asking(name: string, rounds: number): QuestionCoroutine<string> {
  let told = ''
  for (let i = 0; i < rounds; i++) told += (yield* score(branch(`${name}${i}`))).inputTokens
  return `${name}:${told}`
}

describe('inquiries side by side', () => {
  it('share their rounds, and each gets its own replies', () => {
    const coroutine = all([asking('a', 2), asking('b', 0), asking('c', 3)])
    const seen: string[][] = []
    let step = coroutine.next(undefined as never)
    let tokens = 0
    while (!step.done) {
      seen.push(step.value.map(({ branch: { instructions } }) => instructions))
      step = coroutine.next(step.value.map(() => reply(++tokens)))
    }
    expect(seen).toEqual([['a0', 'c0'], ['a1', 'c1'], ['c2']])
    expect(step.value).toEqual(['a:13', 'b:', 'c:245'])
  })

  it('are done at once when there are none', () => {
    expect(all([]).next(undefined as never)).toEqual({ done: true, value: [] })
  })
})
