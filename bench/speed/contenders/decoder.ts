// The engine's decoder on bare ids, patched and checked at load as the engine does it: the state in chunks, questions in passes of several rows, logits
// behind the last of each.
import { makeDecoder, probeLogits, readAll } from '../../../src/backends/onnx/families/idefics3/decoder.ts'
import type { Past } from '../../../src/backends/onnx/families/idefics3/past.ts'
import { findGraph, openFolder, TEXT_DTYPES } from '../../../src/backends/onnx/layout.ts'
import type { OnnxOptions } from '../../../src/backends/onnx/options.ts'
import { openPatched } from '../../../src/backends/onnx/patched.ts'
import { loadRuntime, openSession, type Session } from '../../../src/backends/onnx/session.ts'
import { serveContender } from '../contender.ts'
import { timed } from '../timing.ts'

export interface DecoderSetup {
  readonly folder: string
  readonly options: OnnxOptions
  /** Ids on which the patched graph is compared with the plain one. */
  readonly probe: readonly number[]
  /** Most tokens of a pass. */
  readonly passTokens: number
}

const make = async ({ folder: path, options, probe, passTokens }: DecoderSetup) => {
  const folder = await openFolder(path)
  const runtime = await loadRuntime()
  const embedder = await openSession(findGraph(folder, 'embed_tokens', TEXT_DTYPES, options), options)
  const logitsOf = (session: Session) => probeLogits(makeDecoder(runtime, embedder, session), probe)
  const { session, applied } = await openPatched(findGraph(folder, 'decoder_model_merged', TEXT_DTYPES, options), options, logitsOf)
  const decoder = makeDecoder(runtime, embedder, session)
  let past: Past = decoder.empty

  const best = (logits: Float32Array): number => {
    let at = 0
    for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[at] as number)) at = i
    return at
  }

  return {
    about: () => [...applied, decoder.sharesPasses ? 'many rows a pass' : 'one row a pass'].join(', '),
    async read(ids: readonly number[]) {
      const { ms, result } = await timed(async () => readAll(decoder, decoder.empty, await decoder.embed(ids)))
      past = result
      return { ms }
    },
    /** Milliseconds of one question. */
    async questions(all: readonly (readonly number[])[]) {
      const { ms, result } = await timed(async () => {
        const answers: number[] = []
        for (let from = 0; from < all.length; ) {
          let to = from + 1
          while (to < all.length && (to + 1 - from) * (all[to] as readonly number[]).length <= passTokens) to += 1
          for (const logits of await decoder.lasts(past, all.slice(from, to))) answers.push(best(logits))
          from = to
        }
        return answers
      })
      return { ms: ms / all.length, best: result }
    },
    /** Logits of these ids behind one question, to see that contenders agree. */
    async logits(ids: readonly number[], wanted: readonly number[]) {
      const [found] = await decoder.lasts(past, [ids])
      return wanted.map((id) => found?.[id] ?? Number.NaN)
    },
  }
}

export type DecoderMethods = Awaited<ReturnType<typeof make>>
serveContender(make)
