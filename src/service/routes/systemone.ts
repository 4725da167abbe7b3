// POST /v1/{legacyName}: a second name for /v1/ask, and the System One wire for its clients, which name themselves in
// headers.
import type { IncomingHttpHeaders } from 'node:http'
import { ownField } from '../../core/untrusted.ts'
import { ask } from '../dialects/ask.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { systemone } from '../dialects/systemone.ts'
import { ASK_FORM, SYSTEM_ONE } from '../openapi/examples.ts'
import { ref } from '../openapi/schema.ts'
import { systemOneSchemas } from '../openapi/state.ts'
import { askingRoute, requestForm } from './asking.ts'

/**
 * For everybody else the route takes, refuses and says what /v1/ask does, unless the body asks for a model by its name
 * on the System One wire. Requests are counted by the route's own name.
 */
const second: Dialect = {
  name: systemone.name,
  translate(body) {
    const model = ownField(body, 'model')
    return (typeof model === 'string' && /^jev\b/.test(model) ? systemone : ask).translate(body)
  },
}

/** Clients of the wire name themselves with every request. */
function dialectOf({ 'x-typesafe-sdk': sdk, 'user-agent': agent = '' }: IncomingHttpHeaders): Dialect {
  return sdk !== undefined || /typesafe/i.test(agent) ? systemone : second
}

export const systemOneRoute = askingRoute({
  path: '/v1/{legacyName}',
  dialect: dialectOf,
  operationId: 'askSystemOne',
  summary: 'The same, and the System One wire for its clients',
  description:
    'As `/v1/ask`. For clients of the System One wire (by `X-TypeSafe-SDK` or `User-Agent`, or by a model called `jev-…`) there are two differences: pictures may be `assets`, and levels of a score (in arguments too) are descriptions (a text, JSON or null) that the legend gives back as they were sent.',
  request: 'SystemOneRequest',
  response: 'AskResponse',
  schemas: systemOneSchemas,
  examples: { 'A text': SYSTEM_ONE },
  form: requestForm(
    { ...ref('AskForm'), description: 'The request as JSON in the field `request`.' },
    { request: ASK_FORM, photo: '(bytes of a file)' },
  ),
  parameters: [
    {
      name: 'X-TypeSafe-SDK',
      in: 'header',
      required: false,
      description: 'Asks for the System One wire, whatever its value. Clients of that wire send it.',
      schema: { type: 'string' },
    },
  ],
  headers: ['x-typesafe-request-id'],
})
