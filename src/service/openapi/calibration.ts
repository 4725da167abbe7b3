// How the service describes calibrations: which one answers, how it came to be served, and how it was compared with the
// one before.
import { BOOLEAN, COUNT, list, NUMBER, nullable, ref, reply, type Schema, type Schemas, STRING, said } from './schema.ts'

const VERSION: Schema = { type: ['string', 'null'], description: 'Null: what comes with the model.' }
const TIME: Schema = { type: 'number', description: 'Milliseconds since 1970.' }

export const calibrationSchemas: Schemas = {
  CalibrationReply: reply('What answers this account for each model, and how it came to. Nothing of other accounts is in it.', {
    account: STRING,
    is_pooled: said(BOOLEAN, 'Whether other accounts lend their labels to its fits, by the choice of the operator.'),
    models: list('Models that are loaded.', ref('ModelCalibration')),
    quarantined: said(COUNT, 'Labels of the account that came in a burst and wait for the operator; no fit sees them.'),
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
    outcomes: reply('Outcomes of the account, each counted once whatever it weighs.', {
      labels: COUNT,
      waiting: said(COUNT, 'Those that what answers now was not fitted on.'),
    }),
    drift: reply('Whether what comes in still looks like what it was fitted on.', {
      events: COUNT,
      labels: COUNT,
      has_reference: BOOLEAN,
      alarms: list('What looks different.', ref('DriftAlarm')),
    }),
    notes: list('What was passed over on the way to this version, and why.', STRING),
  }),
  CalibrationChange: reply('One change of what answers.', {
    at: TIME,
    action: { enum: ['serve', 'roll back'] },
    version: VERSION,
    from: VERSION,
    why: STRING,
    held_out: nullable(ref('HeldOut')),
  }),
  HeldOut: reply('The new calibration held against the one that answers, on states it was not fitted on. Log-loss in nats a decision.', {
    labels: COUNT,
    states: COUNT,
    current: NUMBER,
    candidate: NUMBER,
    interval: { type: 'array', prefixItems: [NUMBER, NUMBER], items: false, minItems: 2, description: '95 % of candidate minus current.' },
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
