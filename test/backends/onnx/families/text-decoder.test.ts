// Text decoders against transformers, on the tiny random models of test/golden/text-decoders (see make.py there).
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makePromptBuilder } from '../../../../src/backends/onnx/decoder/chat-template.ts'
import { endTokensOf, readChatTemplate, templateVariablesOf } from '../../../../src/backends/onnx/decoder/configuration.ts'
import { type Decoder, logitsOfAll, makeDecoder, prefillAll } from '../../../../src/backends/onnx/decoder/decoder.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { findGraph, openFolder, readJson, TEXT_DTYPES } from '../../../../src/backends/onnx/runtime/layout.ts'
import { patchGraph } from '../../../../src/backends/onnx/runtime/patch.ts'
import { inputsOf, loadRuntime, openSession } from '../../../../src/backends/onnx/runtime/session.ts'
import { makeTokenizer } from '../../../../src/backends/onnx/runtime/tokenizer.ts'
import { textPrompt } from '../../../contract/backend-suite.ts'

interface Golden {
  readonly name: string
  readonly state: string
  readonly question: string
  readonly prompt: string
  readonly ids: readonly number[]
  readonly stateTokens: number
  readonly logits: readonly number[]
}

const HERE = new URL('../../../golden/text-decoders/', import.meta.url)
const goldens: Record<string, readonly Golden[]> = JSON.parse(readFileSync(new URL('goldens.json', HERE), 'utf8'))
const folderOf = (family: string): string => fileURLToPath(new URL(family, HERE))

/** What a folder has, as the family reads it. */
async function readFamily(family: string) {
  const folder = await openFolder(folderOf(family))
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const tokenizer = makeTokenizer(await readJson(folder, 'tokenizer.json'), tokenizerConfig)
  const template = await readChatTemplate(folder, tokenizerConfig)
  const variables = templateVariablesOf(tokenizerConfig)
  const prompts = makePromptBuilder({ tokenizer, template, variables, content: 'text', images: null })
  const graph = findGraph(folder, 'model', TEXT_DTYPES, {})
  return { folder, tokenizer, tokenizerConfig, prompts, graph }
}

async function openDecoder(family: string, isPatched = false): Promise<Decoder> {
  const { graph } = await readFamily(family)
  const patch = isPatched ? patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: true }) : null
  return makeDecoder(await loadRuntime(), null, await openSession(graph, { threads: 1 }, patch?.bytes))
}

const maxDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0)

/** Graphs whose attention can stand behind one KV cache in many rows; the others run as they came. */
const CASCADES = ['llama', 'qwen2', 'qwen3', 'smollm3', 'granite']

