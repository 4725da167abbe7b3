// The routes: what each takes, answers, and refuses. Those of the console are not part of it.

import { errorResponses, headerRefs } from './errors.ts'
import { ASK_FORM, ASK_PICTURE, ASK_TEXT, DECISION, OUTCOME, SYSTEM_ONE } from './examples.ts'
import { open, ref, type Schema, type Schemas } from './schema.ts'

/** What can happen to a question before and while it is answered. */
const ASK_ERRORS = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 503, 504]
const SMALL_ERRORS = [400, 401, 403, 404, 413, 415, 429, 500, 503]
const NO_KEY = { security: [] }

function json(schema: Schema, more: Schema = {}): Schema {
  return { 'application/json': { schema, ...more } }
}

function shown(examples: Readonly<Record<string, unknown>>): Schema {
  return { examples: Object.fromEntries(Object.entries(examples).map(([summary, value]) => [summary, { summary, value }])) }
}

function success(description: string, schema: Schema, ...headers: readonly string[]): Schema {
  return { description, headers: headerRefs('x-request-id', ...headers), content: json(schema) }
}

const CHARGED = ['x-service-cost-usd', 'x-service-balance-usd', 'x-service-latency-ms', 'x-service-idempotent-replayed']
/** There when the key has a limit. */
const LIMITED = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

interface Asking {
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly request: string
  readonly response: string
  readonly examples: Readonly<Record<string, unknown>>
  readonly headers?: readonly string[]
}

/** Nothing of a decision names a file; pictures stand in its JSON. */
const DECISION_FORM = {
  schema: open('The request as JSON in the field `request`.', ['request'], { request: ref('DecisionRequest') }),
  encoding: { request: { contentType: 'application/json' } },
  example: { request: DECISION },
}

/** One of the routes that ask. */
function asking({ id, summary, description, request, response, examples, headers = [] }: Asking): Schema {
  const form = {
    schema: request === 'AskRequest' ? ref('AskForm') : { ...ref('AskForm'), description: 'The request as JSON in the field `request`.' },
    encoding: { request: { contentType: 'application/json' } },
    example: { request: ASK_FORM, photo: '(bytes of a file)' },
  }
  return {
    operationId: id,
    tags: ['Questions'],
    summary,
    description,
    parameters: [{ $ref: '#/components/parameters/idempotency-key' }],
    requestBody: {
      required: true,
      content: { ...json(ref(request), shown(examples)), 'multipart/form-data': request === 'DecisionRequest' ? DECISION_FORM : form },
    },
    responses: { 200: success('The answers.', ref(response), ...CHARGED, ...LIMITED, ...headers), ...errorResponses(...ASK_ERRORS) },
  }
}

function body(name: string, required: boolean, examples: Readonly<Record<string, unknown>>): Schema {
  return { required, content: json(ref(name), shown(examples)) }
}

/** `legacyName`: what the System One route is called in this service. */
export function paths(legacyName: string): Schemas {
  return {
    '/v1/ask': {
      post: asking({
        id: 'ask',
        summary: 'Ask typed questions about a state',
        description:
          'Answers every question about one state. Decisions come back as calibrated probabilities over exactly the options given; reads as values that parse, or as verbatim spans. Input tokens are charged, output tokens are free.',
        request: 'AskRequest',
        response: 'AskResponse',
        examples: { 'A text': ASK_TEXT, 'A picture': ASK_PICTURE },
      }),
    },
    [`/v1/${legacyName}`]: {
      post: asking({
        id: 'askSystemOne',
        summary: 'The same for clients of the System One wire',
        description:
          'As `/v1/ask`, with two differences: a null state is nothing to read, and levels of a score (in arguments too) are descriptions (a text, JSON or null) that the legend gives back as they were sent.',
        request: 'SystemOneRequest',
        response: 'AskResponse',
        examples: { 'A text': SYSTEM_ONE },
        headers: ['x-typesafe-request-id'],
      }),
    },
    '/v1/decisions': {
      post: asking({
        id: 'createDecision',
        summary: 'The same for clients of the decisions wire',
        description:
          'Predicates, choices and scores about messages, as arrays. Pictures are read from the input, not from instructions. `id` and `simo` are added to the reply, and a refusal never comes.',
        request: 'DecisionRequest',
        response: 'DecisionResponse',
        examples: { Messages: DECISION },
      }),
    },
    '/v1/models': {
      get: {
        operationId: 'listModels',
        tags: ['Service'],
        summary: 'The models there are',
        ...NO_KEY,
        responses: { 200: success('All of them.', ref('ModelList')), ...errorResponses(500) },
      },
    },
    '/v1/outcomes': {
      post: {
        operationId: 'recordOutcome',
        tags: ['Calibration'],
        summary: 'Say what was true of an answer',
        description: 'Outcomes are what calibrations are fitted on. Needs the scope `outcomes`. States are not stored; decisions are.',
        requestBody: body('OutcomeRequest', true, { 'What was true': OUTCOME }),
        responses: { 200: success('Recorded.', ref('OutcomeReply'), ...LIMITED), ...errorResponses(...SMALL_ERRORS) },
      },
    },
    '/v1/calibration': {
      get: {
        operationId: 'showCalibration',
        tags: ['Calibration'],
        summary: 'What answers now, since when, and whether it still fits',
        responses: {
          200: success('Calibrations, their history, and drift.', ref('CalibrationReply'), ...LIMITED),
          ...errorResponses(401, 429, 500, 503),
        },
      },
    },
    '/v1/calibration/fit': {
      post: {
        operationId: 'fitCalibration',
        tags: ['Calibration'],
        summary: 'Fit a calibration to the outcomes',
        description: 'The new one answers only if its held-out log-loss is not worse. Needs the scope `calibration`. One fit at a time.',
        requestBody: body('FitRequest', false, { 'The default model': {} }),
        responses: { 200: success('What came of it.', ref('FitReply'), ...LIMITED), ...errorResponses(...SMALL_ERRORS) },
      },
    },
    '/v1/calibration/rollback': {
      post: {
        operationId: 'rollBackCalibration',
        tags: ['Calibration'],
        summary: 'Answer with the calibration before this one',
        description: 'Needs the scope `calibration`.',
        requestBody: body('RollBackRequest', false, { 'With a reason': { why: 'Support sees too many escalations.' } }),
        responses: { 200: success('The change.', ref('CalibrationChange'), ...LIMITED), ...errorResponses(...SMALL_ERRORS) },
      },
    },
    '/health': {
      get: {
        operationId: 'health',
        tags: ['Service'],
        summary: 'Whether requests can be answered',
        ...NO_KEY,
        responses: {
          200: success('All is well.', ref('Health')),
          503: success('The database does not answer, or the service is about to stop.', ref('Health')),
        },
      },
    },
    '/metrics': {
      get: {
        operationId: 'metrics',
        tags: ['Service'],
        summary: 'The numbers of this replica for Prometheus',
        description: 'There unless the service turned it off.',
        ...NO_KEY,
        responses: {
          200: {
            description: 'Prometheus text.',
            headers: headerRefs('x-request-id'),
            content: { 'text/plain': { schema: { type: 'string' } } },
          },
          ...errorResponses(404, 500),
        },
      },
    },
    '/openapi.json': {
      get: {
        operationId: 'openApi',
        tags: ['Service'],
        summary: 'This document',
        ...NO_KEY,
        responses: { 200: success('OpenAPI 3.1.', { type: 'object' }), ...errorResponses(500) },
      },
    },
  }
}
