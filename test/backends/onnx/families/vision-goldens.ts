// What the tests of families that see share: the goldens of test/golden/vision-decoders, and a folder opened as its
// family opens it, with the decoder behind it.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { expect } from 'vitest'
import type { ImageTokens } from '../../../../src/backends/onnx/decoder/chat-template.ts'
import { makePromptBuilder } from '../../../../src/backends/onnx/decoder/chat-template.ts'
import { readChatTemplate, templateVariablesOf } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { type Decoder, logitsOfAll, makeDecoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import type { ImageEncoder } from '../../../../src/backends/onnx/decoder/prompt-builder.ts'
import { makeStatePrefiller, type StatePrefiller } from '../../../../src/backends/onnx/decoder/state-prefiller.ts'
import type { VideoFrame } from '../../../../src/backends/onnx/decoder/videos.ts'
import { findGraph, type ModelFolder, openFolder, readJson, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import { loadRuntime, openSession, type Runtime, type Session } from '../../../../src/backends/onnx/runtime/session.ts'
import { makeTokenizer, type TextTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
import { type FairScheduler, makeFairScheduler } from '../../../../src/backends/onnx/scheduling/fair-scheduler.ts'
import type { Picture, Piece } from '../../../../src/core/types.ts'

/** A user turn of a state and a question: its token ids, and the logits behind its last token. */
export interface VisionGolden {
  readonly name: string
  readonly state: readonly (string | { readonly picture: string } | { readonly video: VideoGolden })[]
  readonly question: string
  readonly prompt: string
  readonly ids: readonly number[]
  readonly stateTokens: number
  readonly logits: readonly number[]
  /** [axis][token] */
  readonly positions?: readonly (readonly number[])[]
}

/** Frames of a video: windows of a picture, by their left and top edges. */
export interface VideoGolden {
  readonly picture: string
  readonly size: readonly [number, number]
  readonly places: readonly (readonly [number, number])[]
  readonly timesMs: readonly number[]
}

/** A picture as rows of patches, or a tile of it: bytes in base64. */
export interface PatchGolden {
  readonly picture: string
  readonly levels: string
}

const HERE = new URL('../../../golden/vision-decoders/', import.meta.url)
export const readGoldens = <T>(file: string): T => JSON.parse(readFileSync(new URL(`${file}.json`, HERE), 'utf8')) as T
export const folderOf = (family: string): string => fileURLToPath(new URL(family, HERE))

export async function readPicture(file: string): Promise<Picture> {
  const { data, info } = await sharp(fileURLToPath(new URL(`../idefics3/pictures/${file}`, HERE)))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data, sha256: createHash('sha256').update(data).digest('hex') }
}

export async function framesOf({ picture: file, size: [width, height], places, timesMs }: VideoGolden): Promise<VideoFrame[]> {
  const whole = await readPicture(file)
  return places.map(([left, top], i) => {
    const data = new Uint8Array(3 * width * height)
    for (let y = 0; y < height; y++) {
      const from = 3 * ((top + y) * whole.width + left)
      data.set(whole.data.subarray(from, from + 3 * width), 3 * y * width)
    }
    const sha256 = createHash('sha256').update(data).digest('hex')
    return { picture: { width, height, data, sha256 }, timeMs: timesMs[i] as number }
  })
}

/** Videos as the pipeline writes them, called `clip`, `clip2`, … */
export async function piecesOf(state: VisionGolden['state']): Promise<Piece[]> {
  const pieces: Piece[] = []
  let videos = 0
  for (const part of state) {
    if (typeof part === 'string') pieces.push({ type: 'text', text: part, source: { part: 0, path: null } })
    else if ('picture' in part) pieces.push({ type: 'image', id: part.picture, picture: await readPicture(part.picture) })
    else {
      const video = `clip${videos++ === 0 ? '' : videos}`
      for (const [n, { picture, timeMs }] of (await framesOf(part.video)).entries()) {
        pieces.push({ type: 'text', text: `${n === 0 ? '' : '\n'}Frame at ${timeMs}:\n`, source: null, frameTimeFrom: 0 })
        pieces.push({ type: 'image', id: `${video}#${n + 1}`, picture, frame: { video, timeMs } })
      }
    }
  }
  return pieces
}

export const maxDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), a.length === b.length ? 0 : Infinity)

