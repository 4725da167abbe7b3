// GET /v1/models: the models that can be asked, and those that are announced. It takes no key. The same entries stand
// in `models` and, for clients of OpenAI, in `data`; each has the fields that published clients require of a model.
import type { ModelListing } from '../../pipeline/models.ts'
import { json } from '../openapi/operation.ts'
import { BOOLEAN, COUNT, list, ref, reply, STRING } from '../openapi/schema.ts'
import { defineRoute } from './route.ts'

const OWNER = 'assay'
const DESCRIPTIONS: Readonly<Record<ModelListing['status'], string>> = {
  available: 'Answers typed questions about texts, JSON and pictures.',
  coming_soon: 'Announced. It cannot be asked yet.',
}

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
    ModelList: reply('All models, those that are announced too.', {
      object: { const: 'list' },
      models: list('Each model.', ref('Model')),
      data: list('The same entries, for clients of OpenAI.', ref('Model')),
    }),
    Model: reply(
      'A model.',
      {
        id: { ...STRING, description: 'For `model` of a request.' },
        name: { ...STRING, description: 'For people.' },
        available: { ...BOOLEAN, description: 'Whether it can be asked.' },
        status: { enum: ['available', 'coming_soon'] },
        description: { ...STRING, description: 'What it is for.' },
        object: { const: 'model' },
        created: { ...COUNT, description: 'When this service began to list it, seconds since 1970.' },
        release_date: { ...STRING, description: 'The same as a day in UTC, YYYY-MM-DD.' },
        owned_by: STRING,
        aliases: list('Names that stand for it now; a request may give any of them as `model`.', STRING),
        stages: list('Of a chain: the models that it asks, in their order. Each can be asked alone.', STRING),
        device: reply(
          'Of a model that is loaded and runs on the machine of the service: where.',
          {
            name: { ...STRING, description: '`cpu`, `cuda`, `webgpu`, `dml` or `coreml`.' },
            reason: { ...STRING, description: 'Why it is not the device that was asked for.' },
          },
          ['reason'],
        ),
      },
      ['aliases', 'stages', 'device'],
    ),
  },
  open({ engine, aliases, now }) {
    const since = new Date(now())
    const listed = { object: 'model', created: Math.floor(since.getTime() / 1000), release_date: since.toISOString().slice(0, 10) }
    return {
      async answer() {
        // Patterns stand for more names than can be listed.
        const names = Object.entries(await aliases.table()).filter(([name]) => !name.endsWith('*'))
        const models = engine.models().map(({ id, name, available, status, stages, device }) => {
          const standing = names.flatMap(([alias, model]) => (model === id ? [alias] : []))
          return {
            id,
            name,
            available,
            status,
            description: DESCRIPTIONS[status],
            ...listed,
            owned_by: OWNER,
            ...(standing.length > 0 && { aliases: standing }),
            ...(stages && { stages }),
            ...(device && { device }),
          }
        })
        return { object: 'list', models, data: models }
      },
    }
  },
})
