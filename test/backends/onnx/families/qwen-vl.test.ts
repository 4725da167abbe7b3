// Qwen2-VL, Qwen2.5-VL, Qwen3-VL and Qwen3.5 against transformers, on the tiny random models of
// test/golden/vision-decoders (see qwen.py there).
import { fileURLToPath } from 'node:url'
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
import { inputsOf } from '../../../../src/backends/onnx/runtime/session.ts'
import { textPrompt } from '../../../contract/backend-suite.ts'
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

describe.each(['qwen2-vl', 'qwen3-vl', 'qwen3.5'])('patches of %s', (family) => {
  for (const { picture, grid, levels } of goldens.patches) {
    it(`of ${picture} are those of the reference`, async () => {
      const rule = await ruleOf(family)
      const sent = await readPicture(picture)
      const size = readSize(sent, rule)
      expect([1, size.height / rule.patch, size.width / rule.patch]).toEqual(grid)
      const rows = blockPatches([resample(sent, size.width, size.height, 'bicubic')], rule, floatsOfLevels(rule))
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
        expect(opened.decoder.sharesPasses).toBe(isPatched && ['qwen2.5-vl', 'qwen3-vl'].includes(family))
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

  it('are pixels of the picture as it was read (2.5), or thousandths (2, 3 and 3.5)', async () => {
    const rule = await ruleOf('qwen2.5-vl')
    const sent = await readPicture('333x250.png')
    const read = readSize(sent, rule)
    expect(read.width).not.toBe(sent.width)
    expect(boxFormatOf('qwen2_5_vl', { control }, rule).scale(sent)).toEqual([read.width, read.height])
    expect(boxFormatOf('qwen2_vl', { control }, rule).scale(sent)).toEqual([1000, 1000])
    // In JSON, without tokens of its own.
    const of35 = boxFormatOf('qwen3_5', { control: () => undefined }, rule)
    expect(of35.scale(sent)).toEqual([1000, 1000])
    expect(of35.ask(false)).toContain('[{"bbox_2d": [x1, y1, x2, y2]}]')
    expect(() => boxFormatOf('qwen2_vl', { control: () => undefined }, rule)).toThrow('no control token <|box_start|>')
  })

  it('are asked for and read in the form of the family, inside the picture as sent', async () => {
    for (const family of Object.keys(goldens.families)) {
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

describe('quirks of Qwen3.5', () => {
  let opened: OpenFamily
  beforeAll(async () => {
    opened = await open('qwen3.5', true)
  })
  afterAll(() => opened.close())
  const caseOf = (name: string): VisionGolden => goldens.families['qwen3.5']?.find((one) => one.name === name) as VisionGolden

  it('three layers of four keep a state of one size, the fourth keys and values', async () => {
    const decoder = await opened.open('decoder_model_merged')
    const kept = new Map(inputsOf(decoder).map(({ name, shape }) => [name, shape]))
    await decoder.release()
    for (const layer of [0, 1, 2]) {
      // One token less than the kernel has. Older exports keep as many: those of test/golden/text-decoders.
      expect(kept.get(`past_conv.${layer}`)?.slice(1)).toEqual([64, 3])
      expect(kept.get(`past_recurrent.${layer}`)?.slice(1)).toEqual([4, 8, 8])
    }
    expect([...kept.keys()].filter((name) => name.startsWith('past_key_values'))).toEqual([
      'past_key_values.3.key',
      'past_key_values.3.value',
    ])
  })

  it('branches that go on from one state do not disturb each other', async () => {
    const { decoder, prompts, states } = opened
    const golden = caseOf('two-pictures')
    const { cache } = await states.open(await piecesOf(golden.state))
    const [own, other] = [prompts.encodeQuestion(golden.question), prompts.encodeQuestion('\n\nHow many are there?')]
    const alone = (await decoder.next(cache, other)).logits
    const half = own.length >> 1
    // Both in parts, in turns.
    const first = await decoder.next(cache, own.slice(0, half), true)
    const second = await decoder.next(cache, other.slice(0, half), true)
    const ownLogits = (await decoder.next(first.cache, own.slice(half))).logits
    const otherLogits = (await decoder.next(second.cache, other.slice(half))).logits
    expect(maxDifference(ownLogits, golden.logits)).toBeLessThan(1e-3)
    expect(maxDifference(otherLogits, alone)).toBeLessThan(1e-4)
    // The state itself is as it was.
    expect((await decoder.next(cache, other)).logits).toEqual(alone)
  })

  it('an answer that is written token by token has the logits of one pass', async () => {
    const { decoder, states } = opened
    const golden = caseOf('picture-first')
    let { cache } = await states.open(await piecesOf(golden.state))
    let logits: Float32Array = new Float32Array()
    for (const id of golden.ids.slice(golden.stateTokens)) {
      const next = await decoder.next(cache, [id], true)
      logits = next.logits
      cache = next.cache
    }
    expect(maxDifference(logits, golden.logits)).toBeLessThan(1e-3)
  })

  it('states are forked where they were kept, and never cut', async () => {
    const { cache } = await opened.states.open(await piecesOf(caseOf('many-pictures').state))
    expect([0, 255, 256, 257, cache.length].map((length) => opened.decoder.truncatesTo(cache, length))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
    expect(opened.decoder.truncate(cache, 256).length).toBe(256)
    expect(() => opened.decoder.truncate(cache, 255)).toThrow(/no state was kept at 255/)
  })

  it('thinking is off, though the template thinks unless it is told not to', () => {
    const { prompts, tokenizer } = opened
    const [start, end] = ['<think>', '</think>'].map((name) => tokenizer.control(name) as number)
    expect(prompts.encodeQuestion('What?').filter((id) => id === start || id === end)).toEqual([start, end])
  })

  it('no system message is written, and no number before a picture', async () => {
    const { prompts, tokenizer } = opened
    const { ids } = prompts.encodeState(await piecesOf([{ picture: '40x30.png' }]))
    const names = ['<|im_start|>', '<|vision_start|>', '<|image_pad|>'].map((name) => tokenizer.control(name) as number)
    expect(ids.filter((id) => id === names[0])).toHaveLength(1)
    expect(ids.slice(ids.indexOf(names[1] as number)).slice(0, 2)).toEqual(names.slice(1))
    expect(ids.indexOf(names[1] as number)).toBe(prompts.encodeState([]).ids.length)
  })

  it('a letter and its mark are read as the one character that there is for both', () => {
    const { encode } = opened.tokenizer
    expect(encode('Cafe\u0301')).toEqual(encode('Caf\u00e9'))
    // Where there is none, the mark stays with its word.
    expect(encode('\u0924\u0947 4')).toEqual([...encode('\u0924\u0947'), ...encode(' 4')])
  })

  it('the preprocessor leaves out what all have: the filter, the factor, the switches', async () => {
    const folder = await openFolder(folderOf('qwen3.5'))
    const preprocessor = await readPreprocessor(folder)
    expect(Object.keys(preprocessor)).not.toEqual(expect.arrayContaining(['resample']))
    expect(patchRuleOf(folder, preprocessor, {})).toMatchObject({ patch: 4, merge: 2, frames: 2, factor: 8, mean: [0.5, 0.5, 0.5] })
  })

  it('a screenshot at the bounds of the published folders takes 2,040 tokens', () => {
    const rule = { factor: 32, leastSide: 0, minPixels: 65_536, maxPixels: 16_777_216 }
    const { width, height } = smartSize({ width: 1920, height: 1080 }, rule)
    expect((width / 32) * (height / 32)).toBe(2040)
  })

  it('its text half alone, which is called model, sees no pictures', async () => {
    const folder = fileURLToPath(new URL('../../../golden/text-decoders/qwen3.5', import.meta.url))
    const backend = await loadOnnxModel(folder, { inProcess: true, threads: 1, scoring: 'plain' })
    expect(backend.info.capabilities).toEqual({ images: false, boxes: false })
    const picture = await readPicture('40x30.png')
    await expect(backend.open({ pieces: [{ type: 'image', id: 'a', picture }] })).rejects.toMatchObject({
      code: 'capability_not_supported',
    })
    await (await backend.open(textPrompt('Red.'))).close()
    await backend.close()
  })
})
