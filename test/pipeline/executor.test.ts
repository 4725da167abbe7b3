import { describe, expect, it } from 'vitest'
import type { Branch, Prefix } from '../../src/backends/backend.ts'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EngineError } from '../../src/core/errors.ts'
import { runCoroutines } from '../../src/pipeline/executor.ts'
import { free, type QuestionCoroutine, score } from '../../src/questions/shared/coroutine.ts'

const branch = (instructions: string): Branch => ({
  readout: 'binary',
  instructions,
  candidates: [
    { name: 'true', description: null },
    { name: 'false', description: null },
  ],
  image: null,
})

function* asking(...texts: string[]): QuestionCoroutine<number> {
  let mass = 0
  for (const text of texts) mass += (yield* score(branch(text))).rows[0]!.mass
  return mass
}

const running = (...lists: string[][]) => lists.map((texts, i) => ({ param: `/questions/q${i}`, coroutine: asking(...texts) }))

/** A question that reads, whose answer is what was read. */
function reading(text: string): { param: string; coroutine: QuestionCoroutine<unknown> } {
  function* run(): QuestionCoroutine<unknown> {
    const branchToRead: Branch = { readout: 'read', instructions: text, candidates: [], image: null }
    const [reply] = yield [{ type: 'read', branch: branchToRead, constraint: { type: 'grammar', grammar: { type: 'text' }, maxTokens: 9 } }]
    return reply !== undefined && 'text' in reply ? reply.text : reply
  }
  return { param: `/questions/${text}`, coroutine: run() }
}

function prefixOf(scoreAll: (branches: readonly Branch[]) => void): { prefix: Prefix; calls: string[][] } {
  const calls: string[][] = []
  const prefix: Prefix = {
    tokens: 1,
    cachedTokens: 0,
    async score(branches) {
      calls.push(branches.map(({ instructions }) => instructions))
      scoreAll(branches)
      return branches.map(() => ({ rows: [{ logProbabilities: [-1, -1], mass: 0.7 }], inputTokens: 5 }))
    },
    generate: () => Promise.reject(new Error('no reads here')),
    close() {},
  }
  return { prefix, calls }
}

