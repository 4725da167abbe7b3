import { afterEach, describe, expect, it } from 'vitest'
import { QUESTION, type Running, startRunning } from './running.ts'

let running: Running
afterEach(() => running.end())

const frame = { source: { type: 'part', name: 'none' }, t_ms: 0 }
const asked = (question: object, id = 'a') => ({ ...QUESTION, questions: { [id]: question } })

describe('a limit of the settings', () => {
  it.each([
    [{ videoFrames: 1 }, { ...QUESTION, state: [{ type: 'video', frames: [frame, frame] }] }, 'at most 1 are taken'],
    [{ idCharacters: 16 }, asked({ type: 'noul' }, 'a'.repeat(17)), '1 to 16 characters'],
    [{ options: 2 }, asked({ type: 'choice', criteria: ['a', 'b', 'c'] }), '2 to 2'],
    [{ levels: 2 }, asked({ type: 'score', criteria: ['a', 'b', 'c'] }), '2 to 2'],
  ])('is held against requests, and said: %j', async (settings, body, words) => {
    running = await startRunning({ settings })
    const reply = await running.ask(body)
    expect([400, 413]).toContain(reply.status)
    expect((await reply.json()).error.message).toContain(words)
  })

  it('bounds what a fill writes', async () => {
    running = await startRunning({ settings: { fillTokens: 1 } })
    const reply = await running.ask(asked({ type: 'fill', instructions: 'What is broken?' }))
    const { usage } = await reply.json()
    expect(usage.output_tokens).toBe(1)
  })

  it('of frames counts files beside those of images', async () => {
    running = await startRunning({ settings: { images: 1, videoFrames: 1 } })
    const send = async (files: number) => {
      const form = new FormData()
      form.set('request', JSON.stringify(QUESTION))
      for (let i = 0; i < files; i++) form.set(`${i}`, new Blob(['x']), `${i}`)
      const headers = { authorization: `Bearer ${running.secret}` }
      return (await fetch(`${running.url}/v1/ask`, { method: 'POST', body: form, headers })).status
    }
    expect([await send(2), await send(3)]).toEqual([200, 413])
  })
})
