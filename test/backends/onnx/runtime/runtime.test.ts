// The parts of the ONNX backend that know no model: cache, folder layout, the wire between threads, and the worker
// itself.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend, Branch } from '../../../../src/backends/backend.ts'
import { ByteCache } from '../../../../src/backends/onnx/caching/byte-cache.ts'
import { normaliseGrid, tileGrid, tilePicture } from '../../../../src/backends/onnx/images/tiles.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { findGraph, hashFiles, openFolder, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { fromWire, toWire } from '../../../../src/backends/onnx/workers/protocol.ts'
import { EngineError } from '../../../../src/core/errors.ts'
import type { Prompt } from '../../../../src/core/types.ts'

const MODEL = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))
const DIST = fileURLToPath(new URL('../../../../dist/backends/onnx', import.meta.url))
const prompt: Prompt = { pieces: [{ type: 'text', text: 'The lamp is red.', source: { part: 0, path: null } }] }
const isRed: Branch = {
  readout: 'binary',
  instructions: 'The lamp is red.',
  candidates: [
    { name: 'true', description: null },
    { name: 'false', description: null },
  ],
  image: null,
}

async function refusal(work: Promise<unknown>): Promise<EngineError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

describe('ByteCache', () => {
  it('drops what was used longest ago', () => {
    const cache = new ByteCache<string>(10)
    cache.set('a', 'A', 4)
    cache.set('b', 'B', 4)
    expect(cache.get('a')).toBe('A')
    cache.set('c', 'C', 4)
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.bytes]).toEqual(['A', undefined, 'C', 8])
  })

  it('does not keep what is larger than all of it, and forgets the old value of that key', () => {
    const cache = new ByteCache<string>(10)
    cache.set('a', 'A', 4)
    cache.set('a', 'AA', 11)
    expect([cache.get('a'), cache.bytes]).toEqual([undefined, 0])
  })

  it('never holds more than its limit, whatever is put in', () => {
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(15))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const cache = new ByteCache<number>(20)
        for (const [key, bytes] of steps) {
          cache.set(key, bytes, bytes)
          expect(cache.bytes).toBeLessThanOrEqual(20)
          expect(cache.get(key)).toBe(bytes)
        }
        const held = ['a', 'b', 'c', 'd'].reduce((sum, key) => sum + (cache.get(key) ?? 0), 0)
        expect(cache.bytes).toBe(held)
      }),
      { seed: 1 },
    )
  })
})

describe('tileGrid', () => {
  const rule = { longestEdge: 512, tileSize: 128, split: true, upscale: false }

  it('keeps small pictures as one tile when nothing is enlarged', () => {
    expect(tileGrid({ width: 128, height: 90 }, rule)).toEqual({ rows: 0, cols: 0, count: 1 })
    expect(tileGrid({ width: 128, height: 90 }, { ...rule, upscale: true })).toEqual({ rows: 3, cols: 4, count: 13 })
  })

  it('does not enlarge the longest side before the cut', () => {
    expect(tileGrid({ width: 200, height: 100 }, rule)).toEqual({ rows: 1, cols: 2, count: 3 })
    expect(tileGrid({ width: 2000, height: 1000 }, rule)).toEqual({ rows: 2, cols: 4, count: 9 })
  })

  it('promises what tilePicture makes, for any size', async () => {
    const side = fc.integer({ min: 1, max: 90 })
    const small = { longestEdge: 48, tileSize: 16 }
    await fc.assert(
      fc.asyncProperty(side, side, fc.boolean(), fc.boolean(), async (width, height, split, upscale) => {
        const data = new Uint8Array(width * height * 3).fill(77)
        const { rows, cols, tiles } = await tilePicture({ width, height, data, sha256: '' }, { ...small, split, upscale })
        expect({ rows, cols, count: tiles.length }).toEqual(tileGrid({ width, height }, { ...small, split, upscale }))
        // A flat picture stays flat: weights of every position sum to one.
        for (const tile of tiles) expect(tile.length === 16 * 16 * 3 && tile.every((level) => level === 77)).toBe(true)
      }),
      { seed: 2, numRuns: 60 },
    )
  })

  it('puts levels on -1 to 1, channels first', () => {
    const values = normaliseGrid([Uint8Array.of(0, 51, 255)], 1, 1)
    expect(Array.from(values, (v) => Math.round(v * 1e6) / 1e6)).toEqual([-1, -0.6, 1])
    expect(() => normaliseGrid([new Uint8Array(5)], 1, 1)).toThrow('5 bytes, 3 expected')
  })
})

