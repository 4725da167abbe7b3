import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createBodyMemory, readBody } from '../../src/service/body.ts'

/** A request whose client has gone before anybody read its body. */
async function leftBehind(sent: string): Promise<IncomingMessage> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write(sent)
  const [stream] = (await once(server, 'request')) as [IncomingMessage]
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.on('error', () => {})
  client.resetAndDestroy()
  await closed
  server.close()
  return stream
}

const LIMITS = { bytes: 1000, textBytes: 1000, timeoutMs: 60_000, files: 1, fileBytes: 1000 }
const HEAD = 'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\ncontent-type: application/json\r\n'

describe('the body of a client that has gone before it is read', () => {
  it.each([
    ['came in part', `${HEAD}\r\n{`],
    ['came whole', `${HEAD}\r\n{}`],
  ])('is not waited for when it %s', async (_, sent) => {
    const raw = await leftBehind(sent)
    const memory = createBodyMemory(LIMITS.bytes * 2).of('main')
    await expect(readBody({ raw } as FastifyRequest, 'json', LIMITS, memory)).rejects.toMatchObject({ code: 'invalid_request' })
    // All that one account may have.
    expect(memory.take(LIMITS.bytes * 1.75, 0)).toBe(true)
  })
})
