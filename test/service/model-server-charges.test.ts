// A service whose model runs on a server that answers wrongly: the caller hears what is wrong, and nothing is charged.
import type { ServerResponse } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { closedAfterEach } from '../backends/openai/connected.ts'
import { send, vllmRoutes } from '../backends/openai/imitations.ts'
import { QUESTION, type Running, startRunning } from './running.ts'

const { start, connect } = closedAfterEach()
let running: Running
afterEach(() => running.end())

const BALANCE = 1_000_000n
type Asked = { readonly logprob_token_ids: readonly number[] }
const answering = (log: (id: number) => unknown, ids?: readonly number[]) => (response: ServerResponse, body: Asked) =>
  send(response, 200, {
    choices: [
      {
        text: 'x',
        logprobs: { top_logprobs: [Object.fromEntries((ids ?? body.logprob_token_ids).map((id) => [`token_id:${id}`, log(id)]))] },
      },
    ],
  })

it.each<readonly [what: string, answer: (response: ServerResponse, body: Asked) => void, status: number, message: RegExp]>([
  ['null in place of log-probabilities', answering(() => null), 404, /no log-probability \(null\)/],
  ['zero for every option', answering(() => -9999), 404, /probability zero/],
  ['other ids than asked', answering(() => -1, [1, 2, 3]), 404, /other token ids than asked/],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>'), 404, /not|page/],
  ['nothing, being away', (response) => response.writeHead(503).end(), 503, /./],
])('that answers with %s', async (_, answer, status, message) => {
  const server = await start(vllmRoutes)
  const backend = await connect({ url: server.url, retries: 0 })
  running = await startRunning({ models: [backend], settings: { prices: { '*': 2_000_000_000n } } })
  await running.store.ledger.credit('main', BALANCE, 'test')
  const right = await running.ask(QUESTION)
  expect(right.status).toBe(200)
  const after = (await running.store.ledger.account('main'))!.balance
  expect(after).toBeLessThan(BALANCE)

  server.instead = (request, response, body) => {
    if (request.url !== '/v1/completions') return false
    answer(response, body)
    return true
  }
  const wrong = await running.ask(QUESTION)
  const { error } = await wrong.json()
  expect([wrong.status, error.message]).toEqual([status, expect.stringMatching(message)])
  expect((await running.store.ledger.account('main'))!.balance).toBe(after)
})
