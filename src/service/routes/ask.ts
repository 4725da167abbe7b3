// POST /v1/ask: questions on the service's own wire.
import { ask } from '../dialects/ask.ts'
import { ASK_FORM, ASK_PICTURE, ASK_TEXT } from '../openapi/examples.ts'
import { ref } from '../openapi/schema.ts'
import { askSchemas } from '../openapi/state.ts'
import { askingRoute, requestForm } from './asking.ts'

export const askRoute = askingRoute({
  path: '/v1/ask',
  dialect: ask,
  operationId: 'ask',
  summary: 'Ask typed questions about a state',
  description:
    'Answers every question about one state. Decisions come back as calibrated probabilities over exactly the options given; reads as values that parse, or as verbatim spans. Input tokens are charged, output tokens are free.',
  request: 'AskRequest',
  response: 'AskResponse',
  schemas: askSchemas,
  examples: { 'A text': ASK_TEXT, 'A picture': ASK_PICTURE },
  form: requestForm(ref('AskForm'), { request: ASK_FORM, photo: '(bytes of a file)' }),
})
