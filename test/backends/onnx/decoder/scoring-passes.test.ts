// Branches in shared passes: how many there are, and that sharing changes nothing that is said. On the tiny model,
// float and int8, as it came and patched.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch, Constraint, Scores } from '../../../../src/backends/backend.ts'
import { makeScorers } from '../../../../src/backends/onnx/decoder/branch-scorer.ts'
import { makeConstrainedDecoder } from '../../../../src/backends/onnx/decoder/constrained-decoder.ts'
import { type Decoder, makeDecoder, prefillAll } from '../../../../src/backends/onnx/decoder/decoder.ts'
import type { KvCache } from '../../../../src/backends/onnx/decoder/kv-cache.ts'
import type { DecoderModel } from '../../../../src/backends/onnx/decoder/model.ts'
import { makeStatePrefiller } from '../../../../src/backends/onnx/decoder/state-prefiller.ts'
import { findGraph, openFolder, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import { loadRuntime, openSession, type Session } from '../../../../src/backends/onnx/runtime/session.ts'
import { makeFairScheduler } from '../../../../src/backends/onnx/scheduling/fair-scheduler.ts'
import type { Prompt } from '../../../../src/core/types.ts'
import { scriptedScorer, TINY_MODEL } from './scripted-decoder.ts'

const branch = (readout: Branch['readout'], instructions: string, count: number): Branch => ({
  readout,
  instructions,
  candidates: Array.from({ length: count }, (_, i) => ({ name: `option ${i} of ${count}`, description: i % 2 === 0 ? null : 'or so' })),
  image: null,
})
const CHUNK = 128
const SHORT = Array.from({ length: 12 }, (_, i) => branch('binary', `order ${i} is late`, 2))
const MIXED = [
  ...SHORT,
  branch('exclusive', 'what is the tone of the message?', 5),
  // More than there are letters, so read by their texts.
  branch('exclusive', 'which order is it?', 30),
  branch('ordinal', 'how late is it?', 4),
  branch('independent', 'which of these are mentioned?', 3),
  branch('independent', `which of these are mentioned? ${'It is late. '.repeat(12)}`, 6),
]

/** The largest difference of a probability, and of a mass. */
function apart(a: readonly Scores[], b: readonly Scores[]): number {
  const flat = (scores: readonly Scores[]) =>
    scores.flatMap(({ rows }) => rows.flatMap(({ logProbabilities, mass }) => [...logProbabilities.map(Math.exp), mass]))
  const [one, other] = [flat(a), flat(b)]
  expect(one.length).toBe(other.length)
  return Math.max(...one.map((value, i) => Math.abs(value - (other[i] as number))))
}

/** The decoder, and how many at most went on from the state at the same time. */
function counting(inner: Decoder, state: KvCache): { decoder: Decoder; most(): number } {
  // Where each stands that has gone on.
  const ends = new Set<KvCache>()
  let [moving, most] = [0, 0]
  const move = async <T>(cache: KvCache, work: Promise<T>, pastOf: (result: T) => KvCache): Promise<T> => {
    if (cache !== state && !ends.delete(cache)) return work
    moving += 1
    most = Math.max(most, moving + ends.size)
    const result = await work
    moving -= 1
    ends.add(pastOf(result))
    return result
  }
  const decoder: Decoder = {
    ...inner,
    prefill: (cache, embeddings, room) => move(cache, inner.prefill(cache, embeddings, room), (longer) => longer),
    next: (cache, ids, keep) => (keep ? move(cache, inner.next(cache, ids, keep), (read) => read.cache) : inner.next(cache, ids, keep)),
    release(cache, base) {
      ends.delete(cache)
      inner.release(cache, base)
    },
  }
  return { decoder, most: () => most }
}

const opened: Session[] = []
afterAll(() => Promise.all(opened.map((session) => session.release())))

interface Asked {
  readonly model: DecoderModel
  readonly cache: KvCache
  /** Tokens of the rows of each pass. */
  readonly passes: number[][]
}

async function askedOf(dtype: 'fp32' | 'int8', isPatched: boolean): Promise<Asked> {
  const { model } = await scriptedScorer(() => [])
  const folder = await openFolder(TINY_MODEL)
  const open = async (session: Promise<Session>): Promise<Session> => {
    opened.push(await session)
    return session
  }
  const embedder = await open(openSession(findGraph(folder, 'embed_tokens', TEXT_DTYPES, {}), { threads: 1 }))
  const graph = findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, { dtype })
  const patch = isPatched ? patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: true }) : null
  // Short chunks: the tiny model takes 1,024 tokens in all.
  const inner = {
    ...makeDecoder(await loadRuntime(), embedder, await open(openSession(graph, { threads: 1 }, patch?.bytes))),
    chunk: CHUNK,
  }
  const passes: number[][] = []
  const decoder: Decoder = {
    ...inner,
    rowLogits(cache, rows) {
      passes.push(rows.map(({ ids }) => ids.length))
      return inner.rowLogits(cache, rows)
    },
  }
  const state = model.prompts.encodeState([
    { type: 'text', text: 'Hello, my order number 4711 has not arrived.', source: { part: 0, path: null } },
  ])
  const cache = await prefillAll(inner, inner.empty, await inner.embed(state.ids))
  return { model: { ...model, decoder, scheduler: makeFairScheduler() }, cache, passes }
}

