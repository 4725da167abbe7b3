// Questions of the shipped model share passes: company, padding and other requests change nothing but the last bits;
// who gives up holds nobody up.
import { fileURLToPath } from 'node:url'
import * as runtime from 'onnxruntime-node'
import { Tensor } from 'onnxruntime-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend, Branch, Generated, Prefix, Scores } from '../../../../../src/backends/backend.ts'
import { branchFeeds, type PackedQuestion, tokensOf } from '../../../../../src/backends/onnx/families/decision/branch-inputs.ts'
import { type DecisionConfig, decisionConfigOf } from '../../../../../src/backends/onnx/families/decision/configuration.ts'
import { GrammarCache } from '../../../../../src/backends/onnx/families/decision/constrained-writing.ts'
import { DecisionGraphs } from '../../../../../src/backends/onnx/families/decision/graphs.ts'
import { ImageViews, spreadLogits, wholeView } from '../../../../../src/backends/onnx/families/decision/image-views.ts'
import { decision } from '../../../../../src/backends/onnx/families/decision/index.ts'
import { OpenState } from '../../../../../src/backends/onnx/families/decision/open-state.ts'
import { packBranch } from '../../../../../src/backends/onnx/families/decision/pack-branch.ts'
import { TokenLimits } from '../../../../../src/backends/onnx/families/decision/token-limits.ts'
import { openFolder } from '../../../../../src/backends/onnx/runtime/layout.ts'
import { makeFairScheduler } from '../../../../../src/backends/onnx/scheduling/fair-scheduler.ts'
import type { Piece, Prompt } from '../../../../../src/core/types.ts'
import { image, pack, quotable, scaffold, tokenizer } from './shared.ts'

const folder = fileURLToPath(new URL('../../../../../models/service-1-pro/pictures', import.meta.url))
let backend: Backend
beforeAll(async () => {
  backend = await decision.load(await openFolder(folder), {})
})
afterAll(() => backend.close())

const named = (name: string) => ({ name, description: null })
const branch = (readout: Branch['readout'], instructions: string, names: readonly string[], about: string | null = null): Branch => ({
  readout,
  instructions,
  candidates: names.map(named),
  image: about,
})
const COMPANY = [
  branch('binary', 'The customer is angry.', ['true', 'false']),
  branch('exclusive', 'Which team takes care of this?', ['cards', 'travel', 'kitchen']),
  branch(
    'independent',
    'Which of these are mentioned?',
    Array.from({ length: 30 }, (_, i) => `thing number ${i} of a long list`),
  ),
  branch('ordinal', 'How urgent is it?', ['not at all', 'a little', 'very']),
  branch('exclusive', '', ['', 'a word']),
  branch('exclusive', 'A question that is much longer than all of the others, so that these are filled up. '.repeat(4), ['yes', 'no']),
]
const STATE = 'My credit card was stolen in Rome yesterday, and I need a new one before Friday. '

const open = (text: string): Promise<Prefix> => backend.open({ pieces: [{ type: 'text', text, source: { part: 0, path: '' } }] })
const valuesOf = (scores: Scores): number[] => [...scores.rows.flatMap((row) => row.logProbabilities), ...(scores.features ?? [])]

function expectSame(a: Scores, b: Scores): void {
  const [left, right] = [valuesOf(a), valuesOf(b)]
  expect(left.length).toBe(right.length)
  expect(Math.max(...left.map((value, i) => Math.abs(value - right[i]!)))).toBeLessThan(1e-5)
}

