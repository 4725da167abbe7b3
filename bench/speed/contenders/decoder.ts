// The engine's decoder on bare ids, patched and checked at load as the engine does it: the state in chunks, questions
// in passes of several rows, log-probabilities behind the last token of each.
import { makeDecoder, type NextTokenLogits, prefillAll, probeLogits } from '../../../src/backends/onnx/decoder/decoder.ts'
import type { KvCache } from '../../../src/backends/onnx/decoder/kv-cache.ts'
import type { OnnxOptions } from '../../../src/backends/onnx/options.ts'
import { findGraph, openFolder, TEXT_DTYPES } from '../../../src/backends/onnx/runtime/layout.ts'
import { openPatched } from '../../../src/backends/onnx/runtime/patched.ts'
import { loadRuntime, openSession, type Session } from '../../../src/backends/onnx/runtime/session.ts'
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
  let cache: KvCache = decoder.empty

  return {
    about: () => [...applied, decoder.sharesPasses ? 'many rows a pass' : 'one row a pass'].join(', '),
    async read(ids: readonly number[]) {
      const { ms, result } = await timed(async () => prefillAll(decoder, decoder.empty, await decoder.embed(ids)))
      cache = result
      return { ms }
    },
    /** Milliseconds of one question, and the log-probabilities of the answers behind each, as scoring takes them. */
    async questions(all: readonly (readonly number[])[], answers: readonly number[]) {
      const { ms, result } = await timed(async () => {
        const found: number[][] = []
        for (let from = 0; from < all.length; ) {
          let to = from + 1
          while (to < all.length && (to + 1 - from) * (all[to] as readonly number[]).length <= passTokens) to += 1
          const rows = all.slice(from, to).map((ids) => ({ ids, last: 1 }))
          for (const [next] of await decoder.rowLogits(cache, rows)) {
            const { logits, norm } = next as NextTokenLogits
            found.push(answers.map((id) => (logits[id] as number) - norm))
          }
          from = to
        }
        return found
      })
      return { ms: ms / all.length, logProbabilities: result }
    },
    /** The likeliest token behind one question, to see that contenders agree. */
    async best(ids: readonly number[]) {
      const { logits } = await decoder.next(cache, ids)
      let at = 0
      for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[at] as number)) at = i
      return at
    },
  }
}

export type DecoderMethods = Awaited<ReturnType<typeof make>>
serveContender(make)
