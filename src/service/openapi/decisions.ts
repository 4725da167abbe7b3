// The decisions wire as it is taken and answered here.
import { REQUEST_LIMITS } from '../../core/limits.ts'
import { LONGEST_NAME } from '../dialects/decisions-questions.ts'
import { MOST_TRANSLATED } from '../dialects/faults.ts'
import {
  COUNT,
  closed,
  list,
  nullable,
  oneOf,
  open,
  optional,
  PROBABILITY,
  ref,
  reply,
  type Schema,
  type Schemas,
  STRING,
  said,
} from './schema.ts'

const UNUSED: Schema = { description: 'Taken and not used.' }
const NAMED: Schemas = {
  name: optional({
    type: 'string',
    maxLength: LONGEST_NAME,
    description: 'Comes back with the answer, and is what outcomes are recorded by. Names may repeat; then the place is.',
  }),
  instructions: said(
    {
      anyOf: [
        { type: 'string', pattern: '\\S' },
        list('Put one under the other.', oneOf('A part.', ref('DecisionTextPart'), ref('DecisionJsonPart')), { minItems: 1 }),
      ],
    },
    'What is asked. Pictures go into the input.',
  ),
}
const TEXT_OR_PARTS: Schema = { anyOf: [STRING, list('In order.', ref('DecisionPart'))] }
const DESCRIPTION = optional(STRING)

function item(type: string, description: string, fields: Schemas): Schema {
  return closed(description, ['type', ...Object.keys(fields)], {
    type: { const: type },
    ...fields,
    id: UNUSED,
    namespace: UNUSED,
    status: UNUSED,
  })
}

function output(type: string, description: string): Schema {
  return closed(description, ['type', 'call_id', 'output'], {
    type: { const: type },
    call_id: STRING,
    output: TEXT_OR_PARTS,
    id: UNUSED,
    status: UNUSED,
  })
}

function part(type: string, field: string, value: Schema, more: Schemas = { prompt_cache_breakpoint: UNUSED }): Schema {
  return closed(`A part of type ${type}.`, ['type', field], { type: { const: type }, [field]: value, ...more })
}

/** Options and levels may say by themselves what is asked. */
function question(type: string, description: string, fields: Schemas): Schema {
  const own = Object.keys(fields)
  if (own.length === 0) return closed(description, ['type', 'instructions'], { type: { const: type }, ...NAMED })
  const { instructions, ...named } = NAMED
  const spoken = said(nullable(instructions!), 'What is asked; left out, the options or levels say it.')
  return closed(description, ['type', ...own], { type: { const: type }, ...named, instructions: spoken, ...fields })
}

const NAME: Schema = { type: ['string', 'null'], description: 'As it was sent.' }
const VALUE: Schema = {
  type: ['string', 'boolean'],
  description: 'As it was sent: a string and a boolean with the same text are two values.',
}

