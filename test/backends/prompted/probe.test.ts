// The probe on models with habits, through the prompts, tokens and scores of the Idefics3 family; and what a folder
// keeps of it.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch, Scores } from '../../../src/backends/backend.ts'
import { plainSymbolRows, scorerOf } from '../../../src/backends/onnx/decoder/branch-scorer.ts'
import type { DecoderModel } from '../../../src/backends/onnx/decoder/model.ts'
import { loadOnnxModel, probeOnnxModel } from '../../../src/backends/onnx/index.ts'
import { type AskSymbols, PROBE_HASH, probe, readingOf } from '../../../src/backends/prompted/probe.ts'
import { type Scoring, type SymbolMeasurement, scoringOf, symbolsUpTo } from '../../../src/backends/prompted/scoring.ts'
import { logSoftmax } from '../../../src/core/math.ts'
import { type Asked, type Script, scriptedScorer, TINY_MODEL } from '../onnx/decoder/scripted-decoder.ts'

/** A number for a text, in [0, 1): what a model happens to like. */
function whim(text: string): number {
  let hash = 0
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) as number)) % 1009
  return hash / 1009
}

const OWN = 3
/** Knows which word is asked for, by `OWN` over the others; else follows its whims. `habit` is added by place. */
const reader =
  (habit: (asked: Asked, place: number) => number): Script =>
  (asked) => {
    const wanted = /(?:equals|is) "(.+?)"/.exec(asked.question)?.[1]
    return asked.candidates.map(({ name }, place) => {
      const own = wanted === undefined ? whim(name + asked.question.slice(0, 40)) : name === wanted ? OWN : 0
      return own + habit(asked, place)
    })
  }
const isYesNo = ({ candidates }: Asked): boolean => candidates[0]?.symbol === 'Yes'
const bySymbols = ({ candidates }: Asked): boolean => candidates[0]?.symbol !== null && !isYesNo({ question: '', candidates })

/** Says its first symbol far more readily than it should: five nats, more than it knows. */
const firstIsBest = reader((asked, place) => (bySymbols(asked) && place === 0 ? 5 : 0))
/** Says the same letter whatever stands behind it; in words it knows. */
const deafToSymbols: Script = (asked) => (bySymbols(asked) ? asked.candidates.map((_, place) => -place) : reader(() => 0)(asked))
/** Loses track with more than four. */
const atMostFour: Script = (asked) => (asked.candidates.length > 4 ? deafToSymbols(asked) : firstIsBest(asked))

interface Probed {
  readonly found: SymbolMeasurement
  readonly model: DecoderModel
  readonly score: (branch: Branch) => Promise<Scores>
  readonly plain: AskSymbols
  readonly steps: readonly [number, number][]
}

async function measured(script: Script, elsewhere?: number): Promise<Probed> {
  const { model, nothing } = await scriptedScorer(script, elsewhere)
  const steps: [number, number][] = []
  const plain: AskSymbols = (branch) => plainSymbolRows(model, nothing, branch)
  const found = await probe(plain, { onProgress: (...step) => steps.push(step) })
  const reading = readingOf(scoringOf({ revision: '', templateHash: '' }, found), plain)
  const probed: DecoderModel = { ...model, reading }
  return { found, model: probed, steps, plain, score: (branch) => scorerOf(probed, nothing).score(branch, null) }
}

const branch = (readout: Branch['readout'], instructions: string, names: readonly string[]): Branch => ({
  readout,
  instructions,
  candidates: names.map((name) => ({ name, description: null })),
  image: null,
})
const NAMES = ['lamp', 'rope', 'stone', 'glove', 'spoon'] as const
const turned = (by: number): string[] => [...NAMES.slice(by), ...NAMES.slice(0, by)]

