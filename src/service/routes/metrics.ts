// GET /metrics: the numbers of this replica for Prometheus. It takes no key, and is served unless the setting `metrics`
// is off.
import { defineRoute } from './route.ts'

export const metricsRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  access: 'everyone',
  body: null,
  isProbed: true,
  operation: {
    id: 'metrics',
    tag: 'Service',
    summary: 'The numbers of this replica for Prometheus',
    description: 'There unless the service turned it off.',
    replies: { 200: { description: 'Prometheus text.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    errors: [404, 500],
  },
  schemas: {},
  isServed: ({ metrics }) => metrics,
  open: ({ metrics }) => ({
    async answer({ reply }) {
      const { contentType, body } = await metrics.text()
      return reply.header('content-type', contentType).header('cache-control', 'no-store').send(body)
    },
  }),
})
