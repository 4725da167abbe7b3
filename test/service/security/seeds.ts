// Requests that a service answers, one and more of each dialect, each type of question and each kind of state: what
// hostile bodies are made from.
import { readFileSync } from 'node:fs'
import type { Json } from '../../../src/core/types.ts'

export interface Seed {
  readonly path: string
  readonly body: Json
  /** Files of the multipart form of it; absent: JSON only. */
  readonly files?: Readonly<Record<string, Uint8Array>>
}

/** A picture of 40 × 20 pixels, so that most of a hundred thousand bodies are small. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACgAAAAUCAIAAABwJOjsAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAL0lEQVRIie3NMQEAAAjDsMpHNvcQUJ7FQJgnNLagTUdjDV6VGmvwqtRYg1elxmNZyJn7PZqg/cgAAAAASUVORK5CYII=',
  'base64',
)

const SIX: Json = {
  late: { type: 'noul', instructions: 'It is late.', criteria: { true: 'yes', false: 'no' } },
  tone: { type: 'choice', criteria: ['calm', 'angry', { value: 'sad', description: 'tears', args: { why: { type: 'fill' } } }] },
  team: { type: 'choice', criteria: { sales: 'sells', support: null }, args: { urgent: { type: 'noul' } } },
  level: { type: 'score', instructions: 'How much?', criteria: ['low', { label: 'middle', description: 'between' }, 'high'] },
  topics: { type: 'select', options: ['money', 'time'], min: 0, max: 2, threshold: 0.4 },
  count: { type: 'fill', kind: 'int', self_check: true },
  names: { type: 'fill', kind: 'list', item: { kind: 'enum', values: ['a', 'b'] } },
  order: { type: 'extract', kind: 'number', many: true, self_check: true },
}

const screenshot = (source: Json): Json => [
  { type: 'image', id: 'page', source },
  { type: 'text', text: 'The page of order 12.' },
  { type: 'json', value: { order: 12, items: ['chair', 'desk'] } },
]
const BOX: Json = { save: { type: 'extract', kind: 'coordinates', instructions: 'the Save button', image: 'page' }, page: { type: 'noul' } }
const BASE64: Json = { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') }

export const SEEDS: readonly Seed[] = [
  {
    path: '/v1/ask',
    body: {
      state: 'Order 12 is late, I am furious.',
      questions: SIX,
      derive: { act: 'late > 0.5 and tone == "angry"', twice: { expr: 'level * 2 + p(tone, "sad")' } },
    },
  },
  {
    path: '/v1/ask',
    body: {
      model: 'service-1-pro',
      state: { order: 12, lines: [{ name: 'chair', price: 3.5 }], note: 'late' },
      questions: { order: { type: 'extract' }, late: { type: 'noul' } },
    },
  },
  { path: '/v1/ask', body: { state: screenshot(BASE64), questions: BOX, derive: { x: 'page > 0.1' } } },
  {
    path: '/v1/ask',
    body: {
      state: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG.toString('base64')}` } }],
      questions: { page: { type: 'noul' } },
    },
  },
  {
    path: '/v1/ask',
    body: {
      state: [
        {
          type: 'video',
          id: 'clip',
          frames: [
            { source: BASE64, t_ms: 0 },
            { source: BASE64, t_ms: 40 },
          ],
        },
      ],
      questions: { move: { type: 'noul', instructions: 'It moves.' } },
    },
  },
  { path: '/v1/ask', body: { state: screenshot({ type: 'part', name: 'shot' }), questions: BOX }, files: { shot: PNG } },
  {
    path: '/v1/ask',
    body: {
      state: [
        {
          type: 'video',
          frames: [
            { source: { type: 'part', name: 'a' }, t_ms: 0 },
            { source: { type: 'part', name: 'b' }, t_ms: 9 },
          ],
        },
      ],
      questions: { move: { type: 'noul' } },
    },
    files: { a: PNG, b: PNG },
  },
  {
    path: '/v1/systemone',
    body: {
      model: 'jev-latest',
      state: null,
      questions: {
        late: { type: 'noul', instructions: null, criteria: null },
        tone: { type: 'choice', instructions: null, criteria: { calm: null, angry: { marks: ['!'] } } },
        level: { type: 'score', instructions: 'How much?', criteria: ['low', null, { any: 'json' }] },
      },
    },
  },
  { path: '/v1/systemone', body: { model: 'jev-latest', state: ['a', 1, { b: null }], questions: SIX, temperature: 0 } },
  {
    path: '/v1/decisions',
    body: {
      model: 'gpt-any',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Order 12 is late.' },
            { type: 'input_image', image_url: `data:image/png;base64,${PNG.toString('base64')}` },
          ],
        },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"order":12}' },
        { type: 'function_call_output', call_id: 'c1', output: 'not found' },
      ],
      questions: [
        { type: 'predicate', name: 'late', instructions: 'It is late.' },
        { type: 'choice', instructions: 'Refund?', choices: [{ value: true, description: 'yes' }, { value: false }, { value: 'later' }] },
        { type: 'score', name: 'level', levels: [{ label: 'low' }, { label: 'high', description: 'very' }] },
      ],
    },
  },
  {
    path: '/v1/decisions',
    body: { input: 'It is late.', questions: [{ type: 'predicate', instructions: [{ type: 'input_text', text: 'It is late.' }] }] },
  },
  {
    path: '/v1/outcomes',
    body: { event: 'evt_0123456789abcdef01234567', outcomes: { late: true, tone: 'angry', topics: ['money'] }, selection_probability: 0.5 },
  },
]

/** A large screenshot, for what must be true of pictures of real size. */
export const SCREENSHOT: Uint8Array = readFileSync(new URL('../../../examples/shop.png', import.meta.url))
