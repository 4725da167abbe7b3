// Qwen2-VL and Qwen2.5-VL against transformers, on the tiny random models of test/golden/vision-decoders (see qwen.py
// there).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPreprocessor } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { boxFormatOf } from '../../../../src/backends/onnx/families/qwen-vl/boxes.ts'
import { makeImageTokens, readSize } from '../../../../src/backends/onnx/families/qwen-vl/image-tokens.ts'
import { type PatchRule, patchRuleOf } from '../../../../src/backends/onnx/families/qwen-vl/settings.ts'
import { makeImageEncoder } from '../../../../src/backends/onnx/families/qwen-vl/vision.ts'
import { blockPatches, floatsOfLevels } from '../../../../src/backends/onnx/images/patches.ts'
import { resample } from '../../../../src/backends/onnx/images/resample.ts'
import { smartSize } from '../../../../src/backends/onnx/images/smart-size.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { openFolder } from '../../../../src/backends/onnx/runtime/layout.ts'
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

const goldens = readGoldens<{
  readonly sizes: readonly (readonly [
    factor: number,
    least: number,
    most: number,
    width: number,
    height: number,
    across: number,
    down: number,
  ])[]
  readonly patches: readonly (PatchGolden & { readonly grid: readonly [number, number, number] })[]
  readonly families: Readonly<Record<string, readonly VisionGolden[]>>
}>('qwen')

const ruleOf = async (family: string, longestEdge?: number): Promise<PatchRule> => {
  const folder = await openFolder(folderOf(family))
  return patchRuleOf(folder, await readPreprocessor(folder), longestEdge === undefined ? {} : { pictures: { longestEdge } })
}

const open = (family: string, isPatched: boolean): Promise<OpenFamily> =>
  openFamily(family, isPatched, async ({ runtime, tokenizer, scheduler, open: graph }) => {
    const rule = await ruleOf(family)
    const encoder = makeImageEncoder(runtime, await graph('vision_encoder'), rule, 2 ** 22, scheduler)
    return { tokens: makeImageTokens(tokenizer.control('<|image_pad|>') as number, rule, encoder), encoder }
  })

describe('the size that a picture is read at', () => {
  it('is that of the reference, halves to the even multiple', () => {
    for (const [factor, minPixels, maxPixels, width, height, across, down] of goldens.sizes) {
      const rule = { factor, leastSide: 0, minPixels, maxPixels }
      expect(smartSize({ width, height }, rule), `${width} x ${height} by ${factor}`).toEqual({ width: across, height: down })
    }
    // 42 is one and a half of 28, 70 two and a half: both become 56.
    expect(goldens.sizes).toContainEqual([28, 3136, 12845056, 42, 70, 56, 56])
  })

  it('is refused for pictures that are too long for their width', async () => {
    const rule = await ruleOf('qwen2-vl')
    expect(() => readSize({ width: 2010, height: 10 }, rule)).toThrow(/2010 x 10 pixels.*at most 200 times/)
  })

  it('is smaller where the caller sets a longest edge', async () => {
    const rule = await ruleOf('qwen2-vl', 40)
    expect(readSize({ width: 400, height: 200 }, rule)).toEqual(smartSize({ width: 40, height: 20 }, rule))
    expect(readSize({ width: 24, height: 32 }, rule)).toEqual({ width: 32, height: 40 })
  })
})

describe('patches', () => {
  for (const { picture, grid, levels } of goldens.patches) {
    it(`of ${picture} are those of the reference`, async () => {
      const rule = await ruleOf('qwen2-vl')
      const sent = await readPicture(picture)
      const size = readSize(sent, rule)
      expect([1, size.height / rule.patch, size.width / rule.patch]).toEqual(grid)
      const rows = blockPatches(resample(sent, size.width, size.height, 'bicubic'), rule, floatsOfLevels(rule))
      const each = rule.frames * rule.patch ** 2
      const { largest, mean } = levelDifference(rows, levels, (at) => {
        const channel = Math.floor(at / each) % 3
        return [rule.mean[channel] as number, rule.deviation[channel] as number]
      })
      // The floats are of whole levels; a sine that differs in its last bit may move one.
      expect(largest).toBeLessThan(1.01)
      expect(mean).toBeLessThan(0.001)
    })
  }
})