for (const [family, cases] of Object.entries(goldens)) {
  describe(`${family} against transformers`, () => {
    for (const golden of cases) {
      it(`${golden.name}: writes the same tokens`, async () => {
        const { prompts } = await readFamily(family)
        const { ids } = prompts.encodeState(textPrompt(golden.state).pieces)
        expect([...ids, ...prompts.encodeQuestion(golden.question)]).toEqual(golden.ids)
        expect(ids.length).toBe(golden.stateTokens)
      })
    }

    for (const isPatched of [false, true]) {
      it(`gives the same logits, whole and behind a cache, ${isPatched ? 'on its patched graph' : 'on its graph as it came'}`, async () => {
        const decoder = await openDecoder(family, isPatched)
        expect(decoder.sharesPasses).toBe(isPatched && CASCADES.includes(family))
        for (const { ids, stateTokens, logits } of cases) {
          const [state, question] = [ids.slice(0, stateTokens), ids.slice(stateTokens)]
          const whole = await logitsOfAll(decoder, decoder.empty, ids)
          expect(whole[0]?.length).toBe(logits.length)
          expect(maxDifference(whole.at(-1) as Float32Array, logits)).toBeLessThan(1e-3)

          const cache = await prefillAll(decoder, decoder.empty, await decoder.embed(state))
          const behind = (await decoder.next(cache, question)).logits
          expect(maxDifference(behind, logits)).toBeLessThan(1e-3)
          // Asking again from the same cache gives the same: nothing wrote to it.
          expect((await decoder.next(cache, question)).logits).toEqual(behind)
          // In two parts, with the cache kept between them.
          const half = question.length >> 1
          const kept = await decoder.next(cache, question.slice(0, half), true)
          expect(kept.cache.length).toBe(stateTokens + half)
          expect(maxDifference((await decoder.next(kept.cache, question.slice(half))).logits, logits)).toBeLessThan(1e-3)
          // Several rows behind one cache.
          const rows = await decoder.rowLogits(cache, [
            { ids: question.slice(0, half), last: 1 },
            { ids: question, last: 1 },
          ])
          expect(maxDifference(rows[1]?.[0]?.logits as Float32Array, logits)).toBeLessThan(1e-3)
          expect(maxDifference(rows[0]?.[0]?.logits as Float32Array, kept.logits)).toBeLessThan(1e-3)
        }
        await decoder.close()
      })
    }

    it('continues a state that was read before as if it were new', async () => {
      const long = Array.from({ length: 120 }, (_, i) => `line ${i}`).join('\n')
      const load = () => loadOnnxModel(folderOf(family), { inProcess: true, threads: 1, scoring: 'plain' })
      const [warm, cold] = [await load(), await load()]
      const branch = {
        readout: 'exclusive' as const,
        instructions: 'Which?',
        candidates: ['red', 'blue'].map((name) => ({ name, description: null })),
        image: null,
      }
      await (await warm.open(textPrompt(long))).score([branch])
      const [continued, anew] = [await warm.open(textPrompt(`${long} and blue`)), await cold.open(textPrompt(`${long} and blue`))]
      expect(continued.cachedTokens).toBeGreaterThanOrEqual(256)
      expect(anew.cachedTokens).toBe(0)
      const [[a], [b]] = [await continued.score([branch]), await anew.score([branch])]
      expect(maxDifference(a?.rows[0]?.logProbabilities ?? [], b?.rows[0]?.logProbabilities ?? [Number.NaN])).toBeLessThan(1e-5)
      await warm.close()
      await cold.close()
    })
  })
}

