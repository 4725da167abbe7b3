// Graph patches, on the decoder variants of the tiny model: what is changed, what is not, and that the model still says
// the same.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logitsOfAll, makeDecoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import type { Dtype } from '../../../../src/backends/onnx/options.ts'
import { findGraph, type ModelFolder, openFolder, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import { meanChange, openPatched } from '../../../../src/backends/onnx/runtime/patched.ts'
import { concat, lengthField, readFields, textField, varintField } from '../../../../src/backends/onnx/runtime/protobuf.ts'
import { inputsOf, loadRuntime, openSession, type Session } from '../../../../src/backends/onnx/runtime/session.ts'

const MODEL = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))
const BOTH = { accuracyLevel: true, logitRows: true, cascade: false }
const IDS = Array.from({ length: 21 }, (_, i) => 40 + i * 17)
const options = { threads: 1 }
const hasFloat16 = 'Float16Array' in globalThis

describe('protobuf', () => {
  it('gives back numbers and texts of any size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.nat(Number.MAX_SAFE_INTEGER),
        fc.string({ maxLength: 300 }),
        (number, value, text) => {
          const [first, second, ...rest] = readFields(concat([varintField(number, value), textField(number, text)]))
          expect(first).toMatchObject({ number, value, body: null })
          expect(second).toMatchObject({ number, value: null })
          expect(new TextDecoder().decode(second?.body as Uint8Array)).toBe(new TextDecoder().decode(new TextEncoder().encode(text)))
          expect(rest).toEqual([])
        },
      ),
      { seed: 3 },
    )
  })

  it('knows where a message ends too early', () => {
    const message = concat(lengthField(7, [new Uint8Array(200)]))
    expect(() => readFields(message.subarray(0, 150))).toThrow(RangeError)
    expect(() => readFields(Uint8Array.of(0x80))).toThrow(RangeError)
  })

  it('reads the fields of a real graph so that they add up to it', () => {
    const bytes = readFileSync(`${MODEL}/onnx/vision_encoder.onnx`)
    expect(Buffer.concat(readFields(bytes).map(({ raw }) => raw)).equals(bytes)).toBe(true)
  })
})