/**
 * The largest difference and the mean between levels and the floats that a family makes of them, both in levels of 255.
 * `mean` and `deviation` are those of each number of a row.
 */
export function levelDifference(rows: Float32Array, golden: string, of: (at: number) => readonly [number, number]) {
  const levels = Buffer.from(golden, 'base64')
  let [largest, sum] = [rows.length === levels.length ? 0 : Infinity, 0]
  for (let i = 0; i < rows.length; i++) {
    const [mean, deviation] = of(i)
    const difference = Math.abs(((rows[i] as number) * deviation + mean) * 255 - (levels[i] as number))
    largest = Math.max(largest, difference)
    sum += difference
  }
  return { largest, mean: sum / rows.length }
}

export interface FamilyParts {
  readonly runtime: Runtime
  readonly folder: ModelFolder
  readonly tokenizer: TextTokenizer
  readonly scheduler: FairScheduler
  /** Opens a graph of the folder in float32. */
  open(name: string): Promise<Session>
}

export interface OpenFamily extends FamilyParts {
  readonly prompts: ReturnType<typeof makePromptBuilder>
  readonly decoder: Decoder
  readonly states: StatePrefiller
  close(): Promise<void>
}

/** Opens a family; `see` makes what it writes for images, and the encoder of their features. */
export async function openFamily(
  family: string,
  isPatched: boolean,
  see: (parts: FamilyParts) => Promise<{ readonly tokens: ImageTokens; readonly encoder: ImageEncoder }>,
): Promise<OpenFamily> {
  const folder = await openFolder(folderOf(family))
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), tokenizerConfig)
  const options = { threads: 1 }
  const runtime = await loadRuntime()
  const scheduler = makeFairScheduler()
  const open = (name: string) => openSession(findGraph(folder, name, TEXT_DTYPES, options), options)
  const parts: FamilyParts = { runtime, folder, tokenizer, scheduler, open }
  const { tokens, encoder } = await see(parts)
  const prompts = makePromptBuilder({
    tokenizer,
    template: await readChatTemplate(folder, tokenizerConfig),
    variables: templateVariablesOf(tokenizerConfig),
    content: 'list',
    images: tokens,
  })
  const graph = findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, options)
  const patch = isPatched ? patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: true }) : null
  const decoder = makeDecoder(runtime, await open('embed_tokens'), await openSession(graph, options, patch?.bytes))
  const states = makeStatePrefiller({ prompts, decoder, scheduler, cacheBytes: 2 ** 26, fits() {} })
  return {
    ...parts,
    prompts,
    decoder,
    states,
    async close() {
      states.clear()
      await encoder.close()
      await decoder.close()
    },
  }
}

/**
 * That the logits behind a kept state are those of the golden, for the question at once, asked again, and in two parts
 * with the cache kept between them. Gives the difference, and what was asked of.
 */
export async function expectSameBehindState({ decoder, prompts, states }: OpenFamily, golden: VisionGolden) {
  const { cache } = await states.open(await piecesOf(golden.state))
  expect(cache.length).toBe(golden.stateTokens)
  const question = prompts.encodeQuestion(golden.question)
  const { logits } = await decoder.next(cache, question)
  const apart = maxDifference(logits, golden.logits)
  expect(apart).toBeLessThan(1e-3)
  // Asking again from the same cache gives the same: nothing wrote to it.
  expect((await decoder.next(cache, question)).logits).toEqual(logits)
  const half = question.length >> 1
  const kept = await decoder.next(cache, question.slice(0, half), true)
  expect(maxDifference((await decoder.next(kept.cache, question.slice(half))).logits, golden.logits)).toBeLessThan(1e-3)
  const rows = await logitsOfAll(decoder, cache, question)
  expect(maxDifference(rows.at(-1) as Float32Array, golden.logits)).toBeLessThan(1e-3)
  return { apart, cache, question, half, kept, rows }
}
