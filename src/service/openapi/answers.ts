// Answers and the response around them. Objects are open: fields may be added, none taken away.
import { MAP_NAMES } from '../../calibration/maps/maps.ts'
import { allKinds } from '../../questions/index.ts'
import { componentId, componentsOf } from '../../questions/json-schema.ts'
import { BOOLEAN, COUNT, list, map, NUMBER, nullable, oneOf, ref, reply, type Schemas, STRING } from './schema.ts'

const VALID = {
  ...BOOLEAN,
  description: 'Whether there is an answer and it parses. A read that failed alone is invalid; the others stand.',
}

/** Made when the document is, so that the answers of every kind that was defined by then are in it. */
export function answerSchemas(): Schemas {
  const answers = allKinds().flatMap((kind) => kind.answers)
  return {
    Answer: oneOf('The answer to a question, by its type.', ...answers.map((answer) => ref(componentId(answer))), ref('DeriveAnswer')),
    ...componentsOf(answers),
    ...responseSchemas,
  }
}

const responseSchemas: Schemas = {
  AskResponse: reply('The answers to all questions, and what they cost.', {
    id: {
      type: 'string',
      pattern: '^evt_',
      description: 'Names the request: for outcomes and logs. The same as the header `x-request-id`.',
    },
    model: { ...STRING, description: 'The model that answered, or the chain.' },
    answers: ref('Answers'),
    usage: ref('Usage'),
    simo: ref('Simo'),
  }),
  Answers: map('By question id, and by derive name.', ref('Answer')),
  DeriveAnswer: reply(
    'What an expression came to.',
    {
      type: { const: 'derive' },
      value: { type: ['number', 'string', 'boolean', 'null'], description: 'Null when it has no value.' },
      valid: VALID,
      error: { ...STRING, description: 'Why, when it is not valid.' },
    },
    ['error'],
  ),
  Usage: reply('What was used.', {
    input_tokens: { ...COUNT, description: 'The state once, and every question. These are charged.' },
    output_tokens: { ...COUNT, description: 'Written by reads. Free.' },
    cost: { type: 'number', minimum: 0, description: 'US dollars. To the nano-dollar in the header `x-service-cost-usd`.' },
  }),
  Simo: reply(
    'How the answers were made.',
    {
      engine: { ...STRING, description: 'Name and version.' },
      model_revision: { ...STRING, description: 'Hash of the weights; of a chain, those of the first stage that answered.' },
      calibration: reply('The calibration that answered.', {
        version: { type: ['string', 'null'] },
        applied: { enum: ['identity', 'fitted'], description: '`identity`: there is none, probabilities are the model’s own.' },
      }),
      passes: { ...COUNT, description: 'Calls of the model behind the state.' },
      cached_tokens: {
        ...COUNT,
        description: 'Input tokens that were read before and kept. They save time, and are charged like the others.',
      },
      timings_ms: map('Milliseconds by step.', NUMBER),
      questions: map('By question id.', ref('QuestionReport')),
      warnings: list('What was ignored, or may not be meant.', STRING),
      chain: list('Of a chain: what each of its stages did, in their order.', ref('StageReport')),
    },
    ['chain'],
  ),
  StageReport: reply(
    'What one stage of a chain did.',
    {
      model: { ...STRING, description: 'The id of its model.' },
      status: {
        enum: ['answered', 'skipped', 'not_needed'],
        description: '`skipped`: it could not answer, and was passed over. `not_needed`: the stages before it were sure.',
      },
      asked: { ...COUNT, description: 'Questions that came to it.' },
      answered: { ...COUNT, description: 'Of those, whose answers stand.' },
      revision: { type: ['string', 'null'], description: 'Hash of its weights; null unless it answered.' },
      calibration: { type: ['string', 'null'], description: 'Version of its calibration; null: probabilities are its own.' },
      input_tokens: { ...COUNT, description: 'Of `usage.input_tokens`, those that it read.' },
      passes: COUNT,
      ms: NUMBER,
      reason: { ...STRING, description: 'Why it was passed over.' },
    },
    ['reason'],
  ),
  QuestionReport: reply(
    'How one question was answered.',
    {
      entropy: {
        type: ['number', 'null'],
        minimum: 0,
        description: 'Bits, of the calibrated distribution. Null where nothing was decided: reads without a check.',
      },
      mass: {
        type: ['number', 'null'],
        minimum: 0,
        maximum: 1.000001,
        description: 'Probability that the model put on the listed options before renormalising.',
      },
      deliberated: { ...BOOLEAN, description: 'Whether it was looked at again, as what is uncertain or short may be.' },
      passes: COUNT,
      calibration: nullable(
        reply('The map behind the probabilities.', {
          applied: { enum: MAP_NAMES },
          level: {
            enum: ['question', 'wording', 'kind', 'readout', 'none'],
            description: 'How near the labels are that it was fitted on.',
          },
          labels: COUNT,
        }),
      ),
      model: { ...STRING, description: 'Of a chain: the stage whose answer it is.' },
    },
    ['model'],
  ),
}
