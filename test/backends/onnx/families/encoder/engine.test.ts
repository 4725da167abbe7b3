// The encoder family behind the engine: JSON is quoted where it stands, values are normalised, uncertain decisions are
// read again, states share passages.
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { Backend, Branch } from '../../../../../src/backends/backend.ts'
import { bytesForLongest } from '../../../../../src/backends/onnx/families/encoder/index.ts'
import { loadOnnxModel } from '../../../../../src/backends/onnx/index.ts'
import { choice, createEngine, extract, fill, noul, score, select } from '../../../../../src/index.ts'
import { readState } from '../../../../shared/read-state.ts'

const SHIPPED = fileURLToPath(new URL('../../../../../models/service-1-pro/texts', import.meta.url))
const MODEL = fileURLToPath(new URL('../../../../golden/encoder/model', import.meta.url))
const load = () => loadOnnxModel(MODEL, { inProcess: true, threads: 1 })

/** The backend with every branch noted that it scores. */
function noting(backend: Backend, seen: Branch[]): Backend {
  return {
    ...backend,
    info: backend.info,
    close: () => backend.close(),
    open: async (prompt, signal) => {
      const prefix = await backend.open(prompt, signal)
      const score = (branches: readonly Branch[], stop?: AbortSignal) => {
        seen.push(...branches)
        return prefix.score(branches, stop)
      }
      return { ...prefix, score }
    },
  }
}

