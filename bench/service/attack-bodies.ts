// What one account may send to keep a service busy: bodies by name, for `attacks.ts`.
export interface Attack {
  readonly name: string
  readonly path?: string
  readonly type?: string
  /** How many are sent at the same time; default 1. */
  readonly times?: number
  /** Null: nothing is sent. */
  readonly body: () => Buffer | null
}

const MEGA = 1_000_000
const noul = { type: 'noul', instructions: 'x' }
const list = <T>(count: number, value: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => value(i))
const map = <T>(count: number, value: (i: number) => T, key = (i: number) => `k${i}`) =>
  Object.fromEntries(list(count, (i) => [key(i), value(i)]))
const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const ask = (more: object) => json({ state: 'x', questions: { a: noul }, ...more })
const one = (question: object) => ask({ questions: { a: question } })
const text = (bytes: number) => 'some words of text '.repeat(Math.ceil(bytes / 19)).slice(0, bytes)
/** Words without blanks: what may be base64. */
const solid = (bytes: number) => 'some.words.of-text.'.repeat(Math.ceil(bytes / 19)).slice(0, bytes)
const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : [nested(depth - 1, inner)])
const form = (head: string, content: Buffer) =>
  Buffer.concat([
    Buffer.from('--edge\r\nContent-Disposition: form-data; name="request"\r\n\r\n'),
    json({ state: 'x', questions: { a: noul } }),
    Buffer.from(`\r\n--edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    content,
    Buffer.from('\r\n--edge--\r\n'),
  ])
const FORM = 'multipart/form-data; boundary=edge'
const image = (data: string) => ask({ state: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] })

export const ATTACKS: readonly Attack[] = [
  { name: 'nothing', body: () => null },
  // What was found before.
  { name: 'instructions of 30 MB', body: () => one({ type: 'noul', instructions: text(30 * MEGA) }) },
  { name: 'a part with 200,000 unknown fields', body: () => ask({ state: [{ type: 'text', text: 'x', ...map(200_000, () => 1) }] }) },
  { name: 'broken JSON of 30 MB, values', body: () => Buffer.from(`[${'1,'.repeat(15 * MEGA)}`) },
  { name: 'broken JSON of 30 MB, escapes', body: () => Buffer.from(`{"state":"${'\\n'.repeat(15 * MEGA)}" x`) },
  { name: 'broken JSON of 30 MB, lines', body: () => Buffer.from(`${'\n'.repeat(30 * MEGA)}x`) },
  { name: 'broken JSON of 30 MB, numbers', body: () => Buffer.from(`[${`${'1'.repeat(60)},`.repeat(490_000)}`) },
  { name: '255 options of 60,000 blanks', body: () => one({ type: 'choice', criteria: list(255, (i) => `${i}${' '.repeat(60_000)}x`) }) },
  { name: '100 options of 60,000 blanks', body: () => one({ type: 'choice', criteria: list(100, (i) => `${i}${' '.repeat(60_000)}`) }) },
  { name: 'one option of 60,000 blanks', body: () => one({ type: 'choice', criteria: [`a${' '.repeat(60_000)}b`, 'c'] }) },
  // Texts.
  { name: 'a state of 30 MB', body: () => ask({ state: text(30 * MEGA) }) },
  { name: 'a state of 60,000 blanks', body: () => ask({ state: ' '.repeat(60_000) }) },
  { name: 'a state of 48,000 letters without a blank', body: () => ask({ state: 'ab'.repeat(24_000) }) },
  { name: 'a state of 190,000 characters', body: () => ask({ state: text(190_000) }) },
  { name: 'a state of 30 MB beyond Latin', body: () => ask({ state: '語'.repeat(10 * MEGA) }) },
  {
    name: 'a text of 30 MB of escapes',
    body: () => Buffer.from(`{"state":"${'\\u0041'.repeat(5 * MEGA)}","questions":{"a":{"type":"noul"}}}`),
  },
  { name: 'a type of 30 MB', body: () => one({ type: text(30 * MEGA) }) },
  { name: 'a model of 30 MB', body: () => ask({ model: text(30 * MEGA) }) },
  { name: 'an id of 30 MB', body: () => ask({ questions: { [text(30 * MEGA)]: noul } }) },
  { name: 'an unknown field of 30 MB', body: () => one({ ...noul, [text(30 * MEGA)]: 1 }) },
  { name: 'an image id of 30 MB', body: () => one({ ...noul, image: text(30 * MEGA) }) },
  { name: 'instructions of 30 MB without blanks', body: () => one({ type: 'noul', instructions: solid(30 * MEGA) }) },
  { name: 'a state of 30 MB without blanks', body: () => ask({ state: solid(30 * MEGA) }) },
  { name: 'a JSON state of 30 MB without blanks', body: () => ask({ state: { a: list(6, () => solid(5 * MEGA)) } }) },
  { name: 'a type of 30 MB without blanks', body: () => one({ type: solid(30 * MEGA) }) },
  { name: 'a model of 30 MB without blanks', body: () => ask({ model: solid(30 * MEGA) }) },
  { name: '7,000 strings of 4 KiB', body: () => ask({ state: list(7000, () => solid(4100)) }) },
  {
    name: 'a state of 27,000 distinct words',
    body: () => ask({ state: list(27_000, (i) => ((i * 7919) % 99_991).toString(36)).join('ab ') }),
  },
  // Counts, also as many as are let in.
  { name: 'let in: a JSON state of 45,000 values', body: () => ask({ state: list(45_000, (i) => i % 1000) }) },
  { name: 'let in: a JSON state of 24,000 keys', body: () => ask({ state: map(24_000, () => 1) }) },
  {
    name: 'let in: 10,000 options',
    body: () => ask({ questions: map(40, (q) => ({ type: 'select', criteria: list(250, (i) => `o${q}-${i}`) })) }),
  },
  { name: 'let in: 8,000 parts', body: () => ask({ state: list(8000, () => ({ type: 'text', text: 'x' })) }) },
  {
    name: 'let in: 6,000 wrong options',
    body: () => ask({ questions: map(60, () => ({ type: 'choice', criteria: list(100, () => ({ vlaue: 'x', descriptoin: 'y' })) })) }),
  },
  { name: 'let in: a part with 20,000 unknown fields', body: () => ask({ state: [{ type: 'text', text: 'x', ...map(20_000, () => 1) }] }) },
  { name: 'a JSON state of 490,000 values', body: () => ask({ state: list(490_000, () => 1) }) },
  { name: 'a JSON state of 99,000 values', body: () => ask({ state: list(99_000, () => 1) }) },
  { name: 'a JSON state of 99,000 words', body: () => ask({ state: list(99_000, (i) => `w${i}`) }) },
  { name: 'a JSON state of 240,000 keys', body: () => ask({ state: map(240_000, () => 1) }) },
  { name: '90,000 values below a key of 100 KB', body: () => ask({ state: { ['k'.repeat(100_000)]: list(90_000, (i) => i) } }) },
  {
    name: '90,000 values below 60 keys of 1 KB',
    body: () =>
      ask({
        state: list(60, () => 'k'.repeat(1000)).reduce<unknown>(
          (inner, key) => ({ [key]: inner }),
          list(90_000, () => 1),
        ),
      }),
  },
  { name: 'nested 250 deep, 1,000 times', body: () => ask({ state: list(1000, () => nested(250, 1)) }) },
  { name: 'instructions of 490,000 values', body: () => one({ type: 'noul', instructions: list(490_000, () => 1) }) },
  { name: '100,000 questions', body: () => ask({ questions: map(100_000, () => noul) }) },
  {
    name: '256 wrong questions of 400 wrong fields',
    body: () => ask({ questions: map(256, () => ({ type: 'nuol', ...map(400, () => 1) })) }),
  },
  {
    name: '256 questions of 400 unknown fields',
    body: () =>
      ask({
        questions: map(256, () => ({
          type: 'noul',
          ...map(
            400,
            () => 1,
            (i) => `instructoins_of_the_question_${i}`,
          ),
        })),
      }),
  },
  {
    name: '256 choices of 255 options',
    body: () => ask({ questions: map(256, () => ({ type: 'choice', criteria: list(255, (i) => `o${i}`) })) }),
  },
  {
    name: '256 selects of 255 options',
    body: () => ask({ questions: map(256, (q) => ({ type: 'select', criteria: list(255, (i) => `o${q}-${i}`) })) }),
  },
  {
    name: '256 choices of 255 equal options',
    body: () => ask({ questions: map(256, () => ({ type: 'choice', criteria: list(255, () => 'o') })) }),
  },
  {
    name: '256 choices of 255 wrong options',
    body: () => ask({ questions: map(256, () => ({ type: 'choice', criteria: list(255, () => ({ vlaue: 'x', descriptoin: 'y' })) })) }),
  },
  {
    name: '256 nouls about a new state',
    body: () => ask({ state: text(3000), questions: map(256, (i) => ({ type: 'noul', instructions: `Is it ${i}?` })) }),
  },
  {
    name: '255 args of a choice',
    body: () =>
      one({ type: 'choice', criteria: ['a', 'b'], args: map(255, () => ({ type: 'choice', criteria: list(200, (i) => `o${i}`) })) }),
  },
  { name: '90,000 parts', body: () => ask({ state: list(90_000, () => ({ type: 'text', text: 'x' })) }) },
  { name: '60,000 parts with unknown fields', body: () => ask({ state: list(60_000, () => ({ type: 'image', x: 1, suorce: 2 })) }) },
  {
    name: '60,000 parts of an unknown type',
    body: () => ask({ state: list(60_000, (i) => ({ type: i === 59_999 ? 'txet' : 'image', source: {} })) }),
  },
  {
    name: '100,000 frames',
    body: () => ask({ state: [{ type: 'video', frames: list(100_000, (i) => ({ source: 'data:image/png;base64,AA', t_ms: i })) }] }),
  },
  {
    name: '60,000 open URLs',
    body: () => ask({ state: list(60_000, (i) => ({ type: 'image_url', image_url: `https://x.example/${i}` })) }),
  },
  { name: '200,000 unknown fields of a request', body: () => ask(map(200_000, () => 1)) },
  // Reads, patterns, schemas, expressions.
  { name: '64 derives of 500 characters', body: () => ask({ derive: map(64, () => `a${'+a'.repeat(99)}`) }) },
  { name: '64 derives of parentheses', body: () => ask({ derive: map(64, () => `${'('.repeat(240)}a${')'.repeat(240)}`) }) },
  {
    name: '64 derives of wrong names',
    body: () =>
      ask({
        questions: map(
          256,
          () => noul,
          (i) => `${'q'.repeat(55)}${i}`,
        ),
        derive: map(64, () => list(60, (i) => `${'r'.repeat(5)}${i}`).join('+')),
      }),
  },
  { name: '100,000 derives', body: () => ask({ derive: map(100_000, () => 'a + 1') }) },
  { name: 'an expression of 30 MB', body: () => ask({ derive: { d: `a${'+a'.repeat(15 * MEGA)}` } }) },
  {
    name: '256 patterns',
    body: () => ask({ questions: map(256, (i) => ({ type: 'fill', kind: 'pattern', pattern: `(a|b|[c-z]{1,40}){1,${20 + (i % 20)}}` })) }),
  },
  { name: 'a pattern of 30 MB', body: () => one({ type: 'fill', kind: 'pattern', pattern: 'a'.repeat(30 * MEGA) }) },
  {
    name: '100 schemas',
    body: () =>
      ask({
        questions: map(100, () => ({
          type: 'fill',
          kind: 'json',
          schema: { type: 'object', properties: map(60, () => ({ type: 'array', items: { type: 'string' } })) },
        })),
      }),
  },
  {
    name: '200 enums of 255 values',
    body: () => ask({ questions: map(200, (q) => ({ type: 'fill', kind: 'enum', values: list(255, (i) => `value ${q} ${i}`) })) }),
  },
  { name: 'enum values of 30 MB', body: () => one({ type: 'fill', kind: 'enum', values: [text(15 * MEGA), 'x'] }) },
  {
    name: '256 extracts with many',
    body: () => ask({ state: text(8000), questions: map(256, () => ({ type: 'extract', kind: 'text', many: true })) }),
  },
  // Pictures.
  { name: 'a picture of 21 MB that is none', body: () => image('A'.repeat(21 * MEGA)) },
  { name: 'a picture of 21 MB with line breaks', body: () => image(`${'A'.repeat(76)}\n`.repeat(270_000)) },
  { name: 'a picture of 29 MB of blanks', body: () => image(`AAAA${' '.repeat(29 * MEGA)}`) },
  { name: 'a picture of 21 MB with one wrong character', body: () => image(`${'A'.repeat(21 * MEGA)}!AA`) },
  { name: 'a URL of 30 MB', body: () => ask({ state: [{ type: 'image_url', image_url: `https://${'a'.repeat(30 * MEGA)}` }] }) },
  { name: 'a form with a file of 16 MB', type: FORM, body: () => form('name="a"; filename="a"', Buffer.alloc(16 * 2 ** 20)) },
  { name: 'a form with a file of 30 MB', type: FORM, body: () => form('name="a"; filename="a"', Buffer.alloc(30 * MEGA)) },
  { name: 'a form of near boundaries', type: FORM, body: () => form('name="a"; filename="a"', Buffer.from('\r\n--edg'.repeat(2 * MEGA))) },
  { name: 'a form of line breaks', type: FORM, body: () => form('name="a"; filename="a"', Buffer.from('\r\n'.repeat(8 * MEGA))) },
  // The other wires.
  {
    name: 'decisions: instructions of 30 MB',
    path: '/v1/decisions',
    body: () => json({ input: 'x', questions: [{ name: 'a', type: 'predicate', instructions: text(30 * MEGA) }] }),
  },
  {
    name: 'decisions: input of 30 MB',
    path: '/v1/decisions',
    body: () => json({ input: text(30 * MEGA), questions: [{ name: 'a', type: 'predicate', instructions: 'x' }] }),
  },
  {
    name: 'decisions: 150,000 messages',
    path: '/v1/decisions',
    body: () => json({ input: list(150_000, () => ({ role: 'user', content: 'x' })), questions: [] }),
  },
  {
    name: 'decisions: 20,000 unknown fields',
    path: '/v1/decisions',
    body: () => json({ input: 'x', questions: [{ name: 'a', type: 'predicate', instructions: 'x', ...map(20_000, () => 1) }] }),
  },
  {
    name: 'decisions: 100,000 questions',
    path: '/v1/decisions',
    body: () => json({ input: 'x', questions: list(100_000, () => ({ type: 'predicate', instructions: 'x' })) }),
  },
  { name: 'legacy: 400,000 levels', path: '/v1/systemone', body: () => one({ type: 'score', criteria: list(400_000, () => null) }) },
  { name: 'legacy: 200,000 unknown fields', path: '/v1/systemone', body: () => one({ ...noul, ...map(200_000, () => 1) }) },
  {
    name: 'decisions: instructions of 30 MB without blanks',
    path: '/v1/decisions',
    body: () => json({ input: 'x', questions: [{ name: 'a', type: 'predicate', instructions: solid(30 * MEGA) }] }),
  },
  {
    name: 'decisions: input of 30 MB without blanks',
    path: '/v1/decisions',
    body: () => json({ input: solid(30 * MEGA), questions: [{ name: 'a', type: 'predicate', instructions: 'x' }] }),
  },
  {
    name: 'decisions: 4,000 messages',
    path: '/v1/decisions',
    body: () =>
      json({ input: list(4000, () => ({ role: 'user', content: 'x' })), questions: [{ name: 'a', type: 'predicate', instructions: 'x' }] }),
  },
  {
    name: 'legacy: instructions of 30 MB without blanks',
    path: '/v1/systemone',
    body: () => one({ type: 'noul', instructions: solid(30 * MEGA) }),
  },
  // The small routes.
  {
    name: 'outcomes: 3,600 unknown names',
    path: '/v1/outcomes',
    body: () =>
      json({
        event: 'evt_x',
        outcomes: map(
          3600,
          () => true,
          (i) => `${'n'.repeat(58)}${i}`,
        ),
      }),
  },
  {
    name: 'outcomes: 20,000 unknown fields',
    path: '/v1/outcomes',
    body: () => json({ event: 'evt_x', outcomes: {}, ...map(20_000, () => 1) }),
  },
  // Many at once.
  { name: '20 broken bodies of 5 MB at once', times: 20, body: () => Buffer.from(`{"state":"${'\\n'.repeat(2.5 * MEGA)}" x`) },
  { name: '20 states of 1 MB at once', times: 20, body: () => ask({ state: text(MEGA) }) },
]
