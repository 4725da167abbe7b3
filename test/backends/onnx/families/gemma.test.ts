// The kinds of Gemma with pictures against transformers, on the tiny random models of test/golden/gemma3,
// gemma3n and gemma4 (see make.py there).
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPreprocessor } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { makeImageTokens } from '../../../../src/backends/onnx/families/gemma/image-tokens.ts'
import { patchReader, placedPatches, sizeInBudget } from '../../../../src/backends/onnx/families/gemma/patches.ts'
import { makePictures } from '../../../../src/backends/onnx/families/gemma/pictures.ts'
import {
  type PatchBudget,
  patchBudgetOf,
  pictureTokensOf,
  type SquareRule,
  squareRuleOf,
} from '../../../../src/backends/onnx/families/gemma/settings.ts'
import { squareOf, squareReader } from '../../../../src/backends/onnx/families/gemma/squares.ts'
import { floatsOfLevels } from '../../../../src/backends/onnx/images/patches.ts'
import { openFolder, readJson } from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import {
  expectSameBehindState,
  folderOf,
  levelDifference,
  maxDifference,
  type OpenFamily,
  openFamily,
  type PatchGolden,
  piecesOf,
  readGoldens,
  readPicture,
  type VisionGolden,
} from './vision-goldens.ts'

interface Goldens {
  readonly squares?: readonly PatchGolden[]
  readonly patches?: readonly PatchGolden[]
  readonly sizes?: readonly { readonly width: number; readonly height: number; readonly size: readonly [number, number] }[]
  /** `bothWays`: of attention in both directions among image tokens, where the model was trained with it. */
  readonly cases: readonly (VisionGolden & { readonly bothWays?: readonly number[] })[]
}

const KINDS = ['gemma3', 'gemma3n', 'gemma4'] as const
type Kind = (typeof KINDS)[number]
/** The mean and the deviation of colours of those that read squares. */
const SQUARES = { gemma3: [0.5, 0.5], gemma3n: [0, 1] } as const
/** What begins a picture, stands for a row of its features, and ends it. */
const TOKENS = ['<start_of_image>', '<image_soft_token>', '<end_of_image>'] as const
const TOKENS_OF = { gemma3: TOKENS, gemma3n: TOKENS, gemma4: ['<|image>', '<|image|>', '<image|>'] } as const

const modelOf = (kind: Kind): string => `../${kind}/model`

const preprocessorOf = async (kind: Kind) => {
  const folder = await openFolder(folderOf(modelOf(kind)))
  return [folder, await readPreprocessor(folder), {}] as const
}
const ruleOf = async (kind: keyof typeof SQUARES): Promise<SquareRule> => squareRuleOf(...(await preprocessorOf(kind)))
const budget = async (): Promise<PatchBudget> => patchBudgetOf(...(await preprocessorOf('gemma4')))

const open = (kind: Kind): Promise<OpenFamily> =>
  openFamily(modelOf(kind), false, async ({ runtime, folder, tokenizer, scheduler, open: graph }) => {
    const session = await graph('vision_encoder')
    const reader = kind === 'gemma4' ? patchReader(runtime, session, await budget()) : squareReader(runtime, session, await ruleOf(kind))
    const encoder = makePictures(reader, session, 2 ** 22, scheduler)
    const tokens = pictureTokensOf(folder, await readJson(folder, 'tokenizer_config.json'), tokenizer)
    return { tokens: makeImageTokens(tokens, encoder), encoder }
  })