for (const dtype of ['fp32', 'int8'] as const) {
  describe(`many branches of a patched ${dtype} model`, () => {
    let asked: Asked
    beforeAll(async () => {
      asked = await askedOf(dtype, true)
    })
    const together = async (branches: readonly Branch[]): Promise<Scores[]> => {
      const scorer = makeScorers(asked.model)(asked.cache)
      return Promise.all(branches.map((one) => scorer.score(one, null)))
    }

    it('say together what each says alone', async () => {
      const all = await together(MIXED)
      const alone: Scores[] = []
      for (const one of MIXED) alone.push(...(await together([one])))
      expect(apart(all, alone)).toBeLessThan(1e-4)
      expect(all.map(({ inputTokens }) => inputTokens)).toEqual(alone.map(({ inputTokens }) => inputTokens))
    })

    it('take few passes, of few tokens, padding included', async () => {
      asked.passes.length = 0
      await together(SHORT)
      const rows = asked.passes.flat()
      expect(rows.length).toBe(12)
      expect(asked.passes.length).toBeLessThan(12 / 3)
      for (const lengths of asked.passes) expect(lengths.length * Math.max(...lengths)).toBeLessThanOrEqual(200)
    })

    it('share passes with those of another request about the same state', async () => {
      asked.passes.length = 0
      const scorers = makeScorers(asked.model)
      const short = SHORT.slice(0, 4)
      await Promise.all(short.map((one) => scorers(asked.cache).score(one, null)))
      expect(asked.passes.length).toBeLessThanOrEqual(2)
    })

    it('repeat a short beginning that options share, and read a long one once', async () => {
      asked.passes.length = 0
      await together([branch('independent', 'late?', 3)])
      const [short] = asked.passes
      expect(short?.length).toBe(3)
      asked.passes.length = 0
      const long = branch('independent', 'it is late. '.repeat(20), 8)
      await together([long])
      const shared = asked.model.tokenizer.encode(long.instructions).length
      for (const lengths of asked.passes) expect(Math.max(...lengths)).toBeLessThan(shared)
    })

    it('are read off in their pass: what it said of a whole vocabulary is not kept', async () => {
      const wanted = await together(MIXED)
      const gone: Decoder = {
        ...asked.model.decoder,
        async rowLogits(cache, rows) {
          const said = await asked.model.decoder.rowLogits(cache, rows)
          setImmediate(() => {
            for (const { logits } of said.flat()) logits.fill(Number.NaN)
          })
          return said
        },
      }
      const scorer = makeScorers({ ...asked.model, decoder: gone })(asked.cache)
      expect(apart(await Promise.all(MIXED.map((one) => scorer.score(one, null))), wanted)).toBeLessThan(1e-6)
    })

    it('of one request read what they share one after the other: each at the same time would need a copy of the state', async () => {
      const { decoder, most } = counting(asked.model.decoder, asked.cache)
      const scorer = makeScorers({ ...asked.model, decoder })(asked.cache)
      const { signal } = new AbortController()
      const long = Array.from({ length: 4 }, (_, i) => branch('independent', `${i} ${'It is late. '.repeat(12)}`, 6))
      await Promise.all(long.map((one) => scorer.score(one, null, signal)))
      expect(most()).toBe(1)
    })

    it('are read in chunks where they are long, and say the same', async () => {
      const long = branch('exclusive', 'It is late. '.repeat(60), 5)
      const tokens = asked.model.tokenizer.encode(long.instructions).length
      expect(tokens).toBeGreaterThan(2 * asked.model.decoder.chunk)
      asked.passes.length = 0
      const [chunked] = await together([long])
      expect(asked.passes).toHaveLength(1)
      expect(asked.passes[0]?.[0]).toBeLessThanOrEqual(asked.model.decoder.chunk + 1)
      const whole: Decoder = { ...asked.model.decoder, chunk: 1000 }
      const [alone] = await Promise.all([makeScorers({ ...asked.model, decoder: whole })(asked.cache).score(long, null)])
      expect(apart([chunked as Scores], [alone])).toBeLessThan(1e-4)
    })

    it('are read in parts where an option is long, and say the same', async () => {
      const long = branch('exclusive', 'Which?', 30)
      const candidates = long.candidates.map((one, i) => (i === 7 ? { ...one, name: 'order '.repeat(280) } : one))
      asked.passes.length = 0
      const [parts] = await together([{ ...long, candidates }])
      expect(Math.max(...asked.passes.flat())).toBeLessThanOrEqual(2 * asked.model.decoder.chunk)
      const whole: Decoder = { ...asked.model.decoder, chunk: 1000 }
      asked.passes.length = 0
      const alone = await makeScorers({ ...asked.model, decoder: whole })(asked.cache).score({ ...long, candidates }, null)
      expect(Math.max(...asked.passes.flat())).toBeGreaterThan(2 * asked.model.decoder.chunk)
      expect(apart([parts as Scores], [alone])).toBeLessThan(1e-4)
      const [some, all] = [parts?.rows[0]?.logProbabilities ?? [], alone.rows[0]?.logProbabilities ?? []]
      // Of some 280 tokens; int8 rounds a few of them otherwise.
      for (const [i, logP] of some.entries()) expect(logP).toBeCloseTo(all[i] as number, dtype === 'fp32' ? 3 : 1)
    })

    it('reject with the reason of a signal, and leave the others be', async () => {
      const scorer = makeScorers(asked.model)(asked.cache)
      const stop = new AbortController()
      const stopped = Promise.all(SHORT.map((one) => scorer.score(one, null, stop.signal)))
      const others = Promise.all(SHORT.map((one) => scorer.score(one, null)))
      stop.abort(new Error('gone'))
      await expect(stopped).rejects.toThrow('gone')
      expect(apart(await others, await together(SHORT))).toBeLessThan(1e-4)
    })
  })
}

