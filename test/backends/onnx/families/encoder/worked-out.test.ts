// What numbers of a text come to, and which of it answers.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { likeliestSum, STANDS, type Sums, sumsOf } from '../../../../../src/backends/onnx/families/encoder/worked-out.ts'
import { loadOnnxModel } from '../../../../../src/backends/onnx/index.ts'
import { createEngine, fill, type State } from '../../../../../src/index.ts'
import { changedFolders, edit } from '../changed-folder.ts'

const { folderWith } = changedFolders(fileURLToPath(new URL('../../../../golden/encoder', import.meta.url)))

/** How many lamps there are, by a model whose config.json is changed so. */
async function lampsOf(state: State, change: Readonly<Record<string, boolean>>) {
  const folder = await folderWith(
    'model',
    edit('config.json', (json) => Object.assign(json, change)),
  )
  const engine = await createEngine({ models: [await loadOnnxModel(folder, { inProcess: true, threads: 1 })] })
  const { answers, usage } = await engine.ask({ state, questions: { left: fill('Lamps', { kind: 'int' }) } })
  await engine.close()
  return { answer: answers.left, usage }
}

/** Log-probabilities where each option has the share that is given, and all others share the rest. */
function looked(sums: Sums, shares: Readonly<Record<string, number>>): number[] {
  const options = [STANDS, ...sums.keys()]
  const rest = 1 - Object.values(shares).reduce((sum, share) => sum + share, 0)
  const others = options.length - Object.keys(shares).length
  return options.map((option) => Math.log(shares[option] ?? rest / others))
}

describe('sums of numbers', () => {
  it('are what pairs come to, in words', () => {
    expect(Object.fromEntries(sumsOf([7, 14])!)).toEqual({
      '7 plus 14': 21,
      '14 minus 7': 7,
      '7 times 14': 98,
      '14 divided by 7': 2,
    })
  })

  it('are what triples come to, in the order of the text', () => {
    const sums = sumsOf([47, 41, 20])!
    expect(sums.get('47 minus 41 plus 20')).toBe(26)
    expect(sums.get('47 times 41, plus 20')).toBe(1947)
    expect(sums.get('41 times 20, plus 47')).toBe(867)
    expect(sums.size).toBe(3 * 4 + 8)
  })

  it('divide by no zero', () => {
    expect([...sumsOf([0, 5])!.keys()]).toEqual(['0 plus 5', '5 minus 0', '0 times 5'])
  })

  it('are asked of two to five different numbers', () => {
    expect(sumsOf([3])).toBeNull()
    expect(sumsOf([3, 3])).toBeNull()
    expect(sumsOf([1, 2, 3, 4, 5])).not.toBeNull()
    expect(sumsOf([1, 2, 3, 4, 5, 6])).toBeNull()
  })
})

describe('the likeliest sum', () => {
  const sums = sumsOf([2.5, 10])!

  it('answers where it is likely, and much likelier than a number that stands there', () => {
    const found = likeliestSum(sums, [looked(sums, { '2.5 times 10': 0.8 })], 'number')
    expect(found!.text).toBe('25')
    expect(found!.logProbability).toBeCloseTo(Math.log(0.8), 9)
    expect(likeliestSum(sums, [looked(sums, { [STANDS]: 0.3, '2.5 times 10': 0.6 })], 'number')).toBeNull()
    expect(likeliestSum(sums, [looked(sums, { [STANDS]: 0.05, '2.5 times 10': 0.28 })], 'number')).toBeNull()
  })

  it('pools the looks', () => {
    const [sure, unsure] = [looked(sums, { [STANDS]: 0.9 }), looked(sums, { '2.5 plus 10': 0.7, [STANDS]: 0.1 })]
    expect(likeliestSum(sums, [sure, unsure], 'number')).toBeNull()
    expect(likeliestSum(sums, [unsure, unsure], 'number')!.text).toBe('12.5')
  })

  it('is a whole number where one is asked for', () => {
    const looks = [looked(sums, { '2.5 plus 10': 0.5, '2.5 times 10': 0.4 })]
    expect(likeliestSum(sums, looks, 'number')!.text).toBe('12.5')
    expect(likeliestSum(sums, looks, 'int')!.text).toBe('25')
  })

  it('shares the chances of ways to the same number', () => {
    const same = sumsOf([2, 4, 8])!
    const looks = [looked(same, { '2 times 4': 0.3, '4 divided by 2': 0.2, '8 divided by 4': 0.2, [STANDS]: 0.1 })]
    expect(likeliestSum(same, looks, 'int')!.text).toBe('2')
    expect(likeliestSum(same, looks, 'int')!.logProbability).toBeGreaterThan(Math.log(0.4) - 1e-9)
  })

  it('is written without what rounding left', () => {
    const cents = sumsOf([0.1, 0.2])!
    expect(likeliestSum(cents, [looked(cents, { '0.1 plus 0.2': 0.9 })], 'number')!.text).toBe('0.3')
  })
})

describe('a model that works out numbers', () => {
  const state = { paid: '17 lamps', sent: 44, open: 5 }

  it('answers with a number of the state or a sum of some, for the tokens of its question', async () => {
    const [plain, made] = [await lampsOf(state, { works_out: false }), await lampsOf(state, { works_out: true })]
    const numbers = [17, 44, 5]
    expect(numbers).toContain(plain.answer.parsed)
    expect([...numbers, ...sumsOf(numbers)!.values()]).toContain(made.answer.parsed)
    expect(made.usage).toEqual(plain.usage)
  })
})

describe('a model that weighs that no such value is there', () => {
  it('gives the same value, less sure', async () => {
    const asked = async (weighsNothing: boolean) => (await lampsOf('Of 44 lamps 17 came.', { weighs_nothing: weighsNothing })).answer
    const [plain, weighed] = [await asked(false), await asked(true)]
    expect(weighed.value).toBe(plain.value)
    expect(weighed.confidence).toBeLessThan(plain.confidence)
    expect(weighed.confidence).toBeGreaterThan(plain.confidence / 2)
  })
})