describe.each(KINDS)('%s with pictures', (kind) => {
  const [begin, soft, end] = TOKENS_OF[kind]
  const goldens = readGoldens<Goldens>(`../${kind}/goldens`)
  let opened: OpenFamily
  beforeAll(async () => {
    opened = await open(kind)
  })
  const differences: Record<string, number> = {}
  afterAll(async () => {
    await opened.close()
    // Shown on request: the parity table of docs/measured.md.
    if (process.env.PARITY) console.table(differences)
  })
  const control = (name: string): number => opened.tokenizer.control(name) as number

  for (const golden of goldens.cases) {
    it(`${golden.name}: writes the same tokens`, async () => {
      const { ids, images, positions } = opened.prompts.encodeState(await piecesOf(golden.state))
      expect([...ids, ...opened.prompts.encodeQuestion(golden.question)]).toEqual(golden.ids)
      expect(ids.length).toBe(golden.stateTokens)
      expect(positions).toBeNull()
      for (const { at } of images) {
        const [first, tokens] = [at[0] as number, at.length]
        if (kind !== 'gemma4') expect(tokens).toBe((await ruleOf(kind)).tokens)
        expect(at).toEqual(Array.from({ length: tokens }, (_, i) => first + i))
        expect([ids[first - 1], ids[first], ids[first + tokens]]).toEqual([begin, soft, end].map(control))
      }
      expect(ids.filter((id) => id === control(soft)).length).toBe(images.flatMap(({ at }) => at).length)
    })

    it(`${golden.name}: gives the same logits behind a kept state`, async () => {
      const { apart, half, kept, rows } = await expectSameBehindState(opened, golden)
      differences[golden.name] = apart
      expect(maxDifference(rows[half - 1] as Float32Array, kept.logits)).toBeLessThan(1e-3)
    })
  }

  it('continues a state that was read before, cut within a picture', async () => {
    const golden = goldens.cases.find(({ name }) => name === 'many-pictures') as VisionGolden
    const pieces = await piecesOf(golden.state)
    const again = await open(kind)
    const { images } = again.prompts.encodeState(pieces)
    expect(
      images.some(({ at }) => at.includes(255) && at.includes(256)),
      'a chunk ends within a picture',
    ).toBe(true)
    expect((await again.states.open(pieces.slice(0, -2))).cachedTokens).toBe(0)
    const { cache, cachedTokens } = await again.states.open(pieces)
    expect(cachedTokens).toBe(256)
    const { logits } = await again.decoder.next(cache, again.prompts.encodeQuestion(golden.question))
    expect(maxDifference(logits, golden.logits)).toBeLessThan(1e-3)
    // The same tokens of another picture are not that beginning.
    const [first, ...rest] = pieces
    if (first?.type !== 'image') throw new Error('the state begins with a picture')
    const other = { ...first, picture: { ...first.picture, data: first.picture.data.map((level) => 255 - level), sha256: 'inverted' } }
    expect((await again.states.open([other, ...rest])).cachedTokens).toBe(0)
    await again.close()
  })

  it('puts pictures where they were: other pixels, other logits', async () => {
    const { decoder, prompts, states } = opened
    const picture = await readPicture('64x64.png')
    const ask = async (shown: typeof picture) => {
      const { cache } = await states.open([{ type: 'image', id: 'a', picture: shown }])
      return (await decoder.next(cache, prompts.encodeQuestion('\n\nWhat?'))).logits
    }
    const other = { ...picture, data: picture.data.map((level) => 255 - level), sha256: 'inverted' }
    expect(maxDifference(await ask(picture), await ask(other))).toBeGreaterThan(0.01)
  })

  it('takes no picture from text that names its tokens', () => {
    const named = opened.prompts.encodeState([{ type: 'text', text: [begin, soft, end].join(''), source: { part: 0, path: null } }])
    expect(named.images).toEqual([])
    for (const name of [begin, soft, end]) expect(named.ids).not.toContain(control(name))
  })

  it('joins new lines with what stands before a picture', async () => {
    const text = { type: 'text', text: 'A:\n', source: { part: 0, path: null } } as const
    const { ids } = opened.prompts.encodeState([text, { type: 'image', id: 'a', picture: await readPicture('40x30.png') }])
    const before = opened.tokenizer.encode(kind === 'gemma4' ? 'A:\n' : 'A:\n\n\n')
    const at = ids.indexOf(control(begin))
    expect(ids.slice(at - before.length, at)).toEqual(before)
  })

  it('has windows of attention, so each row takes a pass of its own', () => {
    const bytes = readFileSync(`${folderOf(modelOf(kind))}/onnx/decoder_model_merged.onnx`)
    expect(patchGraph(bytes, { accuracyLevel: false, logitRows: true, cascade: true })?.isCascade ?? false).toBe(false)
    expect(opened.decoder.sharesPasses).toBe(false)
  })
})

describe.each(Object.keys(SQUARES) as (keyof typeof SQUARES)[])('squares of %s', (kind) => {
  it.each(readGoldens<Goldens>(`../${kind}/goldens`).squares ?? [])(
    'of $picture are those of the reference',
    async ({ picture, levels }) => {
      const rule = await ruleOf(kind)
      const square = squareOf(await readPicture(picture), rule, floatsOfLevels(rule))
      const { largest, mean } = levelDifference(square, levels, () => SQUARES[kind])
      // The floats are of whole levels.
      expect(largest).toBeLessThan(0.01)
      expect(mean).toBeLessThan(0.001)
    },
  )
})

describe('patches of gemma4', () => {
  const { patches = [], sizes = [] } = readGoldens<Goldens>('../gemma4/goldens')

  it.each(patches)('of $picture are those of the reference', async ({ picture, levels }) => {
    const rule = await budget()
    const read = placedPatches(await readPicture(picture), rule, floatsOfLevels(rule))
    const { largest, mean } = levelDifference(read.patches, levels, () => [0, 1])
    expect(largest).toBeLessThan(0.01)
    expect(mean).toBeLessThan(0.001)
    // Column and row of each patch, row by row, then those of the padding.
    const { width, height } = sizeInBudget(await readPicture(picture), rule)
    const cols = width / rule.patch
    expect(read.places.slice(0, 4)).toEqual([0, 0, 1, 0])
    expect(read.places.slice(2 * cols, 2 * cols + 2)).toEqual([0, 1])
    const count = cols * (height / rule.patch)
    expect(read.places.slice(2 * count - 2, 2 * count + 2)).toEqual([cols - 1, height / rule.patch - 1, -1, -1])
    expect(read.places.length).toBe(2 * rule.tokens * rule.pool ** 2)
  })

  it.each(sizes)('of $width x $height pixels are of the size of the reference, with 280 tokens', ({ width, height, size }) => {
    const found = sizeInBudget({ width, height }, { patch: 16, pool: 3, tokens: 280, mean: [0, 0, 0], deviation: [1, 1, 1] })
    expect([found.height, found.width]).toEqual(size)
  })
})

describe('attention among the image tokens of gemma3', () => {
  it.each(readGoldens<Goldens>('../gemma3/goldens').cases)('is causal, which the model as trained is not: $name', (golden) => {
    const apart = maxDifference(golden.logits, golden.bothWays as readonly number[])
    if (golden.state.every((part) => typeof part === 'string')) expect(apart).toBeLessThan(1e-4)
    else expect(apart).toBeGreaterThan(0.1)
  })
})
