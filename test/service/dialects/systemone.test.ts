import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Branch } from '../../../src/backends/backend.ts'
import { systemone } from '../../../src/service/dialects/systemone.ts'
import { systemoneBody } from './bodies.ts'
import { through } from './through.ts'

const STATE = 'I was charged twice. Please help.'

/** The candidates a score was put to the model as. */
async function levelsOf(criteria: readonly unknown[]): Promise<Branch['candidates']> {
  const { ask, backend } = await through(systemone)
  await ask({ state: STATE, questions: { scale: { type: 'score', instructions: null, criteria } } })
  const call = backend.calls.find((made) => made.type === 'score')
  return call?.type === 'score' ? call.branches[0]!.candidates : []
}

describe('the System One wire', () => {
  it('takes what its clients send for absent: null instructions, criteria and descriptions', async () => {
    const { ask } = await through(systemone)
    const { answers } = await ask({
      state: STATE,
      model: 'service-1-pro',
      questions: {
        billing: { type: 'noul', instructions: null, criteria: null },
        half: { type: 'noul', instructions: 'Is it about money?', criteria: { true: { any: 'JSON' }, false: null } },
        next: { type: 'choice', instructions: { ask: 'what next' }, criteria: { refund: null, escalate: ['to', 'a', 'person'] } },
      },
    })
    expect(answers.billing).toEqual({ type: 'noul', noul: expect.any(Number) })
    expect(answers.half.noul).toBeGreaterThan(0)
    expect(Object.keys(answers.next.probabilities)).toEqual(['refund', 'escalate'])
  })

  it('gives each level of a score back as it was sent', async () => {
    const criteria = ['calm', null, { tone: 'cross', examples: ['!'] }, ['very', 'angry'], { label: 'furious', description: null }, '']
    const { ask } = await through(systemone)
    const { answers } = await ask({ state: STATE, questions: { tone: { type: 'score', criteria } } })
    expect(answers.tone.legend).toEqual(Object.fromEntries(criteria.map((level, i) => [String(i), level])))
    expect(Object.keys(answers.tone.probabilities)).toEqual(['0', '1', '2', '3', '4', '5'])
  })

  it('labels levels without words by their place, as that wire counts', async () => {
    expect(await levelsOf(['calm', null, ' ', {}])).toEqual([
      { name: 'calm', description: null },
      { name: '1', description: null },
      { name: '2', description: null },
      { name: '3', description: '{}' },
    ])
  })

  it('shows levels of JSON as words', async () => {
    const criteria = [{ tone: 'calm', signs: ['thanks', 2] }, ['cross', { to: null }], { a: { b: true } }]
    const names = (await levelsOf(criteria)).map(({ name }) => name)
    expect(names).toEqual(['tone: calm; signs: thanks, 2', 'cross, (to: null)', 'a: (b: true)'])
    const long = { rule: 'very long '.repeat(100) }
    expect(await levelsOf([long, 'short'])).toEqual([
      { name: '0', description: JSON.stringify(long) },
      { name: 'short', description: null },
    ])
  })

  it('honours a level with a label and a description as one of our own', async () => {
    expect(await levelsOf([{ label: 'calm', description: 'no exclamation marks' }, { label: 'angry' }])).toEqual([
      { name: 'calm', description: 'no exclamation marks' },
      { name: 'angry', description: null },
    ])
  })

  it('takes the same description twice, since places tell levels apart', async () => {
    const { ask } = await through(systemone)
    const { answers } = await ask({ state: STATE, questions: { q: { type: 'score', criteria: ['same', 'same', null, '3', '2'] } } })
    expect(answers.q.legend).toEqual({ 0: 'same', 1: 'same', 2: null, 3: '3', 4: '2' })
    expect(await levelsOf(['same', 'same', null, '3', '2'])).toEqual([
      { name: 'same', description: null },
      { name: '1', description: 'same' },
      { name: 'level 2', description: null },
      { name: '3', description: null },
      { name: '2', description: null },
    ])
  })

  it('reads a state of null as nothing', async () => {
    const { ask } = await through(systemone)
    const { answers } = await ask({ state: null, questions: { any: { type: 'noul' } } })
    expect(answers.any.noul).toBeGreaterThan(0)
  })

  it('gives back the levels of arguments, those of the chosen option and those of all', async () => {
    const { ask } = await through(systemone, { score: ({ candidates }) => (candidates[1]?.name === 'refund' ? [[0, 9]] : null) })
    const { answers } = await ask({
      state: STATE,
      questions: {
        next: {
          type: 'choice',
          options: [
            { value: 'wait', args: { sure: { type: 'score', criteria: [null, null] } } },
            { value: 'refund', args: { sure: { type: 'score', criteria: [{ no: 1 }, null] } } },
          ],
          args: { haste: { type: 'score', criteria: [null, 'some', ['much']] } },
        },
      },
    })
    expect(answers.next.choice).toBe('refund')
    expect(answers.next.args.sure.legend).toEqual({ 0: { no: 1 }, 1: null })
    expect(answers.next.args.haste.legend).toEqual({ 0: null, 1: 'some', 2: ['much'] })
  })

  it('answers the whole of our own wire besides', async () => {
    const { ask } = await through(systemone)
    const { answers, simo } = await ask({
      state: STATE,
      temperature: 0,
      questions: {
        topics: { type: 'select', criteria: ['billing', 'praise'] },
        amount: { type: 'fill', kind: 'int' },
        words: { type: 'extract', many: true },
        scale: { type: 'score', criteria: [null, 'high'] },
      },
      derive: { worst: "p(scale, 'high') * scale" },
    })
    expect(Object.keys(answers)).toEqual(['topics', 'amount', 'words', 'scale', 'worst'])
    expect(answers.worst.valid).toBe(true)
    expect(simo.warnings.join()).toContain('"temperature"')
  })

  it('points at the level as sent, not at the label and description it was given', async () => {
    let deep: unknown = 'end'
    for (let i = 0; i < 40; i++) deep = [deep]
    const { fault } = await through(systemone)
    const error = await fault({ state: STATE, questions: { q: { type: 'score', criteria: ['a', deep, 7] } } })
    expect(error.problems.map(({ param }) => param)).toEqual(['/questions/q/criteria/1', '/questions/q/criteria/2'])
    const labelled = await fault({ state: STATE, questions: { q: { type: 'score', criteria: ['a', { label: 'b', description: deep }] } } })
    expect(labelled.param).toBe('/questions/q/criteria/1/description')
  })

  it('leaves what is far too much for the engine to refuse', async () => {
    const { fault } = await through(systemone)
    const levels = Array.from({ length: 5000 }, () => null)
    const long = await fault({ state: STATE, questions: { q: { type: 'score', criteria: levels } } })
    expect([long.code, long.param]).toEqual(['invalid_question', '/questions/q/criteria'])
    const questions = Object.fromEntries(levels.map((_, i) => [`q${i}`, { type: 'noul' }]))
    expect((await fault({ state: STATE, questions })).code).toBe('too_many_questions')
  })

  it('refuses more arguments than anyone could be answered about before it makes anything of them', async () => {
    const { fault } = await through(systemone)
    const args = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`a${i}`, { type: 'score', criteria: [7, 7] }]))
    const options = ['a', 'b', 'c', 'd', 'e'].map((value) => ({ value, args }))
    const error = await fault({ state: STATE, questions: { q: { type: 'choice', options } } })
    expect([error.code, error.param, error.problems.length]).toEqual(['too_many_questions', '/questions', 1])
  })

  it('makes nothing of a question with more fields than any has', async () => {
    const { fault } = await through(systemone)
    const fields = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, i]))
    const wide = { type: 'score', criteria: ['low', 'high'], ...fields }
    const body = { state: STATE, questions: { wide, q: { type: 'choice', options: [{ value: 'a', args: {}, ...fields }, 'b'] } } }
    const { questions } = systemone.translate(body).request as typeof body
    expect(questions.wide).toBe(wide)
    expect(questions.q.options[0]).toBe(body.questions.q.options[0])
    expect((await fault(body)).code).toBe('invalid_question')
  })

  it('sends the request id where its clients look for it', () => {
    expect(systemone.headers?.('evt_1')).toEqual({ 'x-typesafe-request-id': 'evt_1' })
  })

  it('gives every name back as it is, prototype names too', async () => {
    const { ask } = await through(systemone)
    const body = JSON.parse(
      '{"state":"x","questions":{"__proto__":{"type":"score","criteria":[null,null]},"constructor":{"type":"choice","criteria":{"__proto__":null,"toString":null}}}}',
    )
    const { answers } = await ask(body)
    expect(Object.keys(answers).sort()).toEqual(['__proto__', 'constructor'])
    expect(Object.getOwnPropertyDescriptor(answers, '__proto__')?.value.legend).toEqual({ 0: null, 1: null })
  })

  it('refuses whatever else comes with an EngineError, and answers the rest', async () => {
    const { ask } = await through(systemone)
    let answered = 0
    await fc.assert(
      fc.asyncProperty(systemoneBody, async (body) => {
        const said = await ask(body).catch((error: Error) => error)
        if (said instanceof Error) {
          expect(said.name).toBe('EngineError')
          return
        }
        answered++
        const { questions } = body as { questions: object }
        expect(Object.keys(said.answers).sort()).toEqual(Object.keys(questions).sort())
      }),
      { seed: 5, numRuns: 500 },
    )
    expect(answered).toBeGreaterThan(20)
  })
})