describe('questions that share passes', () => {
  it.each([1, 40])('are answered as alone, behind a state of %i sentences', async (sentences) => {
    const prefix = await open(STATE.repeat(sentences))
    const together = await prefix.score(COMPANY)
    for (const [i, one] of COMPANY.entries()) expectSame((await prefix.score([one]))[0]!, together[i]!)
  })

  it('are answered as alone when several requests ask at once', async () => {
    const prefixes = await Promise.all([open(STATE), open(STATE), open(`${STATE} Hello!`)])
    const alone: Scores[][] = []
    for (const prefix of prefixes) alone.push([...(await prefix.score(COMPANY))])
    const atOnce = await Promise.all(prefixes.map((prefix) => prefix.score([...COMPANY].reverse())))
    atOnce.forEach((scores, p) => {
      for (const [i, score] of [...scores].reverse().entries()) expectSame(score, alone[p]![i]!)
    })
  })

  it('read the same alone and at once: quotes and written texts', async () => {
    const prefix = await open(STATE)
    const asked = ['Which city?', 'Until which day is the new card needed, at the latest?', 'What was stolen?']
    const read = (instructions: string): Promise<Generated>[] => [
      prefix.generate(branch('read', instructions, []), { type: 'span', many: false, format: 'text' }),
      prefix.generate(branch('read', instructions, []), { type: 'grammar', grammar: { type: 'text' }, maxTokens: 12 }),
    ]
    const alone: Generated[] = []
    for (const instructions of asked) for (const i of [0, 1]) alone.push(await read(instructions)[i]!)
    const atOnce = await Promise.all(asked.flatMap(read))
    atOnce.forEach((generated, i) => {
      const { logProbability, ...rest } = generated
      const { logProbability: other, ...wanted } = alone[i]!
      expect(JSON.stringify(said(rest))).toBe(JSON.stringify(said(wanted)))
      expect(logProbability).toBeCloseTo(other, 4)
    })
  })

  it('are all refused before the first is run when one is too long', async () => {
    const prefix = await open(STATE)
    const began = performance.now()
    const long = branch('binary', 'word '.repeat(4090), ['true', 'false'])
    await expect(prefix.score([...Array.from({ length: 400 }, () => COMPANY[2]!), long])).rejects.toThrow(/takes 4096; shorten/)
    // Running 400 lists of 30 options takes seconds.
    expect(performance.now() - began).toBeLessThan(1500)
  })
})

/** What was read, without its numbers. */
function said(generated: Omit<Generated, 'logProbability'>): unknown {
  return JSON.parse(JSON.stringify(generated, (key, value) => (key === 'logProbability' ? undefined : value)))
}

describe('a request that gives up', () => {
  it('is rejected with its reason, and others that share the passes are answered', async () => {
    const prefix = await open(STATE.repeat(20))
    const stop = new AbortController()
    const many = prefix.score(
      Array.from({ length: 100 }, () => COMPANY[2]!),
      stop.signal,
    )
    const other = prefix.score([COMPANY[0]!])
    stop.abort(new Error('the client went away'))
    await expect(many).rejects.toThrow('the client went away')
    expectSame((await other)[0]!, (await prefix.score([COMPANY[0]!]))[0]!)
  })

  it('does not begin when it has given up before', async () => {
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(backend.open({ pieces: [] }, gone)).rejects.toThrow('gone')
    const prefix = await open(STATE)
    await expect(prefix.score(COMPANY, gone)).rejects.toThrow('gone')
    const read = prefix.generate(branch('read', 'Which city?', []), { type: 'span', many: false, format: 'text' }, gone)
    await expect(read).rejects.toThrow('gone')
  })

  it('leaves a pass running that closing waits for', async () => {
    const other = await decision.load(await openFolder(folder), {})
    const prefix = await other.open({ pieces: [{ type: 'text', text: STATE.repeat(40), source: { part: 0, path: '' } }] })
    const stop = new AbortController()
    const asking = prefix.score(COMPANY, stop.signal)
    await new Promise((resolve) => setImmediate(resolve))
    stop.abort(new Error('gone'))
    await expect(asking).rejects.toThrow('gone')
    await other.close()
  })
})

