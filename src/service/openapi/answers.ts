// Answers and the response around them. Objects are open: fields may be added, none taken away.
import {
  BOOLEAN,
  COUNT,
  list,
  map,
  NUMBER,
  nullable,
  oneOf,
  PROBABILITY,
  ref,
  reply,
  type Schema,
  type Schemas,
  STRING,
  said,
} from './schema.ts'

const VALID = {
  ...BOOLEAN,
  description: 'Whether there is an answer and it parses. A read that failed alone is invalid; the others stand.',
}
const ERROR = { ...STRING, description: 'Why, when it is not valid.' }
const READ_CONFIDENCE = said(PROBABILITY, 'The model’s own confidence in what it read; not calibrated.')
const CHECK = said(PROBABILITY, 'With `self_check`: calibrated probability that the value is right.')
const WHOLE = /* over all options */ 'By name. They sum to 1 within 1e-6, and are not rounded.'
const POINT = (description: string): Schema => ({ type: 'array', description, prefixItems: [NUMBER, NUMBER], items: false, minItems: 2 })
const BOX: Schema = {
  type: 'array',
  description: 'left, top, right, bottom in pixels of the picture as sent.',
  prefixItems: [NUMBER, NUMBER, NUMBER, NUMBER],
  items: false,
  minItems: 4,
}
const IMAGE_SIZE = POINT('width, height of the picture as sent.')
/** Level numbers. */
const LEVELS: Schema = { propertyNames: { pattern: '^\\d+$' } }

function answer(type: string, description: string, properties: Schemas, optional: readonly string[] = []): Schema {
  return reply(description, { type: { const: type }, ...properties }, optional)
}

