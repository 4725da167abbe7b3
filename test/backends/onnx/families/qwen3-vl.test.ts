// What Qwen3-VL has alone: picture features of several depths, which are added behind the first layers of the decoder
// (DeepStack), as exports hand them on, and exports that leave them out.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Backend } from '../../../../src/backends/backend.ts'
import { readPreprocessor } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { deepStackValues } from '../../../../src/backends/onnx/decoder/deepstack.ts'
import { makeImageTokens } from '../../../../src/backends/onnx/families/qwen-vl/image-tokens.ts'
import { patchRuleOf } from '../../../../src/backends/onnx/families/qwen-vl/settings.ts'
import { makeImageEncoder } from '../../../../src/backends/onnx/families/qwen-vl/vision.ts'
import { loadOnnxModel, verifyOnnxModel } from '../../../../src/backends/onnx/index.ts'
import type { Graph } from '../../../../src/backends/onnx/runtime/patches/graph.ts'
import { makeNode } from '../../../../src/backends/onnx/runtime/patches/nodes.ts'
import { FLOAT, INT64 } from '../../../../src/backends/onnx/runtime/patches/small-tensors.ts'
import { createEngine, noul } from '../../../../src/index.ts'
import { type Change, changedFolders, edit, editGraph, type FolderCase, type JsonFile } from './changed-folder.ts'
import {
  expectSameBehindState,
  maxDifference,
  type OpenFamily,
  openFamily,
  piecesOf,
  readGoldens,
  type VisionGolden,
} from './vision-goldens.ts'

const GOLDEN = fileURLToPath(new URL('../../../golden/vision-decoders/', import.meta.url))
const { folderWith, refusalOf } = changedFolders(GOLDEN)
const goldens = readGoldens<{ readonly families: Readonly<Record<string, readonly VisionGolden[]>> }>('qwen').families['qwen3-vl'] ?? []
const caseOf = (name: string): VisionGolden => goldens.find((one) => one.name === name) as VisionGolden
const DEPTHS = [0, 1, 2].map((depth) => `deepstack_scattered_${depth}`)

const open = (folder: string, isPatched: boolean): Promise<OpenFamily> =>
  openFamily(pathToFileURL(folder).href, isPatched, async ({ runtime, tokenizer, scheduler, folder: read, open: graph }) => {
    const rule = patchRuleOf(read, await readPreprocessor(read), {})
    const encoder = makeImageEncoder(runtime, await graph('vision_encoder'), rule, 2 ** 22, scheduler)
    return { tokens: makeImageTokens(tokenizer.control('<|image_pad|>') as number, rule, encoder), encoder }
  })

/** One tensor for all depths, as mobius writes it. */
const stackedOutputs = editGraph('vision_encoder', (graph) => {
  const names = graph.outputs.slice(1).map(({ name }) => name)
  const apart = names.map((name) => makeNode('Unsqueeze', [name, graph.constant(INT64, [1], [0])], [`${name}/apart`]))
  const inputs = names.map((name) => `${name}/apart`)
  graph.nodes = [...graph.nodes, ...apart, makeNode('Concat', inputs, ['deepstack_features'], { axis: 0 })]
  graph.outputs = [...graph.outputs.slice(0, 1), { name: 'deepstack_features', type: FLOAT, dims: [null, null, 24] }]
})
const stackedInputs = editGraph('decoder_model_merged', (graph) => {
  const depths = DEPTHS.map((name, depth) =>
    makeNode('Gather', ['deepstack_embeds', graph.constant(INT64, [], [depth])], [name], { axis: 0 }),
  )
  graph.nodes = [...depths, ...graph.nodes]
  graph.inputs = [
    ...graph.inputs.filter(({ name }) => !DEPTHS.includes(name)),
    { name: 'deepstack_embeds', type: FLOAT, dims: [DEPTHS.length, null, null, 24] },
  ]
})

/** The features left out, as the exports for transformers.js do it. */
const withoutOutputs = editGraph('vision_encoder', (graph) => {
  graph.outputs = graph.outputs.slice(0, 1)
  graph.prune(() => false)
})
const withoutInputs = editGraph('decoder_model_merged', (graph) => {
  graph.nodes = graph.nodes.map((node) =>
    node.inputs.some((name) => DEPTHS.includes(name)) ? makeNode('Identity', node.inputs.slice(0, 1), node.outputs) : node,
  )
  graph.inputs = graph.inputs.filter(({ name }) => !DEPTHS.includes(name))
})
const both =
  (...changes: readonly Change[]): Change =>
  async (folder) => {
    for (const change of changes) await change(folder)
  }
