// GET /v1/models: what may be asked, and what is announced. It takes no key.
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.ts'

export function modelsRoute(app: FastifyInstance, { engine }: ServiceContext): void {
  app.get('/v1/models', async () => ({
    object: 'list',
    models: engine.models().map(({ id, name, available, status }) => ({ id, name, available, status })),
  }))
}
