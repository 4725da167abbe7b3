// Example requests of the playground.
import { type Draft, draftOf } from './draft.ts'
import type { KindForms } from './kind-forms.ts'

export interface PlaygroundExample {
  readonly name: string
  readonly request: object
  /** Name of the picture in it, which `drawSettings` draws; absent when there is none. */
  readonly picture?: string
}

export const EXAMPLES: readonly PlaygroundExample[] = [
  {
    name: 'A complaint',
    request: {
      state:
        'Hello, my order A-1042 has still not arrived after three weeks, and nobody answers my mails. I am very angry. Please refund the 59.90 EUR. You can reach me at buyer@example.com.',
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
          args: { amount: { type: 'extract', kind: 'money', instructions: 'The amount to refund' } },
        },
        mood: { type: 'score', instructions: 'How angry is the customer?', criteria: ['calm', 'annoyed', 'angry'] },
        topics: {
          type: 'select',
          instructions: 'What is the message about?',
          criteria: ['refund', 'damaged goods', 'opening hours'],
        },
        order: { type: 'extract', instructions: 'The order number', self_check: true },
        mail: { type: 'extract', kind: 'email', instructions: 'The mail address of the customer' },
      },
      derive: { escalate: 'angry > 0.6 and mood >= 1', queue: 'intent == "refund" ? "billing" : "support"' },
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
        status: { type: 'fill', instructions: 'The status' },
      },
      derive: { tell_customer: 'delayed > 0.5 and p(paid_in, "EUR") > 0.3' },
    },
  },
  {
    name: 'A screenshot',
    request: {
      state: [{ type: 'image', id: 'image_1', source: { type: 'part', name: 'settings.png' } }],
      questions: {
        language: { type: 'choice', instructions: 'What is the language?', criteria: ['English', 'German', 'French'] },
        name: { type: 'extract', instructions: 'The name' },
        error: { type: 'noul', instructions: 'There is an error message.' },
        save: { type: 'extract', kind: 'coordinates', instructions: 'Where is the Save button?' },
      },
    },
    picture: 'settings.png',
  },
]

/** The form of an example; `files`: names of what is attached by then. */
export function draftOfExample({ request, picture }: PlaygroundExample, forms: KindForms): Draft {
  return draftOf(request, picture === undefined ? [] : [picture], forms)!
}
