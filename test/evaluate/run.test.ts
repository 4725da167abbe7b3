// Rows through a function that answers: what becomes a result, a failure, evidence. No engine is needed for that.
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import type { Json } from '../../src/core/types.ts'
import { checkRow, type Row } from '../../src/evaluate/dataset.ts'
import { evidenceOf } from '../../src/evaluate/evidence-of.ts'
import { type AskForRun, type RowResult, type RunSettings, runRow, runRows } from '../../src/evaluate/run.ts'
import { sumUp } from '../../src/evaluate/summary.ts'
import type { Decision } from '../../src/questions/shared/decision.ts'
import type { AskRequest, AskResponse } from '../../src/wire/types.ts'

const probabilities = { a: 0.25, b: 0.75 }
const decision: Decision = {
  readout: 'exclusive',
  hasImage: false,
  candidates: 2,
  wording: 'w'.repeat(16),
  question: 'q'.repeat(16),
  names: ['a', 'b'],
  single: [[Number.NEGATIVE_INFINITY, 0]],
  deliberated: null,
  mass: 0.9,
  tokens: 40,
  features: new Float32Array([1, -2]),
  value: null,
}

function response(answers: AskResponse['answers']): AskResponse {
  const report = { entropy: 0.8, mass: 0.9, deliberated: false, passes: 2, calibration: 'identity' as never }
  const questions = Object.fromEntries(Object.keys(answers).map((id) => [id, report]))
  const calibration = { version: null, applied: 'identity' as const }
  const simo = { engine: 'e', model_revision: 'r', calibration, passes: 2, cached_tokens: 0, timings_ms: {}, questions, warnings: [] }
  return { id: 'evt_1', model: 'm', answers, usage: { input_tokens: 5, output_tokens: 0, cost: 0 }, simo }
}

const answered: AskForRun = async (_, { observe }) => {
  observe?.({ id: 'evt_1', model: 'm', revision: 'r', templateHash: 't', state: '5'.repeat(16), decisions: { tone: decision } })
  const args = { when: { type: 'noul' as const, noul: 0.9 } }
  return response({ tone: { type: 'choice', choice: 'b', probabilities, confidence: 0.75, args } })
}

function settings(ask: AskForRun, more: Partial<RunSettings> = {}): RunSettings {
  let time = 0
  const base = { deliberation: 'never', deadlineMs: 1000, selfCheck: false, keepStates: false } as const
  return { ask, now: () => ++time, ...base, ...more }
}

function row(truth: Record<string, Json>, at = 0): Row {
  const questions = { tone: { type: 'choice', criteria: { a: null, b: null }, args: { when: { type: 'noul' } } } }
  return { ...checkRow({ id: `row ${at}`, state: 'text', questions, truth }, 'x', 'task', '/'), at }
}

