// POST /v1/{legacyName}: questions as clients of the System One wire send them.
import { systemone } from '../dialects/systemone.ts'
import { ASK_FORM, SYSTEM_ONE } from '../openapi/examples.ts'
import { ref } from '../openapi/schema.ts'
import { systemOneSchemas } from '../openapi/state.ts'
import { askingRoute, requestForm } from './asking.ts'

export const systemOneRoute = askingRoute({
  path: '/v1/{legacyName}',
  dialect: systemone,
  operationId: 'askSystemOne',
  summary: 'The same for clients of the System One wire',
  description:
    'As `/v1/ask`, with two differences: a null state is nothing to read, and levels of a score (in arguments too) are descriptions (a text, JSON or null) that the legend gives back as they were sent.',
  request: 'SystemOneRequest',
  response: 'AskResponse',
  schemas: systemOneSchemas,
  examples: { 'A text': SYSTEM_ONE },
  form: requestForm(
    { ...ref('AskForm'), description: 'The request as JSON in the field `request`.' },
    { request: ASK_FORM, photo: '(bytes of a file)' },
  ),
  headers: ['x-typesafe-request-id'],
})
