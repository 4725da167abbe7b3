// Videos of SmolVLM2 against transformers (test/golden/idefics3/videos.py). Its folder is that of Idefics3 with another
// `model_type`, and says how large frames are.
import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readVideoPreprocessor } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { makeImageTokens } from '../../../../src/backends/onnx/families/idefics3/image-tokens.ts'
import { numberWords } from '../../../../src/backends/onnx/families/idefics3/number-words.ts'
import { frameRuleOf, tileRuleOf, tokensPerTileOf } from '../../../../src/backends/onnx/families/idefics3/settings.ts'
import { makeImageEncoder } from '../../../../src/backends/onnx/families/idefics3/vision.ts'
import { type TileRule, tilePicture } from '../../../../src/backends/onnx/images/tiles.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { openFolder, readJson } from '../../../../src/backends/onnx/runtime/layout.ts'
import { changedFolders, edit } from './changed-folder.ts'
import {
  expectSameBehindState,
  framesOf,
  levelDifference,
  openFamily,
  piecesOf,
  type VideoGolden,
  type VisionGolden,
} from './vision-goldens.ts'

const HERE = new URL('../../../golden/idefics3/', import.meta.url)
const goldens: {
  readonly longestEdge: number
  readonly words: readonly (readonly [number, string])[]
  readonly tile: { readonly video: VideoGolden; readonly levels: string }
  readonly cases: readonly VisionGolden[]
} = JSON.parse(readFileSync(new URL('videos.json', HERE), 'utf8'))
const { folderWith } = changedFolders(fileURLToPath(HERE))

const smolvlm = (): Promise<string> =>
  folderWith('model', async (folder) => {
    await edit('config.json', (config) => {
      config.model_type = 'smolvlm'
    })(folder)
    await edit('preprocessor_config.json', (preprocessor) => {
      preprocessor.video_sampling = { fps: 1, max_frames: 64, video_size: { longest_edge: goldens.longestEdge } }
    })(folder)
  })

const open = async (isPatched: boolean) =>
  openFamily(pathToFileURL(await smolvlm()).href, isPatched, async ({ runtime, folder, tokenizer, scheduler, open: graph }) => {
    const preprocessor = await readJson(folder, 'preprocessor_config.json')
    const frameRule = frameRuleOf(folder, await readVideoPreprocessor(folder, preprocessor), {})
    const encoder = makeImageEncoder(runtime, await graph('vision_encoder'), 2 ** 22, scheduler)
    const tokens = makeImageTokens(tokenizer, tileRuleOf(preprocessor, {}), await tokensPerTileOf(folder), encoder, frameRule)
    return { tokens, encoder }
  })

describe('videos of SmolVLM2', () => {
  for (const golden of goldens.cases) {
    for (const isPatched of [false, true]) {
      it(`${golden.name}: the same tokens and logits, the decoder ${isPatched ? 'patched' : 'as it came'}`, async () => {
        const opened = await open(isPatched)
        const { ids } = opened.prompts.encodeState(await piecesOf(golden.state))
        expect([...ids, ...opened.prompts.encodeQuestion(golden.question)]).toEqual(golden.ids)
        const { apart } = await expectSameBehindState(opened, golden)
        // Shown on request: the parity table of docs/measured.md.
        if (process.env.PARITY) console.log(golden.name, apart)
        await opened.close()
      })
    }
  }

  it('count frames in the words of num2words', () => {
    for (const [value, words] of goldens.words) expect(numberWords(value)).toBe(words)
    expect(numberWords(1000)).toBe('1000')
  })

  it('have each frame in one tile, brought to the size of frames first', async () => {
    const rule: TileRule = { longestEdge: goldens.longestEdge, tileSize: 64, split: false, upscale: true }
    const [frame] = await framesOf(goldens.tile.video)
    const { tiles } = await tilePicture(frame?.picture as Parameters<typeof tilePicture>[0], rule)
    expect(tiles).toHaveLength(1)
    const { largest, mean } = levelDifference(
      Float32Array.from(tiles[0] as Uint8Array, (level) => level / 255),
      goldens.tile.levels,
      () => [0, 1],
    )
    // The reference resizes videos with torchvision.
    expect(largest).toBeLessThan(5.01)
    expect(mean).toBeLessThan(0.05)
  })

  it('are frames as pictures where the folder is one of Idefics3, or the caller asks for it', async () => {
    const golden = goldens.cases[0] as VisionGolden
    const folder = await openFolder(await smolvlm())
    const preprocessor = await readJson(folder, 'preprocessor_config.json')
    expect(frameRuleOf(folder, preprocessor, { pictures: { videos: 'frames' } })).toBeNull()
    expect(frameRuleOf({ ...folder, modelType: 'idefics3' }, preprocessor, {})).toBeNull()
    // Without a size of frames they are brought to that of pictures first, as in the reference.
    const { video_sampling: _, ...other } = preprocessor
    expect(frameRuleOf(folder, other, {})).toMatchObject({ longestEdge: 192, split: false })

    const load = (pictures = {}) => loadOnnxModel(folder.path, { inProcess: true, threads: 1, scoring: 'plain', pictures })
    const [whole, frames] = [await load(), await load({ videos: 'frames' })]
    const pieces = await piecesOf(golden.state)
    expect((await whole.open({ pieces })).tokens).toBe(golden.stateTokens)
    // Up to four pictures are cut.
    expect((await frames.open({ pieces })).tokens).toBeGreaterThan(golden.stateTokens)
    expect(whole.info.templateHash).not.toBe(frames.info.templateHash)
    await whole.close()
    await frames.close()
  })
})
