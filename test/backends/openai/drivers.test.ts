// What drivers do at the limits of their servers' wires.
import { expect, it } from 'vitest'
import { logOf, type RemoteModel } from '../../../src/backends/openai/driver.ts'
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