describe('reads', () => {
  const prompt: Prompt = { pieces: [{ type: 'text', text: 'Hello', source: { part: 0, path: null } }] }
  const number: Constraint = { type: 'grammar', grammar: { type: 'int' }, maxTokens: 8 }

  for (const isPatched of [true, false]) {
    it(`of one request go one after the other, those of two at the same time (${isPatched ? 'patched' : 'as it came'})`, async () => {
      const { model, cache } = await askedOf('fp32', isPatched)
      const questions = ['How many?', 'How late?', 'Which order?'].map((instructions) => branch('read', instructions, 0))
      const read = async (signals: readonly AbortSignal[]) => {
        const { decoder, most } = counting(model.decoder, cache)
        const reader = makeConstrainedDecoder({ ...model, decoder })
        const found = await Promise.all(questions.map((one, i) => reader.generate(cache, prompt, one, number, null, signals[i])))
        return { found, most: most() }
      }
      const { signal } = new AbortController()
      const one = await read(questions.map(() => signal))
      const three = await read(questions.map(() => new AbortController().signal))
      expect([one.most, three.most]).toEqual([1, 3])
      expect(one.found).toEqual(three.found)
    })
  }

  it('of long questions take them in chunks, and write the same', async () => {
    const { model, cache } = await askedOf('fp32', true)
    const long = branch('read', 'It is late. '.repeat(60), 0)
    const lengths: number[] = []
    const decoder: Decoder = {
      ...model.decoder,
      next(from, ids, keep) {
        lengths.push(ids.length)
        return model.decoder.next(from, ids, keep)
      },
    }
    const chunked = await makeConstrainedDecoder({ ...model, decoder }).generate(cache, prompt, long, number, null)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(decoder.chunk)
    const whole = await makeConstrainedDecoder({ ...model, decoder: { ...decoder, chunk: 1000 } }).generate(
      cache,
      prompt,
      long,
      number,
      null,
    )
    expect(Math.max(...lengths)).toBeGreaterThan(2 * decoder.chunk)
    expect(chunked).toMatchObject({ text: (whole as { text: string }).text, outputTokens: whole.outputTokens })
    expect(chunked.logProbability).toBeCloseTo(whole.logProbability, 3)
  })

  it('that outgrow the room behind the state leave it to others', async () => {
    const { model } = await askedOf('fp32', true)
    const state = Array.from({ length: 320 }, (_, i) => 40 + (i % 50))
    const cache = await prefillAll(model.decoder, model.decoder.empty, await model.decoder.embed(state))
    const line: Constraint = { type: 'grammar', grammar: { type: 'text' }, maxTokens: 40 }
    const found = await makeConstrainedDecoder({ ...model, endTokens: [] }).generate(cache, prompt, branch('read', 'What?', 0), line, null)
    expect(found.inputTokens).toBeLessThan(40)
    expect(found.inputTokens + found.outputTokens).toBeGreaterThan(40)
    expect((await model.decoder.next(cache, [50], true)).cache.bytes).toBe(cache.bytes)
  })

  it('that were stopped leave the room behind the state to others', async () => {
    const { model, cache } = await askedOf('fp32', true)
    const stop = new AbortController()
    let reads = 0
    const decoder: Decoder = {
      ...model.decoder,
      async prefill(from, embeddings, room) {
        if (++reads === 2) stop.abort(new Error('gone'))
        return model.decoder.prefill(from, embeddings, room)
      },
    }
    const long = branch('read', 'It is late. '.repeat(60), 0)
    await expect(makeConstrainedDecoder({ ...model, decoder }).generate(cache, prompt, long, number, null, stop.signal)).rejects.toThrow(
      'gone',
    )
    const longer = (await model.decoder.next(cache, [50], true)).cache
    expect(longer.bytes).toBe(cache.bytes)
  })
})

