// GET /openapi.json: the whole wire, for clients and people. It takes no key.
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.ts'
import { openApiDocument } from '../openapi/document.ts'

export function openApiRoute(app: FastifyInstance, { settings }: ServiceContext): void {
  const text = JSON.stringify(openApiDocument(settings.legacyName))
  app.get('/openapi.json', async (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(text))
}