export const decisionSchemas: Schemas = {
  DecisionRequest: open(
    'An input and the questions about it. Fields that are not known are ignored, and named in `simo.warnings`.',
    ['input', 'questions'],
    {
      model: optional(STRING),
      input: {
        anyOf: [
          STRING,
          list('Messages, calls of tools and their outputs, in order.', ref('DecisionItem'), { minItems: 1, maxItems: 4096 }),
        ],
      },
      questions: list('Answers come in the same order.', ref('DecisionQuestion'), { minItems: 1, maxItems: MOST_TRANSLATED }),
      prompt_cache_key: UNUSED,
      prompt_cache_options: UNUSED,
      safety_identifier: UNUSED,
    },
  ),
  DecisionItem: {
    description: 'One item of the input.',
    anyOf: [
      'DecisionMessage',
      'DecisionFunctionCall',
      'DecisionCustomToolCall',
      'DecisionFunctionCallOutput',
      'DecisionCustomToolCallOutput',
    ].map(ref),
  },
  DecisionMessage: closed('What someone said.', ['role', 'content'], {
    type: { const: 'message' },
    role: { enum: ['user', 'developer', 'system', 'assistant'] },
    content: TEXT_OR_PARTS,
    phase: UNUSED,
    id: UNUSED,
    status: UNUSED,
  }),
  DecisionFunctionCall: item('function_call', 'A function was called.', { call_id: STRING, name: STRING, arguments: STRING }),
  DecisionCustomToolCall: item('custom_tool_call', 'A tool was called.', { call_id: STRING, name: STRING, input: STRING }),
  DecisionFunctionCallOutput: output('function_call_output', 'What a function gave; its call stands before it.'),
  DecisionCustomToolCallOutput: output('custom_tool_call_output', 'What a tool gave; its call stands before it.'),
  DecisionPart: oneOf(
    'One part of a message or an output.',
    ...['DecisionTextPart', 'DecisionImagePart', 'DecisionJsonPart', 'DecisionOutputTextPart', 'DecisionRefusalPart'].map(ref),
  ),
  DecisionTextPart: part('input_text', 'text', STRING),
  DecisionImagePart: part('input_image', 'image_url', STRING, { detail: UNUSED, prompt_cache_breakpoint: UNUSED }),
  DecisionJsonPart: part('input_json', 'data', { type: ['object', 'array'] }),
  DecisionOutputTextPart: part('output_text', 'text', STRING, { annotations: UNUSED, logprobs: UNUSED }),
  DecisionRefusalPart: part('refusal', 'refusal', STRING, {}),
  DecisionQuestion: oneOf('One question.', ...['PredicateQuestion', 'DecisionChoiceQuestion', 'DecisionScoreQuestion'].map(ref)),
  PredicateQuestion: question('predicate', 'Is the statement true?', {}),
  DecisionChoiceQuestion: question('choice', 'Which one of the choices holds?', {
    choices: list(
      'All different.',
      closed('A choice.', ['value'], {
        value: { anyOf: [{ type: 'string', pattern: '\\S' }, { type: 'boolean' }] },
        description: DESCRIPTION,
      }),
      {
        minItems: 2,
        maxItems: REQUEST_LIMITS.options,
      },
    ),
  }),
  DecisionScoreQuestion: question('score', 'Where on an ordered scale?', {
    levels: list(
      'Lowest first, all different.',
      closed('A level.', ['label'], { label: { type: 'string', pattern: '\\S' }, description: DESCRIPTION }),
      {
        minItems: 2,
        maxItems: REQUEST_LIMITS.levels,
      },
    ),
  }),
  DecisionResponse: reply('The answers in the order of the questions.', {
    id: { type: 'string', pattern: '^evt_', description: 'For outcomes.' },
    model: { ...STRING, description: 'The model that answered.' },
    answers: list(
      'In the order of the questions.',
      oneOf('An answer.', ...['PredicateAnswer', 'DecisionChoiceAnswer', 'DecisionScoreAnswer'].map(ref)),
    ),
    usage: reply('What was used.', {
      input_tokens: COUNT,
      input_tokens_details: reply('Of them.', {
        cached_tokens: COUNT,
        cache_write_tokens: { const: 0, description: 'Nothing is charged for what is kept.' },
      }),
      output_tokens: COUNT,
      output_tokens_details: reply('Of them.', { reasoning_tokens: { const: 0 } }),
      total_tokens: COUNT,
      cost: { type: 'number', minimum: 0, description: 'US dollars.' },
    }),
    simo: ref('Simo'),
  }),
  PredicateAnswer: reply('A statement, judged.', {
    type: { const: 'predicate' },
    name: NAME,
    probability: said(PROBABILITY, 'Calibrated, that it is true.'),
  }),
  DecisionChoiceAnswer: reply('One choice of several.', {
    type: { const: 'choice' },
    name: NAME,
    choice: VALUE,
    confidence: PROBABILITY,
    probabilities: list('In the order of the choices; they sum to 1.', reply('Of one choice.', { value: VALUE, probability: PROBABILITY })),
  }),
  DecisionScoreAnswer: reply('A place on a scale.', {
    type: { const: 'score' },
    name: NAME,
    score: { type: 'number', minimum: 0, description: 'The expected level, from 0.' },
    confidence: PROBABILITY,
    probabilities: list(
      'In the order of the levels; they sum to 1.',
      reply('Of one level.', { label: STRING, value: COUNT, probability: PROBABILITY }),
    ),
  }),
}
