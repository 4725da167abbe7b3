// The state as it is sent: a text, JSON, or parts with pictures; and the request around it.
import { MOST_FPS, SAMPLED_FRAMES } from '../../core/limits.ts'
import { DELIBERATION_MODES } from '../../questions/shared/deliberation.ts'
import { PART_TYPES } from '../../wire/part-types.ts'
import { MOST_TRANSLATED } from '../dialects/faults.ts'
import {
  closed,
  JSON_VALUE,
  list,
  map,
  nullable,
  oneOf,
  open,
  optional,
  PROBABILITY,
  ref,
  type Schema,
  type Schemas,
  STRING,
  said,
} from './schema.ts'

const PART_ID: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  description: 'Name for questions to point at. Default `image_1`, `image_2`… (`video_1`… for videos).',
}
const DATA_URL: Schema = {
  type: 'string',
  pattern: '^([Dd][Aa][Tt][Aa]:|[Hh][Tt][Tt][Pp][Ss]:)',
  description: 'A data: URL in base64. An https: URL where the service fetches from its host.',
}
const MEDIA_TYPE: Schema = { type: 'string', description: 'For the reader; what the bytes are is found out from them.' }

function source(type: string, description: string, field: string, value: Schema): Schema {
  return closed(description, ['type', field], { type: { const: type }, media_type: MEDIA_TYPE, [field]: value })
}

function part(types: string, description: string, required: readonly string[], fields: Schemas): Schema {
  return closed(description, ['type', ...required], { type: { const: types }, ...fields })
}

/** Which frames of a video file are looked at. */
const SAMPLING: Schemas = {
  fps: { type: 'number', exclusiveMinimum: 0, maximum: MOST_FPS, description: 'Frames of each second.' },
  max_frames: {
    type: 'integer',
    minimum: 1,
    description: `At most so many, evenly over the stretch where fps is absent or asks for more. Default ${SAMPLED_FRAMES}, with fps as many as a request may have.`,
  },
  start_ms: { type: 'number', minimum: 0, description: 'Where the stretch begins, in milliseconds from the first frame. Default 0.' },
  end_ms: { type: 'number', exclusiveMinimum: 0, description: 'Where it ends. Default: the end of the video.' },
}
const FILE_DATA: Schema = { type: 'string', minLength: 1, description: 'Base64, or a URL as `Source` has it.' }

/** Media types are read whatever their case. */
function mediaTypeOf(kind: string): Schema {
  const anyCase = [...kind].map((letter) => `[${letter.toUpperCase()}${letter}]`).join('')
  return { type: 'string', pattern: `^${anyCase}(/|$)`, description: `Such as ${kind}/${kind === 'image' ? 'png' : 'mp4'}.` }
}

const DETAIL: Schema = { description: 'Taken and not used.' }

export const stateSchemas: Schemas = {
  Json: {
    description: 'Any JSON value.',
    type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
  },
  State: {
    description:
      'What the questions are about. A string is text. An array whose every element has a known part type is parts, in reading order; any other value is JSON. A state with nothing in it is answered with a warning.',
    anyOf: [
      { type: 'string', title: 'Text' },
      { type: 'object', title: 'JSON object' },
      { type: ['number', 'boolean', 'null'], title: 'JSON value' },
      list('Parts in reading order; by default at most 16 pictures and 64 video frames.', ref('Part'), { title: 'Parts', minItems: 1 }),
      {
        type: 'array',
        title: 'JSON array',
        not: { minItems: 1, items: { type: 'object', required: ['type'], properties: { type: { enum: PART_TYPES } } } },
      },
    ],
  },
  Part: {
    ...oneOf(
      'One part of a state.',
      ...['TextPart', 'JsonPart', 'ImagePart', 'ImageUrlPart', 'InputImagePart', 'VideoPart', 'FilePart'].map(ref),
    ),
    discriminator: {
      propertyName: 'type',
      mapping: {
        text: '#/components/schemas/TextPart',
        json: '#/components/schemas/JsonPart',
        image: '#/components/schemas/ImagePart',
        image_url: '#/components/schemas/ImageUrlPart',
        input_image: '#/components/schemas/InputImagePart',
        video: '#/components/schemas/VideoPart',
        file: '#/components/schemas/FilePart',
      },
    },
  },
  TextPart: part('text', 'Text, which may be quoted by answers.', ['text'], { text: STRING }),
  JsonPart: part('json', 'JSON, for a string or an array that would read as something else.', ['value'], { value: JSON_VALUE }),
  ImagePart: part('image', 'A picture: PNG, JPEG, WebP or GIF; by default at most 16 MiB and 40 megapixels.', ['source'], {
    id: PART_ID,
    source: ref('Source'),
  }),
  ImageUrlPart: part('image_url', 'A picture as chat completions have it.', ['image_url'], {
    id: PART_ID,
    image_url: { anyOf: [DATA_URL, closed('Its URL.', ['url'], { url: DATA_URL, detail: DETAIL })] },
    detail: DETAIL,
  }),
  InputImagePart: part('input_image', 'A picture as responses have it.', ['image_url'], {
    id: PART_ID,
    image_url: { anyOf: [DATA_URL, closed('Its URL.', ['url'], { url: DATA_URL, detail: DETAIL })] },
    detail: DETAIL,
  }),
  VideoPart: {
    description: 'A video: its file, or frames of it in order of time.',
    anyOf: [
      part('video', 'A file: MP4, WebM, animated GIF or animated WebP; by default at most 32 MiB.', ['source'], {
        id: PART_ID,
        source: ref('Source'),
        ...SAMPLING,
      }),
      part('video', 'Frames.', ['frames'], {
        id: PART_ID,
        frames: list(
          'Its frames.',
          closed('One frame.', ['source', 't_ms'], {
            source: ref('Source'),
            t_ms: { type: 'number', minimum: 0, description: 'Milliseconds from the start.' },
          }),
          { minItems: 1 },
        ),
      }),
    ],
  },
  FilePart: {
    description: 'A file as the AI SDK has it. By its media type it is an image or a video.',
    anyOf: [
      part('file', 'An image.', ['mediaType', 'data'], { id: PART_ID, mediaType: mediaTypeOf('image'), data: FILE_DATA, filename: STRING }),
      part('file', 'A video.', ['mediaType', 'data'], {
        id: PART_ID,
        mediaType: mediaTypeOf('video'),
        data: FILE_DATA,
        filename: STRING,
        ...SAMPLING,
      }),
    ],
  },
  Source: {
    description: 'Where the bytes of a picture or a video are.',
    anyOf: [
      DATA_URL,
      source('base64', 'In the request.', 'data', {
        type: 'string',
        minLength: 1,
        description: 'Standard base64; line breaks are allowed.',
      }),
      source('part', 'A file of the same multipart request.', 'name', {
        type: 'string',
        minLength: 1,
        description: 'Name of its form field.',
      }),
      source('url', 'Somewhere else.', 'url', DATA_URL),
    ],
  },
}

