// The JSON Schemas that agents see. They describe and do not validate: the engine checks what comes in, and reports
// everything that is wrong with pointers.
import type { Json } from '../core/types.ts'
import { allKinds } from '../questions/index.ts'
import { componentId, componentsOf, type JsonSchema } from '../questions/json-schema.ts'

type Schema = { readonly type: 'object'; readonly [field: string]: Json }

const SOURCE = {
  description:
    'Where the picture is: {"type":"path","path":"/absolute/file.png"}, {"type":"base64","media_type":"image/png","data":"…"}, or a data: URL. PNG, JPEG, WebP or GIF.',
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
    'What the questions are about. A string is read as text, any other value as JSON. For pictures give an array of parts in reading order: {"type":"image","source":{…}}, {"type":"text","text":"…"}, {"type":"json","value":…}, {"type":"video","source":{…}} (mp4, webm, gif or webp; frames are taken from it), {"type":"video","frames":[{"source":{…},"t_ms":0}]}.',
  anyOf: [
    { type: ['string', 'object', 'number', 'boolean', 'null'] },
    {
      type: 'array',
      items: {
        properties: {
          type: { description: 'text, image, json or video' },
          id: { description: 'Name of the picture, for questions that say which one they are about.' },
          text: {},
          value: {},
          source: SOURCE,
          fps: { description: 'video: how many frames of each second of its source are looked at' },
          max_frames: { description: 'video: how many frames of its source are looked at, evenly; without fps 8 by default' },
          start_ms: { description: 'video: where the stretch begins that is looked at' },
          end_ms: { description: 'video: where it ends' },
          frames: { description: 'video: [{"source":{…},"t_ms":milliseconds}], in order of time' },
        },
      },
    },
  ],
} as const

/** The enum of a field, also where it may be null. */
function enumOf(schema: JsonSchema): readonly unknown[] | null {
  if (Array.isArray(schema.enum)) return schema.enum
  const alternatives = (schema.anyOf ?? []) as readonly JsonSchema[]
  return alternatives.map(enumOf).find((found) => found !== null) ?? null
}

/** Fields that say the same in every kind: without the names of the kinds before them. */
const SHARED_FIELDS = ['instructions', 'image']

/**
 * One flat object for all kinds: many agents are shown no more than the first level of alternatives. A field that
 * several kinds have is described for each of them.
 */
function questionSchema(): Schema {
  const kinds = allKinds()
  const components = componentsOf(kinds.map(({ question }) => question))
  const fields = new Map<string, { readonly type: string; readonly schema: JsonSchema }[]>()
  for (const { type, question } of kinds) {
    const { properties } = components[componentId(question)] as { readonly properties: Readonly<Record<string, JsonSchema>> }
    for (const [field, schema] of Object.entries(properties)) {
      if (field !== 'type') fields.set(field, [...(fields.get(field) ?? []), { type, schema }])
    }
  }
  const properties = [...fields].map(([field, uses]): [string, Json] => {
    const byText = new Map<string, string[]>()
    for (const { type, schema } of uses) {
      const text = String(schema.description ?? '')
      byText.set(text, [...(byText.get(text) ?? []), type])
    }
    const texts = [...byText].map(([text, types]) => (SHARED_FIELDS.includes(field) ? text : `${types.join(', ')}: ${text}`))
    const values = [...new Set(uses.flatMap(({ schema }) => enumOf(schema) ?? []))] as Json[]
    return [field, { description: texts.join(' · '), ...(values.length === 0 ? {} : { enum: values }) }]
  })
  return {
    type: 'object',
    description: 'One typed question.',
    properties: {
      type: {
        enum: kinds.map(({ type }) => type),
        description: kinds.map(({ type, summary }) => `${type}: ${summary}`).join(' · '),
      },
      ...Object.fromEntries(properties),
    },
    required: ['type'],
  }
}

/** What `answers` holds, kind by kind. */
function answersDescription(): string {
  const kinds = allKinds().map(({ type, answers }) => {
    const forms = answers.map((answer) => {
      const { properties } = componentsOf([answer])[componentId(answer)] as { readonly properties: object }
      return Object.keys(properties)
        .filter((field) => field !== 'type')
        .join(', ')
    })
    return `${type}: ${forms.join('; or ')}`
  })
  return `By question id and derive name. ${kinds.join(' · ')}. Boxes are [left,top,right,bottom] in pixels of the picture as sent; null when it is not there.`
}

/** Made when the tools are listed, so that every kind that was defined by then is in it. */
export const askInput = (): Schema => ({
  type: 'object',
  properties: {
    state: STATE,
    questions: {
      type: 'object',
      description: 'Questions by an id of your choice.',
      additionalProperties: questionSchema(),
      minProperties: 1,
    },
    derive: {
      type: 'object',
      description:
        'Optional expressions over the answers, by name: {"act":"urgent > 0.8 and tone == \\"angry\\""}. A noul is its probability, a score its level, a choice its option; p(id, option) is a probability.',
      additionalProperties: { type: 'string' },
    },
    model: { type: 'string', description: 'Id of a model; usually left out.' },
  },
  required: ['state', 'questions'],
})

export const askOutput = (): Schema => ({
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Name of this event, for record_outcome.' },
    model: { type: 'string' },
    answers: {
      type: 'object',
      description: answersDescription(),
      additionalProperties: { type: 'object' },
    },
    usage: { type: 'object' },
    warnings: { type: 'array', items: { type: 'string' } },
  },
  required: ['id', 'model', 'answers', 'usage', 'warnings'],
})

/** The input of `record_outcome`: what a truth is for each kind of question that decides. */
export function outcomeInput(): Schema {
  const truths = allKinds().flatMap(({ type, truth, isRead }) => (isRead ? [] : `${type} ${truth}`))
  return {
    type: 'object',
    properties: {
      event: { type: 'string', description: 'The id of an answer, evt_….' },
      outcomes: {
        type: 'object',
        description: `What was true, by question id (arguments as question/argument): ${truths.join(' · ')} · with self_check true when the value was right, or the right value.`,
        minProperties: 1,
      },
      selection_probability: {
        type: 'number',
        description: 'The chance with which this answer was picked to be checked, if not all are; default 1.',
      },
    },
    required: ['event', 'outcomes'],
  }
}

export const OUTCOME_OUTPUT: Schema = {
  type: 'object',
  properties: {
    event: { type: 'string' },
    recorded: { type: 'array', items: { type: 'string' } },
    replaced: { type: 'array', items: { type: 'string' }, description: 'Those that had an outcome before.' },
    quarantined: {
      type: 'array',
      items: { type: 'string' },
      description: 'Of a service: those that nothing is learned from before its operator has looked, since they came in a burst.',
    },
  },
  required: ['event', 'recorded', 'replaced'],
}