describe('a row', () => {
  it('becomes a result with the distribution behind each graded answer', async () => {
    const result = await runRow(row({ tone: 'b' }), settings(answered))
    expect(result).toMatchObject({ id: 'row 0', task: 'task', state: '5'.repeat(16), ms: 1, passes: 2, inputTokens: 5 })
    expect(result.questions).toHaveLength(1)
    expect(result.questions[0]).toMatchObject({ id: 'tone', type: 'choice', said: 'b', right: 1, guess: 0.5, confidence: 0.75, mass: 0.9 })
    expect(result.questions[0]!.logLoss).toBeCloseTo(-Math.log(0.75), 12)
    expect(result.questions[0]!.distribution).toMatchObject({
      names: ['a', 'b'],
      probabilities: [[0.25, 0.75]],
      truth: [1],
      single: [[-100, 0]],
    })
  })

  it('may hold truths of arguments, which are graded when they were asked', async () => {
    const result = await runRow(row({ 'tone/when': true, 'tone/where': 'x' }), settings(answered))
    expect(result.questions.map(({ id, right }) => [id, right])).toEqual([['tone/when', 1]])
  })

  it('may hold truths of arguments that stand inside an option, written as those of any question are', async () => {
    const options = [
      { value: 'a', args: { when: { type: 'extract', kind: 'date' } } },
      { value: 'b', args: { when: { type: 'noul' } } },
    ]
    const truth = { tone: 'b', 'tone/when': { noul: 'yes' } }
    const inside = checkRow({ state: 'text', questions: { tone: { type: 'choice', options } }, truth }, 'x', 'task', '/')
    expect(inside.truth).toEqual({ tone: 'b', 'tone/when': true })
    const result = await runRow({ ...inside, at: 0 }, settings(answered))
    expect(result.questions.map(({ id, kind, right }) => [id, kind, right])).toEqual([
      ['tone', undefined, 1],
      ['tone/when', undefined, 1],
    ])
  })

  it('may ask a question that is called as an inherited field is', async () => {
    const value = { type: 'extract' as const, value: 'x', valid: true, confidence: 0.5 }
    const questions = { constructor: { type: 'extract' } }
    const named = { ...checkRow({ state: 'x', questions, truth: { constructor: 'x' } }, 'x', 'task', '/'), at: 0 }
    const result = await runRow(
      named,
      settings(async () => response(Object.fromEntries([['constructor', value]]))),
    )
    expect(result).toMatchObject({ questions: [{ id: 'constructor', right: 1 }] })
  })

  it('says why a truth could not be graded', async () => {
    const result = await runRow(row({ tone: 'c' }), settings(answered))
    expect(result.questions).toEqual([])
    expect(result.ungraded).toEqual({ tone: 'The truth of "tone" is one of "a", "b"; received "c". Did you mean "a" or "b"?' })
  })

  it('that fails is a result with its error', async () => {
    const late: AskForRun = async () => {
      throw new EngineError('deadline_exceeded', 'too late', { param: '/state' })
    }
    expect(await runRow(row({ tone: 'a' }), settings(late))).toMatchObject({
      questions: [],
      error: { code: 'deadline_exceeded', message: 'too late', param: '/state' },
    })
    const strange: AskForRun = async () => {
      throw new TypeError('oops')
    }
    expect((await runRow(row({ tone: 'a' }), settings(strange))).error).toMatchObject({ code: 'internal_error' })
  })

  it('that is no request is not asked', async () => {
    const never: AskForRun = () => {
      throw new Error('was asked')
    }
    const fault = { ...checkRow({ state: 1 }, 'x', 'task', '/'), at: 0 }
    expect((await runRow(fault, settings(never))).error?.message).toContain('questions')
  })

  it('ends the run when the model is not there', async () => {
    const gone: AskForRun = async () => {
      throw new EngineError('model_not_available', 'gone')
    }
    await expect(runRow(row({ tone: 'a' }), settings(gone))).rejects.toMatchObject({ code: 'model_not_available' })
  })

  it('keeps its state only when asked to', async () => {
    const [bare, kept] = [
      await runRow(row({ tone: 'b' }), settings(answered)),
      await runRow(row({ tone: 'b' }), settings(answered, { keepStates: true })),
    ]
    expect(JSON.stringify(bare)).not.toContain('text')
    expect(kept.kept).toBe('text')
  })

  it('fails alone when its state nests beyond what can be written', async () => {
    const state = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as Json
    const deep = { ...checkRow({ state, questions: {}, truth: {} }, 'x', 'task', '/'), at: 0 }
    const refusing: AskForRun = async () => {
      throw new EngineError('invalid_request', 'too deep')
    }
    const result = await runRow(deep, settings(refusing, { keepStates: true }))
    expect(result.error).toMatchObject({ code: 'invalid_request' })
    expect(JSON.parse(JSON.stringify(result))).toEqual(result)
  })

  it('is evidence of a check of absence when nothing was read', async () => {
    const absence: Decision = { ...decision, readout: 'absence', names: ['true', 'false'], single: [[Math.log(0.6), Math.log(0.4)]] }
    const ask: AskForRun = async (_, { observe }) => {
      observe?.({ id: 'evt_1', model: 'm', revision: 'r', templateHash: 't', state: '5'.repeat(16), decisions: { e: absence } })
      return response({ e: { type: 'extract', value: null, valid: true, confidence: 0.5, check: 0.6 } })
    }
    const questions = { e: { type: 'extract' } }
    const read = { ...checkRow({ state: '', questions, truth: { e: null } }, 'x', 'task', '/'), at: 0 }
    const [evidence] = evidenceOf([await runRow(read, settings(ask, { selfCheck: true }))])
    expect(evidence).toMatchObject({ readout: 'absence', truth: [0], single: [[Math.log(0.6), Math.log(0.4)]] })
  })

  it('is asked with self-checks on its reads, boxes aside, when told so', async () => {
    let asked: AskRequest['questions'] = {}
    const ask: AskForRun = async (request) => {
      asked = request.questions
      return response({})
    }
    const questions = { n: { type: 'noul' }, f: { type: 'fill' }, e: { type: 'extract' }, b: { type: 'extract', kind: 'coordinates' } }
    const read = { ...checkRow({ state: '', questions, truth: {} }, 'x', 'task', '/'), at: 0 }
    await runRow(read, settings(ask, { selfCheck: true }))
    expect(Object.entries(asked).map(([id, question]) => [id, 'self_check' in question])).toEqual([
      ['n', false],
      ['f', true],
      ['e', true],
      ['b', false],
    ])
  })
})

