// The Idefics3 family against transformers, on the tiny random model of test/golden/idefics3 (see make.py there).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makePromptBuilder } from '../../../../src/backends/onnx/decoder/chat-template.ts'
import { contextLengthOf, endTokensOf, readChatTemplate, templateVariablesOf } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { type Decoder, logitsOfAll, makeDecoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import type { EncodedPrompt, ImageEncoder, PromptBuilder } from '../../../../src/backends/onnx/decoder/prompt-builder.ts'
import { makeImageTokens } from '../../../../src/backends/onnx/families/idefics3/image-tokens.ts'
import { tileRuleOf, tokensPerTileOf } from '../../../../src/backends/onnx/families/idefics3/settings.ts'
import { makeImageEncoder } from '../../../../src/backends/onnx/families/idefics3/vision.ts'
import { tilePicture } from '../../../../src/backends/onnx/images/tiles.ts'
import {
  findGraph,
  type JsonObject,
  type ModelFolder,
  openFolder,
  readJson,
  TEXT_DTYPES,
  VISION_DTYPES,
} from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import { loadRuntime, openSession } from '../../../../src/backends/onnx/runtime/session.ts'
import { makeTokenizer, type TextTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
import type { Picture, Piece } from '../../../../src/core/types.ts'

interface Goldens {
  readonly tileSize: number
  readonly tiles: readonly { picture: string; longestEdge: number; split: boolean; rows: number; cols: number; tiles: string }[]
  readonly cases: readonly {
    name: string
    state: readonly (string | { picture: string })[]
    split: boolean
    question: string
    prompt: string
    ids: readonly number[]
    stateTokens: number
    logits: readonly number[]
    stateLogits: readonly number[]
    keptLogits: readonly number[]
  }[]
}

const HERE = new URL('../../../golden/idefics3/', import.meta.url)
const goldens: Goldens = JSON.parse(readFileSync(new URL('goldens.json', HERE), 'utf8'))

async function readPicture(file: string): Promise<Picture> {
  const { data, info } = await sharp(fileURLToPath(new URL(file, HERE)))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data, sha256: createHash('sha256').update(data).digest('hex') }
}

const maxDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0)

describe('tilePicture', () => {
  for (const golden of goldens.tiles) {
    it(`cuts ${golden.picture} at ${golden.longestEdge} px, ${golden.split ? 'split' : 'whole'}, as the reference does`, async () => {
      const rule = { longestEdge: golden.longestEdge, tileSize: goldens.tileSize, split: golden.split, upscale: true }
      const { rows, cols, tiles } = await tilePicture(await readPicture(`pictures/${golden.picture}`), rule)
      expect([rows, cols]).toEqual([golden.rows, golden.cols])
      const expected = (await readPicture(`tiles/${golden.tiles}`)).data
      const got = Buffer.concat(tiles)
      expect(got.length).toBe(expected.length)
      let sum = 0
      for (let i = 0; i < got.length; i++) sum += Math.abs((got[i] as number) - (expected[i] as number))
      // Bit for bit in practice; a sine that differs in its last bit may move a level.
      expect(maxDifference(got, expected)).toBeLessThanOrEqual(1)
      expect(sum / got.length).toBeLessThan(0.001)
    })
  }
})