for (const [family, cases] of Object.entries(goldens.families)) {
  for (const isPatched of [false, true]) {
    describe(`${family}, its decoder ${isPatched ? 'patched' : 'as it came'}`, () => {
      let opened: OpenFamily
      beforeAll(async () => {
        opened = await open(family, isPatched)
      })
      const differences: Record<string, number> = {}
      afterAll(async () => {
        await opened.close()
        // Shown on request: the parity table of docs/measured.md.
        if (process.env.PARITY) console.table(differences)
      })

      it('shares passes where attention is one node', () => {
        expect(opened.decoder.sharesPasses).toBe(isPatched && family === 'qwen2.5-vl')
      })

      for (const golden of cases) {
        it(`${golden.name}: writes the same tokens at the same positions`, async () => {
          const { ids, positions, images } = opened.prompts.encodeState(await piecesOf(golden.state))
          const question = opened.prompts.encodeQuestion(golden.question)
          expect([...ids, ...question]).toEqual(golden.ids)
          expect(ids.length).toBe(golden.stateTokens)
          expect(positions === null).toBe(images.length === 0)
          const [times, rows, cols] = golden.positions as readonly number[][]
          ids.forEach((_, i) => {
            const own = positions === null ? [i, i, i] : [...positions.subarray(3 * i, 3 * i + 3)]
            expect(own, `token ${i}`).toEqual([times?.[i], rows?.[i], cols?.[i]])
          })
        })

        it(`${golden.name}: gives the same logits behind a kept state`, async () => {
          const { apart, cache, question, half, kept } = await expectSameBehindState(opened, golden)
          differences[golden.name] = apart
          // Several rows behind one cache, of unequal length.
          const several = await opened.decoder.rowLogits(cache, [
            { ids: question.slice(0, half), last: 1 },
            { ids: question, last: 1 },
          ])
          expect(maxDifference(several[1]?.[0]?.logits as Float32Array, golden.logits)).toBeLessThan(1e-3)
          expect(maxDifference(several[0]?.[0]?.logits as Float32Array, kept.logits)).toBeLessThan(1e-3)
        })
      }

      it('continues a state that was read before, cut within a picture', async () => {
        const { decoder, prompts } = opened
        const golden = cases.find(({ name }) => name === 'many-pictures') as VisionGolden
        const pieces = await piecesOf(golden.state)
        const again = await open(family, isPatched)
        const begun = await again.states.open(pieces.slice(0, -3))
        expect(begun.cachedTokens).toBe(0)
        const { images } = prompts.encodeState(pieces)
        expect(
          images.some(({ at }) => at.includes(255) && at.includes(256)),
          'a chunk ends within a picture',
        ).toBe(true)
        const { cache, cachedTokens } = await again.states.open(pieces)
        expect(cachedTokens).toBe(256)
        const { logits } = await again.decoder.next(cache, prompts.encodeQuestion(golden.question))
        expect(maxDifference(logits, golden.logits)).toBeLessThan(1e-3)
        expect(decoder.truncate(cache, 256).positions?.length).toBe(3 * 256)
        await again.close()
      })

      it('keeps rows and columns apart: a picture on its side gives other logits', async () => {
        const { decoder, prompts, states } = opened
        const picture = { width: 32, height: 64, data: new Uint8Array(32 * 64 * 3).fill(128), sha256: 'flat' }
        const ask = async (width: number, height: number) => {
          const { cache } = await states.open([{ type: 'image', id: 'a', picture: { ...picture, width, height, sha256: `${width}` } }])
          return (await decoder.next(cache, prompts.encodeQuestion('What?'))).logits
        }
        expect(maxDifference(await ask(32, 64), await ask(64, 32))).toBeGreaterThan(0.01)
      })
    })
  }
}

describe('boxes of the Qwen-VL models', () => {
  const control = (name: string): number | undefined => ['<|box_start|>', '<|box_end|>'].indexOf(name) + 1 || undefined

  it('are pixels of the picture as it was read (2.5), or thousandths (2)', async () => {
    const rule = await ruleOf('qwen2.5-vl')
    const sent = await readPicture('333x250.png')
    const read = readSize(sent, rule)
    expect(read.width).not.toBe(sent.width)
    expect(boxFormatOf('qwen2_5_vl', { control }, rule).scale(sent)).toEqual([read.width, read.height])
    expect(boxFormatOf('qwen2_vl', { control }, rule).scale(sent)).toEqual([1000, 1000])
    expect(() => boxFormatOf('qwen2_vl', { control: () => undefined }, rule)).toThrow('no control token <|box_start|>')
  })

  it('are asked for and read in the form of the family, inside the picture as sent', async () => {
    for (const family of ['qwen2-vl', 'qwen2.5-vl']) {
      const backend = await loadOnnxModel(folderOf(family), { inProcess: true, threads: 1, scoring: 'plain' })
      expect(backend.info.capabilities).toEqual({ images: true, boxes: true })
      const picture = await readPicture('150x100.png')
      const prefix = await backend.open({ pieces: [{ type: 'image', id: 'shot', picture }] })
      const asked = { readout: 'read', instructions: 'The button', candidates: [], image: 'shot' } as const
      const found = await prefix.generate(asked, { type: 'box', many: true })
      if (found.type !== 'boxes') throw new Error(`boxes were expected, not ${found.type}`)
      const sum = found.boxes.reduce((all, { logProbability }) => all + logProbability, 0)
      expect(sum).toBeGreaterThanOrEqual(found.logProbability - 1e-9)
      await expect(prefix.generate({ ...asked, image: 'other' }, { type: 'box', many: false })).rejects.toMatchObject({
        code: 'invalid_question',
      })
      await backend.close()
    }
  })
})