const renamedInput = (from: string, to: string) =>
  editGraph('decoder_model_merged', (graph: Graph) => {
    graph.inputs = graph.inputs.map((input) => (input.name === from ? { ...input, name: to } : input))
    graph.nodes = graph.nodes.map((node) => ({ ...node, inputs: node.inputs.map((name) => (name === from ? to : name)) }))
  })
const depthsOfConfig = (change: (vision: JsonFile) => void) => edit('config.json', ({ vision_config }) => change(vision_config))

describe('picture features of several depths (DeepStack)', () => {
  it.each([
    ['numbered, in a graph as it came', async () => {}, false],
    ['in one tensor, in a graph as it came', both(stackedOutputs, stackedInputs), false],
    ['in one tensor, in a patched graph', both(stackedOutputs, stackedInputs), true],
    ['in one tensor of the encoder, numbered for the decoder', stackedOutputs, true],
  ] as const)('%s give the logits of the reference', async (_, change, isPatched) => {
    const opened = await open(await folderWith('qwen3-vl', change), isPatched)
    for (const golden of goldens) await expectSameBehindState(opened, golden)
    await opened.close()
  })

  it('are rows of numbers behind those of a token, zeros for a text', async () => {
    const { decoder, close } = await open(join(GOLDEN, 'qwen3-vl'), true)
    expect(decoder.width).toBe(4 * 24)
    const rows = await decoder.embed([5, 6])
    expect(rows).toHaveLength(2 * decoder.width)
    for (const token of [0, 1]) {
      const [own, depths] = [24, decoder.width].map((to, i) => rows.subarray(token * decoder.width + 24 * i, token * decoder.width + to))
      expect(own?.some((value) => value !== 0)).toBe(true)
      expect(depths?.every((value) => value === 0)).toBe(true)
    }
    await close()
  })

  it('each move the answer to a question about a picture', async () => {
    const { decoder, prompts, states, close } = await open(join(GOLDEN, 'qwen3-vl'), false)
    const { ids, images, positions } = prompts.encodeState(await piecesOf(caseOf('picture-first').state))
    const question = prompts.encodeQuestion(caseOf('picture-first').question)
    const logitsWithout = async (depth: number | null): Promise<Float32Array> => {
      const rows = await decoder.embed(ids)
      for (const { at, features } of images) {
        const own = Float32Array.from(await features())
        at.forEach((position, i) => {
          const row = own.subarray(i * decoder.width, (i + 1) * decoder.width)
          if (depth !== null) row.fill(0, (1 + depth) * 24, (2 + depth) * 24)
          rows.set(row, position * decoder.width)
        })
      }
      return (await decoder.next(await decoder.prefill(decoder.empty, rows, 0, positions), question)).logits
    }
    const whole = await logitsWithout(null)
    expect(maxDifference(whole, caseOf('picture-first').logits)).toBeLessThan(1e-3)
    for (const depth of [0, 1, 2]) expect(maxDifference(await logitsWithout(depth), whole), `depth ${depth}`).toBeGreaterThan(0.01)
    states.clear()
    await close()
  })

  it('are told by their names: a number each, or none for all', () => {
    const value = (name: string, shape: readonly (number | string)[] = ['batch', 'sequence', 8]) => ({
      name,
      type: 'float32' as const,
      shape,
    })
    const of = (...names: string[]) =>
      deepStackValues(
        names.map((name) => value(name)),
        'graph',
      )
    expect(of('inputs_embeds')).toEqual({ names: [], isStacked: false, depths: 0 })
    expect(of('deepstack_embeds.1', 'inputs_embeds', 'deepstack_embeds.0').names).toEqual(['deepstack_embeds.0', 'deepstack_embeds.1'])
    expect(of('deepstack_1', 'deepstack_2').depths).toBe(2)
    expect(deepStackValues([value('deepstack_embeds', [3, 'b', 's', 8])], 'graph')).toMatchObject({ isStacked: true, depths: 3 })
    expect(deepStackValues([value('deepstack_features', ['d', 'n', 8])], 'graph')).toMatchObject({ isStacked: true, depths: null })
    expect(() => of('deepstack_0', 'deepstack_2')).toThrow('graph has deepstack_0, deepstack_2, whose numbers do not follow')
    expect(() => of('deepstack_0', 'deepstack_mask')).toThrow('whose numbers do not follow')
  })
})

