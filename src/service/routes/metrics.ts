// GET /metrics: the numbers of this replica for Prometheus. It takes no key, and is served unless the setting `metrics` is off.
import type { FastifyInstance } from 'fastify'
import type { ServiceContext } from '../context.ts'

export function metricsRoute(app: FastifyInstance, { metrics, settings }: ServiceContext): void {
  if (!settings.metrics) return
  app.get('/metrics', async (_request, reply) => {
    const { contentType, body } = await metrics.text()
    return reply.header('content-type', contentType).header('cache-control', 'no-store').send(body)
  })
}
