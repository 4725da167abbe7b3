// A decoder that reads the prompt as words and answers by rule, behind the real tokenizer and chat of the tiny model:
// what a model with habits of place would say.
import { fileURLToPath } from 'node:url'
import { makeCallerMutex } from '../../../../src/backends/onnx/decoder/caller-mutex.ts'
import { makePromptBuilder } from '../../../../src/backends/onnx/decoder/chat-template.ts'
import { endTokensOf, readChatTemplate, templateVariablesOf } from '../../../../src/backends/onnx/decoder/configuration.ts'
import type { Decoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import type { KvCache } from '../../../../src/backends/onnx/decoder/kv-cache.ts'
import type { DecoderModel } from '../../../../src/backends/onnx/decoder/model.ts'
import type { PromptBuilder } from '../../../../src/backends/onnx/decoder/prompt-builder.ts'
import { openFolder, readJson } from '../../../../src/backends/onnx/runtime/layout.ts'
import { makeTokenizer, type TextTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
import { makeFairScheduler } from '../../../../src/backends/onnx/scheduling/fair-scheduler.ts'
import { logSumExp } from '../../../../src/core/math.ts'

export const TINY_MODEL = fileURLToPath(new URL('../../../golden/idefics3/model', import.meta.url))

export interface Asked {
  /** Everything behind the state, as text. */
  readonly question: string
  /** Candidates in their order, with the symbol before each; null when they have none. */
  readonly candidates: readonly { readonly symbol: string | null; readonly name: string }[]
}

/** Log-weights of the candidates, in their order; for yes or no [yes, no]. */
export type Script = (asked: Asked) => readonly number[]

/** `elsewhere`: at every token, what all other tokens together weigh against those of the candidates. */
export async function scriptedScorer(
  script: Script,
  elsewhere = 0.001,
): Promise<{ model: DecoderModel; nothing: KvCache; asked: Asked[] }> {
  const folder = await openFolder(TINY_MODEL)
  const configuration = await readJson(folder, 'tokenizer_config.json')
  const tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), configuration)
  const template = await readChatTemplate(folder, configuration)
  const variables = templateVariablesOf(configuration)
  const prompts = makePromptBuilder({ tokenizer, template, variables, content: 'list', images: null })
  const endTokens = await endTokensOf(folder, tokenizer, configuration)
  const asked: Asked[] = []
  const decoder = scriptedDecoder(tokenizer, prompts, endTokens[0] as number, elsewhere, (one) => {
    asked.push(one)
    return script(one)
  })
  const nothing = await decoder.prefill(decoder.empty, await decoder.embed(prompts.encodeState([]).ids))
  const shared = { scheduler: makeFairScheduler(), mutex: makeCallerMutex() }
  return { model: { tokenizer, prompts, decoder, endTokens, boxes: null, fits: () => {}, reading: null, ...shared }, nothing, asked }
}

interface IdCache extends KvCache {
  readonly ids: readonly number[]
}

function scriptedDecoder(tokenizer: TextTokenizer, prompts: PromptBuilder, end: number, elsewhere: number, script: Script): Decoder {
  const opening = prompts.encodeQuestion('')
  const nothingRead: IdCache = { length: 0, bytes: 0, positions: null, ids: [] }
  const behind = (cache: KvCache, ids: readonly number[]): IdCache => {
    const all = [...(cache as IdCache).ids, ...ids]
    return { length: all.length, bytes: 0, positions: null, ids: all }
  }
  const textOf = (ids: readonly number[]): string =>
    Buffer.concat(ids.map((id) => tokenizer.vocabulary[id] ?? new Uint8Array())).toString('utf8')

  const logitsAfter = (ids: readonly number[]): Float32Array => {
    // The end token of the opening: what is behind the opening has been said already.
    const from = ids.lastIndexOf(opening[0] as number)
    const said = ids.slice(from + opening.length)
    const question = textOf(ids.slice(0, from))
    const listed = [...question.matchAll(/^(?:([A-Z]|\d)\.|-) (.*)$/gm)].map(([, symbol, name]) => ({
      symbol: symbol ?? null,
      name: name as string,
    }))
    const candidates = listed.length > 0 ? listed : ['Yes', 'No'].map((name) => ({ symbol: name, name }))
    const weights = script({ question, candidates })
    // Each answer as its tokens and an end; those that began as `said` go on with their next token.
    const next = new Map<number, number[]>()
    candidates.forEach(({ symbol, name }, i) => {
      const answer = [...tokenizer.encode(` ${symbol ?? name}`), end]
      if (!said.every((id, at) => answer[at] === id) || answer.length <= said.length) return
      const id = answer[said.length] as number
      next.set(id, [...(next.get(id) ?? []), weights[i] as number])
    })
    // Control tokens stand behind the vocabulary of text.
    const tokens = Math.max(tokenizer.vocabulary.length, end + 1)
    const logits = new Float32Array(tokens).fill(logSumExp([...next.values()].flat()) + Math.log(elsewhere / (tokens - next.size)))
    for (const [id, logs] of next) logits[id] = logSumExp(logs)
    return logits
  }

  const each = (cache: KvCache, ids: readonly number[]): Float32Array[] =>
    ids.map((_, i) => logitsAfter(behind(cache, ids.slice(0, i + 1)).ids))
  return {
    width: 1,
    chunk: 1 << 20,
    featureWidth: 1,
    sharesPasses: true,
    empty: nothingRead,
    embed: async (ids) => Float32Array.from(ids),
    prefill: async (cache, embeddings) => behind(cache, Array.from(embeddings)),
    next: async (cache, ids) => {
      const now = behind(cache, ids)
      return { logits: logitsAfter(now.ids), cache: now }
    },
    truncatesTo: () => true,
    truncate: (cache, length) => behind(nothingRead, (cache as IdCache).ids.slice(0, length)),
    release: () => {},
    rowLogits: async (cache, rows) =>
      rows.map(({ ids, last }) =>
        each(cache, ids)
          .slice(-last)
          .map((logits) => ({ logits, norm: logSumExp(logits) })),
      ),
    close: async () => {},
  }
}