describe('quirks of text decoders', () => {
  const inputNames = async (family: string): Promise<string[]> => {
    const session = await openSession((await readFamily(family)).graph, { threads: 1 })
    const names = inputsOf(session).map(({ name }) => name)
    await session.release()
    return names
  }

  it('positions are fed where the graph takes them, and counted by it where it does not', async () => {
    const takers = []
    for (const family of Object.keys(goldens)) if ((await inputNames(family)).includes('position_ids')) takers.push(family)
    // Both kinds are there, and the goldens above hold for both.
    expect(takers).toEqual(['llama', 'smollm2', 'qwen2', 'smollm3', 'granite'])
  })

  it('the last rows are kept by the graph itself (num_logits_to_keep), or picked before its head, tied or not, scaled or not', async () => {
    for (const family of Object.keys(goldens)) {
      const { graph } = await readFamily(family)
      const keepsRows = (await inputNames(family)).includes('num_logits_to_keep')
      expect(keepsRows).toBe(family === 'gemma3')
      const patch = patchGraph(readFileSync(graph.path), { accuracyLevel: false, logitRows: true, cascade: false })
      expect(patch?.takesLogitRows ?? false, family).toBe(!keepsRows)
    }
  })

  it('states of convolutions are forked: a cache is cut only where they were kept', async () => {
    expect(await inputNames('lfm2')).toEqual(expect.arrayContaining(['past_conv.0', 'past_key_values.1.key', 'past_conv.2']))
    const decoder = await openDecoder('lfm2')
    const ids = Array.from({ length: 600 }, (_, i) => 40 + ((i * 37) % 200))
    const cache = await prefillAll(decoder, decoder.empty, await decoder.embed(ids))
    const cut = decoder.truncate(cache, 512)
    expect(cut.length).toBe(512)
    const fresh = await prefillAll(decoder, decoder.empty, await decoder.embed(ids.slice(0, 512)))
    expect((await decoder.next(cut, ids.slice(512))).logits).toEqual((await decoder.next(fresh, ids.slice(512))).logits)
    expect(() => decoder.truncate(cache, 511)).toThrow('no state was kept at 511 of 600 tokens')
    expect(decoder.truncate(decoder.truncate(cache, 512), 256).length).toBe(256)
    await decoder.close()
  })

  it('the beginning stands where the template puts it, once, whatever the tokenizer would add', async () => {
    for (const [family, bos] of Object.entries({ llama: '<|begin_of_text|>', gemma3: '<bos>', lfm2: '<|startoftext|>' })) {
      const { tokenizer, prompts } = await readFamily(family)
      const { ids } = prompts.encodeState(textPrompt('Red.').pieces)
      expect(ids.filter((id) => id === tokenizer.control(bos))).toEqual([ids[0]])
      expect(prompts.encodeQuestion('What?')).not.toContain(tokenizer.control(bos))
    }
    // `bos_token` is null, and no token takes its place.
    const { prompts, tokenizer } = await readFamily('qwen2')
    expect(prompts.encodeState(textPrompt('Red.').pieces).ids[0]).toBe(tokenizer.control('<|im_start|>'))
  })

  it('a default system message is written, and a template that refuses systems is never given one', () => {
    expect(goldens.qwen2?.[0]?.prompt).toMatch(/^<\|im_start\|>system\nYou are a helpful assistant/)
    expect(goldens.gemma3?.[0]?.prompt).toMatch(/^<bos><start_of_turn>user\nHello/)
  })

  it('thinking is off: the answer stands behind an empty block', async () => {
    for (const family of ['qwen3', 'smollm3']) {
      const { prompts, tokenizer } = await readFamily(family)
      const ids = prompts.encodeQuestion('What?')
      expect(ids.filter((id) => id === tokenizer.control('<think>') || id === tokenizer.control('</think>'))).toHaveLength(2)
    }
    expect(goldens.smollm3?.[0]?.prompt).toContain('/no_think')
  })

  it('thoughts that a template always opens are ended', async () => {
    const { tokenizer } = await readFamily('qwen3')
    const template = "{% for m in messages %}{{ m.content }}{% endfor %}{{ '<|im_start|>assistant\\n<think>\\n' }}"
    const prompts = makePromptBuilder({ tokenizer, template, variables: {}, content: 'text', images: null })
    const [open, close] = ['<think>', '</think>'].map((name) => tokenizer.control(name) as number)
    expect(prompts.encodeQuestion('What?').filter((id) => id === open || id === close)).toEqual([open, close])
  })

  it('templates that ask for today are always given the same day', async () => {
    for (const [family, day] of Object.entries({ llama: '26 Jul 2024', smollm3: '26 July 2024', granite: 'July 26, 2024' })) {
      const { prompts, tokenizer } = await readFamily(family)
      const bytes = prompts.encodeState([]).ids.flatMap((id) => [...(tokenizer.vocabulary[id] ?? [])])
      expect(Buffer.from(bytes).toString('utf8')).toContain(day)
    }
  })

  it('every end of a turn that generation_config.json names ends an answer', async () => {
    const { folder, tokenizer, tokenizerConfig } = await readFamily('llama')
    const ends = await endTokensOf(folder, tokenizer, tokenizerConfig)
    expect(ends).toEqual(['<|end_of_text|>', '<|eot_id|>', '<|eom_id|>'].map((name) => tokenizer.control(name)))
  })

  it('a vocabulary of characters spells every token, bytes and spaces too', async () => {
    const { tokenizer } = await readFamily('gemma3')
    const text = 'Größe 5€ 🙂 東京\n\tdone  twice. <table>'
    const bytes = tokenizer.encode(text).map((id) => tokenizer.vocabulary[id] as Uint8Array)
    expect(Buffer.concat(bytes).toString('utf8')).toBe(text)
    expect(tokenizer.vocabulary[tokenizer.control('<start_of_turn>') as number]).toBeNull()
  })
})
