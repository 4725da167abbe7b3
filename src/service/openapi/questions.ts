// Questions as they are asked: one schema a type, closed, with what each field means to the answer.
import { REQUEST_LIMITS } from '../../core/limits.ts'
import {
  BOOLEAN,
  closed,
  JSON_VALUE,
  list,
  map,
  NAME,
  NULL,
  nullable,
  oneOf,
  optional,
  ref,
  type Schema,
  type Schemas,
  said,
} from './schema.ts'

const { idCharacters, options, levels, questions } = REQUEST_LIMITS

/** A name that is a key of answers. */
const ID: Schema = { pattern: '\\S', minLength: 1, maxLength: idCharacters }
const ITEM_KINDS = ['text', 'int', 'number', 'date', 'enum']
const EXTRACT_KINDS = ['text', 'int', 'number', 'date', 'email', 'url', 'money', 'coordinates']

const SHARED: Schemas = {
  instructions: {
    ...JSON_VALUE,
    description:
      'Words for the model: a text, or JSON, which is shown as JSON (nested at most 32 deep). Absent, null or blank: the words of the question’s id are asked.',
  },
  image: optional({
    type: 'string',
    minLength: 1,
    description: 'Id of the image part that the question is about. Needed for coordinates when the state has several pictures.',
  }),
}

const EXPRESSION: Schema = { ...NAME, maxLength: 500 }

const SELF_CHECK: Schema = optional({
  ...BOOLEAN,
  description: 'Ask the model besides whether the value is right; the answer then has `check`, a calibrated probability. Default false.',
})

function question(type: string, description: string, required: readonly string[], fields: Schemas, more: Schema = {}): Schema {
  return closed(description, ['type', ...required], { type: { const: type }, ...SHARED, ...fields }, more)
}

/** A map of options or an ordered array of them, once. */
function optionsOf(item: string): { fields: Schemas; once: Schema } {
  const array = list('In order.', ref(item), { minItems: 2, maxItems: options })
  const named = map(
    'Name to description (any JSON) or null. Names that look like whole numbers lose their place: give an array then.',
    JSON_VALUE,
    {
      propertyNames: { pattern: '\\S' },
      minProperties: 2,
      maxProperties: options,
    },
  )
  return {
    fields: {
      options: nullable(array),
      criteria: said({ anyOf: [named, array, NULL] }, 'The options, by name or in order. Give either `criteria` or `options`.'),
    },
    once: {
      oneOf: [
        { required: ['options'], properties: { options: { type: 'array' }, criteria: NULL } },
        { required: ['criteria'], properties: { criteria: { type: ['object', 'array'] }, options: NULL } },
      ],
    },
  }
}

/** The field belongs to one kind alone; `isNeeded`: and that kind needs it. */
function onlyWith(kind: string, field: string, isNeeded: boolean): Schema {
  const given = isNeeded ? { required: ['kind', field], properties: { kind: { const: kind }, [field]: { not: NULL } } } : null
  const absent = { properties: { [field]: NULL, ...(isNeeded ? { kind: { not: { const: kind } } } : {}) } }
  return { anyOf: [given ?? { required: ['kind'], properties: { kind: { const: kind } } }, absent] }
}

const VALUES = list(
  '2 to 255 values, all different, each of one line.',
  { type: 'string', pattern: '^[^\\n\\r]*\\S[^\\n\\r]*$' },
  { minItems: 2, maxItems: options },
)
const choiceOptions = optionsOf('ChoiceOption')
const argumentOptions = optionsOf('Option')
const selectOptions = optionsOf('Option')

const CHOICE = 'Which one of the options holds? The answer is a distribution over all of them.'
const EACH_TYPE = {
  noul: 'NoulQuestion',
  score: 'ScoreQuestion',
  select: 'SelectQuestion',
  fill: 'FillQuestion',
  extract: 'ExtractQuestion',
}

function byType(description: string, types: Readonly<Record<string, string>>): Schema {
  const mapping = Object.fromEntries(Object.entries(types).map(([type, name]) => [type, `#/components/schemas/${name}`]))
  return { ...oneOf(description, ...Object.values(types).map(ref)), discriminator: { propertyName: 'type', mapping } }
}