for (const isPatched of [false, true]) {
  describe(`the Idefics3 family, its decoder ${isPatched ? 'with cascade attention' : 'as it came'}`, () => {
    let folder: ModelFolder
    let tokenizer: TextTokenizer
    let decoder: Decoder
    let vision: ImageEncoder
    let promptsOf: (split: boolean) => PromptBuilder

    beforeAll(async () => {
      folder = await openFolder(fileURLToPath(new URL('model', HERE)))
      const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
      const preprocessor = await readJson(folder, 'preprocessor_config.json')
      tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), tokenizerConfig)
      const template = await readChatTemplate(folder, tokenizerConfig)
      const tokensPerTile = await tokensPerTileOf(folder)
      const variables = templateVariablesOf(tokenizerConfig)
      const options = { threads: 1 }
      const runtime = await loadRuntime()
      const encoder = makeImageEncoder(
        runtime,
        await openSession(findGraph(folder, 'vision_encoder', VISION_DTYPES, options), options),
        1 << 20,
      )
      vision = encoder
      promptsOf = (split) => {
        const images = makeImageTokens(tokenizer, tileRuleOf(preprocessor, { pictures: { split } }), tokensPerTile, encoder)
        return makePromptBuilder({ tokenizer, template, variables, content: 'list', images })
      }
      const graph = findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, options)
      const patch = isPatched ? patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: true }) : null
      decoder = makeDecoder(
        runtime,
        await openSession(findGraph(folder, 'embed_tokens', TEXT_DTYPES, options), options),
        await openSession(graph, options, patch?.bytes),
      )
      expect(decoder.sharesPasses).toBe(isPatched)
      return async () => {
        await vision.close()
        await decoder.close()
      }
    })

    const embedded = async ({ ids, images }: Pick<EncodedPrompt, 'ids' | 'images'>) => {
      const embeddings = await decoder.embed(ids)
      for (const { at, features: encode } of images) {
        const features = await encode()
        expect(features.length).toBe(at.length * decoder.width)
        at.forEach((position, i) => {
          embeddings.set(features.subarray(i * decoder.width, (i + 1) * decoder.width), position * decoder.width)
        })
      }
      return embeddings
    }

    it('reads its settings from the folder', async () => {
      const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
      expect(contextLengthOf(folder)).toBe(1024)
      expect(await tokensPerTileOf(folder)).toBe(4)
      expect(await endTokensOf(folder, tokenizer, tokenizerConfig, ['<end_of_utterance>'])).toEqual([
        tokenizer.control('<end_of_utterance>'),
      ])
    })

    const differences: Record<string, number> = {}
    afterAll(() => {
      // Shown on request: the parity table of the README.
      if (process.env.PARITY) console.table(differences)
    })

    for (const golden of goldens.cases) {
      const piecesOf = async (): Promise<Piece[]> => {
        const pieces: Piece[] = []
        for (const part of golden.state) {
          if (typeof part === 'string') pieces.push({ type: 'text', text: part, source: { part: 0, path: null } })
          else pieces.push({ type: 'image', id: part.picture, picture: await readPicture(`pictures/${part.picture}`) })
        }
        return pieces
      }
      it(`${golden.name}: writes the same tokens`, async () => {
        const prompts = promptsOf(golden.split)
        const { ids } = prompts.encodeState(await piecesOf())
        expect([...ids, ...prompts.encodeQuestion(golden.question)]).toEqual(golden.ids)
        expect(ids.length).toBe(golden.stateTokens)
      })

      it(`${golden.name}: gives the same logits behind kept keys and values`, async () => {
        const prompts = promptsOf(golden.split)
        const { ids, images } = prompts.encodeState(await piecesOf())
        const cache = await decoder.prefill(decoder.empty, await embedded({ ids, images }))
        expect(cache.length).toBe(golden.stateTokens)
        const question = prompts.encodeQuestion(golden.question)
        const { logits } = await decoder.next(cache, question)
        const apart = maxDifference(logits, golden.keptLogits)
        differences[golden.name] = apart
        expect(logits.length).toBe(golden.logits.length)
        expect(apart).toBeLessThan(1e-3)
        expect(maxDifference(logits, golden.logits)).toBeLessThan(1e-3)
        // Asking again from the same cache gives the same: nothing wrote to it.
        expect(await decoder.next(cache, question)).toEqual({ logits, cache })
        // The whole prompt read token by token for its last part, cache kept each time.
        const half = question.length >> 1
        const kept = await decoder.next(cache, question.slice(0, half), true)
        expect(kept.cache.length).toBe(cache.length + half)
        expect(maxDifference((await decoder.next(kept.cache, question.slice(half))).logits, golden.logits)).toBeLessThan(1e-3)
        const rows = await logitsOfAll(decoder, cache, question)
        expect(maxDifference(rows.at(-1) as Float32Array, golden.logits)).toBeLessThan(1e-3)
        expect(maxDifference(rows[half - 1] as Float32Array, kept.logits)).toBeLessThan(1e-3)
      })
    }

    it('reads a long state in parts as it would in one', async () => {
      const ids = Array.from({ length: 900 }, (_, i) => 40 + ((i * 37) % 400))
      const cache = await decoder.prefill(decoder.empty, await decoder.embed(ids.slice(0, 890)))
      expect(cache.length).toBe(890)
      const behind = await logitsOfAll(decoder, cache, ids.slice(890))
      const whole = await logitsOfAll(decoder, decoder.empty, ids)
      expect(maxDifference(behind.at(-1) as Float32Array, whole.at(-1) as Float32Array)).toBeLessThan(1e-3)
      expect(maxDifference(behind[0] as Float32Array, whole[890] as Float32Array)).toBeLessThan(1e-3)
    })

    it('refuses picture rules it does not know, rather than guess', () => {
      const known = { max_image_size: { longest_edge: 64 }, size: { longest_edge: 192 } }
      expect(tileRuleOf(known, {})).toEqual({ longestEdge: 192, tileSize: 64, split: true, upscale: true })
      expect(tileRuleOf({ ...known, do_image_splitting: false }, { pictures: { longestEdge: 64 } })).toMatchObject({
        longestEdge: 64,
        split: false,
      })
      const unknowns: JsonObject[] = [
        { image_mean: [0.48, 0.46, 0.41] },
        { resample: 3 },
        { size: { height: 384 } },
        { max_image_size: {} },
      ]
      for (const unknown of unknowns) {
        expect(() => tileRuleOf({ ...known, ...unknown }, {})).toThrow(/preprocessor_config.json/)
      }
    })

    it('puts pictures where they were: other pixels, other logits', async () => {
      const prompts = promptsOf(false)
      const picture = await readPicture('pictures/64x64.png')
      const other = { ...picture, data: picture.data.map((level) => 255 - level), sha256: 'inverted' }
      const read = async (shown: Picture): Promise<Float32Array> => {
        const embeddings = await embedded(prompts.encodeState([{ type: 'image', id: 'a', picture: shown }]))
        return (await decoder.next(await decoder.prefill(decoder.empty, embeddings), prompts.encodeQuestion('What?'))).logits
      }
      expect(maxDifference(await read(picture), await read(other))).toBeGreaterThan(0.01)
    })
  })
}