export const answerSchemas: Schemas = {
  AskResponse: reply('The answers to all questions, and what they cost.', {
    id: {
      type: 'string',
      pattern: '^evt_',
      description: 'Names the request: for outcomes and logs. The same as the header `x-request-id`.',
    },
    model: { ...STRING, description: 'The model that answered.' },
    answers: ref('Answers'),
    usage: ref('Usage'),
    simo: ref('Simo'),
  }),
  Answers: map('By question id, and by derive name.', ref('Answer')),
  Answer: {
    ...oneOf(
      'The answer to a question, by its type.',
      ...[
        'NoulAnswer',
        'ChoiceAnswer',
        'ScoreAnswer',
        'SelectAnswer',
        'FillAnswer',
        'ExtractAnswer',
        'ExtractManyAnswer',
        'BoxAnswer',
        'BoxManyAnswer',
        'DeriveAnswer',
      ].map(ref),
    ),
  },
  NoulAnswer: answer('noul', 'A statement, judged.', { noul: said(PROBABILITY, 'Calibrated probability that it is true.') }),
  ChoiceAnswer: answer(
    'choice',
    'One option of several.',
    {
      choice: { ...STRING, description: 'The most likely option; the first of equals.' },
      probabilities: map(WHOLE, PROBABILITY),
      confidence: said(PROBABILITY, 'The probability of the choice.'),
      args: said(ref('Answers'), 'Answers to the arguments of the chosen option, when the question has arguments.'),
    },
    ['args'],
  ),
  ScoreAnswer: answer('score', 'A place on a scale.', {
    score: { type: 'number', minimum: 0, description: 'The expected level: the mean of the level numbers, which begin at 0.' },
    legend: map('Level number to its label; on the System One route to the level as it was sent.', ref('Json'), LEVELS),
    probabilities: map('By level number. They sum to 1 within 1e-6.', PROBABILITY, LEVELS),
    confidence: said(PROBABILITY, 'The largest probability.'),
  }),
  SelectAnswer: answer('select', 'Any number of options.', {
    selected: list('What holds, by falling probability.', STRING),
    probabilities: map('By name, each for itself: they need not sum to 1.', PROBABILITY),
    confidence: said(PROBABILITY, 'The probability that exactly the selected set holds.'),
    order: list('All options by falling probability.', STRING),
  }),
  FillAnswer: answer(
    'fill',
    'A value that was written.',
    {
      value: { ...STRING, description: 'As it was written.' },
      parsed: { description: 'For int, number and list.', anyOf: [NUMBER, list('Items.', { type: ['string', 'number'] })] },
      valid: VALID,
      error: ERROR,
      confidence: said(PROBABILITY, 'The model’s own; calibrated for kind `enum`.'),
      check: CHECK,
    },
    ['parsed', 'error', 'check'],
  ),
  ExtractAnswer: answer(
    'extract',
    'Words as they stand in the state.',
    {
      value: { type: ['string', 'null'], description: 'Verbatim. Null when it is not there, which is valid.' },
      span: ref('Span'),
      seen: ref('Seen'),
      valid: VALID,
      error: ERROR,
      confidence: READ_CONFIDENCE,
      check: CHECK,
    },
    ['span', 'seen', 'error', 'check'],
  ),
  ExtractManyAnswer: answer(
    'extract',
    'With `many`: all of them.',
    {
      values: list('Verbatim, in reading order; empty when there are none.', STRING),
      items: list(
        'The same with their places.',
        reply('One of them.', { value: STRING, span: ref('Span'), seen: ref('Seen'), confidence: READ_CONFIDENCE }, ['span', 'seen']),
      ),
      valid: VALID,
      error: ERROR,
      confidence: READ_CONFIDENCE,
      check: CHECK,
    },
    ['error', 'check'],
  ),
  Span: reply(
    'Where a value stands, in UTF-16 units from the start of the string it was taken from.',
    {
      start: COUNT,
      end: COUNT,
      part: { ...COUNT, description: 'Index of the part; absent for the first, or when the state is not parts.' },
      path: { ...STRING, description: 'JSON Pointer of the string (or number, as written) in that part; absent in text.' },
    },
    ['part', 'path'],
  ),
  Seen: reply('Where a value was read, when it stands in an image.', {
    image: { ...STRING, description: 'Id of the image.' },
    coordinates: BOX,
    center: POINT('x, y of its middle.'),
    image_size: IMAGE_SIZE,
  }),
  BoxAnswer: answer(
    'extract',
    'Kind `coordinates`: a place in a picture.',
    {
      coordinates: nullable(BOX),
      center: nullable(POINT('x, y of its middle.')),
      image_size: IMAGE_SIZE,
      valid: VALID,
      error: ERROR,
      confidence: READ_CONFIDENCE,
    },
    ['error'],
  ),
  BoxManyAnswer: answer(
    'extract',
    'Kind `coordinates` with `many`: all places.',
    {
      boxes: list(
        'Best first.',
        reply('A place.', { coordinates: BOX, center: POINT('x, y of its middle.'), confidence: READ_CONFIDENCE }),
      ),
      image_size: IMAGE_SIZE,
      valid: VALID,
      error: ERROR,
      confidence: READ_CONFIDENCE,
    },
    ['error'],
  ),
  DeriveAnswer: answer(
    'derive',
    'What an expression came to.',
    { value: { type: ['number', 'string', 'boolean', 'null'], description: 'Null when it has no value.' }, valid: VALID, error: ERROR },
    ['error'],
  ),
  Usage: reply('What was used.', {
    input_tokens: { ...COUNT, description: 'The state once, and every question. These are charged.' },
    output_tokens: { ...COUNT, description: 'Written by reads. Free.' },
    cost: { type: 'number', minimum: 0, description: 'US dollars. To the nano-dollar in the header `x-service-cost-usd`.' },
  }),
  Simo: reply('How the answers were made.', {
    engine: { ...STRING, description: 'Name and version.' },
    model_revision: { ...STRING, description: 'Hash of the weights.' },
    calibration: reply('The calibration that answered.', {
      version: { type: ['string', 'null'] },
      applied: { enum: ['identity', 'fitted'], description: '`identity`: there is none, probabilities are the model’s own.' },
    }),
    passes: { ...COUNT, description: 'Calls of the model behind the state.' },
    cached_tokens: { ...COUNT, description: 'Input tokens that were read before and kept.' },
    timings_ms: map('Milliseconds by step.', NUMBER),
    questions: map('By question id.', ref('QuestionReport')),
    warnings: list('What was ignored, or may not be meant.', STRING),
  }),
  QuestionReport: reply('How one question was answered.', {
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
    deliberated: { ...BOOLEAN, description: 'Whether it was uncertain and looked at again.' },
    passes: COUNT,
    calibration: nullable(
      reply('The map behind the probabilities.', {
        applied: { enum: ['identity', 'temperature', 'affine', 'tilt', 'blend', 'learned'] },
        level: { enum: ['question', 'wording', 'kind', 'readout', 'none'], description: 'How near the labels are that it was fitted on.' },
        labels: COUNT,
      }),
    ),
  }),
}
