import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { REQUEST_LIMITS } from '../../src/core/limits.ts'
import { refuse } from '../../src/pipeline/faults.ts'
import { type CheckedRequest, checkRequest } from '../../src/pipeline/request.ts'
import type { Fault } from '../../src/questions/shared/checked-question.ts'

/** The request where it is right; throws all that is wrong with it. */
function check(input: unknown, limits = REQUEST_LIMITS): CheckedRequest {
  const faults: Fault[] = []
  const request = checkRequest(input, limits, faults)
  refuse(faults)
  return request
}

function errorOf(input: unknown): EngineError {
  try {
    check(input)
  } catch (error) {
    if (error instanceof EngineError) return error
    throw error
  }
  throw new Error('the request passed')
}

/** What is wrong with one question, as [pointer behind the question, message]. */
function faultsOf(question: unknown): { code: string; problems: [string, string][] } {
  const error = errorOf({ state: 's', questions: { q: question } })
  return { code: error.code, problems: error.problems.map(({ param, message }) => [param.replace('/questions/q', ''), message]) }
}

const QUESTIONS = { q: { type: 'noul', instructions: 'It rains.' } }

describe('a request', () => {
  it('passes with what it needs', () => {
    const { model, state, questions, warnings } = check({ state: { a: 1 }, questions: QUESTIONS })
    expect({ model, state, warnings }).toEqual({ model: null, state: { a: 1 }, warnings: [] })
    expect(questions.map(({ id, param, type }) => [id, param, type])).toEqual([['q', '/questions/q', 'noul']])
  })

  it('says in simo how it wants to be answered; what is not known there is refused', () => {
    const wishesOf = (simo: unknown) => check({ state: 's', questions: QUESTIONS, simo }).wishes
    expect(wishesOf({ deliberation: 'always', sets: { coverage: 0.9 }, abstain: { max_risk: 0.1 } })).toEqual({
      deliberation: 'always',
      sets: { coverage: 0.9 },
      abstain: { maxRisk: 0.1 },
    })
    const none = [undefined, null, {}, { deliberation: null, sets: null, abstain: null }]
    expect(none.map(wishesOf)).toEqual(none.map(() => ({})))
    const wrong = { deliberation: 'alway', sets: { coverage: 1 }, abstain: 0.1, delibration: 1 }
    const { code, problems } = errorOf({ state: 's', questions: QUESTIONS, simo: wrong })
    expect([code, ...problems.map(({ param, message }) => [param, message])]).toEqual([
      'invalid_request',
      ['/simo/delibration', 'This takes deliberation, sets, abstain; "delibration" is not known. Did you mean "deliberation"?'],
      ['/simo/deliberation', 'deliberation is one of "automatic", "never", "always"; received "alway". Did you mean "always"?'],
      ['/simo/sets/coverage', 'coverage is a share between 0 and 1, such as 0.9.'],
      ['/simo/abstain', 'This is an object with max_risk; received a number.'],
    ])
  })

  it('names unknown top-level fields in a warning, with the near name', () => {
    const { warnings } = check({ state: 's', questions: QUESTIONS, sate: 1, stream: true })
    expect(warnings).toEqual([
      'The field "sate" is not known and was ignored. Did you mean "state"?',
      'The field "stream" is not known and was ignored.',
    ])
  })

  it('repeats no more than the beginning of a name it does not know', () => {
    const { warnings } = check({ state: 's', questions: QUESTIONS, ['x'.repeat(10_000)]: 1 })
    expect(warnings).toEqual([`The field "${'x'.repeat(80)}" is not known and was ignored.`])
  })

  it('names only so many unknown fields, wherever they are', () => {
    const stray = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, i]))
    expect(check({ state: 's', questions: QUESTIONS, ...stray }).warnings).toHaveLength(21)
    const { problems } = faultsOf({ type: 'noul', ...stray })
    expect(problems).toHaveLength(21)
    expect(problems[20]).toEqual(['', '980 more unknown fields.'])
  })

  it.each([[null], ['text'], [[]], [7], [undefined]])('is an object, not %j', (input) => {
    expect(errorOf(input).code).toBe('invalid_request')
  })

  it('says everything that is missing at once', () => {
    const error = errorOf({ model: 7 })
    expect(error.code).toBe('invalid_request')
    expect(error.problems.map(({ param }) => param)).toEqual(['/model', '/state', '/questions'])
    expect(error.param).toBe('/model')
  })

  it('names a field that may be meant where one is missing', () => {
    const messages = errorOf({ sate: 's', question: {} }).problems.map(({ message }) => message)
    expect(messages).toEqual([
      expect.stringContaining('There is "sate", which is not known'),
      expect.stringContaining('There is "question"'),
    ])
    expect(errorOf({ state: 's', other: {} }).message).not.toContain('There is')
  })

  it.each([
    [{}, '/questions', 'at least one question'],
    [[{ type: 'noul' }], '/questions', 'received an array'],
    [null, '/questions', 'received null'],
    [{ ' ': { type: 'noul' } }, '/questions/ ', '1 to 128 characters'],
    [{ ['x'.repeat(129)]: { type: 'noul' } }, `/questions/${'x'.repeat(129)}`, 'this one has 129'],
  ])('refuses questions %j', (questions, param, message) => {
    const error = errorOf({ state: 's', questions })
    expect(error.code).toBe('invalid_request')
    expect(error.param).toBe(param)
    expect(error.message).toContain(message)
  })

  it('says everything that is wrong with several questions at once, and takes the code of the first', () => {
    const error = errorOf({
      state: 's',
      questions: {
        a: { type: 'nuol' },
        b: { type: 'choice', criterai: { x: null, y: null } },
        'c/d~': { type: 'score', criteria: ['one'] },
      },
    })
    expect(error.code).toBe('unknown_question_type')
    expect(error.message).toContain('Did you mean "noul"?')
    expect(error.problems.map(({ param }) => param)).toEqual([
      '/questions/a/type',
      '/questions/b/criterai',
      '/questions/b',
      '/questions/c~1d~0/criteria',
    ])
    expect(error.problems[1]!.message).toMatch(/^Unknown field "criterai" in a choice question\. Did you mean "criteria"\? It takes type, /)
  })

  it('counts arguments among the questions', () => {
    const args = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}`, { type: 'noul' }]))
    const choice = { type: 'choice', options: ['x', 'y'], args }
    expect(check({ state: 's', questions: { one: choice } }).questions).toHaveLength(1)
    const error = errorOf({ state: 's', questions: { one: choice, two: choice } })
    expect(error.code).toBe('too_many_questions')
    expect(error.message).toMatch(/402 .* 256/)
  })

  it('holds against limits handed in', () => {
    const questions = { a: { type: 'noul' }, b: { type: 'noul' } }
    expect(() => check({ state: 's', questions }, { ...REQUEST_LIMITS, questions: 1 })).toThrow(
      /^There are 2 questions, and a request takes 1 at most; split it/,
    )
  })

  it('takes ids that are names of prototypes', () => {
    const questions = JSON.parse('{"__proto__": {"type": "noul"}, "constructor": {"type": "noul"}, "hasOwnProperty": {"type": "noul"}}')
    expect(check({ state: 's', questions }).questions.map(({ id }) => id)).toEqual(['__proto__', 'constructor', 'hasOwnProperty'])
  })

  it('does not take inherited fields for its own', () => {
    expect(errorOf(Object.create({ state: 's', questions: QUESTIONS })).problems).toHaveLength(2)
    expect(faultsOf(Object.create({ type: 'noul' })).problems[0]![0]).toBe('/type')
  })
})

describe('a question', () => {
  const choice = { type: 'choice', options: ['x', 'y'] }

  it.each<[string, unknown, string, string | RegExp]>([
    ['that is null', null, '', 'received null'],
    ['that is a string', 'noul', '', 'received a string'],
    ['that is an array', [], '', 'received an array'],
    ['without a type', {}, '/type', 'noul, choice, score, select, fill, extract'],
    ['whose type is no string', { type: 7 }, '/type', 'needs its type'],
    ['with an unknown field', { type: 'noul', instruction: 'x' }, '/instruction', 'Did you mean "instructions"?'],
    ['with __proto__ as a field', JSON.parse('{"type": "noul", "__proto__": {}}'), '/__proto__', 'Unknown field'],
    ['with an unknown field in criteria', { type: 'noul', criteria: { ture: 'x' } }, '/criteria/ture', 'Did you mean "true"?'],
    ['with args where none belong', { type: 'noul', args: {} }, '/args', 'Unknown field "args"'],
    ['whose image is no id', { type: 'noul', image: 3 }, '/image', 'image takes a string, not 3.'],
    ['whose instructions are a function', { type: 'noul', instructions: () => 1 }, '/instructions', 'A function is not a JSON value'],
    ['whose instructions are a Map', { type: 'noul', instructions: new Map([['a', 1]]) }, '/instructions', 'Object.fromEntries(map)'],
    ['whose instructions hold NaN', { type: 'noul', instructions: { n: Number.NaN } }, '/instructions/n', 'NaN is not a JSON value'],
    ['whose instructions list nothing', { type: 'noul', instructions: ['a', undefined] }, '/instructions/1', 'undefined is not a JSON'],
    ['with an Error for a criterion', { type: 'noul', criteria: { true: new Error('x') } }, '/criteria/true', 'send error.stack'],
    ['with a bigint in a description', { type: 'choice', criteria: { 'a/b': { n: 1n }, c: null } }, '/criteria/a~1b/n', 'String(value)'],
    ['without options', { type: 'choice' }, '', 'needs its options'],
    ['with options twice', { ...choice, criteria: { a: null, b: null } }, '/criteria', 'given twice'],
    ['with one option', { type: 'choice', options: ['x'] }, '/options', '1 options, but 2 to 255'],
    [
      'with 256 options',
      { type: 'select', options: Array.from({ length: 256 }, (_, i) => `o${i}`) },
      '/options',
      '256 options, but 2 to 255',
    ],
    ['with duplicate options', { type: 'choice', options: ['x', 'y', { value: 'x' }] }, '/options/2/value', 'Option "x" is given twice'],
    ['with an empty option', { type: 'choice', options: ['x', ''] }, '/options/1', 'must not be empty'],
    ['with a blank option', { type: 'choice', criteria: { x: null, ' ': null } }, '/criteria/ ', 'must not be empty'],
    [
      'with a number for an option',
      { type: 'choice', options: ['x', 2] },
      '/options/1',
      'An option is a name, which is a text, or an object with value and description; received a number. Write "2".',
    ],
    [
      'with an option without a value',
      { type: 'choice', options: ['x', { name: 'y' }] },
      '/options/1/value',
      'value takes a string, not nothing.',
    ],
    ['with options as a map', { type: 'choice', options: { x: null, y: null } }, '/options', 'expected an array of options'],
    ['with criteria as text', { type: 'choice', criteria: 'x, y' }, '/criteria', 'received a string'],
    [
      'with an unknown field in an option',
      { type: 'choice', options: ['x', { value: 'y', desc: 'z' }] },
      '/options/1/desc',
      'Unknown field "desc"',
    ],
    ['with args in an option', { type: 'select', options: ['x', { value: 'y', args: {} }] }, '/options/1/args', 'Unknown field "args"'],
    ['with args that are no map', { ...choice, args: [] }, '/args', 'received an array'],
    ['with empty args', { ...choice, args: {} }, '/args', 'at least one argument'],
    ['with a broken argument', { ...choice, args: { a: { type: 'fil' } } }, '/args/a/type', 'Did you mean "fill"?'],
    [
      'with args within args',
      { ...choice, args: { a: { ...choice, args: { b: { type: 'noul' } } } } },
      '/args/a/args',
      'not one with args of its own',
    ],
    [
      'with args within args of an option',
      { ...choice, args: { a: { type: 'choice', options: ['x', { value: 'y', args: { b: { type: 'noul' } } }] } } },
      '/args/a/options/1/args',
      'not one with args of its own',
    ],
    [
      'with the same argument twice',
      { type: 'choice', options: ['x', { value: 'y', args: { a: { type: 'noul' } } }], args: { a: { type: 'noul' } } },
      '/options/1/args/a',
      'rename one',
    ],
    ['without levels', { type: 'score' }, '', 'needs its levels'],
    ['with levels as a map', { type: 'score', criteria: { low: null, high: null } }, '/criteria', 'a map would lose the order'],
    ['with one level', { type: 'score', criteria: ['low'] }, '/criteria', '1 levels, but 2 to 26'],
    ['with 27 levels', { type: 'score', criteria: Array.from({ length: 27 }, (_, i) => `l${i}`) }, '/criteria', '27 levels, but 2 to 26'],
    ['with duplicate levels', { type: 'score', criteria: ['low', 'low'] }, '/criteria/1', 'Level "low" is given twice'],
    [
      'with a number for a level',
      { type: 'score', criteria: [1, 2] },
      '/criteria/0',
      'A level is a label, which is a text, or an object with label and description; received a number. Write "1".',
    ],
    [
      'with an unknown field in a level',
      { type: 'score', criteria: ['a', { label: 'b', value: 1 }] },
      '/criteria/1/value',
      'It takes label, description',
    ],
    ['with a threshold of 1', { type: 'select', options: ['x', 'y'], threshold: 1 }, '/threshold', 'strictly between 0 and 1'],
    ['with a negative min', { type: 'select', options: ['x', 'y'], min: -1 }, '/min', '>=0'],
    ['with half an option as max', { type: 'select', options: ['x', 'y'], max: 1.5 }, '/max', 'max takes a whole number, not 1.5.'],
    ['with max beyond the options', { type: 'select', options: ['x', 'y'], max: 3 }, '/max', 'max is 3, but there are 2'],
    ['with min above max', { type: 'select', options: ['x', 'y'], min: 2, max: 1 }, '/min', 'more than max'],
    ['of an unknown kind', { type: 'fill', kind: 'float' }, '/kind', 'kind takes text, int, number, date, enum, list, not "float".'],
    ['with self_check as text', { type: 'fill', self_check: 'yes' }, '/self_check', 'self_check takes true or false, not a string.'],
    ['with values for an int', { type: 'fill', kind: 'int', values: ['1', '2'] }, '/values', 'belongs to kind enum'],
    ['with an item for a text', { type: 'fill', item: 'int' }, '/item', 'belongs to kind list'],
    ['with an enum without values', { type: 'fill', kind: 'enum' }, '/values', 'needs its values'],
    ['with numbers for values', { type: 'fill', kind: 'enum', values: [1, 2] }, '/values/0', 'A value is a string'],
    ['with duplicate values', { type: 'fill', kind: 'enum', values: ['a', 'a'] }, '/values/1', 'given twice'],
    [
      'with a list of lists',
      { type: 'fill', kind: 'list', item: 'list' },
      '/item/kind',
      'kind takes text, int, number, date, enum, not "list".',
    ],
    [
      'with a separator inside a value',
      { type: 'fill', kind: 'list', item: { kind: 'enum', values: ['a;b', 'c'] } },
      '/item/values',
      'separated by',
    ],
    ['with many as a number', { type: 'extract', many: 2 }, '/many', 'many takes true or false, not 2.'],
    [
      'of an unknown kind of extract',
      { type: 'extract', kind: 'phone' },
      '/kind',
      'kind takes text, int, number, date, email, url, money, coordinates, not "phone".',
    ],
  ])('%s is refused with its pointer', (_, question, param, message) => {
    const { code, problems } = faultsOf(question)
    expect(['invalid_question', 'unknown_question_type']).toContain(code)
    const messages = problems.filter(([at]) => at === param).map(([, said]) => said)
    expect(messages.join('\n')).toMatch(typeof message === 'string' ? new RegExp(message.replaceAll(/[|()?.]/g, '\\$&')) : message)
  })

  it('is told of a typo and of duplicate options at once', () => {
    const { problems } = faultsOf({ type: 'choice', instrctions: 'x', options: ['a', 'a'] })
    expect(problems.map(([param]) => param)).toEqual(['/instrctions', '/options/1'])
  })

  it('is refused when its instructions are nested without end', () => {
    const loop: Record<string, unknown> = {}
    loop.again = loop
    expect(faultsOf({ type: 'noul', instructions: loop }).problems[0]![1]).toContain('nested deeper than 32')
  })

  it('takes null for every field it could leave out', () => {
    const none = { instructions: null, image: null }
    const { questions } = check({
      model: null,
      derive: null,
      state: 's',
      questions: {
        a: { type: 'noul', ...none, criteria: null },
        b: { type: 'choice', ...none, options: [{ value: 'x', description: null, args: null }, 'y'], criteria: null, args: null },
        c: { type: 'score', ...none, criteria: ['low', { label: 'high', description: null }] },
        d: { type: 'select', ...none, options: null, criteria: { x: null, y: null }, min: null, max: null, threshold: null },
        e: { type: 'fill', ...none, kind: null, item: null, values: null, schema: null, pattern: null, self_check: null },
        f: { type: 'fill', ...none, kind: 'list', item: { kind: 'int', values: null } },
        g: { type: 'extract', ...none, kind: null, many: null, self_check: null },
      },
    })
    expect(questions.map(({ id, image }) => [id, image])).toEqual([...'abcdefg'].map((id) => [id, null]))
  })

  it('is said to ask for its id alone where that is one word, and nothing else says what is asked', () => {
    const warningsOf = (questions: Record<string, unknown>) => check({ state: 's', questions }).warnings
    const said = (what: string) => `The ${what} has no instructions, so its id alone is asked; say in instructions what is asked.`
    for (const instructions of [undefined, null, '', '   ']) {
      expect(warningsOf({ q: { type: 'noul', instructions } })).toEqual([said('question "q"')])
    }
    expect(warningsOf({ late: { type: 'noul' } })).toEqual([said('question "late"')])
    expect(warningsOf({ a: { type: 'extract' }, b: { type: 'choice', criteria: ['x', 'y'] } })).toEqual([
      said('question "a"'),
      said('question "b"'),
    ])
    const args = { x1: { type: 'extract', kind: 'money' }, pay_day: { type: 'extract', kind: 'date' } }
    expect(warningsOf({ q: { type: 'choice', instructions: 'What next?', criteria: ['x', 'y'], args } })).toEqual([said('argument "x1"')])
    const tone = { type: 'score', criteria: ['calm', 'angry'] }
    const told = {
      is_late: { type: 'noul' },
      amount: { type: 'extract' },
      tone,
      q: { type: 'choice', criteria: { x: 'it is x', y: null } },
    }
    expect(warningsOf(told)).toEqual([])
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`q${i}`, { type: 'noul' }]))
    expect(warningsOf(many)).toHaveLength(21)
  })

  it('takes descriptions and criteria as null, text or JSON', () => {
    const { questions } = check({
      state: 's',
      questions: {
        a: { type: 'choice', criteria: { x: null, y: 'why', z: ['a', 1] } },
        b: { type: 'noul', criteria: null, instructions: null },
        c: { type: 'score', criteria: ['low', { label: 'high', description: null }] },
      },
    })
    expect(questions).toHaveLength(3)
  })
})