describe('makeTokenizer', () => {
  let tokenizer: TextTokenizer
  beforeAll(async () => {
    const folder = await openFolder(fileURLToPath(new URL('model', HERE)))
    tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), await readJson(folder, 'tokenizer_config.json'))
  })

  it('never makes a control token of text', () => {
    const names = [
      '<|im_start|>',
      '<|im_end|>',
      '<image>',
      '<end_of_utterance>',
      '<fake_token_around_image>',
      '<global-img>',
      '<row_2_col_3>',
    ]
    for (const name of names) {
      const id = tokenizer.control(name) as number
      expect(tokenizer.encode(`a${name}b ${name}`)).not.toContain(id)
      expect(tokenizer.controls(`a${name}b`)).toEqual(['a', id, 'b'])
    }
  })

  it('spells every token it makes, so that the bytes add up to the text', () => {
    const text = 'Größe 5€ 🙂 <image> 東京\n\tdone.'
    const bytes = tokenizer.encode(text).map((id) => tokenizer.vocabulary[id] as Uint8Array)
    expect(Buffer.concat(bytes).toString('utf8')).toBe(text)
    expect(tokenizer.vocabulary[tokenizer.control('<image>') as number] ?? null).toBeNull()
  })

  it('encodes neighbouring runs as one text', () => {
    expect(tokenizer.encodeRuns(['ques', 'tion'])).toEqual(tokenizer.encode('question'))
    expect(tokenizer.encodeRuns(['a', 7, 'b'])).toEqual([...tokenizer.encode('a'), 7, ...tokenizer.encode('b')])
  })
})
