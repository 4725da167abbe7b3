// An HTTP server that answers by a script and keeps what it was asked: what a client meets, without a service behind
// it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface ScriptedReply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object goes as JSON. */
  readonly body?: unknown
}

/** One step of the script: a reply, or what is done with the connection instead. */
export type Step = ScriptedReply | ((request: SeenRequest, response: ServerResponse) => ScriptedReply | null)

export interface ScriptedService {
  readonly url: string
  readonly seen: readonly SeenRequest[]
  /** Sets the steps; the last one repeats. */
  script(...steps: readonly Step[]): void
  close(): Promise<void>
}

export async function startScriptedService(): Promise<ScriptedService> {
  const seen: SeenRequest[] = []
  let steps: Step[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const came = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
      seen.push(came)
      const step = steps.length > 1 ? steps.shift() : steps[0]
      const reply = typeof step === 'function' ? step(came, response) : (step ?? { status: 500, body: 'no step is left' })
      if (reply === null) return
      const isText = typeof reply.body === 'string'
      response.writeHead(reply.status ?? 200, { 'content-type': isText ? 'text/html' : 'application/json', ...reply.headers })
      response.end(isText ? reply.body : JSON.stringify(reply.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    script(...given) {
      steps = [...given]
      seen.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** An error as a service says it. */
export function refusal(status: number, code: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): ScriptedReply {
  const error = { code, message: `It was ${code}.`, param: null, request_id: 'evt_refused', ...more }
  return { status, headers: { 'x-request-id': 'evt_refused', ...headers }, body: { error } }
}

/** An answer that has the shape of one. */
export const ANSWER: ScriptedReply = {
  headers: {
    'x-request-id': 'evt_1',
    'x-service-cost-usd': '0.000001200',
    'x-service-balance-usd': '4.999998800',
    'x-service-latency-ms': '7',
  },
  body: {
    id: 'evt_1',
    model: 'service-1-pro',
    answers: { late: { type: 'noul', noul: 0.25 } },
    usage: { input_tokens: 12, output_tokens: 0, cost: 0.0000012 },
    simo: { engine: 'x', model_revision: 'y', passes: 1, cached_tokens: 0, timings_ms: {}, questions: {}, warnings: [] },
  },
}