describe('rounds', () => {
  it('send what is wanted at once, and count calls and tokens', async () => {
    const { prefix, calls } = prefixOf(() => {})
    const result = await runCoroutines(prefix, running(['a', 'bb'], ['c'], []), () => {})
    expect(calls).toEqual([['a', 'c'], ['bb']])
    expect(result.results.map(({ passes }) => passes)).toEqual([2, 1, 0])
    expect([result.passes, result.inputTokens, result.outputTokens]).toEqual([2, 15, 0])
  })

  it('blame the questions that are too long alone, from the longest, and try no more than one that passes', async () => {
    const { prefix, calls } = prefixOf((branches) => {
      if (branches.some(({ instructions }) => instructions.length > 4)) throw new EngineError('context_length_exceeded', 'needs 9, takes 4')
    })
    const work = runCoroutines(prefix, running(['a'], ['long 1'], ['bb'], ['long 22'], ['c']), () => {})
    const error = (await work.catch((reason: unknown) => reason)) as EngineError
    expect(error.code).toBe('context_length_exceeded')
    expect(error.problems).toEqual([
      { param: '/questions/q3', message: 'needs 9, takes 4' },
      { param: '/questions/q1', message: 'needs 9, takes 4' },
    ])
    expect(calls.slice(1)).toEqual([['long 22'], ['long 1'], ['bb']])
  })

  it('blame the whole when no question is too long alone', async () => {
    const { prefix } = prefixOf((branches) => {
      if (branches.length > 1) throw new EngineError('context_length_exceeded', 'together 9, takes 4')
    })
    const error = (await runCoroutines(prefix, running(['a'], ['b']), () => {}).catch((reason: unknown) => reason)) as EngineError
    expect([error.param, error.message]).toEqual(['/questions', 'together 9, takes 4'])
  })

  it('stop before the next call when told to', async () => {
    const { prefix, calls } = prefixOf(() => {})
    let left = 1
    const beforeCall = () => {
      if (left-- === 0) throw new EngineError('deadline_exceeded', 'late')
    }
    await expect(runCoroutines(prefix, running(['a', 'b', 'c']), beforeCall)).rejects.toThrow('late')
    expect(calls).toEqual([['a']])
  })

  it('let an engine error of a read through when it is the caller’s to mend, with the pointer', async () => {
    const backend = createFakeBackend({ contextLength: 4 })
    const prefix = await backend.open({ pieces: [] })
    function* reading(): QuestionCoroutine<unknown> {
      const branchToRead: Branch = { readout: 'read', instructions: 'far too many words here', candidates: [], image: null }
      return yield [{ type: 'read', branch: branchToRead, constraint: { type: 'span', many: false, format: 'text' } }]
    }
    const error = (await runCoroutines(prefix, [{ param: '/questions/q', coroutine: reading() }], () => {}).catch(
      (e: unknown) => e,
    )) as EngineError
    expect([error.code, error.param]).toEqual(['context_length_exceeded', '/questions/q'])
  })

  it('begin all reads of a round at once, and give replies in the order of the questions, whichever came first', async () => {
    let begun = 0
    const backend = createFakeBackend({
      read: async ({ instructions }) => {
        begun += 1
        await new Promise((resolve) => setTimeout(resolve, instructions === 'slow' ? 20 : 1))
        // All of them had begun when the first ended.
        expect(begun).toBe(3)
        return { type: 'text', text: instructions, complete: true, logProbability: -1 }
      },
    })
    const result = await runCoroutines(await backend.open({ pieces: [] }), ['slow', 'b', 'c'].map(reading), () => {})
    expect(result.results.map(({ value }) => value)).toEqual(['slow', 'b', 'c'])
    expect([result.passes, result.outputTokens]).toEqual([3, 3])
  })

  it('make a free read once where several questions want the same, and every read that is paid for', async () => {
    let reads = 0
    const backend = createFakeBackend({
      read: ({ instructions }) => {
        reads += 1
        return { type: 'text', text: instructions, complete: true, logProbability: -1 }
      },
    })
    const ask = async (...wanted: { param: string; coroutine: QuestionCoroutine<unknown> }[]) => {
      reads = 0
      return runCoroutines(await backend.open({ pieces: [] }), wanted, () => {})
    }
    const freely = (text: string) => ({ param: `/questions/${text}`, coroutine: free(reading(text).coroutine) })
    const shared = await ask(freely('total'), freely('total'), freely('date'), reading('total'))
    expect(shared.results.map(({ value, passes }) => [value, passes])).toEqual(['total', 'total', 'date', 'total'].map((text) => [text, 1]))
    expect([reads, shared.passes, shared.outputTokens]).toEqual([3, 3, 1])
    await ask(reading('total'), reading('total'))
    expect(reads).toBe(2)
  })

  it('throw the first error in the order of the questions when reads fail at the same time, once all have ended', async () => {
    let ended = 0
    const backend = createFakeBackend({
      read: async ({ instructions }) => {
        await new Promise((resolve) => setTimeout(resolve, instructions === 'first' ? 20 : 1))
        ended += 1
        throw new EngineError('invalid_question', instructions)
      },
    })
    const work = runCoroutines(await backend.open({ pieces: [] }), ['first', 'second'].map(reading), () => {})
    await expect(work).rejects.toMatchObject({ message: 'first', param: '/questions/first' })
    expect(ended).toBe(2)
  })

  it('hand the signal to every call of the model', async () => {
    const { signal } = new AbortController()
    const heard: unknown[] = []
    const prefix: Prefix = {
      tokens: 1,
      cachedTokens: 0,
      async score(branches, given) {
        heard.push(given)
        return branches.map(() => ({ rows: [{ logProbabilities: [-1, -1], mass: 0.7 }], inputTokens: 5 }))
      },
      async generate(_branch, _constraint, given) {
        heard.push(given)
        return { type: 'text', text: 'a', complete: true, logProbability: -1, inputTokens: 1, outputTokens: 1 }
      },
      close() {},
    }
    await runCoroutines<unknown>(prefix, [...running(['a']), reading('b')], () => {}, undefined, signal)
    expect(heard).toEqual([signal, signal])
  })
})
