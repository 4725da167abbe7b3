// What the Idefics3 family writes behind a state and how it reads the answer: prompts word for word, scores against
// sums done here by hand.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend, Branch, Candidate, Constraint, Prefix } from '../../../../src/backends/backend.ts'
import { afterSpace } from '../../../../src/backends/onnx/decoder/constrained-decoder.ts'
import { type Decoder, logitsOfAll, makeDecoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { findGraph, openFolder, readJson, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { loadRuntime, openSession } from '../../../../src/backends/onnx/runtime/session.ts'
import { makeTokenizer, type TextTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
import { symbolTokensOf } from '../../../../src/backends/prompted/answer-tokens.ts'
import { readPrompt, scoredPrompts } from '../../../../src/backends/prompted/prompt-template.ts'
import { run } from '../../../../src/constraint/automaton.ts'
import { compileGrammar } from '../../../../src/constraint/grammar.ts'
import { logSoftmax, logSumExp } from '../../../../src/core/math.ts'
import type { Picture, Piece } from '../../../../src/core/types.ts'

const MODEL = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))
const STATE = 'Hello, my order number 4711 has not arrived.'
const plain = (...names: string[]): Candidate[] => names.map((name) => ({ name, description: null }))
const branch = (
  readout: Branch['readout'],
  instructions: string,
  candidates: readonly Candidate[],
  image: string | null = null,
): Branch => ({
  readout,
  instructions,
  candidates,
  image,
})
const text = (value: string): Piece => ({ type: 'text', text: value, source: { part: 0, path: null } })
const flat = (level: number): Picture => ({ width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(level), sha256: `flat ${level}` })

describe('the words of a question', () => {
  const written = (asked: Branch, about: string | null = null): string[] =>
    scoredPrompts(asked, about).map(({ shared, question }) => shared + question)

  it('put a statement with what yes and no mean', () => {
    const [yes, no] = [
      { name: 'true', description: 'paid in full' },
      { name: 'false', description: null },
    ] as const
    expect(written(branch('binary', 'It is paid.', [yes, no]))).toEqual([
      '\n\nStatement: It is paid.\nYes means: paid in full\nIs the statement true? Answer Yes or No.',
    ])
  })

  it('list options by letter and levels by number', () => {
    const options = [...plain('calm'), { name: 'angry', description: 'shouts' }]
    expect(written(branch('exclusive', 'Tone?', options))).toEqual([
      '\n\nQuestion: Tone?\nA. calm\nB. angry: shouts\nAnswer with the letter of the one option that fits best.',
    ])
    expect(written(branch('ordinal', 'How loud?', options), 'image 2 of 3 (b)')).toEqual([
      '\n\nThis is about image 2 of 3 (b) only.\nQuestion: How loud?\nThe levels, from lowest to highest:\n1. calm\n2. angry: shouts\nAnswer with the number of the one level that fits best.',
    ])
  })

  it('ask for each independent option on its own, with the question in front of all', () => {
    expect(written(branch('independent', 'What is in it?', plain('a', 'b')))).toEqual([
      '\n\nQuestion: What is in it?\nOption: a\nDoes this option apply? Answer Yes or No.',
      '\n\nQuestion: What is in it?\nOption: b\nDoes this option apply? Answer Yes or No.',
    ])
    expect(written(branch('independent', '', plain('a')))).toEqual(['\n\nOption: a\nDoes this option apply? Answer Yes or No.'])
  })

  it('give a symbol to 26 options, ten levels, and to no more', () => {
    const names = Array.from({ length: 27 }, (_, i) => `o${i}`)
    const symbols = (readout: Branch['readout'], count: number) =>
      scoredPrompts(branch(readout, '', plain(...names.slice(0, count))), null)[0]?.symbols
    expect(symbols('exclusive', 26)?.at(-1)).toEqual(['Z'])
    expect(symbols('exclusive', 27)).toBeNull()
    expect(
      symbols('ordinal', 9)
        ?.map(([first]) => first)
        .join(''),
    ).toBe('123456789')
    expect(
      symbols('ordinal', 10)
        ?.map(([first]) => first)
        .join(''),
    ).toBe('0123456789')
    expect(symbols('ordinal', 11)?.[0]).toEqual(['A'])
  })

  it('say how a read is to be written, and what to say when there is nothing', () => {
    const asked = branch('read', 'Total?', [])
    expect(readPrompt(asked, { type: 'span', many: false, format: 'money' }, null)).toBe(
      '\n\nQuestion: Total?\nCopy the answer word for word from the text above, and nothing else. It is an amount of money.\nIf it is not in the text, answer: none',
    )
    const grammar = { type: 'list', item: { type: 'enum', values: ['x', 'y'] }, maxItems: 3 } as const
    expect(readPrompt(asked, { type: 'grammar', grammar, maxTokens: 9 }, null)).toBe(
      '\n\nQuestion: Total?\nAnswer with a list of at most 3, separated by "; ". For each: Answer with one of: x | y',
    )
  })
})

describe('afterSpace', () => {
  it('takes the same texts with a space in front or without, and none else', () => {
    const automaton = afterSpace(compileGrammar({ type: 'int' }))
    const takes = (said: string): boolean => {
      const state = run(automaton, automaton.start, new TextEncoder().encode(said))
      return state !== null && automaton.accepts(state)
    }
    expect(['12', ' 12', ' -7', '  12', ' ', '', '1 2'].map(takes)).toEqual([true, true, true, false, false, false, false])
  })
})

describe('answers of the Idefics3 family', () => {
  let backend: Backend
  let prefix: Prefix
  let tokenizer: TextTokenizer
  let decoder: Decoder
  let end: number
  const OPENING = ['<end_of_utterance>', '\nAssistant:'] as const

  beforeAll(async () => {
    const options = { threads: 1 }
    // As the model gives them: what a probe finds is divided out elsewhere (onnx-scoring-probe.test.ts).
    backend = await loadOnnxModel(MODEL, { ...options, inProcess: true, scoring: 'plain' })
    prefix = await backend.open({ pieces: [text(STATE)] })
    const folder = await openFolder(MODEL)
    tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), await readJson(folder, 'tokenizer_config.json'))
    end = tokenizer.control('<end_of_utterance>') as number
    decoder = makeDecoder(
      await loadRuntime(),
      await openSession(findGraph(folder, 'embed_tokens', TEXT_DTYPES, options), options),
      await openSession(findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, options), options),
    )
  })
  afterAll(() => Promise.all([backend.close(), decoder.close()]))

  /** Logits behind the whole prompt, read in one go: a path that keeps nothing and shares nothing. */
  const logitsOf = async (question: string, answer = ''): Promise<Float32Array[]> => {
    const start = tokenizer.control('<|im_start|>') as number
    const ids = [start, ...tokenizer.encode(`User: ${STATE}`), ...tokenizer.encode(question), end, ...tokenizer.encode(OPENING[1])]
    const said = tokenizer.encode(answer)
    const rows = await logitsOfAll(decoder, decoder.empty, [...ids, ...said])
    return rows.slice(ids.length - 1)
  }
  const id = (said: string): number => {
    const ids = tokenizer.encode(said)
    expect(ids, `'${said}' is one token`).toHaveLength(1)
    return ids[0] as number
  }
  const expectClose = (got: readonly number[], wanted: readonly number[]): void => {
    expect(got).toHaveLength(wanted.length)
    got.forEach((value, i) => {
      expect(value).toBeCloseTo(wanted[i] as number, 4)
    })
  }

  it('are log-probabilities of the next token, spellings of a symbol together', async () => {
    const asked = branch('exclusive', 'Tone?', plain('calm', 'angry'))
    const [scores] = await prefix.score([asked])
    const [logits] = await logitsOf(scoredPrompts(asked, null)[0]!.question)
    const logP = logSoftmax(logits as Float32Array)
    const wanted = ['A', 'B'].map((letter) => logSumExp([logP[id(` ${letter}`)] as number, logP[id(letter)] as number]))
    expectClose(scores!.rows[0]!.logProbabilities, wanted)
    expect(scores!.rows[0]!.mass).toBeCloseTo(
      wanted.reduce((sum, value) => sum + Math.exp(value), 0),
      6,
    )
  })

  it('are the same when the question of independent options is read once', async () => {
    const asked = branch('independent', 'What is missing?', plain('a parcel', 'a name', 'money'))
    const [scores] = await prefix.score([asked])
    expect(scores?.rows).toHaveLength(3)
    const spellings = (word: string) => [word, word.toLowerCase(), word.toUpperCase()].flatMap((one) => [` ${one}`, one])
    for (const [i, { shared, question }] of scoredPrompts(asked, null).entries()) {
      const logP = logSoftmax((await logitsOf(shared + question))[0] as Float32Array)
      const wanted = ['Yes', 'No'].map((word) => {
        const singles = new Set(
          spellings(word)
            .map((said) => tokenizer.encode(said))
            .flatMap((ids) => (ids.length === 1 ? ids : [])),
        )
        return logSumExp([...singles].map((one) => logP[one] as number))
      })
      expectClose(scores!.rows[i]!.logProbabilities, wanted)
    }
  })

  it('read digits behind the space that the tokenizer splits off', async () => {
    const readOut = symbolTokensOf([['1'], ['2']], tokenizer.encode, false)
    expect(readOut).toEqual({ lead: [id(' ')], ids: [[id('1')], [id('2')]] })
    const asked = branch('ordinal', 'How late?', plain('little', 'very'))
    const [scores] = await prefix.score([asked])
    const logP = logSoftmax((await logitsOf(scoredPrompts(asked, null)[0]!.question, ' ')).at(-1) as Float32Array)
    expectClose(scores!.rows[0]!.logProbabilities, [logP[id('1')] as number, logP[id('2')] as number])
  })

  it('have no read-out for symbols of several tokens, or for two of the same', () => {
    expect(symbolTokensOf([['refrigerator'], ['A']], tokenizer.encode, false)).toBeNull()
    expect(symbolTokensOf([['A'], ['A']], tokenizer.encode, false)).toBeNull()
    expect(symbolTokensOf(null, tokenizer.encode, false)).toBeNull()
    // Behind white space a word needs no space of its own.
    expect(symbolTokensOf([['A'], ['B']], tokenizer.encode, true)).toEqual({ lead: [], ids: [[id('A')], [id('B')]] })
  })

  it('to more options than letters are their texts, by mean log-probability, summing to the probability of all', async () => {
    const names = Array.from({ length: 28 }, (_, i) => (i === 3 ? 'a very long name of an option' : `name ${i}`))
    const [scores] = await prefix.score([branch('exclusive', 'Which?', plain(...names))])
    const listed = names.map((name) => `- ${name}`).join('\n')
    const question = `\n\nQuestion: Which?\n${listed}\nAnswer with the text of the one option that fits best.`
    const sums: number[] = []
    const means: number[] = []
    for (const name of names) {
      const ids = [...tokenizer.encode(` ${name}`), end]
      const rows = await logitsOf(question, ` ${name}`)
      const sum = ids.reduce((total, token, i) => total + (logSoftmax(rows[i] as Float32Array)[token] as number), 0)
      sums.push(sum)
      means.push(sum / ids.length)
    }
    const all = logSumExp(sums)
    expectClose(
      scores!.rows[0]!.logProbabilities,
      logSoftmax(means).map((share) => share + all),
    )
    expect(scores!.rows[0]!.mass / Math.exp(all)).toBeCloseTo(1, 3)
  })

  it('do not depend on what the cache still holds', async () => {
    const small = await loadOnnxModel(MODEL, { threads: 1, inProcess: true, cacheBytes: 0, scoring: 'plain' })
    const asked = [branch('exclusive', 'Tone?', plain('calm', 'angry'))]
    const first = await small.open({ pieces: [text(STATE)] })
    const again = await small.open({ pieces: [text(STATE)] })
    const kept = await backend.open({ pieces: [text(STATE)] })
    expect([first.cachedTokens, again.cachedTokens, kept.cachedTokens]).toEqual([0, 0, kept.tokens])
    expect(await again.score(asked)).toEqual(await kept.score(asked))
    await small.close()
  })

  it('are about one picture when there are several, and there is no other', async () => {
    const pieces: Piece[] = [
      { type: 'image', id: 'shop', picture: flat(20) },
      { type: 'image', id: 'cart', picture: flat(230) },
    ]
    const two = await backend.open({ pieces })
    const ask = async (image: string | null) => (await two.score([branch('binary', 'It is dark.', plain('true', 'false'), image)]))[0]!
    const [whole, shop, cart] = [await ask(null), await ask('shop'), await ask('cart')]
    expect(shop.inputTokens).toBeGreaterThan(whole.inputTokens)
    expect(shop.rows).not.toEqual(cart.rows)
    await expect(ask('lamp')).rejects.toMatchObject({ code: 'invalid_question', message: expect.stringContaining('shop, cart') })
    // Their names are the question's matter: the same pictures under other names are the same state.
    const renamed = await backend.open({ pieces: pieces.map((piece, i) => ({ ...piece, id: `p${i}` })) as Piece[] })
    expect(renamed.cachedTokens).toBe(two.tokens)
  })

  it('see many pictures as one tile each', async () => {
    const of = async (count: number): Promise<number> => {
      const pieces = Array.from({ length: count }, (_, i): Piece => ({ type: 'image', id: 'x', picture: flat(i) }))
      return (await backend.open({ pieces })).tokens
    }
    const [four, five] = [await of(4), await of(5)]
    // 3 x 3 tiles and the whole, against one tile: 4 image tokens each, and those around them.
    expect(four).toBeGreaterThan(4 * 10 * 4)
    expect(five).toBeLessThan(four / 2)
  })

  it('say how sure a read is among what it was allowed to say', async () => {
    const asked = branch('read', 'Which order?', [])
    const found = await prefix.generate(asked, { type: 'span', many: false, format: 'text' })
    if (found.type !== 'spans' || found.spans.length !== 1) throw new Error(`one span was expected, not ${JSON.stringify(found)}`)
    expect(found.logProbability).toBeCloseTo(found.spans[0]!.logProbability, 6)
    const only = { type: 'grammar', grammar: { type: 'enum', values: ['12'] }, maxTokens: 9 } as const
    const forced = await prefix.generate(asked, only)
    // The space in front and the cut into tokens are the model's choice; the value is not.
    expect(forced).toMatchObject({ type: 'text', text: '12', complete: true })
    expect(forced.logProbability).toBeGreaterThan(-5)
  })

  it('refuse what does not fit with the numbers: state, question and answer', async () => {
    const room = backend.info.contextLength - prefix.tokens
    const constraint: Constraint = { type: 'grammar', grammar: { type: 'int' }, maxTokens: room }
    await expect(prefix.generate(branch('read', 'How many?', []), constraint)).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringMatching(/would take 10\d\d tokens, the model takes 1024/),
    })
  })
})