/** Bodies of /v1/ask. */
export const askSchemas: Schemas = {
  AskRequest: {
    ...open(
      'One state and the questions about it. Fields that are not known here are ignored, and named in `simo.warnings`.',
      ['state', 'questions'],
      {
        model: optional({
          type: 'string',
          description:
            'Id of a model, or a name the service takes for one. Default: what the alias `default` stands for, else the chain, else `service-1-pro`.',
        }),
        state: ref('State'),
        questions: ref('Questions'),
        derive: said(nullable(ref('Derives')), 'What to work out from the answers.'),
        simo: nullable(ref('RequestSimo')),
      },
    ),
  },
  RequestSimo: closed('How the request wants to be answered.', [], {
    deliberation: nullable({
      enum: DELIBERATION_MODES,
      description: 'When to look again. Default: where it pays, by the calibration (what is uncertain, or short). Never charged.',
    }),
    sets: nullable(
      closed('Adds to each decision the set of what cannot be ruled out.', ['coverage'], {
        coverage: { ...PROBABILITY, description: 'Share of decisions whose set holds the truth.' },
      }),
    ),
    abstain: nullable(
      closed('Withholds answers, so that those given are wrong no more often.', ['max_risk'], {
        max_risk: { ...PROBABILITY, description: 'Share of given answers that may be wrong.' },
      }),
    ),
  }),
  AskForm: {
    ...map('The request as JSON in the field `request`, and files under the names that `part` sources have.', {
      type: 'string',
      contentMediaType: 'application/octet-stream',
    }),
    required: ['request'],
    properties: { request: ref('AskRequest') },
  },
}

/** Bodies of the System One route. */
export const systemOneSchemas: Schemas = {
  SystemOneRequest: {
    ...open('As for `/v1/ask`, but that levels of a score are descriptions.', ['state', 'questions'], {
      model: optional(STRING),
      state: ref('State'),
      questions: map(
        'Questions by id.',
        { anyOf: [ref('SystemOneScoreQuestion'), ref('Question')] },
        { minProperties: 1, maxProperties: MOST_TRANSLATED },
      ),
      derive: said(nullable(ref('Derives')), 'What to work out from the answers.'),
      simo: nullable(ref('RequestSimo')),
      assets: nullable(
        map('Pictures by a placeholder; where it stands in a string of the state, there the picture is.', ref('SystemOneAsset'), {
          minProperties: 1,
          maxProperties: 256,
          propertyNames: { minLength: 1 },
        }),
      ),
    }),
  },
  SystemOneAsset: {
    ...closed('A picture: its bytes in base64, or the name of a file of the same multipart request.', [], {
      type: { enum: ['image', null] },
      format: { description: 'For the reader; what the bytes are is found out from them.' },
      data_base64: optional(STRING),
      part: optional(STRING),
    }),
    anyOf: [
      { required: ['part'], properties: { part: { type: 'string', minLength: 1 } } },
      { required: ['data_base64'], properties: { data_base64: { type: 'string', minLength: 1 } } },
    ],
  },
  SystemOneScoreQuestion: closed('A scale whose levels are told apart by their place, from 0.', ['type', 'criteria'], {
    type: { const: 'score' },
    instructions: JSON_VALUE,
    image: optional(STRING),
    criteria: list(
      'A text, JSON or null for each level, lowest first. The legend of the answer gives them back.',
      { type: ['string', 'object', 'array', 'null'] },
      { minItems: 2, maxItems: 26 },
    ),
  }),
}