describe('rows', () => {
  async function* rows(count: number): AsyncGenerator<Row> {
    for (let at = 0; at < count; at++) yield row({ tone: at % 3 === 0 ? 'a' : 'b' }, at)
  }

  async function run(parallel: number): Promise<{ readonly results: RowResult[]; readonly most: number }> {
    let [open, most] = [0, 0]
    const slow: AskForRun = async (request, options) => {
      most = Math.max(most, ++open)
      await new Promise((done) => setTimeout(done, (most * 7) % 5))
      open--
      return answered(request, options)
    }
    const results: RowResult[] = []
    await runRows(rows(40), parallel, settings(slow, { now: () => 0 }), async (result) => void results.push(result))
    return { results: results.sort((a, b) => a.at - b.at), most }
  }

  it('give the same results however many are asked at a time', async () => {
    const [one, many] = [await run(1), await run(7)]
    expect([one.most, many.most]).toEqual([1, 7])
    expect(many.results).toEqual(one.results)
  })

  it('stop when their results cannot be kept', async () => {
    let asked = 0
    const ask: AskForRun = (request, options) => {
      asked++
      return answered(request, options)
    }
    const full = runRows(rows(40), 2, settings(ask), async () => {
      throw new Error('disk full')
    })
    await expect(full).rejects.toThrow('disk full')
    expect(asked).toBeLessThan(5)
  })

  it('sum up by type, with what failed beside', async () => {
    const { results } = await run(1)
    const failed: RowResult = { ...results[0]!, questions: [], error: { code: 'invalid_image', message: '' } }
    const summary = sumUp([...results, failed])
    expect(summary).toMatchObject({ rows: 41, failed: 1, failures: { invalid_image: 1 }, graded: 40, ungraded: 0 })
    expect(summary.types.map(({ type, count, guess }) => [type, count, guess])).toEqual([['choice', 40, 0.5]])
    expect(summary.types[0]!.right).toBeCloseTo(26 / 40, 12)
    expect(summary.types[0]!.logLoss).toBeCloseTo((-26 * Math.log(0.75) - 14 * Math.log(0.25)) / 40, 12)
    expect(summary.questions).toEqual([])
  })

  it('sum up by question where there are more of them than types, and not too many', async () => {
    const { results } = await run(1)
    const named = results.map((row, i) => ({
      ...row,
      questions: row.questions.map((one) => ({ ...one, id: i % 2 === 0 ? 'urgent' : 'angry' })),
    }))
    const { questions, types } = sumUp(named)
    expect(questions.map(({ type, count }) => [type, count])).toEqual([
      ['angry (choice)', 20],
      ['urgent (choice)', 20],
    ])
    expect((questions[0]!.right + questions[1]!.right) / 2).toBeCloseTo(types[0]!.right, 12)
    const own = results.map((row, i) => ({ ...row, questions: row.questions.map((one) => ({ ...one, id: `q${i}` })) }))
    expect(sumUp([...own, ...own]).questions).toHaveLength(40)
    expect(sumUp([...own, { ...own[0]!, questions: own[0]!.questions.map((one) => ({ ...one, id: 'one too many' })) }]).questions).toEqual(
      [],
    )
  })

  it('are evidence by their log-probabilities before calibration', async () => {
    const { results } = await run(1)
    const evidence = [...evidenceOf(results.slice(0, 2))]
    expect(evidence).toEqual(
      [0, 1].map((truth) => ({
        task: 'task',
        state: '5'.repeat(16),
        readout: 'exclusive',
        hasImage: false,
        wording: decision.wording,
        question: decision.question,
        single: [[-100, 0]],
        deliberated: null,
        mass: 0.9,
        tokens: 40,
        truth: [truth],
      })),
    )
  })
})
