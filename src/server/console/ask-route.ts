// POST /console/api/ask?account=…: the playground's questions, through the same pipeline as any client's, paid by the account that is chosen.
import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { createBodyMemory, holdLength, mediaKind, readBody } from '../body.ts'
import { ask } from '../dialects/ask.ts'
import { ServiceError } from '../errors.ts'
import type { Parts } from '../parts.ts'
import { stored } from '../stored.ts'
import { fields, text } from './fields.ts'

/** Largest bodies that may come in at the same time. */
const BODIES = 2
const FRAME_FILES = 64

const asked = fields({ account: text(200) })

/** Registers the route in a scope of its own: its body is read as the service's is. */
export async function askRoute(app: FastifyInstance, { answerer, settings, store }: Parts): Promise<void> {
  const memory = createBodyMemory(settings.bodyBytes * BODIES)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    await scope.register(multipart)
    scope.post('/console/api/ask', async (request, reply) => {
      const { account } = asked(request.query)
      holdLength(request.headers, settings.bodyBytes)
      const kind = mediaKind(request.headers)
      if ((await stored(store.ledger.account(account))) === null) {
        throw new ServiceError('not_found', `There is no account ${JSON.stringify(account)}; make an API key for it first.`)
      }
      const client = new AbortController()
      reply.raw.once('close', () => client.abort())
      const { bodyBytes: bytes, bodyTimeoutMs: timeoutMs, images, imageBytes: fileBytes } = settings
      const { body, release } = await readBody(request, kind, { bytes, timeoutMs, files: images + FRAME_FILES, fileBytes }, memory)
      try {
        const answered = await answerer.answer({
          id: request.id,
          principal: { account, key: null },
          dialect: ask,
          body: body.json,
          files: body.files,
          bodyHash: body.hash,
          idempotencyKey: null,
          signal: client.signal,
          receivedAt: request.receivedAt,
        })
        if (answered.status >= 400) reply.errorCode = (JSON.parse(answered.body) as { error: { code: string } }).error.code
        return reply.code(answered.status).headers(answered.headers).type('application/json; charset=utf-8').send(answered.body)
      } finally {
        release()
      }
    })
  })
}
