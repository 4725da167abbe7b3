// What drivers do at the limits of their servers' wires.
import { expect, it } from 'vitest'
import { logOf, type RemoteModel } from '../../../src/backends/openai/driver.ts'
import { ollama } from '../../../src/backends/openai/engines/ollama.ts'
import { sglang } from '../../../src/backends/openai/engines/sglang.ts'
import { vllm } from '../../../src/backends/openai/engines/vllm.ts'

it('vLLM is asked for at most 128 ids at a time, and all of them are read', async () => {
  const asked: number[][] = []
  const send = async ({ body }: { body: { logprob_token_ids: number[]; logprobs: number } }) => {
    asked.push(body.logprob_token_ids)
    expect(body.logprobs).toBe(body.logprob_token_ids.length)
    const logs = Object.fromEntries(body.logprob_token_ids.map((id) => [`token_id:${id}`, -id - 1]))
    return { choices: [{ text: 'x', logprobs: { top_logprobs: [logs] } }], usage: { prompt_tokens_details: { cached_tokens: 7 } } }
  }
  const wanted = Array.from({ length: 300 }, (_, i) => i)
  const model = { send, identity: { model: 'toy' } } as unknown as RemoteModel
  const { logs, cachedTokens } = await vllm.tokens!.next(model, [1, 2], wanted)
  expect(asked.map(({ length }) => length)).toEqual([128, 128, 44])
  expect(wanted.map((id) => logs.get(id))).toEqual(wanted.map((id) => -id - 1))
  expect(cachedTokens).toBe(7)
})

it('probabilities of zero are finite, however a server writes them', () => {
  // vLLM; llama.cpp, the least float.
  for (const zero of [-9999, -3.4028234663852886e38]) expect(logOf(zero, 'llama.cpp')).toBe(-1000)
  expect(logOf(-2.5, 'vllm')).toBe(-2.5)
})

it('vLLM is asked for the ids of each part of a text once, a few at a time', async () => {
  const asked: string[] = []
  let [underWay, most] = [0, 0]
  const send = async ({ body }: { body: { prompt: string } }) => {
    asked.push(body.prompt)
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
    return { tokens: [...body.prompt].map((character) => character.charCodeAt(0)) }
  }
  const model = { send, identity: { model: 'toy' }, contextLength: 4096 } as unknown as RemoteModel
  const text = `${'<a>'.repeat(500)}${Array.from({ length: 100 }, (_, n) => `<b${n}>`).join('')}`
  const ids = await vllm.tokens!.encode(model, [7, text, 7])
  expect(ids).toEqual([7, ...[...text].map((character) => character.charCodeAt(0)), 7])
  expect(asked.length).toBe(new Set(asked).size)
  expect(most).toBe(16)
})

it.each([vllm, sglang])('no request is sent for a text of more parts than the model takes tokens', async ({ tokens }) => {
  const send = () => Promise.reject(new Error('nothing is asked'))
  const model = { send, identity: { model: 'toy' }, contextLength: 4096 } as unknown as RemoteModel
  await expect(tokens!.encode(model, ['<a>'.repeat(4096)])).rejects.toMatchObject({
    code: 'context_length_exceeded',
    message: expect.stringMatching(/at least 4097 tokens, and the model toy takes 4096; shorten/),
  })
})

it('Ollama says how many tokens a model takes, and how many of them are usual', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    '/api/version': { version: '0.35.1' },
    '/api/tags': { models: [{ model: 'toy:latest' }] },
    '/api/show': { capabilities: ['completion'], model_info: { 'toy.context_length': 40_960 } },
  }
  const send = async ({ path }: { path: string }) => answers[path] as Record<string, unknown>
  expect(await ollama.identify(send, null)).toMatchObject({ contextLength: 40_960, usualContextLength: 8192 })
})