describe('patchGraph', () => {
  const graph = (name: string): Uint8Array => readFileSync(`${MODEL}/onnx/${name}.onnx`)

  it('leaves alone what needs nothing: logits for the last rows are the graph’s own already', () => {
    expect(patchGraph(graph('decoder_model_merged'), BOTH)).toBeNull()
    expect(patchGraph(graph('embed_tokens'), BOTH)).toBeNull()
  })

  it('gives every 4-bit product a level, once', () => {
    const patch = patchGraph(graph('decoder_model_merged_q4'), BOTH)
    // Seven products in each of two layers, and the head.
    expect(patch).toMatchObject({ quantisedNodes: 15, takesLogitRows: true })
    const again = patchGraph(patch?.bytes as Uint8Array, { accuracyLevel: true, logitRows: false, cascade: false })
    expect(again).toBeNull()
  })

  it('is not put out by what is not a graph', () => {
    expect(patchGraph(new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:0'), BOTH)).toBeNull()
    expect(patchGraph(new Uint8Array(0), BOTH)).toBeNull()
  })
})

describe('a patched decoder', () => {
  let folder: ModelFolder
  let embedder: Session
  beforeAll(async () => {
    folder = await openFolder(MODEL)
    embedder = await openSession(findGraph(folder, 'embed_tokens', TEXT_DTYPES, options), options)
  })
  afterAll(() => embedder.release())

  const graphOf = (dtype: Dtype) => findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, { dtype })
  const decoderOf = async (session: Session) => makeDecoder(await loadRuntime(), embedder, session)
  const logitsOf = async (session: Session): Promise<Float32Array[]> => {
    const decoder = await decoderOf(session)
    return logitsOfAll(decoder, decoder.empty, IDS)
  }

  for (const dtype of ['q4', 'int8', ...(hasFloat16 ? [] : (['fp16'] as const))] as const) {
    it(`${dtype}: gives the logits of the rows asked for, as the whole graph gives them`, async () => {
      const graph = graphOf(dtype)
      const plain = await openSession(graph, options)
      const expected = await logitsOf(plain)
      await plain.release()
      const patch = patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: false })
      const session = await openSession(graph, options, patch?.bytes)
      expect(inputsOf(session).find(({ name }) => name === 'logit_rows')).toMatchObject({ type: 'int64' })
      const decoder = await decoderOf(session)
      const { logits } = await decoder.next(decoder.empty, IDS)
      // The head of an int8 graph scales its rows together, so one row alone is rounded otherwise.
      const last = [expected.at(-1) as Float32Array]
      expect(meanChange([logits], last)).toBeLessThan(dtype === 'int8' ? 0.02 : 1e-6)
      if (dtype !== 'int8') expect(meanChange(await logitsOfAll(decoder, decoder.empty, IDS), expected)).toBeLessThan(1e-6)
      await session.release()
    })
  }

  it('computes 4-bit products in int8, and says so', async () => {
    const plain = await openSession(graphOf('q4'), options)
    const expected = await logitsOf(plain)
    await plain.release()
    const { session, applied } = await openPatched(graphOf('q4'), options, logitsOf)
    expect(applied).toEqual(['accuracy_level 4'])
    const change = meanChange(await logitsOf(session), expected)
    await session.release()
    // Not the same arithmetic, nearly the same distribution.
    expect(change).toBeGreaterThan(0)
    expect(change).toBeLessThan(0.05)
  })

  it('goes back to exact products when the fast ones change what the model says', async () => {
    let runs = 0
    const unlike = async (): Promise<Float32Array[]> => [Float32Array.of(runs++ === 0 ? 9 : -9, 0, 0)]
    const { session, applied } = await openPatched(graphOf('q4'), options, unlike)
    // As it came, and then with cascade attention, with exact products, with neither.
    expect(runs).toBe(4)
    expect(applied).toEqual([])
    // The rows are picked all the same.
    expect(inputsOf(session).some(({ name }) => name === 'logit_rows')).toBe(true)
    await session.release()
  })

  it('gives each row of int8 a scale of its own, and says so', async () => {
    const { session, applied, check } = await openPatched(graphOf('int8'), options, logitsOf)
    expect(applied).toEqual(['row scales'])
    expect(check).toMatchObject({
      status: 'passed',
      detail: expect.stringMatching(/^uses cascade attention with row scales \(moves 0?\.?\d/),
    })
    expect(inputsOf(session).some(({ name }) => name === 'local_bias')).toBe(true)
    await session.release()
  })

  it('changes attention without a word where that changes nothing, and goes back where it does', async () => {
    let runs = 0
    for (const [isSame, hasCascade] of [
      [true, true],
      [false, false],
    ]) {
      const said = async (): Promise<Float32Array[]> => [Float32Array.of(isSame ? 0 : runs++ * 9, 0, 0)]
      const { session, applied, check } = await openPatched(graphOf('fp32'), options, said)
      expect(applied).toEqual([])
      expect(check.status).toBe(hasCascade ? 'passed' : 'noted')
      expect(inputsOf(session).some(({ name }) => name === 'local_bias')).toBe(hasCascade)
      await session.release()
    }
    // What is not a number is not the same either.
    const broken = async (): Promise<Float32Array[]> => [Float32Array.of(runs++ === 2 ? 0 : Number.NaN, 0)]
    const { session } = await openPatched(graphOf('fp32'), options, broken)
    expect(inputsOf(session).some(({ name }) => name === 'local_bias')).toBe(false)
    await session.release()
  })

  it('runs a model as it came where a patched graph does not run', async () => {
    let runs = 0
    const failing = async (): Promise<Float32Array[]> => {
      if (runs++ > 0) throw new Error('this runtime has no such operator')
      return [Float32Array.of(0, 0)]
    }
    const { session, applied, check } = await openPatched(graphOf('q4'), options, failing)
    expect(applied).toEqual([])
    expect(check).toMatchObject({ check: 'patches', status: 'noted', remedy: expect.stringContaining('runs as it came') })
    expect(check.detail).toMatch(/^refused cascade attention with accuracy_level 4 \(it fails on a probe\), cascade attention \(it fails/)
    expect(inputsOf(session).some(({ name }) => name === 'local_bias')).toBe(false)
    expect(await logitsOf(session)).toHaveLength(IDS.length)
    await session.release()
    // What the graph as it came cannot do is no matter of patches.
    const broken = async (): Promise<Float32Array[]> => Promise.reject(new Error('the file is broken'))
    await expect(openPatched(graphOf('q4'), options, broken)).rejects.toThrow('the file is broken')
  })

  it('takes the dtype into its revision, and not into its template hash', async () => {
    const infos = []
    for (const dtype of ['fp32', 'q4'] as const) {
      const backend = await loadOnnxModel(MODEL, { ...options, inProcess: true, dtype: { decoder_model_merged: dtype } })
      infos.push(backend.info)
      await backend.close()
    }
    expect(infos[0]?.revision).not.toBe(infos[1]?.revision)
    expect(infos[0]?.templateHash).toBe(infos[1]?.templateHash)
  })

  it.runIf(hasFloat16)('refuses float16 inputs where the runtime would read them as empty', async () => {
    const loading = loadOnnxModel(MODEL, { ...options, inProcess: true, dtype: { decoder_model_merged: 'fp16' } })
    await expect(loading).rejects.toMatchObject({ code: 'model_not_available', message: expect.stringContaining('float16') })
  })
})

describe('meanChange', () => {
  it('is none for equal distributions, whatever is added to the logits, and one for opposite ones', () => {
    const row = Float32Array.of(1, 2, 3)
    expect(meanChange([row], [row.map((logit) => logit + 5)])).toBeCloseTo(0, 6)
    expect(meanChange([Float32Array.of(100, 0)], [Float32Array.of(0, 100)])).toBeCloseTo(1, 6)
  })
})
