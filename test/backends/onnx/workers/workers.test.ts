// Model workers: how calls are heard and given up across threads, and how a pool of copies shares requests.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Backend, Branch } from '../../../../src/backends/backend.ts'
import { createFakeBackend, type FakeCall } from '../../../../src/backends/fake/index.ts'
import { loadOnnxModel, verifyOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { threadsOf } from '../../../../src/backends/onnx/options.ts'
import { makePool } from '../../../../src/backends/onnx/workers/pool.ts'
import { startWorker } from '../../../../src/backends/onnx/workers/proxy.ts'
import { superviseBackend } from '../../../../src/backends/onnx/workers/supervisor.ts'
import type { Prompt } from '../../../../src/core/types.ts'
import { picture, textPrompt } from '../../../contract/backend-suite.ts'
import { readState } from '../../../shared/read-state.ts'

const MODEL = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))
const ENCODER = fileURLToPath(new URL('../../../golden/encoder/model', import.meta.url))
const isBuilt = existsSync(new URL('../../../../dist/backends/onnx/workers/worker.js', import.meta.url))
const isRed = (about = 'The lamp'): Branch => ({
  readout: 'binary',
  instructions: `${about} is red.`,
  candidates: ['true', 'false'].map((name) => ({ name, description: null })),
  image: null,
})

describe.skipIf(!isBuilt)('a model worker (needs `npm run build`)', () => {
  const words = (count: number): Prompt => textPrompt(Array.from({ length: count }, (_, i) => `lamp ${i % 9}`).join(' '))

  it('reads a JSON state as it is read on the calling thread', async () => {
    const { prompt } = await readState({ lamp: { colour: 'red', sold: [1, 2] } })
    const read = async (inProcess: boolean) => {
      const backend = await loadOnnxModel(ENCODER, { inProcess, threads: 1 })
      const { tokens, score } = await backend.open(prompt)
      const [scores] = await score([isRed()])
      await backend.close()
      return { tokens, rows: scores!.rows }
    }
    expect(await read(false)).toEqual(await read(true))
  })

  it('answers a small request while it works on a large one', async () => {
    const backend = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain' })
    const [large, small] = [await backend.open(words(120)), await backend.open(words(2))]
    const order: string[] = []
    const many = large
      .score(Array.from({ length: 120 }, (_, i) => isRed(`Lamp ${i} of this long line of lamps`)))
      .then(() => order.push('large'))
    const few = small.score([isRed()]).then(() => order.push('small'))
    await Promise.all([many, few])
    expect(order).toEqual(['small', 'large'])
    await backend.close()
  })

  it('answers a small request between the chunks of a long state', async () => {
    const backend = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain' })
    const small = await backend.open(words(2))
    const order: string[] = []
    const long = backend.open(words(160)).then(() => order.push('long'))
    const few = small.score([isRed()]).then(() => order.push('small'))
    await Promise.all([long, few])
    expect(order).toEqual(['small', 'long'])
    await backend.close()
  })

  it('stops what is given up, says so with the reason, and answers others as before', async () => {
    const backend = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain' })
    const [first, second] = [await backend.open(words(120)), await backend.open(words(119))]
    const branches = Array.from({ length: 150 }, (_, i) => isRed(`Lamp ${i} of this long line of lamps`))
    const leaving = new AbortController()
    const gone = new Error('the client has gone')
    const order: unknown[] = []
    const stays = first.score(branches).then(() => order.push('stays'))
    // It takes turns with the other, so it would come to its end after it.
    const given = second.score(branches, leaving.signal).then(
      () => order.push('was not stopped'),
      (error: unknown) => order.push(error),
    )
    setTimeout(() => leaving.abort(gone), 5)
    await Promise.all([stays, given])
    expect(order).toEqual([gone, 'stays'])
    expect(await second.score([isRed()])).toHaveLength(1)
    await backend.close()
  })

  it('holds no state for a request that left while it was being read', async () => {
    const backend = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain', cacheBytes: 0 })
    for (let i = 0; i < 20; i++) {
      const leaving = new AbortController()
      const opening = backend.open(words(100 + i), leaving.signal).then(
        (prefix) => prefix.close(),
        (error: unknown) => expect(error).toBe(leaving.signal.reason),
      )
      setTimeout(() => leaving.abort(new Error('gone')), i % 7)
      await opening
    }
    expect((await (await backend.open(words(3))).score([isRed()]))[0]?.rows).toHaveLength(1)
    await backend.close()
  })

  it('sees large pictures as the calling thread does, and leaves them to whoever sent them', async () => {
    const options = { threads: 1, scoring: 'plain', pictures: { longestEdge: 64, split: false } } as const
    const [there, here] = [await loadOnnxModel(MODEL, options), await loadOnnxModel(MODEL, { ...options, inProcess: true })]
    const large = picture(1000, 800)
    const before = Uint8Array.from(large.data)
    const prompt: Prompt = { pieces: [{ type: 'image', id: 'image_1', picture: large }, ...textPrompt('What is it?').pieces] }
    const answers = await Promise.all([there, there, here].map(async (backend) => (await backend.open(prompt)).score([isRed()])))
    expect(answers[0]).toEqual(answers[2])
    expect(answers[1]).toEqual(answers[2])
    expect(large.data).toEqual(before)
    await Promise.all([there.close(), here.close()])
  })

  it('refuses what cannot be sent to it, and closes as ever', async () => {
    const unhandled: unknown[] = []
    const onUnhandled = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', onUnhandled)
    const backend = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain' })
    const parts: Prompt['parts'] = [{ type: 'json', index: 0, value: new Proxy({}, {}) }]
    await expect(backend.open({ ...words(2), parts })).rejects.toThrow('could not be cloned')
    await backend.close()
    // Unhandled rejections are told after the turn in which nobody took them.
    await new Promise((resolve) => setTimeout(resolve))
    process.off('unhandledRejection', onUnhandled)
    expect(unhandled).toEqual([])
  })

  it('says what its caches did', async () => {
    const backend = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain' })
    await backend.open(words(3))
    await backend.open(words(3))
    expect(backend.caches?.().states).toMatchObject({ hits: 1, misses: 1 })
    await backend.close()
  })

  it('comes in copies that answer alike, and close together', async () => {
    const one = await loadOnnxModel(MODEL, { threads: 1, scoring: 'plain' })
    const pool = await loadOnnxModel(MODEL, { threads: 1, workers: 2, scoring: 'plain' })
    expect(pool.info).toEqual(one.info)
    const expected = await (await one.open(words(9))).score([isRed()])
    const answers = await Promise.all([3, 4, 9, 9].map(async (count) => (await pool.open(words(count))).score([isRed()])))
    expect(answers[2]).toEqual(expected)
    expect(answers[3]).toEqual(expected)
    expect(pool.caches?.().states).toMatchObject({ hits: 1, misses: 3 })
    await Promise.all([one.close(), pool.close()])
  })
})

