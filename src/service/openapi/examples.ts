// Requests and answers to show: small, and accepted as they stand (a test asks them).

export const ASK_TEXT = {
  state: 'Hello, my order A-1042 has still not arrived. I am very angry. Please refund the 59.90 EUR. Mail me: buyer@example.com.',
  questions: {
    angry: { type: 'noul', instructions: 'The customer is angry.' },
    intent: {
      type: 'choice',
      instructions: 'What does the customer want?',
      criteria: { refund: 'the money back', exchange: 'another article instead', information: null },
      args: { amount: { type: 'extract', kind: 'money', instructions: 'The amount to refund' } },
    },
    mood: {
      type: 'score',
      instructions: 'How angry is the customer?',
      criteria: [{ label: 'calm', description: 'no anger' }, 'annoyed', 'angry'],
    },
    topics: { type: 'select', criteria: ['refund', 'damaged goods', 'opening hours'], max: 2 },
    mail: { type: 'extract', kind: 'email', instructions: 'The mail address of the customer', self_check: true },
    order: { type: 'fill', instructions: 'The order number' },
  },
  derive: { escalate: "angry > 0.6 and p(intent, 'refund') > 0.5" },
}

/** A red square of 8 by 8 pixels. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII='

export const ASK_PICTURE = {
  model: 'service-1-pro',
  state: [
    { type: 'text', text: 'The page of a shop.' },
    { type: 'image', id: 'page', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
  ],
  questions: {
    save: { type: 'extract', kind: 'coordinates', instructions: 'the Save button', image: 'page' },
    error: { type: 'noul', instructions: 'There is an error message.', image: 'page' },
  },
}

export const ASK_FORM = {
  state: [{ type: 'image', source: { type: 'part', name: 'photo' } }],
  questions: { receipt: { type: 'noul', instructions: 'It is a receipt.' } },
}

export const SYSTEM_ONE = {
  model: 'jev-latest',
  state: 'I want a refund. I am very angry.',
  questions: {
    refund: { type: 'noul', instructions: 'Does the customer want a refund?', criteria: null },
    next: { type: 'choice', instructions: 'What next?', criteria: { refund: 'give the money back', explain: null } },
    tone: { type: 'score', instructions: 'How angry is the customer?', criteria: ['calm', null, { words: ['angry', 'furious'] }] },
  },
}

export const DECISION = {
  model: 'service-1-pro',
  input: [
    { role: 'system', content: 'You help the customers of a shop.' },
    { role: 'user', content: [{ type: 'input_text', text: 'It arrived broken, and I am very angry. I want my money back!' }] },
  ],
  questions: [
    { type: 'predicate', name: 'angry', instructions: 'The customer is angry.' },
    {
      type: 'choice',
      name: 'refund',
      instructions: 'Is a refund due?',
      choices: [
        { value: true, description: 'yes' },
        { value: false, description: 'no' },
      ],
    },
    { type: 'score', instructions: 'How angry is the customer?', levels: [{ label: 'calm' }, { label: 'angry' }] },
  ],
}

export const OUTCOME = {
  event: 'evt_5f0c2a9d8e7b6a5f4c3d2e1f',
  outcomes: { angry: true, intent: 'refund', mood: 2, topics: ['refund'] },
}