describe('an encoder behind the engine', async () => {
  const backend = await load()
  const seen: Branch[] = []
  const engine = await createEngine({ models: [noting(backend, seen)] })
  afterAll(() => engine.close())

  it('answers every type of question about JSON', async () => {
    const state = {
      order: { id: 4711, placed: '3 May 2024', paid: true, items: [{ name: 'lamp', price: '1.128,50' }] },
      note: 'It arrived broken.',
    }
    const { answers } = await engine.ask({
      state,
      questions: {
        angry: noul('The customer is angry.'),
        topic: choice('What is it about?', ['damage', 'delay']),
        urgency: score('How urgent is it?', ['low', 'medium', 'high']),
        named: select('What is named?', ['lamp', 'tent']),
        day: fill('Day of the order', { kind: 'date' }),
        count: fill('Order number', { kind: 'int' }),
        quote: extract('What is wrong?'),
      },
    })
    expect(answers.day).toMatchObject({ value: '2024-05-03', valid: true })
    expect(answers.count.valid).toBe(true)
    expect([4711, 1, 2024, 3]).toContain(answers.count.parsed)
    if (answers.quote.value !== null) expect(JSON.stringify(state)).toContain(answers.quote.value)
  })

  it('looks again where that is asked for, and pools both looks', async () => {
    const ask = async (deliberation: 'always' | 'never') => {
      seen.length = 0
      const { answers } = await engine.ask({ state: 'The lamp is broken.', questions: { it: noul('It works.') } }, { deliberation })
      return { noul: answers.it.noul, looks: seen.map(({ look }) => look) }
    }
    const [once, twice] = [await ask('never'), await ask('always')]
    expect(once.looks).toEqual([undefined])
    expect(twice.looks).toEqual([undefined, 'second'])
    expect(twice.noul).not.toBe(once.noul)
  })

  // Log-probabilities are those of eight bits; and passes are held above a floor before they are pooled.
  it.each([
    ['never', 3],
    ['always', 1],
  ] as const)('compares two options alike whatever else there is to choose from (second looks: %s)', async (deliberation, digits) => {
    const ask = async (options: readonly string[]) => {
      const questions = { it: choice('What is it?', options) }
      const { answers } = await engine.ask({ state: 'The lamp is broken.', questions }, { deliberation })
      const { damage, delay } = answers.it.probabilities as Record<string, number>
      return Math.log(damage as number) - Math.log(delay as number)
    }
    expect(await ask(['damage', 'delay', 'praise', 'none of these at all'])).toBeCloseTo(await ask(['damage', 'delay']), digits)
  })

  it('takes a described option for what its description says, whatever it is called', async () => {
    const ask = async (options: Readonly<Record<string, string>>) => {
      const questions = { one: choice('What is it?', options), some: select('What is said?', options) }
      const { answers } = await engine.ask({ state: 'The lamp is broken.', questions }, { deliberation: 'always' })
      return { one: answers.one.probabilities as Record<string, number>, some: answers.some.probabilities as Record<string, number> }
    }
    const [named, renamed] = [
      await ask({ damage: 'something is broken', delay: 'it came late' }),
      await ask({ delay: 'something is broken', damage: 'it came late' }),
    ]
    for (const type of ['one', 'some'] as const) {
      expect(renamed[type].delay).toBeCloseTo(named[type].damage as number, 6)
      expect(renamed[type].damage).toBeCloseTo(named[type].delay as number, 6)
    }
  })

  it('shares what an option gets among those that say the same', async () => {
    const ask = async (options: Readonly<Record<string, string>>) => {
      const questions = { it: choice('What is it?', options) }
      const { answers } = await engine.ask({ state: 'The lamp is broken.', questions }, { deliberation: 'never' })
      return answers.it.probabilities as Record<string, number>
    }
    const [alone, twice] = [
      await ask({ damage: 'something is broken', delay: 'it came late' }),
      await ask({ damage: 'something is broken', delay: 'it came late', late: 'it came late' }),
    ]
    expect(twice.late).toBe(twice.delay)
    expect(twice.damage).toBeCloseTo(alone.damage as number, 3)
  })

  it('says that no value is there rather than to invent one', async () => {
    const { answers } = await engine.ask({ state: 'Nothing at all.', questions: { sum: fill('The sum', { kind: 'number' }) } })
    expect(answers.sum).toMatchObject({ value: '', valid: false, error: 'no number was found in the state' })
    expect(answers.sum.confidence).toBeLessThan(0.01)
  })

  it.each([
    ['25/12/2025', { value: '2025-12-25', valid: true }],
    ['12/25/2025', { value: '2025-12-25', valid: true }],
    ['12 May', { value: '', valid: false, error: '"12 May" stands in the state, without a year' }],
    ['03/04/2025', { value: '', valid: false, error: '"03/04/2025" stands in the state, which may be 3 April or 4 March' }],
  ])('reads %s as a day, or says what is missing', async (date, answer) => {
    const { answers } = await engine.ask({ state: `It comes on ${date}.`, questions: { day: fill('When?', { kind: 'date' }) } })
    expect(answers.day).toMatchObject(answer)
  })

  it('reads of a state that has grown what is new alone', async () => {
    const line = (n: number) => `customer: message ${n} says that the order is late and that nobody answers the phone\n`
    const said = Array.from({ length: 8 }, (_, n) => line(n)).join('')
    const open = async (state: string) => backend.open((await readState(state)).prompt)
    const before = await open(said)
    const after = await open(said + line(8))
    expect(after.tokens).toBeGreaterThan(before.tokens)
    expect(after.cachedTokens).toBeGreaterThan(before.tokens * 0.7)
    expect((await open(said)).cachedTokens).toBe(before.tokens)
  })

  it('answers about a part that a question names whatever stands beside it', async () => {
    const part = (n: number, text: string): string => `=== Document ${n} (mail) ===\n\n${text}\n\n`
    const [late, lamp, other] = ['The order is late. ', 'The lamp costs 25 euros. ', 'The tent is torn. '].map((text) => text.repeat(6))
    const questions = {
      said: noul('Document 2: The lamp is cheap.'),
      topic: choice('In document 2, what is named?', ['lamp', 'tent']),
      cost: fill('The price in document 2', { kind: 'int' }),
      quote: extract('Document 2: What costs 25 euros?'),
    }
    const ask = async (first: string) => {
      const state = part(1, first) + part(2, lamp as string) + part(3, first)
      const { answers } = await engine.ask({ state, questions }, { deliberation: 'always' })
      const { said, topic, cost, quote } = answers
      return [said.noul, topic.probabilities, cost.parsed, quote.value]
    }
    expect(await ask(late as string)).toEqual(await ask(other as string))
  })

  it('answers about rows that a question names as if no other had been sent', async () => {
    const head = 'Flights today\n\nno.,to,gate,remark\n'
    const rome = 'BA 7,Rome,3,very late'
    const lyon = 'AF 99,Lyon,12,on time'
    const questions = {
      late: noul('The flight to Rome is late.'),
      gate: fill('Gate of BA 7', { kind: 'int' }),
      remark: choice('What about Rome?', ['late', 'on time']),
      quote: extract('Remark on BA 7'),
    }
    const ask = async (state: string) => {
      const { answers } = await engine.ask({ state, questions }, { deliberation: 'always' })
      const { late, gate, remark, quote } = answers
      if (quote.span) expect(state.slice(quote.span.start, quote.span.end)).toBe(quote.value)
      return [late.noul, gate.parsed, remark.probabilities, quote.value]
    }
    const table = await ask(`${head}LH 12,Oslo,14,boarding\n${rome}\n${lyon}`)
    expect(await ask(`${head}${lyon}\nLX 5,Bern,1,cancelled\n${rome}\nLO 4,Kiel,2,early`)).toEqual(table)
    const late = async (state: string) => (await engine.ask({ state, questions: { late: noul('BA 7 is late.') } })).answers.late.noul
    expect(await late(`${head}${rome}\n${lyon}`)).toBe(await late('Flights today\n\nno.: BA 7\nto: Rome\ngate: 3\nremark: very late'))
  })

  it('asks about each row by itself whether it is one of a selection of rows, for the tokens of one question', async () => {
    const state = {
      hosts: [
        { id: 'web-1', cpu: 97 },
        { id: 'web-2', cpu: 3 },
        { id: 'db-1', cpu: 40 },
      ],
    }
    const hot = { type: 'select', instructions: 'Which hosts are busy?', options: ['db-1', 'web-1', 'web-2'] } as const
    const { answers, usage } = await engine.ask({ state, questions: { hot } })
    for (const host of state.hosts) {
      const alone = await engine.ask({ state: { hosts: [host] }, questions: { busy: noul(hot.instructions) } })
      expect(answers.hot.probabilities[host.id as 'db-1']).toBe(alone.answers.busy.noul)
    }
    const whole = await engine.ask({ state, questions: { hot: { ...hot, options: ['db-1', 'web-1', 'web-9'] } } })
    expect(usage.input_tokens).toBe(whole.usage.input_tokens)
  })

  it('has room for the passages of the longest state, and for some of a longer one', async () => {
    const config = {
      contextLength: 200,
      passagePieces: 30,
      places: 64,
      shape: { width: 24, layers: 2 },
      worksOut: false,
      weighsNothing: false,
    }
    const needed = bytesForLongest(config) * 0.75
    // A piece has a vector, and a key and a value in each layer and of the evidence.
    expect(needed).toBeGreaterThan(214 * 24 * (3 + 2 * 2) * 4)
    expect(needed).toBeLessThan(2 * 214 * 24 * (3 + 2 * 2) * 4)
  })

  it('keeps whole states beside their passages, within the bytes it was given', async () => {
    const little = await loadOnnxModel(MODEL, { inProcess: true, threads: 1, cacheBytes: 1_000_000 })
    const open = async (n: number) => little.open((await readState(`Order ${n} is late. `.repeat(30))).prompt)
    for (let n = 0; n < 60; n++) {
      await open(n)
      expect((await open(n)).cachedTokens).toBeGreaterThan(0)
      const { bytes, limitBytes } = little.caches!().states
      expect([limitBytes, bytes <= limitBytes]).toEqual([1_000_000, true])
    }
    // The first of them left with its passages, some of which are alike.
    const first = await open(0)
    expect(first.cachedTokens).toBeLessThan(first.tokens)
    const { hits, misses } = little.caches!().states
    expect(hits).toBeGreaterThanOrEqual(60)
    expect(misses).toBeGreaterThanOrEqual(60)
    await little.close()
  })

  it('keeps a state that has many passages, which count once', async () => {
    // What a passage of 192 pieces takes. In a quarter of the cache a state has two views of up to eight passages.
    const passageBytes = 192 * 384 * (3 + 2 * 6) * Float32Array.BYTES_PER_ELEMENT
    const shipped = await loadOnnxModel(SHIPPED, { inProcess: true, cacheBytes: 4 * 17 * passageBytes })
    const text = Array.from({ length: 160 }, (_, line) => `Line ${line} says that the order is late now.\n`).join('')
    const open = async () => shipped.open((await readState(text)).prompt)
    await open()
    const { hits, bytes } = shipped.caches!().states
    expect(bytes).toBeGreaterThan(17 * passageBytes)
    const { tokens, cachedTokens } = await open()
    expect(cachedTokens).toBe(tokens)
    // The state itself was kept; else each of its passages had been a hit.
    expect(shipped.caches!().states.hits).toBe(hits + 1)
    await shipped.close()
  })

  it('counts the text of a state that it keeps, however few pieces that has', async () => {
    const units = 1_000
    const { bytes: before } = backend.caches!().states
    await backend.open((await readState(`lamp${'\u200b'.repeat(units)}`)).prompt)
    expect(backend.caches!().states.bytes - before).toBeGreaterThan(8 * units)
  })
})