describe('the arrays of a pass', () => {
  const question = (asked: Branch, written: readonly number[] = []): PackedQuestion => {
    const constraint = asked.readout === 'read' ? ({ type: 'grammar', grammar: { type: 'text' }, maxTokens: 9 } as const) : null
    const kind = asked.readout === 'read' ? 'text' : asked.readout
    return { packed: packBranch(asked, constraint, 10, tokenizer), kind, image: null, written, cache: null }
  }
  const numbers = (tensor: Tensor | undefined): number[] => Array.from(tensor!.data as ArrayLike<bigint | number>, Number)

  it('name the rows of all readout tokens, and count those that only fill up for nothing', () => {
    const questions = [question(COMPANY[0]!), question(COMPANY[1]!)]
    const feeds = branchFeeds(runtime, questions, 'readouts', tokenizer.control)
    const [count, longest] = feeds.ids!.dims as [number, number]
    expect([count, longest]).toEqual([2, questions[1]!.packed.ids.length])
    expect(numbers(feeds.mark_weights)).toEqual([1, 0, 0, 1, 1, 1])
    const ids = numbers(feeds.ids)
    const isReal = numbers(feeds.mark_weights)
    for (const [i, row] of numbers(feeds.marks).entries()) if (isReal[i] === 1) expect(ids[row]).toBe(8131)
    expect(feeds.pointers!.dims).toEqual([2, 0])
  })

  it('put written tokens behind their question, seeing those before them', () => {
    const asked = branch('read', 'Which city?', [])
    const length = question(asked).packed.ids.length
    const feeds = branchFeeds(runtime, [question(asked, [500, 501]), question(asked)], 'next', tokenizer.control)
    expect(numbers(feeds.reads)).toEqual([length + 1, length + 2 + length - 1])
    expect(numbers(feeds.read_tokens)).toEqual([501, 8131])
    expect(numbers(feeds.orders).slice(length, length + 2)).toEqual([1, 2])
    // Nobody owns what fills up the second.
    expect(numbers(feeds.owners).slice(-2)).toEqual([-1, -1])
  })

  it('hold only what is new of a text that is being written', () => {
    const asked = question(branch('read', 'Which city?', []), [500, 501])
    const known = { tokens: asked.packed.ids.length + 1, tables: new Map() }
    const feeds = branchFeeds(runtime, [{ ...asked, cache: known }], 'next', tokenizer.control)
    expect(numbers(feeds.ids)).toEqual([501])
    expect(numbers(feeds.positions)).toEqual([asked.packed.positions.at(-1)! + 2])
    expect([...numbers(feeds.owners), ...numbers(feeds.orders), ...numbers(feeds.reads)]).toEqual([1000, 2, 0])
  })

  it('keep negative numbers', () => {
    expect(numbers(wholeView(runtime, pack([quotable('a b')]), encodedOf(3)).feeds.previous)[0]).toBe(-1)
  })
})

describe('a text that is being written', () => {
  it('gets the same logits token by token as read anew, alone and beside a longer one', async () => {
    const opened = await openFolder(folder)
    const graphs = await DecisionGraphs.open(opened, {}, 'images', decisionConfigOf(opened, {}))
    const packed = pack([quotable(STATE)])
    const state = await graphs.encode(packed, { features: [], layout: [], cells: [], wordBoxes: new Float32Array(0) })
    const view = wholeView(graphs.ort, packed, state)
    const asked = ['Which city?', 'Until which day is the new card needed, and what happened to the old one?'].map(
      (instructions): PackedQuestion => {
        const constraint = { type: 'grammar', grammar: { type: 'text' }, maxTokens: 9 } as const
        const branchPacked = packBranch(branch('read', instructions, []), constraint, packed.nextPosition, tokenizer)
        return { packed: branchPacked, kind: 'text', image: null, written: [], cache: null }
      },
    )
    const tokens = tokenizer.encode('rome friday').ids
    let caches = asked.map(({ cache }) => cache)
    for (let count = 0; count <= tokens.length; count++) {
      const written = tokens.slice(0, count)
      const stepwise = await graphs.next(
        view,
        asked.map((question, i) => ({ ...question, written, cache: caches[i]! })),
      )
      caches = stepwise.map(({ cache }) => cache)
      for (const [i, question] of asked.entries()) {
        const [anew] = await graphs.next(view, [{ ...question, written }])
        for (const name of ['vocabulary', 'copy'] as const) {
          const [got, wanted] = [stepwise[i]![name], anew![name]]
          expect(got.length).toBe(wanted.length)
          expect(Math.max(...got.map((value, at) => Math.abs(value - wanted[at]!)))).toBeLessThan(1e-4)
        }
      }
    }
    await graphs.close()
  })
})