describe('workers', () => {
  it.each([0, 1.5, 65, Number.NaN])('are refused as %d', async (workers) => {
    await expect(loadOnnxModel(MODEL, { workers })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it.each([0, -1, 1.5, Number.NaN])('are refused with %d threads each', async (threads) => {
    for (const work of [loadOnnxModel(MODEL, { threads, inProcess: true }), verifyOnnxModel(MODEL, { model: { threads } })]) {
      await expect(work).rejects.toMatchObject({
        code: 'invalid_request',
        message: `threads is a whole number from 1 on; received ${threads}`,
      })
    }
  })

  it('on the calling thread are one', async () => {
    await expect(loadOnnxModel(MODEL, { workers: 2, inProcess: true })).rejects.toThrow('1 with inProcess')
  })

  it('share the cores, with a thread each at least and two at most', () => {
    expect(threadsOf({ workers: 1000 })).toBe(1)
    expect(threadsOf({})).toBeLessThanOrEqual(2)
    expect(threadsOf({ workers: 1000, threads: 3 })).toBe(3)
  })
})

describe('a pool', () => {
  /** Which copies were asked to open something, in order. */
  function pooled(count: number) {
    const fakes = Array.from({ length: count }, () => createFakeBackend())
    const pool = makePool(fakes as unknown as [Backend, ...Backend[]])
    const opens = () => fakes.map(({ calls }) => calls.filter((call: FakeCall) => call.type === 'open').length)
    return { pool, opens }
  }

  it('gives a request to the copy with the fewest, and forgets those that have ended', async () => {
    const { pool, opens } = pooled(3)
    const prefixes = await Promise.all(['a', 'b', 'c', 'd'].map((text) => pool.open(textPrompt(text))))
    expect(opens()).toEqual([2, 1, 1])
    prefixes[1]?.close()
    prefixes[1]?.close()
    await pool.open(textPrompt('e'))
    expect(opens()).toEqual([2, 2, 1])
  })

  it('gives a state that comes again to the copy that holds it, however busy that is', async () => {
    const { pool, opens } = pooled(2)
    for (let i = 0; i < 8; i++) await pool.open(textPrompt('the same'))
    expect(opens()).toEqual([8, 0])
  })

  it('gives a state that goes on, and pictures that come again, to the copy that holds them, unless that has too much to do', async () => {
    const { pool, opens } = pooled(2)
    const long = 'a lamp. '.repeat(400)
    const busy = await pool.open(textPrompt('something else'))
    await (await pool.open(textPrompt(long))).close()
    busy.close()
    await (await pool.open(textPrompt(`${long} And on it goes.`))).close()
    expect(opens()).toEqual([1, 2])
    const seen: Prompt = { pieces: [{ type: 'image', id: 'image_1', picture: picture(20, 20) }, ...textPrompt(long).pieces] }
    await pool.open(seen)
    for (let i = 0; i < 6; i++) await pool.open({ pieces: [...seen.pieces, ...textPrompt(`${i}`).pieces] })
    const [one = 0, two = 0] = opens()
    expect(Math.abs(one - two)).toBeLessThanOrEqual(3)
    expect(Math.min(one, two)).toBeGreaterThanOrEqual(3)
  })

  it('counts a request that could not be opened as ended', async () => {
    const { pool, opens } = pooled(2)
    for (let i = 0; i < 5; i++) await pool.open(textPrompt(`${'w '.repeat(5000)}${i}`)).catch(() => {})
    await pool.open(textPrompt('a'))
    expect(opens()).toEqual([6, 0])
  })
})

describe('a model that outlives its worker', () => {
  /** Says that it is loaded, opens what it is given, and ends with an error at the word `break`. */
  const worker = (revision: string) =>
    new URL(
      `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      const say = (id, value) => parentPort.postMessage({ id, caches: null, value })
      parentPort.on('message', ({ id, type, prompt }) => {
        if (prompt?.pieces[0].text === 'break') throw new Error('broken')
        say(id, type === 'open' ? { prefix: 1, tokens: 1, cachedTokens: 0 } : null)
        if (type === 'close') parentPort.close()
      })
      say(0, { id: 'tiny', revision: '${revision}', templateHash: '' })`)}`,
    )

  it('is started again once with the requests that come after, in a pool too', async () => {
    let starts = 0
    const start = () => {
      starts += 1
      return startWorker(worker('1'), '', {})
    }
    const pool = makePool([await superviseBackend(start), await superviseBackend(start)])
    await expect(pool.open(textPrompt('break'))).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.stringContaining('ask again'),
    })
    const opened = await Promise.all(['a', 'b', 'c', 'd'].map((text) => pool.open(textPrompt(text))))
    expect(opened.map(({ tokens }) => tokens)).toEqual([1, 1, 1, 1])
    expect(starts).toBe(3)
    await pool.close()
    await expect(pool.open(textPrompt('a'))).rejects.toMatchObject({ code: 'model_not_available' })
    expect(starts).toBe(3)
  })

  it('is done without where another copy lives', async () => {
    let revision = '1'
    const start = () => startWorker(worker(revision), '', {})
    const pool = makePool([await superviseBackend(start), await superviseBackend(start)])
    await expect(pool.open(textPrompt('break'))).rejects.toMatchObject({ code: 'internal_error' })
    revision = '2'
    for (const text of ['a', 'b', 'a']) expect(await pool.open(textPrompt(text))).toMatchObject({ tokens: 1 })
    await expect(pool.open(textPrompt('break'))).rejects.toMatchObject({ code: 'internal_error' })
    await expect(pool.open(textPrompt('c'))).rejects.toMatchObject({ code: 'model_not_available' })
    await pool.close()
  })

  it('is refused when its files are others by then', async () => {
    const revisions = ['1', '2', '1']
    const model = await superviseBackend(() => startWorker(worker(revisions.shift() as string), '', {}))
    await expect(model.open(textPrompt('break'))).rejects.toMatchObject({ code: 'internal_error' })
    await expect(model.open(textPrompt('a'))).rejects.toMatchObject({ code: 'model_not_available' })
    expect(await model.open(textPrompt('a'))).toMatchObject({ tokens: 1 })
    await model.close()
  })
})
