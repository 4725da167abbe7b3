// What agents read of our tools: JSON Schemas in their words. They guide, they do not judge: what comes in goes to the engine as it is, which says
// everything that is wrong at once, with pointers.
import type { Json } from '../core/types.ts'

type Schema = { readonly type: 'object'; readonly [field: string]: Json }

const SOURCE = {
  description:
    'Where the picture is: {"type":"path","path":"/absolute/file.png"}, {"type":"base64","media_type":"image/png","data":"…"}, or a data: URL. PNG, JPEG or WebP.',
  anyOf: [
    {
      type: 'object',
      properties: {
        type: { enum: ['path', 'base64', 'url'] },
        path: { type: 'string' },
        media_type: { type: 'string' },
        data: { type: 'string' },
        url: { type: 'string' },
      },
      required: ['type'],
    },
    { type: 'string' },
  ],
} as const

const STATE = {
  description:
    'What the questions are about. A string is read as text, an object as JSON. For pictures give an array of parts in reading order: {"type":"image","source":{…}}, {"type":"text","text":"…"}, {"type":"json","value":…}, {"type":"video","frames":[{"source":{…},"t_ms":0}]}.',
  anyOf: [
    { type: 'string' },
    { type: 'object' },
    {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          type: { description: 'text, image, json or video' },
          id: { description: 'Name of the picture, for questions that say which one they are about.' },
          text: {},
          value: {},
          source: SOURCE,
          frames: { description: 'video: [{"source":{…},"t_ms":milliseconds}], in order of time' },
        },
      },
    },
  ],
} as const

/** One flat object for all six types: many agents are shown no more than the first level of alternatives. */
const QUESTION = {
  type: 'object',
  description: 'One typed question.',
  properties: {
    type: {
      enum: ['noul', 'choice', 'score', 'select', 'fill', 'extract'],
      description:
        'noul: is the statement true? · choice: which one of the options? · score: where on a scale? · select: which of the options (any number)? · fill: write a short value · extract: quote words from the state, or find a box in a picture',
    },
    instructions: {
      description:
        'The statement (noul: "The customer is angry.") or question in plain words. Left out, the id of the question stands for it.',
    },
    criteria: {
      description:
        'choice, select: the options, as ["a","b"] or {"a":"what it means","b":null}, 2 to 255 · score: the levels from lowest to highest, as ["low","medium","high"], 2 to 26 · noul: optional {"true":"…","false":"…"}',
    },
    image: { type: 'string', description: 'Id of the picture the question is about, when there are several.' },
    args: {
      type: 'object',
      description: 'choice: further questions by name, answered for the option that wins, as arguments of an action.',
    },
    min: { type: 'integer', description: 'select: fewest options' },
    max: { type: 'integer', description: 'select: most options' },
    threshold: { type: 'number', description: 'select: probability from which an option is selected, default 0.5' },
    kind: {
      enum: ['text', 'int', 'number', 'date', 'list', 'enum', 'email', 'url', 'money', 'coordinates'],
      description:
        'fill: text, int, number, date, list, enum · extract: text, int, number, date, email, url, money, coordinates (a box in pixels)',
    },
    item: { description: 'fill of kind list: the kind of its items' },
    values: { type: 'array', items: { type: 'string' }, description: 'fill of kind enum: the values' },
    many: { type: 'boolean', description: 'extract: every one instead of one' },
    self_check: { type: 'boolean', description: 'fill, extract: also give the probability that the value is right' },
  },
  required: ['type'],
} as const

export const ASK_INPUT: Schema = {
  type: 'object',
  properties: {
    state: STATE,
    questions: { type: 'object', description: 'Questions by an id of your choice.', additionalProperties: QUESTION, minProperties: 1 },
    derive: {
      type: 'object',
      description:
        'Optional expressions over the answers, by name: {"act":"urgent > 0.8 and tone == \\"angry\\""}. A noul is its probability, a score its level, a choice its option; p(id, option) is a probability.',
      additionalProperties: { type: 'string' },
    },
    model: { type: 'string', description: 'Id of a model; usually left out.' },
  },
  required: ['state', 'questions'],
}

export const ASK_OUTPUT: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Name of this event, for record_outcome.' },
    model: { type: 'string' },
    answers: {
      type: 'object',
      description:
        'By question id and derive name. noul: probability in [0,1] · choice: choice, probabilities, confidence · score: expected level, probabilities · select: selected, probabilities · fill: value, parsed · extract: value and span, or coordinates [left,top,right,bottom] in pixels of the picture as sent; null when it is not there.',
      additionalProperties: { type: 'object' },
    },
    usage: { type: 'object' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  required: ['id', 'model', 'answers', 'usage', 'warnings'],
}

export const OUTCOME_INPUT: Schema = {
  type: 'object',
  properties: {
    event: { type: 'string', description: 'The id of an answer, evt_….' },
    outcomes: {
      type: 'object',
      description:
        'What was true, by question id (arguments as question/argument): noul true or false · choice its option · score its level from 0 · select a list of options · with self_check true when the value was right, or the right value.',
      minProperties: 1,
    },
    selection_probability: {
      type: 'number',
      description: 'The chance with which this answer was picked to be checked, if not all are; default 1.',
    },
  },
  required: ['event', 'outcomes'],
}

export const OUTCOME_OUTPUT: Schema = {
  type: 'object',
  properties: {
    event: { type: 'string' },
    recorded: { type: 'array', items: { type: 'string' } },
    replaced: { type: 'array', items: { type: 'string' }, description: 'Those that had an outcome before.' },
  },
  required: ['event', 'recorded', 'replaced'],
}
