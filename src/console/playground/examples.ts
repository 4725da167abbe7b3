// Requests to start from. The picture is drawn here, so that the page needs no file for it.
import { type Draft, draftOf } from './draft.ts'

export interface Example {
  readonly name: string
  readonly request: object
  /** Draws the picture that the request names; absent when it has none. */
  readonly picture?: { readonly name: string; readonly draw: () => Promise<Blob> }
}

export const EXAMPLES: readonly Example[] = [
  {
    name: 'A complaint',
    request: {
      state:
        'Hello, my order A-1042 has still not arrived after three weeks, and nobody answers my mails. I am very angry. I want my money back: 59.90 EUR. You can reach me at buyer@example.com.',
      questions: {
        angry: { type: 'noul', instructions: 'The customer is angry.' },
        intent: {
          type: 'choice',
          instructions: 'What does the customer want?',
          criteria: [
            { value: 'refund', description: 'the money back' },
            { value: 'exchange', description: 'another article instead' },
            { value: 'information', description: 'only to know something' },
          ],
          args: { amount: { type: 'extract', kind: 'money', instructions: 'The amount of money' } },
        },
        urgency: { type: 'score', instructions: 'How urgent is the message?', criteria: ['low', 'medium', 'high'] },
        topics: {
          type: 'select',
          instructions: 'What is the message about?',
          criteria: ['delivery', 'payment', 'quality of the product', 'opening hours'],
        },
        order: { type: 'extract', instructions: 'The order number', self_check: true },
        mail: { type: 'extract', kind: 'email', instructions: 'The mail address of the customer' },
      },
      derive: { escalate: 'angry > 0.6 and urgency >= 1', queue: 'intent == "refund" ? "billing" : "support"' },
    },
  },
  {
    name: 'An order as JSON',
    request: {
      state: {
        order: 'A-1042',
        status: 'delayed',
        carrier: 'Northbound Parcel',
        expected: '2026-03-02',
        total: 59.9,
        currency: 'EUR',
        lines: [
          { article: 'desk lamp', count: 1, price: 39.9 },
          { article: 'light bulb', count: 4, price: 5 },
        ],
        note: 'Please leave the parcel with the neighbour.',
      },
      questions: {
        delayed: { type: 'noul', instructions: 'The order is delayed.' },
        paid_in: { type: 'choice', instructions: 'What is the currency of the order?', criteria: ['EUR', 'USD', 'GBP'] },
        carrier: { type: 'extract', instructions: 'The name of the carrier' },
        line_count: { type: 'fill', kind: 'int', instructions: 'How many lines does the order have?' },
      },
      derive: { tell_customer: 'delayed > 0.5 and p(paid_in, "EUR") > 0.3' },
    },
  },
  {
    name: 'A screenshot',
    request: {
      state: [{ type: 'image', id: 'image_1', source: { type: 'part', name: 'settings.png' } }],
      questions: {
        page: { type: 'choice', instructions: 'What kind of page is it?', criteria: ['login page', 'orders', 'chat', 'settings page'] },
        error: { type: 'noul', instructions: 'There is an error message.' },
        save: { type: 'extract', kind: 'coordinates', instructions: 'Where is the Save button?' },
      },
    },
    picture: { name: 'settings.png', draw: drawSettings },
  },
]

/** The form of an example; `files`: names of what is attached by then. */
export function draftOfExample({ request, picture }: Example): Draft {
  return draftOf(request, picture === undefined ? [] : [picture.name])!
}

/** A settings page of a shop, 960 by 600. */
function drawSettings(): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = 960
  canvas.height = 600
  const pen = canvas.getContext('2d')!
  const box = (colour: string, x: number, y: number, width: number, height: number) => {
    pen.fillStyle = colour
    pen.fillRect(x, y, width, height)
  }
  const text = (words: string, x: number, y: number, font: string, colour = '#222') => {
    pen.font = `${font} sans-serif`
    pen.fillStyle = colour
    pen.fillText(words, x, y)
  }
  box('#f5f6f8', 0, 0, 960, 600)
  box('#1f3a5f', 0, 0, 960, 64)
  text('Lamp Shop', 32, 41, 'bold 24px', '#fff')
  text('Home     Orders     Settings', 640, 40, '18px', '#dfe8f2')
  text('Settings', 64, 132, 'bold 32px')
  for (const [i, [label, value]] of [
    ['Name', 'Ada Lovelace'],
    ['E-mail', 'ada@example.com'],
    ['Language', 'English'],
  ].entries()) {
    text(label!, 64, 190 + i * 90, '16px', '#555')
    box('#c5ccd6', 64, 202 + i * 90, 480, 44)
    box('#fff', 65, 203 + i * 90, 478, 42)
    text(value!, 80, 230 + i * 90, '18px')
  }
  box('#1668c7', 64, 480, 140, 48)
  text('Save', 112, 511, 'bold 20px', '#fff')
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The picture could not be drawn.')) : resolve(blob))),
  )
}