describe('the probe', () => {
  it('finds a habit of place, and dividing it out gives every place the same answer', async () => {
    const { found, score, steps } = await measured(firstIsBest)
    for (const { binding, logPriors } of [found.exclusive, found.ordinal]) {
      expect(binding.map(({ count, asked, right }) => [count, asked, right])).toEqual([
        [2, 8, 8],
        [4, 16, 16],
        [8, 16, 16],
      ])
      expect(Object.keys(logPriors)).toEqual(['2', '4', '8'])
      for (const prior of Object.values(logPriors)) {
        const wanted = logSoftmax(prior.map((_, place) => (place === 0 ? 5 : 0)))
        prior.forEach((logP, place) => {
          expect(logP).toBeCloseTo(wanted[place] as number, 2)
        })
      }
    }
    const wanted = logSoftmax([OWN, 0, 0, 0, 0])
    for (const readout of ['exclusive', 'ordinal'] as const) {
      for (let by = 0; by < NAMES.length; by++) {
        const names = turned(by)
        const [row] = (await score(branch(readout, 'Which one is "stone"?', names))).rows
        logSoftmax(row!.logProbabilities).forEach((logP, place) => {
          expect(logP).toBeCloseTo(wanted[names[place] === 'stone' ? 0 : 1] as number, 2)
        })
        // A thousandth went to what is no symbol, before and after.
        expect(row!.mass).toBeCloseTo(1 / 1.001, 4)
      }
    }
    expect(steps.at(-1)).toEqual([152, 152])
  })

  it('finds nothing to divide out where there is no habit', async () => {
    const { found } = await measured(reader(() => 0))
    for (const prior of [found.exclusive, found.ordinal].flatMap(({ logPriors }) => Object.values(logPriors))) {
      expect(Math.max(...prior) - Math.min(...prior)).toBeLessThan(0.01)
    }
  })

  it('sends a model that does not bind symbols to texts, whose mass is that of the words', async () => {
    const { found, score, steps } = await measured(deafToSymbols)
    expect([symbolsUpTo(found.exclusive), symbolsUpTo(found.ordinal)]).toEqual([0, 0])
    expect([found.exclusive.logPriors, found.ordinal.logPriors]).toEqual([{}, {}])
    // It is done after the first sizes: four questions on the prior and eight on binding, twice, and those on yes and
    // no.
    expect(steps).toHaveLength(2 * (4 + 8) + 16)
    for (const readout of ['exclusive', 'ordinal'] as const) {
      for (let by = 0; by < NAMES.length; by++) {
        const names = turned(by)
        const [row] = (await score(branch(readout, 'Which one is "stone"?', names))).rows
        const top = row!.logProbabilities.indexOf(Math.max(...row!.logProbabilities))
        expect(names[top]).toBe('stone')
        expect(row!.mass).toBeGreaterThan(0.95)
        expect(row!.logProbabilities.reduce((sum, logP) => sum + Math.exp(logP), 0)).toBeCloseTo(row!.mass, 9)
      }
    }
  })

  it('leaves the mass as low as the model gave it, by symbols and by texts', async () => {
    // Four times as much goes to what is no answer, at every token.
    const bound = await measured(firstIsBest, 4)
    const asked = branch('exclusive', 'Which one is "stone"?', NAMES)
    // A letter without its space counts with the letter, and has its share of what goes elsewhere.
    expect(bound.found.exclusive.binding.map(({ mass }) => mass.toFixed(1))).toEqual(['0.2', '0.2', '0.2'])
    expect(bound.found.ordinal.binding.map(({ mass }) => mass)).toEqual([0.2, 0.2, 0.2])
    const [divided, plain] = [(await bound.score(asked)).rows[0]!, (await bound.plain(asked))![0]!]
    expect(divided.logProbabilities).not.toEqual(plain.logProbabilities)
    expect(divided.mass).toBe(plain.mass)
    expect(divided.logProbabilities.reduce((sum, logP) => sum + Math.exp(logP), 0)).toBeCloseTo(plain.mass, 9)

    const deaf = await measured(deafToSymbols, 4)
    const weights = logSoftmax(NAMES.map((name) => (name === 'stone' ? OWN : 0)))
    const masses = NAMES.map((name, i) => Math.exp(weights[i] as number) * 0.2 ** (deaf.model.tokenizer.encode(` ${name}`).length + 1))
    const { mass } = (await deaf.score(asked)).rows[0]!
    expect(mass / masses.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 4)
  })

  it('keeps to symbols as far as they are told apart', async () => {
    const { found, model, score } = await measured(atMostFour)
    expect(found.exclusive.binding.map(({ count, right, asked }) => [count, right === asked])).toEqual([
      [2, true],
      [4, true],
      [8, false],
    ])
    expect(Object.keys(found.exclusive.logPriors)).toEqual(['2', '4'])
    const tokensOf = async (names: readonly string[]): Promise<number> =>
      (await score(branch('exclusive', 'Which one is "stone"?', names))).inputTokens
    const question = (names: readonly string[], mark: (i: number) => string, how: string): number =>
      model.prompts.encodeQuestion(
        `\n\nQuestion: Which one is "stone"?\n${names.map((name, i) => `${mark(i)} ${name}`).join('\n')}\nAnswer with the ${how} of the one option that fits best.`,
      ).length
    const four = NAMES.slice(0, 4)
    const letters = (i: number): string => `${'ABCDE'[i]}.`
    expect(await tokensOf(four)).toBe(question(four, letters, 'letter'))
    const texts = NAMES.reduce((sum, name) => sum + model.tokenizer.encode(` ${name}`).length, 0)
    expect(await tokensOf(NAMES)).toBe(question(NAMES, () => '-', 'text') + texts)
  })

  it('finds how readily yes is said, so that a statement and its denial weigh one', async () => {
    // Two nats towards yes, and one and a half of knowledge.
    const agreeable: Script = (asked) => {
      if (!isYesNo(asked)) return firstIsBest(asked)
      const knows = /broken/.test(asked.question) ? 1.5 : whim(asked.question.replace(/ not| no/, '')) - 0.5
      const isDenied = / not | no | closed/.test(asked.question)
      return [2 + (isDenied ? -knows : knows), 0]
    }
    const { found, score } = await measured(agreeable)
    for (const prior of [found.binary, found.independent]) expect(prior![0]! - prior![1]!).toBeGreaterThan(1.5)
    const yes = async (readout: 'binary' | 'independent', said: string): Promise<number> => {
      const names = readout === 'binary' ? ['true', 'false'] : ['broken']
      const [row] = (await score(branch(readout, said, names))).rows
      return Math.exp(logSoftmax(row!.logProbabilities)[0] as number)
    }
    expect((await yes('binary', 'It is broken.')) + (await yes('binary', 'It is not broken.'))).toBeCloseTo(1, 1)
    expect((await yes('independent', 'What is it?')) + (await yes('independent', 'What is it not ?'))).toBeCloseTo(1, 1)
  })

  it('reads symbols that are not single tokens by texts', async () => {
    const { model, nothing } = await scriptedScorer(firstIsBest)
    // A tokenizer that cuts every letter and digit off from its space, and then once more.
    const cut: DecoderModel = { ...model, tokenizer: { ...model.tokenizer, encode: (text) => [...model.tokenizer.encode(text), 9] } }
    const found = await probe((asked) => plainSymbolRows(cut, nothing, asked))
    expect(found).toEqual({
      probe: PROBE_HASH,
      exclusive: { binding: [], logPriors: {} },
      ordinal: { binding: [], logPriors: {} },
      binary: null,
      independent: null,
    })
  })

  it('finds every prior beforehand when asked to, the same as are found when needed', async () => {
    const { model, nothing } = await scriptedScorer(firstIsBest)
    const ask: AskSymbols = (one) => plainSymbolRows(model, nothing, one)
    const steps: [number, number][] = []
    const bound = { revision: '', templateHash: '' }
    const all = scoringOf(bound, await probe(ask, { everyPrior: true, onProgress: (...step) => steps.push(step) }))
    expect(steps.at(-1)).toEqual([312, 312])
    const some = scoringOf(bound, await probe(ask))
    const never: AskSymbols = () => Promise.reject(new Error('it was known'))
    for (const readout of ['exclusive', 'ordinal'] as const) {
      for (let count = 2; count <= 10; count++) {
        const one = branch(
          readout,
          'Which?',
          Array.from({ length: count }, (_, i) => `o${i}`),
        )
        expect(await readingOf(all, never).logPriorOf(one)).toEqual(await readingOf(some, ask).logPriorOf(one))
      }
    }
  })

  it('finds the same again', async () => {
    expect((await measured(atMostFour)).found).toEqual((await measured(atMostFour)).found)
  })
})