describe('a kept state', () => {
  it('has its room back when what was read behind it was given up', async () => {
    const { model } = await askedOf('fp32', true)
    let reads = 0
    const decoder: Decoder = {
      ...model.decoder,
      chunk: 16,
      async prefill(from, embeddings, room) {
        if (++reads === 18) throw new Error('gone')
        return model.decoder.prefill(from, embeddings, room)
      },
    }
    const encodeState = (pieces: Prompt['pieces']) => ({
      ids: pieces.flatMap((piece) => (piece.type === 'text' ? Array.from(piece.text, (_, i) => 40 + (i % 50)) : [])),
      images: [],
      positions: null,
    })
    const states = makeStatePrefiller({
      prompts: { encodeState },
      decoder,
      scheduler: makeFairScheduler(),
      cacheBytes: 2 ** 24,
      fits() {},
    })
    const open = (tokens: number) => states.open([{ type: 'text', text: 'x'.repeat(tokens), source: { part: 0, path: null } }])
    // Sixteen chunks, and room for two more.
    const { cache } = await open(256)
    await expect(open(288)).rejects.toThrow('gone')
    expect((await model.decoder.next(cache, [50], true)).cache.bytes).toBe(cache.bytes)
  })
})

describe('a model as it came', () => {
  it('says what the patched one says, one run a row', async () => {
    const [plain, patched] = [await askedOf('fp32', false), await askedOf('fp32', true)]
    const scored = ({ model, cache }: Asked) => Promise.all(MIXED.map((one) => makeScorers(model)(cache).score(one, null)))
    const [wanted, found] = [await scored(plain), await scored(patched)]
    expect(apart(found, wanted)).toBeLessThan(1e-4)
    expect(found.map(({ inputTokens }) => inputTokens)).toEqual(wanted.map(({ inputTokens }) => inputTokens))
    expect(plain.passes.every((rows) => rows.length === 1)).toBe(true)
  })
})