describe('an export that leaves them out', () => {
  const leftOut = both(withoutOutputs, withoutInputs)
  const WHY = /vision_encoder.onnx leaves out the picture features of 3 depths.*\(DeepStack\), without which.*; take an export/

  const load = (folder: string): Promise<Backend> => loadOnnxModel(folder, { inProcess: true, threads: 1, scoring: 'plain' })

  it('reads texts as the whole model does, and says why it reads no pictures', async () => {
    const backends = [await load(join(GOLDEN, 'qwen3-vl')), await load(await folderWith('qwen3-vl', leftOut))]
    const [whole, texts] = backends.map(({ info }) => info.capabilities)
    expect(whole).toEqual({ images: true, boxes: true })
    expect(texts).toEqual({ images: false, boxes: false, unseen: expect.stringMatching(WHY) })
    const [a, b] = await Promise.all(
      backends.map(async (backend) => {
        const prefix = await backend.open({
          pieces: [{ type: 'text', text: 'Paid on Monday.', source: { part: 0, path: null } }],
          parts: [],
        })
        const candidates = ['true', 'false'].map((name) => ({ name, description: null }))
        const [scores] = await prefix.score([{ readout: 'binary', instructions: 'It was paid.', candidates, image: null }])
        prefix.close()
        return scores?.rows[0]?.logProbabilities as readonly number[]
      }),
    )
    expect(maxDifference(a as readonly number[], b as readonly number[])).toBeLessThan(1e-5)
    for (const backend of backends) await backend.close()
  })

  it('refuses a picture with what is lost, and the next step', async () => {
    const backend = await load(await folderWith('qwen3-vl', leftOut))
    const engine = await createEngine({ models: [backend] })
    const bytes = await readFile(join(GOLDEN, '../idefics3/pictures/40x30.png'))
    const asked = engine.ask({ state: [{ type: 'image', source: { type: 'bytes', bytes } }], questions: { red: noul('It is red.') } })
    await expect(asked).rejects.toMatchObject({ code: 'capability_not_supported', message: expect.stringMatching(WHY) })
    await engine.close()
  })

  it('is noted when the folder is verified', async () => {
    const { checks } = await verifyOnnxModel(await folderWith('qwen3-vl', leftOut), { model: { inProcess: true, threads: 1 } })
    expect(checks[0]).toMatchObject({
      check: 'load',
      status: 'noted',
      detail: expect.stringMatching(/reads texts: .* leaves out the picture features of 3 depths/),
      remedy: expect.stringMatching(/^take an export that gives deepstack_features$/),
    })
  })

  it('reads pictures where config.json lists no depths', async () => {
    const backend = await load(
      await folderWith(
        'qwen3-vl',
        both(
          leftOut,
          depthsOfConfig((vision) => {
            vision.deepstack_visual_indexes = []
          }),
        ),
      ),
    )
    expect(backend.info.capabilities).toEqual({ images: true, boxes: true })
    await backend.close()
  })
})

const REFUSED: readonly FolderCase[] = [
  [
    'no word on the depths',
    'qwen3-vl',
    depthsOfConfig((vision) => {
      delete vision.deepstack_visual_indexes
    }),
    'deepstack_visual_indexes of vision_config of config.json is missing, a list of layers was expected; download the folder again',
  ],
  [
    'fewer depths in config.json',
    'qwen3-vl',
    depthsOfConfig((vision) => {
      vision.deepstack_visual_indexes = [1]
    }),
    /vision_encoder.onnx gives picture features of 3 depths \(DeepStack\), of 1 were expected; take config.json and all graphs/,
  ],
  [
    'a decoder that takes none',
    'qwen3-vl',
    withoutInputs,
    /decoder_model_merged.onnx takes picture features of 0 depths .*, of 3 were expected/,
  ],
  [
    'an encoder that gives none',
    'qwen3-vl',
    withoutOutputs,
    /decoder_model_merged.onnx takes picture features of 3 depths .*, of 0 were expected/,
  ],
  [
    'a mask of the places of pictures',
    'qwen3-vl',
    renamedInput('attention_mask', 'visual_pos_masks'),
    /asks for visual_pos_masks, which this engine cannot feed/,
  ],
  [
    'a depth that is missing',
    'qwen3-vl',
    renamedInput('deepstack_scattered_1', 'deepstack_scattered_7'),
    /deepstack_scattered_0, deepstack_scattered_2, deepstack_scattered_7, whose numbers do not follow each other/,
  ],
  [
    'features of picture tokens alone',
    'qwen3-vl',
    editGraph('decoder_model_merged', (graph) => {
      graph.inputs = graph.inputs.map((input) => (DEPTHS.includes(input.name) ? { ...input, dims: [null, 24] } : input))
    }),
    /takes deepstack_scattered_0 as float32 \[.*24\], float32 \[batch, sequence, 24\] was expected/,
  ],
]

describe('a folder of Qwen3-VL with', () => {
  it.each([...REFUSED])('%s is refused', async (_, family, change, message) => {
    const refusal = await refusalOf(await folderWith(family, change))
    if (typeof message === 'string') expect(refusal).toBe(message)
    else expect(refusal).toMatch(message)
  })
})