describe('a model folder', () => {
  let folder = ''
  let scoring: Scoring
  beforeAll(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'assay-scoring-')), 'model')
    await cp(TINY_MODEL, folder, { recursive: true })
    scoring = await probeOnnxModel(folder, { threads: 1 })
  })
  afterAll(() => rm(join(folder, '..'), { recursive: true, force: true }))

  const keep = (value: unknown): Promise<void> => writeFile(join(folder, 'scoring.json'), JSON.stringify(value))
  const infoOf = async (how?: 'folder' | 'probe' | 'plain') => {
    const backend = await loadOnnxModel(folder, { inProcess: true, threads: 1, ...(how === undefined ? {} : { scoring: how }) })
    const prefix = await backend.open({ pieces: [] })
    const scores = await prefix.score([branch('exclusive', 'Which?', NAMES), branch('binary', 'It is so.', ['true', 'false'])])
    await backend.close()
    return { ...backend.info, scores }
  }

  it('is probed at load, with the same result every time, and read by texts when its weights are random', async () => {
    const [once, again] = [await infoOf(), await infoOf('probe')]
    expect(once).toEqual(again)
    expect(once.scorer).toBe('texts')
    expect(await probeOnnxModel(folder, { threads: 1 })).toEqual(scoring)
  })

  it('is read as it comes when that is asked for, and that is another template', async () => {
    const [plain, probed] = [await infoOf('plain'), await infoOf()]
    expect(plain).toMatchObject({ scorer: 'symbols', revision: scoring.revision, templateHash: scoring.templateHash })
    expect(probed.revision).toBe(plain.revision)
    expect(probed.templateHash).not.toBe(plain.templateHash)
    expect(probed.scores).not.toEqual(plain.scores)
  })

  it('is read as its scoring.json says, when that is of the same model, prompts and probe', async () => {
    const probed = await infoOf()
    await keep(scoring)
    expect(await infoOf()).toEqual(probed)
    const bound = { binding: [{ count: 2, asked: 8, right: 8, mass: 0.5 }], logPriors: { 2: [Math.log(0.5), Math.log(0.5)] } }
    await keep({ ...scoring, exclusive: bound })
    expect((await infoOf()).scorer).toBe('symbols')
    expect((await infoOf()).templateHash).not.toBe(probed.templateHash)
    expect(await infoOf('probe')).toEqual(probed)
    for (const other of [{ revision: 'x' }, { templateHash: 'x' }, { probe: 'x' }]) {
      await keep({ ...scoring, exclusive: bound, ...other })
      expect(await infoOf()).toEqual(probed)
    }
  })

  it('says what is wrong with its scoring.json before it loads', async () => {
    await keep({ ...scoring, binary: 'no' })
    await expect(infoOf()).rejects.toMatchObject({ code: 'model_not_available', message: expect.stringContaining('scoring.json') })
    expect((await infoOf('plain')).scorer).toBe('symbols')
    await rm(join(folder, 'scoring.json'))
    expect(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')).model_type).toBe('idefics3')
  })

  it('of a model that reads each option on its own has nothing to probe', async () => {
    const own = new URL('../../../models/service-1-pro', import.meta.url).pathname
    await expect(probeOnnxModel(own)).rejects.toMatchObject({ code: 'capability_not_supported' })
  })
})
