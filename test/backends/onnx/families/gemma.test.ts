// The kinds of Gemma with pictures against transformers, on the tiny random models of test/golden/gemma3 and
// test/golden/gemma3n (see make.py there).
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPreprocessor } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { makeImageTokens } from '../../../../src/backends/onnx/families/gemma/image-tokens.ts'
import { makePictures } from '../../../../src/backends/onnx/families/gemma/pictures.ts'
import { pictureTokensOf, type SquareRule, squareRuleOf } from '../../../../src/backends/onnx/families/gemma/settings.ts'
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
  readonly squares: readonly PatchGolden[]
  /** `bothWays`: of attention in both directions among image tokens, where the model was trained with it. */
  readonly cases: readonly (VisionGolden & { readonly bothWays?: readonly number[] })[]
}

/** The mean and the deviation of colours. */
const KINDS = { gemma3: [0.5, 0.5], gemma3n: [0, 1] } as const
type Kind = keyof typeof KINDS

const modelOf = (kind: Kind): string => `../${kind}/model`

const ruleOf = async (kind: Kind): Promise<SquareRule> => {
  const folder = await openFolder(folderOf(modelOf(kind)))
  return squareRuleOf(folder, await readPreprocessor(folder), {})
}

const open = (kind: Kind): Promise<OpenFamily> =>
  openFamily(modelOf(kind), false, async ({ runtime, folder, tokenizer, scheduler, open: graph }) => {
    const session = await graph('vision_encoder')
    const encoder = makePictures(squareReader(runtime, session, await ruleOf(kind)), session, 2 ** 22, scheduler)
    const tokens = pictureTokensOf(folder, await readJson(folder, 'tokenizer_config.json'), tokenizer)
    return { tokens: makeImageTokens(tokens, encoder), encoder }
  })

describe.each(Object.keys(KINDS) as Kind[])('%s with pictures', (kind) => {
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

  for (const { picture, levels } of goldens.squares) {
    it(`${picture}: makes the square of the reference`, async () => {
      const rule = await ruleOf(kind)
      const { largest, mean } = levelDifference(squareOf(await readPicture(picture), rule, floatsOfLevels(rule)), levels, () => KINDS[kind])
      // The floats are of whole levels.
      expect(largest).toBeLessThan(0.01)
      expect(mean).toBeLessThan(0.001)
    })
  }

  for (const golden of goldens.cases) {
    it(`${golden.name}: writes the same tokens`, async () => {
      const { ids, images, positions } = opened.prompts.encodeState(await piecesOf(golden.state))
      expect([...ids, ...opened.prompts.encodeQuestion(golden.question)]).toEqual(golden.ids)
      expect(ids.length).toBe(golden.stateTokens)
      expect(positions).toBeNull()
      const { tokens } = await ruleOf(kind)
      const soft = control('<image_soft_token>')
      for (const { at } of images) {
        expect(at.length).toBe(tokens)
        const first = at[0] as number
        expect(at).toEqual(Array.from({ length: tokens }, (_, i) => first + i))
        expect([ids[first - 1], ids[first], ids[first + tokens]]).toEqual([control('<start_of_image>'), soft, control('<end_of_image>')])
      }
      expect(ids.filter((id) => id === soft).length).toBe(images.length * tokens)
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

  it('takes no picture from text that names its tokens, and joins new lines with the empty line before a picture', async () => {
    const text = (written: string) => ({ type: 'text', text: written, source: { part: 0, path: null } }) as const
    const named = opened.prompts.encodeState([text('<start_of_image><image_soft_token><end_of_image>')])
    expect(named.images).toEqual([])
    for (const name of ['<start_of_image>', '<image_soft_token>', '<end_of_image>']) expect(named.ids).not.toContain(control(name))
    const { ids } = opened.prompts.encodeState([text('A:\n'), { type: 'image', id: 'a', picture: await readPicture('40x30.png') }])
    const before = opened.tokenizer.encode('A:\n\n\n')
    const begin = ids.indexOf(control('<start_of_image>'))
    expect(ids.slice(begin - before.length, begin)).toEqual(before)
  })

  it('has windows of attention, so each row takes a pass of its own', () => {
    const bytes = readFileSync(`${folderOf(modelOf(kind))}/onnx/decoder_model_merged.onnx`)
    expect(patchGraph(bytes, { accuracyLevel: false, logitRows: true, cascade: true })?.isCascade ?? false).toBe(false)
    expect(opened.decoder.sharesPasses).toBe(false)
  })
})

describe('attention among the image tokens of gemma3', () => {
  it.each(readGoldens<Goldens>('../gemma3/goldens').cases)('is causal, which the model as trained is not: $name', (golden) => {
    const apart = maxDifference(golden.logits, golden.bothWays as readonly number[])
    if (golden.state.every((part) => typeof part === 'string')) expect(apart).toBeLessThan(1e-4)
    else expect(apart).toBeGreaterThan(0.1)
  })
})