export const questionSchemas: Schemas = {
  Questions: map('Questions by id; the ids are the keys of the answers.', ref('Question'), {
    propertyNames: ID,
    minProperties: 1,
    maxProperties: questions,
  }),
  Question: byType('One typed question about the state.', { choice: 'ChoiceQuestion', ...EACH_TYPE }),
  Arguments: map('Questions by name that are asked when a choice has been made, of the same state.', ref('Argument'), {
    propertyNames: ID,
    minProperties: 1,
  }),
  Argument: byType('Any question but a choice with arguments.', { choice: 'ArgumentChoiceQuestion', ...EACH_TYPE }),
  NoulQuestion: question('noul', 'Is the statement true? The answer is a probability.', [], {
    criteria: said(
      nullable(closed('What true and false mean here.', [], { true: JSON_VALUE, false: JSON_VALUE })),
      'Descriptions of either outcome, each any JSON or null.',
    ),
  }),
  ChoiceQuestion: question(
    'choice',
    CHOICE,
    [],
    {
      ...choiceOptions.fields,
      args: said(
        nullable(ref('Arguments')),
        'Questions that are asked of the chosen option, whichever it is. An option may bring its own besides.',
      ),
    },
    choiceOptions.once,
  ),
  ArgumentChoiceQuestion: question(
    'choice',
    `${CHOICE} As an argument it has none itself.`,
    [],
    { ...argumentOptions.fields, args: NULL },
    argumentOptions.once,
  ),
  ScoreQuestion: question(
    'score',
    'Where on an ordered scale? The answer is the expected level, and a distribution over all levels.',
    ['criteria'],
    {
      criteria: list('Levels, lowest first, all different.', ref('Level'), { minItems: 2, maxItems: levels }),
    },
  ),
  SelectQuestion: question(
    'select',
    'Which of the options hold? Each is its own yes or no; any number of them may hold.',
    [],
    {
      ...selectOptions.fields,
      min: optional({ type: 'integer', minimum: 0, description: 'Fewest options to select; default 0.' }),
      max: optional({ type: 'integer', minimum: 1, description: 'Most options to select; default all.' }),
      threshold: optional({
        type: 'number',
        exclusiveMinimum: 0,
        exclusiveMaximum: 1,
        description: 'Probability from which an option is selected; default 0.5.',
      }),
    },
    selectOptions.once,
  ),
  FillQuestion: question(
    'fill',
    'Write a short value. It is written under a grammar, so that it parses by construction.',
    [],
    {
      kind: said(
        optional({ enum: [...ITEM_KINDS, 'list', 'json', 'pattern'] }),
        'Default `text`. `json` and `pattern` are refused with `capability_not_supported` in this version.',
      ),
      item: said(nullable(ref('FillItem')), 'Kind `list` only: what its items are; default `text`.'),
      values: said(nullable(VALUES), 'Kind `enum` only.'),
      schema: said(JSON_VALUE, 'Kind `json` only.'),
      pattern: said(JSON_VALUE, 'Kind `pattern` only.'),
      self_check: SELF_CHECK,
    },
    {
      allOf: [
        onlyWith('enum', 'values', true),
        onlyWith('list', 'item', false),
        onlyWith('json', 'schema', false),
        onlyWith('pattern', 'pattern', false),
      ],
    },
  ),
  FillItem: {
    description: 'A kind, or an object with a kind and (for `enum`) its values, which hold no `;`.',
    anyOf: [
      { enum: ITEM_KINDS.filter((kind) => kind !== 'enum') },
      closed('What the items are.', ['kind'], { kind: { enum: ITEM_KINDS }, values: nullable(VALUES) }, onlyWith('enum', 'values', true)),
    ],
  },
  ExtractQuestion: question('extract', 'Point at words of the state, or at a place in a picture, or say that it is not there.', [], {
    kind: said(
      optional({ enum: EXTRACT_KINDS }),
      'Default `text`. Values are verbatim spans of the state. `coordinates`: a box, in pixels of the picture as sent.',
    ),
    many: optional({ ...BOOLEAN, description: 'Every one of them instead of one; default false.' }),
    self_check: said(SELF_CHECK, 'As for fill; not with `coordinates`.'),
  }),
  Option: {
    description: 'A name, or a name with its description.',
    anyOf: [NAME, closed('An option.', ['value'], { value: NAME, description: JSON_VALUE })],
  },
  ChoiceOption: {
    description: 'A name, or a name with its description and the arguments that are asked when it is chosen.',
    anyOf: [NAME, closed('An option.', ['value'], { value: NAME, description: JSON_VALUE, args: nullable(ref('Arguments')) })],
  },
  Level: {
    description: 'A label, or a label with its description.',
    anyOf: [NAME, closed('A level.', ['label'], { label: NAME, description: JSON_VALUE })],
  },
  Derives: map(
    'Expressions over the answers, by name; each adds an answer. In scope: the id of a noul is its probability, of a score its expected level, of a choice its option, of a read its value; `p(id, option)`, `has(id)`, `count(id)`, `value("odd id")`; and other derives by name.',
    { anyOf: [EXPRESSION, closed('An expression.', ['expr'], { expr: EXPRESSION })] },
    { propertyNames: { minLength: 1, maxLength: 128 }, maxProperties: 64 },
  ),
}
