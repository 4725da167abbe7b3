// A decoder that reads the prompt as words and answers by rule, behind the real tokenizer and chat of the tiny model: what a model with habits
// of place would say.
import { fileURLToPath } from 'node:url'
import type { Decoder } from '../../../../src/backends/onnx/decoder/decoder.ts'
import type { Past } from '../../../../src/backends/onnx/decoder/kv-cache.ts'
import type { Scorer } from '../../../../src/backends/onnx/decoder/score.ts'
import { type Chat, makeChat, readTemplate } from '../../../../src/backends/onnx/families/idefics3/chat.ts'
import { endTokensOf, variablesOf } from '../../../../src/backends/onnx/families/idefics3/settings.ts'
import { openFolder, readJson } from '../../../../src/backends/onnx/runtime/layout.ts'
import { makeTokenizer, type TextTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
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
export async function scriptedScorer(script: Script, elsewhere = 0.001): Promise<{ scorer: Scorer; nothing: Past; asked: Asked[] }> {
  const folder = await openFolder(TINY_MODEL)
  const configuration = await readJson(folder, 'tokenizer_config.json')
  const tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), configuration)
  const template = await readTemplate(folder, configuration)
  const rule = { longestEdge: 64, tileSize: 64, split: false, upscale: false }
  const chat = makeChat({ tokenizer, template, variables: variablesOf(configuration), rule, tokensPerTile: 4 })
  const endTokens = await endTokensOf(folder, tokenizer, configuration)
  const asked: Asked[] = []
  const decoder = scriptedDecoder(tokenizer, chat, endTokens[0] as number, elsewhere, (one) => {
    asked.push(one)
    return script(one)
  })
  const nothing = await decoder.read(decoder.empty, await decoder.embed(chat.encodeState([]).ids))
  return { scorer: { tokenizer, chat, decoder, endTokens, fits: () => {}, reading: null }, nothing, asked }
}

interface ReadPast extends Past {
  readonly ids: readonly number[]
}

function scriptedDecoder(tokenizer: TextTokenizer, chat: Chat, end: number, elsewhere: number, script: Script): Decoder {
  const opening = chat.encodeQuestion('')
  const nothingRead: ReadPast = { length: 0, bytes: 0, ids: [] }
  const behind = (past: Past, ids: readonly number[]): ReadPast => {
    const all = [...(past as ReadPast).ids, ...ids]
    return { length: all.length, bytes: 0, ids: all }
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

  const each = (past: Past, ids: readonly number[]): Float32Array[] => ids.map((_, i) => logitsAfter(behind(past, ids.slice(0, i + 1)).ids))
  return {
    width: 1,
    chunk: 1 << 20,
    sharesPasses: true,
    empty: nothingRead,
    embed: async (ids) => Float32Array.from(ids),
    read: async (past, embeddings) => behind(past, Array.from(embeddings)),
    next: async (past, ids) => {
      const now = behind(past, ids)
      return { logits: logitsAfter(now.ids), past: now }
    },
    cut: (past, length) => behind(nothingRead, (past as ReadPast).ids.slice(0, length)),
    release: () => {},
    tails: async (past, rows) =>
      rows.map(({ ids, last }) =>
        each(past, ids)
          .slice(-last)
          .map((logits) => ({ logits, norm: logSumExp(logits) })),
      ),
    lasts: async (past, rows) => rows.map((ids) => logitsAfter(behind(past, ids).ids)),
    each: async (past, ids) => each(past, ids),
    close: async () => {},
  }
}
