// Places on a page as Granite-Docling writes them, on the tiny Idefics3 with names of tiles renamed to places.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readBoxes } from '../../../../src/backends/onnx/decoder/boxes.ts'
import { locationTagsOf } from '../../../../src/backends/onnx/families/idefics3/location-tags.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { decode } from '../../../../src/constraint/decode.ts'
import { buildTokenTrie } from '../../../../src/constraint/token-trie.ts'
import type { Picture } from '../../../../src/core/types.ts'
import { changedFolders, edit, type JsonFile } from './changed-folder.ts'

const { folderWith, refusalOf } = changedFolders(fileURLToPath(new URL('../../../golden/idefics3/', import.meta.url)))
const page: Picture = { width: 40, height: 80, data: new Uint8Array(40 * 80 * 3).fill(200), sha256: 'page' }
const tags = (last: number, missing = -1) => ({
  control: (name: string): number | undefined => {
    const bin = Number(/^<loc_(\d+)>$/.exec(name)?.[1] ?? Number.NaN)
    return bin <= last && bin !== missing ? 1000 + bin : undefined
  },
})

/** The folder with its 36 names of tiles called places. */
const withPlaces = edit('tokenizer.json', (json) => {
  let bin = 0
  for (const token of json.added_tokens as JsonFile[]) if (/^<row_/.test(token.content)) token.content = `<loc_${bin++}>`
})

describe('places on a page', () => {
  it('are fractions of it: left, top, right, bottom, in as many bins as there are tokens', async () => {
    const format = locationTagsOf(tags(500))
    if (format === undefined) throw new Error('a format was expected')
    const constraint = format.constraint(buildTokenTrie([]), page, true, true)
    const wanted = [50, 100, 250, 500, 0, 400, 500, 450].map((bin) => 1000 + bin)
    const next = async (tokens: readonly number[]) => {
      const logits = new Float32Array(2000)
      logits[wanted[tokens.length] ?? 1] = 9
      return logits
    }
    const decoded = await decode(next, constraint, { maxTokens: 100, endTokens: [1] })
    expect(decoded.complete).toBe(true)
    const boxes = readBoxes(format, { id: 'p', picture: page }, decoded, constraint.bytesOf)
    expect(boxes.map(({ edges }) => edges).sort((a, b) => b[0] - a[0])).toEqual([
      [0.1, 0.2, 0.5, 1],
      [0, 0.8, 1, 0.9],
    ])
    const one = format.constraint(buildTokenTrie([]), page, false, true)
    expect((await decode(next, one, { maxTokens: 100, endTokens: [1] })).text).toBe('<loc_50><loc_100><loc_250><loc_500>')
  })

  it('are not there in models without such tokens, and refused where some are missing', () => {
    expect(locationTagsOf({ control: () => undefined })).toBeUndefined()
    expect(() => locationTagsOf(tags(500, 17))).toThrow('tokenizer.json has <loc_500> and no <loc_17>')
  })

  it('are asked for by a model that has them, inside the page, and never read from the text of a state', async () => {
    const folder = await folderWith('model', withPlaces)
    const backend = await loadOnnxModel(folder, { inProcess: true, threads: 1, scoring: 'plain' })
    expect(backend.info.capabilities).toEqual({ images: true, boxes: true })
    const source = { part: 0, path: null }
    const prefix = await backend.open({
      pieces: [
        { type: 'image', id: 'page', picture: page },
        { type: 'text', text: '<loc_1><loc_2>', source },
      ],
    })
    const asked = { readout: 'read', instructions: 'The footer', candidates: [], image: 'page' } as const
    for (const many of [false, true]) {
      const found = await prefix.generate(asked, { type: 'box', many })
      if (found.type !== 'boxes') throw new Error(`boxes were expected, not ${found.type}`)
      for (const { edges } of found.boxes) expect(edges.every((edge) => Number.isInteger(Math.round(edge * 35 * 1e9) / 1e9))).toBe(true)
    }
    await backend.close()
  })

  it('are none of the models whose tokenizer has other tokens', async () => {
    const plain = await loadOnnxModel(fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url)), {
      inProcess: true,
      threads: 1,
      scoring: 'plain',
    })
    expect(plain.info.capabilities.boxes).toBe(false)
    await plain.close()
  })

  it('with a hole among their tokens are refused when the folder is loaded', async () => {
    const folder = await folderWith('model', async (made) => {
      await withPlaces(made)
      await edit('tokenizer.json', (json) => {
        json.added_tokens = json.added_tokens.filter(({ content }: JsonFile) => content !== '<loc_5>')
      })(made)
    })
    expect(await refusalOf(folder)).toMatch(/has <loc_35> and no <loc_5>/)
  })
})
