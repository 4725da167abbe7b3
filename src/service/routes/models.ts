// GET /v1/models: the models that can be asked, and those that are announced. It takes no key.
import { json } from '../openapi/operation.ts'
import { BOOLEAN, list, ref, reply, STRING } from '../openapi/schema.ts'
import { defineRoute } from './route.ts'

export const modelsRoute = defineRoute({
  method: 'GET',
  path: '/v1/models',
  access: 'everyone',
  body: null,
  operation: {
    id: 'listModels',
    tag: 'Service',
    summary: 'The models there are',
    replies: { 200: { description: 'All of them.', content: json(ref('ModelList')) } },
    errors: [500],
  },
  schemas: {
    ModelList: reply('All models, those that are announced too.', { object: { const: 'list' }, models: list('Each model.', ref('Model')) }),
    Model: reply('A model.', {
      id: { ...STRING, description: 'For `model` of a request.' },
      name: { ...STRING, description: 'For people.' },
      available: { ...BOOLEAN, description: 'Whether it can be asked.' },
      status: { enum: ['available', 'coming_soon'] },
    }),
  },
  open: ({ engine }) => ({
    answer: () => ({
      object: 'list',
      models: engine.models().map(({ id, name, available, status }) => ({ id, name, available, status })),
    }),
  }),
})
