// GET /openapi.json: the OpenAPI document, for clients and people. It takes no key.
import { json } from '../openapi/operation.ts'
import { defineRoute } from './route.ts'

export const openApiRoute = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  access: 'everyone',
  body: null,
  operation: {
    id: 'openApi',
    tag: 'Service',
    summary: 'This document',
    replies: { 200: { description: 'OpenAPI 3.1.', content: json({ type: 'object' }) } },
    errors: [500],
  },
  schemas: {},
  open: ({ openApi }) => ({
    answer: ({ reply }) => reply.header('content-type', 'application/json; charset=utf-8').send(openApi),
  }),
})
