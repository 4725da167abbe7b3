// Branches in shared passes: how many there are, and that sharing changes nothing that is said. On the tiny model, float and int8, as it came and patched.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch, Scores } from '../../src/backends/backend.ts'
import { type Decoder, makeDecoder, readAll } from '../../src/backends/onnx/families/idefics3/decoder.ts'
import type { Past } from '../../src/backends/onnx/families/idefics3/past.ts'
import { makeScorers, type Scorer } from '../../src/backends/onnx/families/idefics3/score.ts'
import { findGraph, openFolder, TEXT_DTYPES } from '../../src/backends/onnx/layout.ts'
import { patchGraph } from '../../src/backends/onnx/patch.ts'
import { loadRuntime, openSession, type Session } from '../../src/backends/onnx/session.ts'
import { makeTurns } from '../../src/backends/onnx/turns.ts'
import { scriptedScorer, TINY_MODEL } from './scripted-decoder.ts'

const branch = (readout: Branch['readout'], instructions: string, count: number): Branch => ({
  readout,
  instructions,
  candidates: Array.from({ length: count }, (_, i) => ({ name: `option ${i} of ${count}`, description: i % 2 === 0 ? null : 'or so' })),
  image: null,
})
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

const opened: Session[] = []
afterAll(() => Promise.all(opened.map((session) => session.release())))

interface Asked {
  readonly scorer: Scorer
  readonly past: Past
  /** Tokens of the rows of each pass. */
  readonly passes: number[][]
}

async function askedOf(dtype: 'fp32' | 'int8', isPatched: boolean): Promise<Asked> {
  const { scorer } = await scriptedScorer(() => [])
  const folder = await openFolder(TINY_MODEL)
  const open = async (session: Promise<Session>): Promise<Session> => {
    opened.push(await session)
    return session
  }
  const embedder = await open(openSession(findGraph(folder, 'embed_tokens', TEXT_DTYPES, {}), { threads: 1 }))
  const graph = findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, { dtype })
  const patch = isPatched ? patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: true }) : null
  const inner = makeDecoder(await loadRuntime(), embedder, await open(openSession(graph, { threads: 1 }, patch?.bytes)))
  const passes: number[][] = []
  const decoder: Decoder = {
    ...inner,
    tails(past, rows) {
      passes.push(rows.map(({ ids }) => ids.length))
      return inner.tails(past, rows)
    },
  }
  const state = scorer.chat.encodeState([
    { type: 'text', text: 'Hello, my order number 4711 has not arrived.', source: { part: 0, path: null } },
  ])
  const past = await readAll(inner, inner.empty, await inner.embed(state.ids))
  return { scorer: { ...scorer, decoder, turns: makeTurns() }, past, passes }
}

for (const dtype of ['fp32', 'int8'] as const) {
  describe(`many branches of a patched ${dtype} model`, () => {
    let asked: Asked
    beforeAll(async () => {
      asked = await askedOf(dtype, true)
    })
    const together = async (branches: readonly Branch[]): Promise<Scores[]> => {
      const scorer = makeScorers(asked.scorer)(asked.past)
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
      const scorers = makeScorers(asked.scorer)
      const short = SHORT.slice(0, 4)
      await Promise.all(short.map((one) => scorers(asked.past).score(one, null)))
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
      const shared = asked.scorer.tokenizer.encode(long.instructions).length
      for (const lengths of asked.passes) expect(Math.max(...lengths)).toBeLessThan(shared)
    })

    it('reject with the reason of a signal, and leave the others be', async () => {
      const scorer = makeScorers(asked.scorer)(asked.past)
      const stop = new AbortController()
      const stopped = Promise.all(SHORT.map((one) => scorer.score(one, null, stop.signal)))
      const others = Promise.all(SHORT.map((one) => scorer.score(one, null)))
      stop.abort(new Error('gone'))
      await expect(stopped).rejects.toThrow('gone')
      expect(apart(await others, await together(SHORT))).toBeLessThan(1e-4)
    })
  })
}

describe('a model as it came', () => {
  it('says what the patched one says, one run a row', async () => {
    const [plain, patched] = [await askedOf('fp32', false), await askedOf('fp32', true)]
    const scored = ({ scorer, past }: Asked) => Promise.all(MIXED.map((one) => makeScorers(scorer)(past).score(one, null)))
    const [wanted, found] = [await scored(plain), await scored(patched)]
    expect(apart(found, wanted)).toBeLessThan(1e-4)
    expect(found.map(({ inputTokens }) => inputTokens)).toEqual(wanted.map(({ inputTokens }) => inputTokens))
    expect(plain.passes.every((rows) => rows.length === 1)).toBe(true)
  })
})
