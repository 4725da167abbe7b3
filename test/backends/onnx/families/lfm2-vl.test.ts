// LFM2-VL against transformers, on the tiny random model of test/golden/vision-decoders (see lfm2.py there).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPreprocessor } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { cutOf, partsOf } from '../../../../src/backends/onnx/families/lfm2-vl/cut.ts'
import { makeImageTokens } from '../../../../src/backends/onnx/families/lfm2-vl/image-tokens.ts'
import { type CutRule, cutRuleOf } from '../../../../src/backends/onnx/families/lfm2-vl/settings.ts'
import { makeImageEncoder } from '../../../../src/backends/onnx/families/lfm2-vl/vision.ts'
import { floatsOfLevels, plainPatches } from '../../../../src/backends/onnx/images/patches.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import type { OnnxOptions } from '../../../../src/backends/onnx/options.ts'
import { type JsonObject, openFolder } from '../../../../src/backends/onnx/runtime/layout.ts'
import { joined } from '../../../../src/backends/onnx/runtime/tensors.ts'
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
  readonly layouts: {
    readonly rule: JsonObject
    readonly rows: readonly (readonly [width: number, height: number, rows: number, cols: number, across: number, down: number])[]
  }
  readonly patches: readonly (PatchGolden & {
    readonly rows: number
    readonly cols: number
    readonly sizes: readonly (readonly [down: number, across: number])[]
  })[]
  readonly cases: readonly (VisionGolden & { readonly split: boolean })[]
}>('lfm2')

const FAMILY = 'lfm2-vl'
const ruleOf = async (pictures: OnnxOptions['pictures'] = {}): Promise<CutRule> => {
  const folder = await openFolder(folderOf(FAMILY))
  return cutRuleOf(folder, await readPreprocessor(folder), { pictures })
}

const open = (split: boolean): Promise<OpenFamily> =>
  openFamily(FAMILY, false, async ({ runtime, tokenizer, scheduler, open: graph }) => {
    const rule = await ruleOf({ split })
    const encoder = makeImageEncoder(runtime, await graph('vision_encoder'), rule, 2 ** 22, scheduler)
    return { tokens: makeImageTokens(tokenizer, rule, encoder), encoder }
  })

describe('the cut of a picture', () => {
  it('is that of the reference: its grid, and the size of the whole', async () => {
    const folder = await openFolder(folderOf(FAMILY))
    const rule = cutRuleOf(folder, { ...(await readPreprocessor(folder)), ...goldens.layouts.rule }, {})
    for (const [width, height, rows, cols, across, down] of goldens.layouts.rows) {
      expect(cutOf({ width, height }, rule), `${width} x ${height}`).toEqual({ rows, cols, whole: { width: across, height: down } })
    }
    // A screenshot is cut, a picture of about one tile is not.
    const grids = goldens.layouts.rows.map(([width, height, rows, cols]) => [width, height, rows * cols])
    expect(grids).toContainEqual([1920, 1080, 8])
    expect(grids).toContainEqual([512, 512, 1])
  })

  it('is none where the caller does not want it, and smaller with a longest edge', async () => {
    const rule = await ruleOf()
    const large = { width: 333, height: 250 }
    expect(cutOf(large, rule).rows * cutOf(large, rule).cols).toBeGreaterThan(1)
    expect(cutOf(large, await ruleOf({ split: false }))).toMatchObject({ rows: 1, cols: 1 })
    expect(cutOf(large, await ruleOf({ longestEdge: 30 }))).toEqual(cutOf({ width: 30, height: (30 * 250) / 333 }, rule))
  })

  for (const { picture, rows, cols, sizes, levels } of goldens.patches) {
    it(`of ${picture} has the patches of the reference`, async () => {
      const rule = await ruleOf()
      const sent = await readPicture(picture)
      const cut = cutOf(sent, rule)
      expect([cut.rows, cut.cols]).toEqual([rows, cols])
      const parts = partsOf(sent, cut, rule)
      expect(parts.map(({ width, height }) => [height / rule.patch, width / rule.patch])).toEqual(sizes)
      const patches = parts.map((part) =>
        plainPatches(part, rule.patch, (part.width * part.height) / rule.patch ** 2, floatsOfLevels(rule)),
      )
      const { largest, mean } = levelDifference(joined(patches), levels, () => [0.5, 0.5])
      // The reference resizes with torchvision, which rounds some pixels to the next level.
      expect(largest).toBeLessThan(1.01)
      expect(mean).toBeLessThan(0.15)
    })
  }
})

for (const split of [true, false]) {
  describe(`${FAMILY}, its pictures ${split ? 'cut' : 'whole'}`, () => {
    let opened: OpenFamily
    beforeAll(async () => {
      opened = await open(split)
    })
    const differences: Record<string, number> = {}
    afterAll(async () => {
      await opened.close()
      if (process.env.PARITY) console.table(differences)
    })

    for (const golden of goldens.cases.filter((one) => one.split === split)) {
      it(`${golden.name}: writes the same tokens`, async () => {
        const { ids, positions } = opened.prompts.encodeState(await piecesOf(golden.state))
        expect([...ids, ...opened.prompts.encodeQuestion(golden.question)]).toEqual(golden.ids)
        expect(ids.length).toBe(golden.stateTokens)
        expect(positions).toBeNull()
      })

      it(`${golden.name}: gives the same logits behind a kept state`, async () => {
        const { apart } = await expectSameBehindState(opened, golden)
        differences[golden.name] = apart
      })
    }
  })
}

describe('quirks of LFM2-VL', () => {
  it('continues a state where its states were kept, and nowhere else', async () => {
    const opened = await open(true)
    const golden = goldens.cases.find(({ name }) => name === 'many-pictures') as VisionGolden
    const pieces = await piecesOf(golden.state)
    await opened.states.open(pieces.slice(0, -2))
    const { cache, cachedTokens } = await opened.states.open(pieces)
    expect(cachedTokens).toBe(256)
    expect(
      maxDifference((await opened.decoder.next(cache, opened.prompts.encodeQuestion(golden.question))).logits, golden.logits),
    ).toBeLessThan(1e-3)
    expect(() => opened.decoder.truncate(cache, 255)).toThrow(/no state was kept at 255/)
    await opened.close()
  })

  it('a single image has no token of a thumbnail, a cut one has, behind its tiles', async () => {
    const { tokenizer, prompts, close } = await open(true)
    const thumbnail = tokenizer.control('<|img_thumbnail|>') as number
    const ids = async (file: string) => prompts.encodeState(await piecesOf([{ picture: file }])).ids
    expect(await ids('40x30.png')).not.toContain(thumbnail)
    const cut = await ids('150x100.png')
    expect(cut.filter((id) => id === thumbnail)).toHaveLength(1)
    expect(cut.indexOf(thumbnail)).toBeGreaterThan(cut.lastIndexOf(tokenizer.control('<|img_row_2_col_3|>') as number))
    await close()
  })

  it('gives no boxes: what its config says does not tell whether it learned to', async () => {
    const backend = await loadOnnxModel(folderOf(FAMILY), { inProcess: true, threads: 1, scoring: 'plain' })
    expect(backend.info.capabilities).toEqual({ images: true, boxes: false })
    await backend.close()
  })
})
