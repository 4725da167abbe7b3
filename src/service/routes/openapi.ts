// GET /openapi.json: the whole wire, for clients and people. It takes no key.
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../openapi/document.ts'
import type { Parts } from '../parts.ts'

export function openApiRoute(app: FastifyInstance, { settings }: Parts): void {
  const text = JSON.stringify(openApiDocument(settings.legacyName))
  app.get('/openapi.json', async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
}