describe('a model folder', () => {
  let copy: string
  beforeAll(async () => {
    copy = join(await mkdtemp(join(tmpdir(), 'assay-')), 'tiny')
    await cp(MODEL, copy, { recursive: true })
    return () => rm(copy, { recursive: true })
  })

  it('that is not there is refused by its name, not its path', async () => {
    const { code, message } = await refusal(openFolder(join(copy, 'nowhere')))
    expect(code).toBe('model_not_found')
    expect(message).toContain("'nowhere'")
    expect(message).not.toContain(copy)
  })

  it('without a file says which one and what to do', async () => {
    await rename(join(copy, 'tokenizer.json'), join(copy, 'away'))
    const { code, message } = await refusal(loadOnnxModel(copy, { inProcess: true }))
    await rename(join(copy, 'away'), join(copy, 'tokenizer.json'))
    expect(code).toBe('model_not_available')
    expect(message).toBe("the model folder 'tiny' has no tokenizer.json; download the whole repository")
  })

  it('without the dtype that was asked for says which there are', async () => {
    const { message } = await refusal(loadOnnxModel(copy, { inProcess: true, dtype: 'q4' }))
    expect(message).toContain('onnx/vision_encoder_q4.onnx')
    expect(message).toContain('there is fp32')
  })

  it('of an unknown type says which types are known', async () => {
    const config = await readFile(join(copy, 'config.json'), 'utf8')
    await writeFile(join(copy, 'config.json'), config.replace('"model_type": "idefics3"', '"model_type": "constructor"'))
    const { message } = await refusal(loadOnnxModel(copy, { inProcess: true }))
    await writeFile(join(copy, 'config.json'), config)
    expect(message).toMatch(/'constructor' are not supported; supported: .*idefics3/)
  })

  it('of SmolVLM2 is one of this family', async () => {
    const config = await readFile(join(copy, 'config.json'), 'utf8')
    await writeFile(join(copy, 'config.json'), config.replace('"model_type": "idefics3"', '"model_type": "smolvlm"'))
    const backend = await loadOnnxModel(copy, { inProcess: true, id: 'smol' })
    await writeFile(join(copy, 'config.json'), config)
    expect(backend.info).toMatchObject({ id: 'smol', contextLength: 1024, capabilities: { images: true, boxes: false } })
    expect((await (await backend.open(prompt)).score([isRed]))[0]?.rows).toHaveLength(1)
    await backend.close()
  })

  it('with a graph that is not one is refused without its path', async () => {
    const graph = join(copy, 'onnx', 'embed_tokens.onnx')
    const bytes = await readFile(graph)
    await writeFile(graph, 'version https://git-lfs.github.com/spec/v1\n')
    const { code, message } = await refusal(loadOnnxModel(copy, { inProcess: true }))
    await writeFile(graph, bytes)
    expect(code).toBe('model_not_available')
    expect(message).toContain('onnx/embed_tokens.onnx could not be loaded')
    expect(message).not.toContain(copy)
  })

  it('takes the first preferred dtype that is there, with its weights', async () => {
    await mkdir(join(copy, 'more', 'onnx'), { recursive: true })
    await writeFile(join(copy, 'more', 'config.json'), '{"model_type": "idefics3"}')
    for (const file of ['a_q4.onnx', 'a_q4.onnx_data', 'a_q4.onnx_data_1', 'a_fp16.onnx', 'a_q4f16.onnx_data']) {
      await writeFile(join(copy, 'more', 'onnx', file), file)
    }
    const folder = await openFolder(join(copy, 'more'))
    expect(findGraph(folder, 'a', TEXT_DTYPES, {})).toMatchObject({
      dtype: 'q4',
      files: ['onnx/a_q4.onnx', 'onnx/a_q4.onnx_data', 'onnx/a_q4.onnx_data_1'],
    })
    expect(findGraph(folder, 'a', TEXT_DTYPES, { dtype: { a: 'fp16' } }).dtype).toBe('fp16')
  })

  it('has a hash that follows names and contents', async () => {
    const folder = await openFolder(copy)
    const files = ['config.json', 'onnx/embed_tokens.onnx', 'not-there.json']
    const before = await hashFiles(folder, files)
    expect(before).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashFiles(folder, [...files].reverse())).toBe(before)
    expect(await hashFiles(folder, ['config.json'])).not.toBe(before)
  })

  it('changes its template hash, not its revision, with the picture rule', async () => {
    const plain = await loadOnnxModel(copy, { inProcess: true })
    const smaller = await loadOnnxModel(copy, { inProcess: true, pictures: { longestEdge: 64 } })
    expect(smaller.info.revision).toBe(plain.info.revision)
    expect(smaller.info.templateHash).not.toBe(plain.info.templateHash)
    await Promise.all([plain.close(), smaller.close()])
  })
})

