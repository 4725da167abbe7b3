// What the service says of itself: models, health, outcomes, calibrations. And the headers of replies.
import {
  BOOLEAN,
  COUNT,
  closed,
  JSON_VALUE,
  list,
  map,
  NAME,
  NUMBER,
  nullable,
  ref,
  reply,
  type Schema,
  type Schemas,
  STRING,
  said,
} from './schema.ts'

const VERSION: Schema = { type: ['string', 'null'], description: 'Null: what comes with the model.' }
const TIME: Schema = { type: 'number', description: 'Milliseconds since 1970.' }

export const serviceSchemas: Schemas = {
  ModelList: reply('All models, those that are announced too.', { object: { const: 'list' }, models: list('Each model.', ref('Model')) }),
  Model: reply('A model.', {
    id: { ...STRING, description: 'For `model` of a request.' },
    name: { ...STRING, description: 'For people.' },
    available: { ...BOOLEAN, description: 'Whether it can be asked.' },
    status: { enum: ['available', 'coming_soon'] },
  }),
  Health: reply('Whether requests can be answered.', {
    ok: { ...BOOLEAN, description: 'Everything is well. False comes with status 503.' },
    service: { enum: ['ok', 'draining'], description: '`draining`: it is about to stop, and takes no new requests.' },
    db: { enum: ['ok', 'unreachable'], description: 'Whether the database answered just now.' },
  }),
  OutcomeRequest: closed('What was true of an answer.', ['event', 'outcomes'], {
    event: { type: 'string', minLength: 1, description: 'The id of the response, `evt_…`.' },
    outcomes: map(
      'Truths by question id, of arguments as `question/argument`. A noul: true or false, or the probability that it is true; a choice: the option; a score: the level from 0; a select: the list of options that hold; a read with `self_check`: whether it was right, or the right value.',
      JSON_VALUE,
      { minProperties: 1 },
    ),
    selection_probability: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: 1,
      description: 'With which this answer was chosen to be labelled, default 1. Labels of rare choices count more.',
    },
  }),
  OutcomeReply: reply('What was recorded. Recording again replaces.', {
    event: STRING,
    recorded: list('Decisions that have a label now.', STRING),
    replaced: list('Those of them that had one before.', STRING),
  }),
  FitRequest: closed('Which calibration to fit.', [], {
    model: { type: 'string', minLength: 1, maxLength: 128, description: 'Default `service-1-pro`.' },
  }),
  FitReply: reply('What came of the fit.', {
    model: STRING,
    decision: { enum: ['serve', 'keep'], description: '`serve`: the new one answers from now on. `keep`: nothing changed.' },
    version: { type: ['string', 'null'], description: 'What answers now. Null: probabilities are as the model gives them.' },
    held_out: said(nullable(ref('HeldOut')), 'Null when there were too few outcomes to decide.'),
    reason: { ...STRING, description: 'Why, with the numbers.' },
  }),
  HeldOut: reply('The new calibration held against the one that answers, on states it was not fitted on. Log-loss in nats a decision.', {
    labels: COUNT,
    states: COUNT,
    current: NUMBER,
    candidate: NUMBER,
    interval: { type: 'array', prefixItems: [NUMBER, NUMBER], items: false, minItems: 2, description: '95 % of candidate minus current.' },
  }),
  CalibrationChange: reply('One change of what answers.', {
    at: TIME,
    action: { enum: ['serve', 'roll back'] },
    version: VERSION,
    from: VERSION,
    why: STRING,
    held_out: nullable(ref('HeldOut')),
  }),
  RollBackRequest: closed('Why it is taken back.', [], {
    why: {
      type: 'string',
      minLength: 1,
      maxLength: 500,
      description: 'For the history. Every key sees it. Default: that it was asked for over HTTP.',
    },
  }),
  CalibrationReply: reply('What answers for each model, and how it came to.', {
    models: list('Models that are loaded.', ref('ModelCalibration')),
    history: list('Newest first.', ref('CalibrationChange')),
    looked_at: said(TIME, 'When outcomes were last looked at, milliseconds since 1970; at most once a minute.'),
  }),
  ModelCalibration: reply('The calibration of one model.', {
    model: STRING,
    model_revision: { ...STRING, description: 'Hash of the weights.' },
    version: { type: ['string', 'null'] },
    source: { enum: ['shipped', 'refitted', 'none'], description: '`none`: probabilities are as the model gives them.' },
    served_since: said(nullable(TIME), 'Null for what was not served by a fit.'),
    fitted_on: nullable(reply('What it was fitted on last.', { decisions: COUNT, states: COUNT })),
    labels: list(
      'Labels behind its maps, by read-out and kind of decision.',
      reply('Of one read-out.', {
        readout: STRING,
        labels: COUNT,
        kinds: list('By kind.', reply('Of one kind.', { kind: STRING, labels: COUNT })),
      }),
    ),
    outcomes: reply('Outcomes in the store.', { labels: COUNT, waiting: said(COUNT, 'Those that what answers now was not fitted on.') }),
    drift: reply('Whether what comes in still looks like what it was fitted on.', {
      events: COUNT,
      labels: COUNT,
      has_reference: BOOLEAN,
      alarms: list('What looks different.', ref('DriftAlarm')),
    }),
    notes: list('What was passed over on the way to this version, and why.', STRING),
  }),
  DriftAlarm: reply('A difference that is large, and not by chance.', {
    kind: { enum: ['psi', 'ks', 'over-sure', 'under-sure'] },
    key: { ...STRING, description: 'Hash of a question, a kind of decision, or `all`.' },
    measure: STRING,
    value: NUMBER,
    threshold: NUMBER,
    count: COUNT,
    message: { ...STRING, description: 'What it means and what to do.' },
  }),
}

function header(description: string, schema: Schema, more: Schema = {}): Schema {
  return { description, schema, ...more }
}

const DOLLARS: Schema = { type: 'string', pattern: '^-?\\d+\\.\\d{9}$' }

export const headers: Schemas = {
  'x-request-id': header('Names the request; on every reply. The `id` of a response.', NAME, { required: true }),
  'x-service-cost-usd': header('What the answer cost, US dollars with nine fractional digits.', DOLLARS, { required: true }),
  'x-service-balance-usd': header('What is left after it.', DOLLARS, { required: true }),
  'x-service-latency-ms': header('Milliseconds from the request to its reply.', COUNT, { required: true }),
  'x-service-idempotent-replayed': header('`true`: this is the stored reply to an earlier request; nothing was charged now.', {
    const: 'true',
  }),
  'x-typesafe-request-id': header('On the System One route: the same as `x-request-id`, where its clients look for it.', NAME),
  'retry-after': header('Whole seconds until it is worth trying again.', { type: 'integer', minimum: 0 }),
  'x-ratelimit-limit': header('Requests a minute that this key has.', COUNT),
  'x-ratelimit-remaining': header('What is left of them.', COUNT),
  'x-ratelimit-reset': header('Seconds until there is more.', NUMBER),
  'www-authenticate': header('`Bearer`.', STRING),
  allow: header('Methods that the route takes.', STRING),
}

export const parameters: Schemas = {
  'idempotency-key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      '1 to 255 visible ASCII characters, kept 24 hours for each key. A retry with the same one and the same body is answered with the stored reply, and charged once.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
}
