// Bodies of both dialects for properties: mostly right, wrong in all the ways a hand or a fuzzer gets them wrong.
import fc from 'fast-check'

/** Names that objects have anyway, and others that break what builds text or pointers of them. */
const name = fc.constantFrom(
  'a',
  'b',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '~1/',
  '0',
  '1',
  'é\u0000',
  'x'.repeat(200),
)

/** Any JSON, names from above included. */
export const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 1e308, '', 'text', '\u0000', '\ud800'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

/** JSON nested up to thousands of times, which overflows what recurses without a bound. */
const deep = fc.integer({ min: 1, max: 20_000 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)))

/** What is mostly right: a body has some thirty of these, and one in three should be answered. */
function mostly<T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: right, weight: 60 }, { arbitrary: json, weight: 1 }, { arbitrary: deep, weight: 1 })
}

/** An object with these fields, some left out, and sometimes one more. */
function fields(shape: Readonly<Record<string, fc.Arbitrary<unknown>>>, required: readonly string[]): fc.Arbitrary<unknown> {
  const known = fc.record(Object.fromEntries(Object.entries(shape).map(([field, value]) => [field, mostly(value)])), {
    requiredKeys: [...required],
  })
  return fc.oneof(
    { arbitrary: known, weight: 60 },
    {
      arbitrary: fc
        .tuple(known, name, json)
        .map(([made, field, value]) => ({ ...(made as object), ...Object.fromEntries([[field, value]]) })),
      weight: 1,
    },
  )
}

const text = fc.constantFrom('Is it so?', 'the state', ' ', '')
const level = fc.oneof(fc.constantFrom('low', 'high', 'mid', '0', '1', ''), json)
const args = (value: fc.Arbitrary<unknown>) => fc.dictionary(name, mostly(value), { maxKeys: 2, noNullPrototype: true })
const score = fields({ type: fc.constant('score'), instructions: text, criteria: fc.array(level, { minLength: 1, maxLength: 5 }) }, [
  'type',
  'criteria',
])
const noul = fields({ type: fc.constant('noul'), instructions: text, criteria: fc.constant(null) }, ['type'])
const choice = fields(
  {
    type: fc.constant('choice'),
    criteria: fc.oneof(
      fc.dictionary(name, json, { minKeys: 2, maxKeys: 4, noNullPrototype: true }),
      fc.constant([{ value: 'a', args: { q: { type: 'score', criteria: [null, {}] } } }, 'b']),
    ),
    args: args(fc.oneof(score, noul)),
  },
  ['type', 'criteria'],
)

export const systemoneBody = mostly(
  fields(
    {
      state: fc.oneof(fc.constantFrom(null, 'a text', '', [], {}), json),
      questions: fc.dictionary(name, mostly(fc.oneof(score, noul, choice)), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      model: fc.constantFrom('service-1-pro', 'jev-latest', null),
    },
    ['state', 'questions'],
  ),
)

const words = fc.constantFrom('Is it so?', 'the state', 'x')
const textPart = fields({ type: fc.constant('input_text'), text: words }, ['type', 'text'])
const jsonPart = fields({ type: fc.constant('input_json'), data: fc.oneof(fc.constant({ a: [1] }), json) }, ['type', 'data'])
const badImage = fields({ type: fc.constant('input_image'), image_url: fc.constantFrom('data:image/png;base64,AAAA', 'file:///etc') }, [
  'type',
])
const part = fc.oneof({ arbitrary: textPart, weight: 8 }, { arbitrary: jsonPart, weight: 4 }, { arbitrary: badImage, weight: 1 })
const message = fields(
  { role: fc.constantFrom('user', 'system', 'developer', 'assistant'), content: fc.oneof(text, fc.array(mostly(part), { maxLength: 3 })) },
  ['role', 'content'],
)
const call = fields({ type: fc.constantFrom('function_call', 'function_call', 'reasoning'), call_id: words, name, arguments: text }, [
  'type',
  'call_id',
  'name',
  'arguments',
])
const item = fc.oneof({ arbitrary: message, weight: 6 }, { arbitrary: call, weight: 1 })
const decisionInstructions = fc.oneof(words, fc.array(mostly(fc.oneof(textPart, jsonPart)), { minLength: 1, maxLength: 2 }))
const decision = fc.oneof(
  fields({ type: fc.constant('predicate'), name, instructions: decisionInstructions }, ['type', 'instructions']),
  fields(
    {
      type: fc.constant('choice'),
      name,
      instructions: decisionInstructions,
      choices: fc.uniqueArray(mostly(fields({ value: fc.constantFrom('a', 'b', true, false, 'true'), description: text }, ['value'])), {
        minLength: 1,
        maxLength: 4,
        selector: (each) => (each as { value?: unknown } | null)?.value,
      }),
    },
    ['type', 'instructions', 'choices'],
  ),
  fields(
    {
      type: fc.constant('score'),
      name,
      instructions: decisionInstructions,
      levels: fc.uniqueArray(mostly(fields({ label: fc.constantFrom('low', 'mid', 'high', '0'), description: text }, ['label'])), {
        minLength: 2,
        maxLength: 4,
        selector: (each) => (each as { label?: unknown } | null)?.label,
      }),
    },
    ['type', 'instructions', 'levels'],
  ),
)

export const decisionsBody = mostly(
  fields(
    {
      model: fc.constantFrom('service-1-pro', 'gpt-6-luna'),
      input: fc.oneof(text, fc.array(mostly(item), { minLength: 1, maxLength: 4 })),
      questions: fc.array(mostly(decision), { minLength: 1, maxLength: 4 }),
      prompt_cache_key: json,
    },
    ['input', 'questions'],
  ),
)