describe('errors between threads', () => {
  it('keep code, message, pointer and problems', () => {
    const error = new EngineError('invalid_question', 'no', { param: '/questions/a', problems: [{ param: '/questions/a', message: 'no' }] })
    const back = fromWire(structuredClone(toWire(error, '/home/model')))
    expect(back).toMatchObject({ code: 'invalid_question', message: 'no', param: '/questions/a', problems: error.problems })
  })

  it('lose the folder of the model', () => {
    expect(toWire(new Error('cannot read /srv/m/onnx/a.onnx'), '/srv/m').message).toBe('the model failed: cannot read (model)/onnx/a.onnx')
  })
})

describe.skipIf(!existsSync(join(DIST, 'worker.js')))('a model in a worker (needs `npm run build`)', () => {
  let backend: Backend
  let onThread: Backend
  beforeAll(async () => {
    backend = await loadOnnxModel(MODEL, { threads: 1 })
    onThread = await loadOnnxModel(MODEL, { threads: 1, inProcess: true })
  })
  afterAll(() => Promise.all([backend.close(), onThread.close()]))

  it('gives the answers of the calling thread', async () => {
    expect(backend.info).toEqual(onThread.info)
    const [here, there] = [await onThread.open(prompt), await backend.open(prompt)]
    expect(await there.score([isRed])).toEqual(await here.score([isRed]))
  })

  it('takes float16 keys and values, also on versions of Node where the calling thread cannot', async () => {
    const half = await loadOnnxModel(MODEL, { threads: 1, dtype: { decoder_model_merged: 'fp16' } })
    const [rounded] = await (await half.open(prompt)).score([isRed])
    const [exact] = await (await backend.open(prompt)).score([isRed])
    await half.close()
    for (const [i, logP] of rounded!.rows[0]!.logProbabilities.entries()) {
      expect(logP).toBeCloseTo(exact!.rows[0]!.logProbabilities[i]!, 1)
    }
    expect(rounded).not.toEqual(exact)
  })

  it('leaves the calling thread free while it runs', async () => {
    const prefix = await backend.open(prompt)
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const started = performance.now()
    await prefix.score(new Array(40).fill(isRed))
    const elapsedMs = performance.now() - started
    clearInterval(timer)
    // On one thread there would be no tick during a run, and one between two at most.
    expect(ticks).toBeGreaterThan(Math.min(5, elapsedMs / 10))
  })

  it('passes refusals on with their code and numbers', async () => {
    const text = 'word '.repeat(2000)
    const { code, message } = await refusal(backend.open({ pieces: [{ type: 'text', text, source: null }] }))
    expect(code).toBe('context_length_exceeded')
    expect(message).toContain('1024')
  })

  it('refuses a prefix that was closed', async () => {
    const prefix = await backend.open(prompt)
    prefix.close()
    expect((await refusal(prefix.score([isRed]))).message).toContain('closed')
  })

  it('finishes what is under way before it closes', async () => {
    const another = await loadOnnxModel(MODEL, { threads: 1 })
    const prefix = await another.open(prompt)
    const running = Promise.all(Array.from({ length: 10 }, () => prefix.score([isRed])))
    const closed = another.close()
    const scores = await running
    await closed
    expect(scores).toHaveLength(10)
    for (const one of scores) expect(one).toEqual(scores[0])
  })

  it('says why a model cannot be loaded', async () => {
    const { code, message } = await refusal(loadOnnxModel(join(MODEL, 'nowhere')))
    expect(code).toBe('model_not_found')
    expect(message).not.toContain(MODEL)
  })

  it('lets the process end when it is idle, and not before it has answered', async () => {
    const script = `
      const { loadOnnxModel } = await import(${JSON.stringify(`file://${DIST}/index.js`)})
      const backend = await loadOnnxModel(${JSON.stringify(MODEL)}, { threads: 1 })
      const prefix = await backend.open(${JSON.stringify(prompt)})
      prefix.score([${JSON.stringify(isRed)}]).then(([scores]) => console.log(scores.rows.length))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 30_000 })
    expect(stdout.trim()).toBe('1')
  })
})
