// POST /v1/decisions: predicates, choices and scores on the decisions wire.
import { decisions } from '../dialects/decisions.ts'
import { decisionSchemas } from '../openapi/decisions.ts'
import { DECISION } from '../openapi/examples.ts'
import { open, ref } from '../openapi/schema.ts'
import { askingRoute, requestForm } from './asking.ts'

export const decisionsRoute = askingRoute({
  path: '/v1/decisions',
  dialect: decisions,
  operationId: 'createDecision',
  summary: 'The same for clients of the decisions wire',
  description:
    'Predicates, choices and scores about messages, as arrays. Pictures are read from the input, not from instructions. `id` and `simo` are added to the reply, and answers of type `refusal` are never given.',
  request: 'DecisionRequest',
  response: 'DecisionResponse',
  schemas: decisionSchemas,
  examples: { Messages: DECISION },
  // Nothing of a decision names a file; pictures stand in its JSON.
  form: requestForm(open('The request as JSON in the field `request`.', ['request'], { request: ref('DecisionRequest') }), {
    request: DECISION,
  }),
})