describe('many texts that are being written at once', () => {
  it('are not filled up to a question a hundred times as long', async () => {
    const packed = pack([quotable(STATE)])
    const cachedTokens: number[][] = []
    const scheduler = makeFairScheduler()
    const graphs = {
      ort: runtime,
      async pointers(_: unknown, questions: readonly PackedQuestion[]) {
        const nowhere = new Float32Array(packed.ids.length)
        return questions.map(() => ({ start: nowhere, end: nowhere, absent: 0 }))
      },
      async next(_: unknown, questions: readonly PackedQuestion[]) {
        cachedTokens.push(questions.map(({ cache }) => cache?.tokens ?? 0))
        // Something else has the next turn, so that all wait for their second token when it is over.
        if (questions.length > 1 && questions[0]!.cache === null)
          void scheduler.run(() => new Promise((resolve) => setTimeout(resolve, 20)))
        return questions.map((question) => ({
          vocabulary: new Float32Array(8192),
          copy: new Float32Array(packed.ids.length),
          cache: { tokens: tokensOf(question) + (question.cache?.tokens ?? 0), tables: new Map() },
        }))
      },
    } as unknown as DecisionGraphs
    const config = { ...({} as DecisionConfig), spanTokens: 24, writeTokens: 40 }
    const limits = new TokenLimits('fake', 4096, tokenizer)
    const grammars = new GrammarCache(tokenizer)
    const model = { config, limits, tokenizer, grammars, graphs, scheduler, views: new ImageViews() }
    const [endQueries, endKeys] = [new Float32Array(packed.ids.length), new Float32Array(packed.ids.length)]
    const encoded = { ...encodedOf(packed.ids.length), endQueries, endKeys, endWidth: 1 }
    const state = new OpenState(model, packed, encoded, [])
    const read = (instructions: string) =>
      state.generate(branch('read', instructions, []), { type: 'grammar', grammar: { type: 'text' }, maxTokens: 5 }, undefined)
    await Promise.all([read('word '.repeat(2000)), ...Array.from({ length: 60 }, () => read('Which city?'))])
    const sizes = cachedTokens.map((counts) => counts.length * Math.max(...counts))
    expect(Math.max(...sizes)).toBeGreaterThan(1999)
    expect(Math.max(...sizes)).toBeLessThan(5 * 2100)
    // The short ones still share theirs.
    expect(Math.max(...cachedTokens.map((counts) => counts.length))).toBeGreaterThan(50)
  })
})

describe('a question about one image', () => {
  const packed = pack([scaffold('x'), image('a'), image('b'), quotable('end')], [2, 3])
  const length = packed.ids.length
  const encoded = encodedOf(length)
  const view = new ImageViews().of(runtime, packed, encoded, 'b')
  const [hidden] = packed.images

  it('is asked behind a state without the cells of the others', () => {
    const seen = Array.from({ length }, (_, token) => token).filter((token) => token < hidden!.from || token >= hidden!.to)
    expect([...view.kept!]).toEqual(seen)
    expect(Array.from(view.feeds.words!.data as Float32Array)).toEqual(seen.flatMap((token) => [token, token]))
    // By head, and the sentinel behind the tokens.
    const rows = [...seen, length]
    expect(view.feeds.keys_0!.dims).toEqual([1, 2, rows.length, 1])
    expect(Array.from(view.feeds.keys_0!.data as Float32Array)).toEqual([...rows, ...rows.map((row) => row + 100)])
  })

  it('points at tokens of the whole state, and at none it does not see', () => {
    const all = spreadLogits(
      Float32Array.from(view.kept!, (token) => token),
      view,
      length,
    )
    all.forEach((value, token) => {
      expect(value).toBe(token >= hidden!.from && token < hidden!.to ? -1e4 : token)
    })
  })

  it('gets another answer than one about the other image, and the same again', async () => {
    const prompt: Prompt = { pieces: [picture('a', 40), picture('b', 7), { type: 'text', text: 'Two pictures.', source: null }] }
    const prefix = await backend.open(prompt)
    const asked = (about: string | null) => branch('binary', 'There are stripes.', ['true', 'false'], about)
    const [a, b, both] = await prefix.score([asked('a'), asked('b'), asked(null)])
    expect(valuesOf(a!)).not.toEqual(valuesOf(b!))
    expect(valuesOf(a!)).not.toEqual(valuesOf(both!))
    for (const [about, before] of [
      ['b', b],
      ['a', a],
      [null, both],
    ] as const)
      expectSame((await prefix.score([asked(about)]))[0]!, before!)
  })
})

/** An encoded state whose numbers are those of its tokens: [S][2] words, and one key of two heads, [1][2][S + 1][1]. */
function encodedOf(length: number) {
  const tokens = Array.from({ length: length + 1 }, (_, token) => token)
  const words = new Tensor('float32', Float32Array.from(tokens.slice(0, -1).flatMap((token) => [token, token])), [length, 2])
  const keys = new Tensor('float32', Float32Array.from([...tokens, ...tokens.map((token) => token + 100)]), [1, 2, length + 1, 1])
  return { feeds: { words, keys_0: keys }, endQueries: new Float32Array(0), endKeys: new Float32Array(0), endWidth: 0, bytes: 0 }
}

/** 64 x 64 pixels of stripes so many pixels wide. */
function picture(id: string, stripe: number): Piece {
  const data = Uint8Array.from({ length: 64 * 64 * 3 }, (_, i) => (Math.floor((Math.floor(i / 3) % 64) / stripe) % 2 === 0 ? 250 : 20))
  return { type: 'image', id, picture: { width: 64, height: 64, data, sha256: `stripes of ${stripe}` } }
}
