import fc from 'fast-check'
import { all, create } from 'mathjs/number'
import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { REQUEST_LIMITS } from '../../src/core/limits.ts'
import { DERIVE_LIMITS, evaluateDerive, parseDerive } from '../../src/pipeline/derive/derive.ts'
import type { KnownQuestions } from '../../src/pipeline/derive/plain-types.ts'
import { checkRequest } from '../../src/pipeline/request.ts'
import type { Answer, Questions } from '../../src/wire/types.ts'

/** Without what the questions say of their answers: most mistakes show when it is evaluated. */
const options: readonly [string, readonly string[] | null][] = [
  ['urgent', null],
  ['rude', null],
  ['tab', ['Home', 'Orders', 'Help']],
  ['stars', ['1', '2', '3']],
  ['topics', ['money', 'time']],
  ['total', null],
  ['count_text', null],
  ['name', null],
  ['missing', null],
  ['failed', null],
  ['lines', null],
  ['save', null],
  ['page-kind', ['list', 'form']],
  ['constructor', null],
  ['ordered', null],
  ['came', null],
  ['intent', ['refund', 'other']],
  ['intent/amount', null],
  ['intent/reason', null],
]
const known: KnownQuestions = new Map(options.map(([id, names]) => [id, { options: names, plain: null }]))

const answers: Readonly<Record<string, Answer>> = {
  urgent: { type: 'noul', noul: 0.75 },
  rude: { type: 'noul', noul: 0.25 },
  tab: { type: 'choice', choice: 'Orders', probabilities: { Home: 0.2, Orders: 0.7, Help: 0.1 }, confidence: 0.7 },
  stars: { type: 'score', score: 1.5, legend: { 0: '1', 1: '2', 2: '3' }, probabilities: { 0: 0.1, 1: 0.3, 2: 0.6 }, confidence: 0.6 },
  topics: { type: 'select', selected: ['money'], probabilities: { money: 0.9, time: 0.2 }, confidence: 0.72, order: ['money', 'time'] },
  total: { type: 'fill', value: '42', parsed: 42, valid: true, confidence: 0.9 },
  count_text: { type: 'extract', value: '1,250.5', span: { start: 0, end: 7 }, valid: true, confidence: 0.9 },
  name: { type: 'extract', value: 'Ada', span: { start: 0, end: 3 }, valid: true, confidence: 0.9 },
  missing: { type: 'extract', value: null, valid: true, confidence: 0.9 },
  failed: { type: 'fill', value: '4', valid: false, confidence: 0.1 },
  lines: { type: 'extract', values: ['a', 'b'], items: [], valid: true, confidence: 0.5 },
  save: { type: 'extract', coordinates: [1, 2, 3, 4], center: [2, 3], image_size: [9, 9], valid: true, confidence: 0.5 },
  'page-kind': { type: 'choice', choice: 'form', probabilities: { list: 0.4, form: 0.6 }, confidence: 0.6 },
  ['constructor' as string]: { type: 'noul', noul: 0.5 },
  ordered: { type: 'fill', value: '2026-03-12', valid: true, confidence: 0.9 },
  came: { type: 'fill', value: '2026-03-25', valid: true, confidence: 0.9 },
  intent: {
    type: 'choice',
    choice: 'refund',
    probabilities: { refund: 0.9, other: 0.1 },
    confidence: 0.9,
    args: { amount: { type: 'fill', value: '59.9', parsed: 59.9, valid: true, confidence: 0.8 } },
  },
}

async function derive(expression: string) {
  const plan = await parseDerive({ it: expression }, known)
  return evaluateDerive(plan, answers).it
}

async function refusal(derives: unknown): Promise<EngineError> {
  try {
    await parseDerive(derives, known)
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError)
    expect((error as EngineError).code).toBe('invalid_derive')
    return error as EngineError
  }
  throw new Error('was not refused')
}

describe('values', () => {
  it.each<[string, number | string | boolean]>([
    ['urgent', 0.75],
    ['stars * 2', 3],
    ['tab == "Orders"', true],
    ['tab != "Orders"', false],
    ['"Orders" == tab and urgent > 0.5', true],
    ['p(tab, "Home")', 0.2],
    ['p(stars, "3")', 0.6],
    ['p(stars, 0)', 0.1],
    ['p(topics, "time") < 0.5', true],
    ['p(urgent)', 0.75],
    ['p(urgent, "false")', 0.25],
    ['p(urgent, false)', 0.25],
    ['total + 1', 43],
    ['count_text / 2', 625.25],
    ['count_text == 1250.5', true],
    ['name == "Ada"', true],
    ['has(name) and not has(missing) and not has(failed)', true],
    ['has(save) and has(lines) and has(topics) and has(tab)', true],
    ['count(lines) + count(topics)', 3],
    ['confidence(tab) < 0.8', true],
    ['confidence(rude)', 0.75],
    ['has(name) and confidence(name) > 0.8 ? name : "ask a person"', 'Ada'],
    ['has(missing) ? missing : 7', 7],
    ['missing == null', true],
    ['value("page-kind") == "form"', true],
    ['p("page-kind", "list")', 0.4],
    ['constructor', 0.5],
    ['(urgent > 0.5) + (rude > 0.5)', 1],
    ['0.2 < rude < urgent <= 0.75', true],
    ['0.5 < rude < urgent', false],
    ['urgent > 0.9 ? "page" : urgent > 0.5 ? "ticket" : "ignore"', 'ticket'],
    ['(urgent > 0.5) xor (rude > 0.5)', true],
    ['0.1 + 0.2 == 0.3', true],
    ['0.1 + 0.2 > 0.3', false],
    ['round(1.005, 2)', 1.01],
    ['round(-2.5)', -3],
    ['round(1e-9, 3)', 0],
    ['min(3, urgent, 2) + max(1, 2) + abs(-1)', 3.75],
    ['floor(1.5) + ceil(1.5) + sqrt(16) + log(exp(2)) + log(8, 2)', 12],
    ['ordered < came and came <= "2026-03-25" and came >= "2026-03-25"', true],
    ['came > "2026-04-01" or came < ordered', false],
    ['"2026-03-01" < ordered < came', true],
    ['value("intent/amount") > 50', true],
    ['confidence("intent/amount")', 0.8],
    ['has("intent/amount") and not has("intent/reason")', true],
    ['value("intent/reason") == null', true],
    ['2 urgent', 1.5],
    ['2^3^2', 512],
    ['-2^2', -4],
  ])('%s', async (expression, value) => {
    const answer = await derive(expression)
    if (typeof value === 'number') expect(answer?.value).toBeCloseTo(value, 12)
    else expect(answer?.value).toBe(value)
    expect(answer).toMatchObject({ type: 'derive', valid: true })
  })

  it('agrees with mathjs on random arithmetic, comparisons and conditions', async () => {
    const oracle = create(all ?? {})
    const number = fc.oneof(
      fc.integer({ min: 0, max: 99 }).map(String),
      fc.double({ min: 0.01, max: 9, noNaN: true }).map((x) => x.toFixed(3)),
    )
    const { sum } = fc.letrec<{ sum: string; test: string }>((tie) => ({
      test: fc.oneof(
        fc.tuple(tie('sum'), fc.constantFrom('<', '<=', '>', '>=', '==', '!='), tie('sum')).map(([a, op, b]) => `(${a} ${op} ${b})`),
        fc.tuple(tie('sum'), tie('sum'), tie('sum')).map(([a, b, c]) => `(${a} < ${b} <= ${c})`),
      ),
      sum: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'e' },
        number,
        fc.tuple(tie('sum'), fc.constantFrom('+', '-', '*', '/', '- -'), tie('sum')).map(([a, op, b]) => `${a} ${op} ${b}`),
        fc.tuple(fc.constantFrom('abs', 'floor', 'ceil', 'sqrt', 'round'), tie('sum')).map(([f, a]) => `${f}(${a})`),
        fc.tuple(fc.constantFrom('min', 'max'), tie('sum'), tie('sum')).map(([f, a, b]) => `${f}(${a}, ${b})`),
        fc.tuple(tie('test'), tie('sum'), tie('sum')).map(([t, a, b]) => `(${t} ? ${a} : ${b})`),
        fc.tuple(tie('test'), tie('test')).map(([a, b]) => `((${a} and not ${b}) ? 1 : 2)`),
      ),
    }))
    let compared = 0
    await fc.assert(
      fc.asyncProperty(sum, async (expression) => {
        fc.pre(expression.length <= 500)
        const expected = oracle.evaluate(expression)
        const answer = await derive(expression)
        if (typeof expected === 'number' && Number.isFinite(expected)) {
          compared++
          expect(answer?.value).toBeCloseTo(expected, 8)
        } else expect(answer?.valid).toBe(false)
      }),
      { seed: 7, numRuns: 400 },
    )
    expect(compared).toBeGreaterThan(200)
  })

  it('follows derives by need, whatever the order they are written in', async () => {
    const plan = await parseDerive({ c: 'b * 2', b: { expr: 'a + urgent' }, a: '1' }, known)
    const results = evaluateDerive(plan, answers)
    expect(results.c?.value).toBe(3.5)
    expect(Object.keys(results).sort()).toEqual(['a', 'b', 'c'])
  })

  it('does not look at the branch that is not taken', async () => {
    expect((await derive('urgent > 0 or missing > 1'))?.value).toBe(true)
    expect((await derive('urgent < 0 and missing > 1'))?.value).toBe(false)
    expect((await derive('urgent > 0 ? 1 : 1 / 0'))?.value).toBe(1)
  })
})

describe('failures say why and stand alone', () => {
  it.each<[string, RegExp]>([
    ['1 / (urgent - 0.75)', /divides by zero/],
    ['missing', /not there.*has\(/],
    ['missing + 1', /no value/],
    ['failed + 1', /no value/],
    ['name * 2', /needs a number, not the text "Ada"$/],
    ['count_text > came', /">" compares numbers, and days/],
    ['came - 1', /"?-"? needs a number, not the text "2026-03-25"; a day can be compared with a day/],
    ['value("intent/reason") > 1', /there is no value to use in ">"/],
    ['tab == 1', /"Orders"/],
    ['urgent and rude', /true or false, not 0\.75.*> 0\.5/],
    ['not urgent', /true or false/],
    ['urgent ? 1 : 2', /before "\?"/],
    ['lines', /list; use count\(lines\)/],
    ['save + 1', /box/],
    ['log(0)', /not a finite number/],
    ['sqrt(-1)', /not a finite number/],
    ['10^400', /not a finite number/],
    ['2^9^9', /exponent 387420489 is too large; at most 1000/],
    ['p(total, "x")', /no probabilities/],
    ['p(tab, 1)', /no option "1"/],
    ['count(urgent)', /list/],
    ['round(1.5, 99)', /0 to 15 digits/],
  ])('%s', async (expression, error) => {
    const plan = await parseDerive({ bad: expression, next: 'urgent', uses: 'bad + 1' }, known)
    const results = evaluateDerive(plan, answers)
    expect(results.bad).toMatchObject({ type: 'derive', value: null, valid: false })
    expect(results.bad?.error).toMatch(error)
    expect(results.next).toEqual({ type: 'derive', value: 0.75, valid: true })
    expect(results.uses?.valid).toBe(false)
  })

  it('fails, not throws, when a question has no answer', async () => {
    const plan = await parseDerive({ it: 'urgent' }, known)
    expect(evaluateDerive(plan, {}).it).toMatchObject({ value: null, valid: false, error: '"urgent" was not answered' })
  })
})

describe('refusals', () => {
  const refused: readonly (readonly [expression: string, message: RegExp])[] = [
    ['', /empty/],
    ['   ', /empty/],
    ['urgent >', /cannot be read/],
    ['urgent > 0.5 && rude > 0.5', /cannot be read: .*; write and for &&/],
    ['urgent > 0.5 || !has(name)', /; write or for \|\|, not for !/],
    ['tab === "Home"', /; write == for ===/],
    ['tab !== "Home"', /; write != for !==/],
    ['urgent > && "a || !b"', /; write and for &&\.$/],
    ['tab == "Ordres"', /"tab" has no option "Ordres"\. Did you mean "Orders"\?/],
    ['has(name) and not ("Settings" != tab)', /"tab" has no option "Settings"\. It has Home, Orders, Help/],
    ['value("page-kind") == "from"', /"page-kind" has no option "from"/],
    ['p(tab', /cannot be read/],
    ['urgnt > 0.5', /no question or derive "urgnt"\. Did you mean "urgent"/],
    ['nothing_like_it', /There are urgent, rude/],
    ['mx(1, 2)', /no function "mx"\. Did you mean "max"/],
    ['tab < "Z"', /"<" needs a number, and "Z" is a text; .*== and !=/],
    ['max', /is a function; write max\(…\)/],
    ['max()', /1 to 64 arguments, not 0/],
    ['abs(1, 2)', /abs\(\) takes 1 arguments, not 2/],
    ['p(tab, "Ordrs")', /no option "Ordrs"\. Did you mean "Orders"/],
    ['p(tab)', /needs an option: Home, Orders, Help/],
    ['p(tab, Home)', /option as a text in quotes/],
    ['p(tab, 7)', /no option "7"/],
    ['p(urgent + 1)', /id of a question first/],
    ['has()', /id of a question first/],
    ['has(tab, "Home")', /1 argument, not 2/],
    ['p(other)', /is a derive; write other alone/],
    ['range(0, 1e9)', /no function "range"/],
    ['zeros(20000, 20000)', /no function "zeros"/],
    ['import("fs")', /no function "import"/],
    ['evaluate("1")', /no function "evaluate"/],
    ['createUnit("x")', /no function/],
    ['bignumber("9")', /no function/],
    ['hasOwnProperty(1)', /no function/],
    ['toString()', /no function/],
    ['urgent.constructor', /reading a property is \(.*\) not allowed here/],
    ['"".constructor.constructor("return 1")()', /cannot be read/],
    ['tab["constructor"]', /reading a property is \(.*\) not allowed here/],
    ['__proto__', /no question or derive/],
    ['prototype', /no question or derive/],
    ['x = 1', /use == to compare/],
    ['f(x) = x', /defining a function/],
    ['1; 2', /more than one expression/],
    ['urgent\nrude', /more than one expression/],
    ['1:5', /ranges/],
    ['[1, 2]', /lists/],
    ['{a: 1}', /objects/],
    ['urgent!', /operator "!"/],
    ["urgent'", /operator "'"/],
    ['5 mod 2', /operator "mod"/],
    ['1 | 2', /operator "\|"/],
    ['5 cm to inch', /operator "to"/],
    ['urgent rude', /operator is missing/],
    ['1e999', /constant Infinity/],
    ['NaN', /constant NaN/],
    ['undefined', /constant undefined/],
    ['1'.padEnd(501, '0'), /501 characters, at most 500/],
    [`1${'+1'.repeat(120)}`, /more than 200 parts/],
    [`${'('.repeat(249)}1${')'.repeat(250)}`, /cannot be read|nested|parts/],
    ['('.repeat(500), /nested too deeply|cannot be read/],
    [`${'-'.repeat(499)}1`, /nested too deeply|parts/],
  ]
  it.each(refused.map(([expression, message]) => [expression.slice(0, 40), expression, message] as const))(
    '%s',
    async (_, expression, message) => {
      const error = await refusal({ ok: 'urgent', other: '1', it: expression })
      expect(error.param).toBe('/derive/it')
      expect(error.problems).toHaveLength(1)
      expect(error.message).toMatch(message)
    },
  )

  it('names a cycle', async () => {
    const error = await refusal({ a: 'b + 1', b: 'c', c: 'a', d: '1' })
    expect(error.message).toContain('a → b → c → a')
    expect((await refusal({ self: 'self + 1' })).message).toContain('self → self')
  })

  it.each<[string, unknown, string]>([
    ['a list', ['urgent'], '/derive'],
    ['a text', 'urgent', '/derive'],
    ['too many', Object.fromEntries(Array.from({ length: DERIVE_LIMITS.derives + 1 }, (_, i) => [`d${i}`, '1'])), '/derive'],
    ['a number for an expression', { a: 3 }, '/derive/a'],
    ['null for an expression', { a: null }, '/derive/a'],
    ['an unknown field', { a: { expr: '1', exprs: '2' } }, '/derive/a/exprs'],
    ['no expr', { a: {} }, '/derive/a/expr'],
    ['a wrong expr', { a: { expr: 'urgnt' } }, '/derive/a/expr'],
    ['the name of a question', { urgent: '1' }, '/derive/urgent'],
    ['an empty name', { '': '1' }, '/derive/'],
    ['a blank name', { ' ': '1' }, '/derive/ '],
    ['a hidden character in a name', { 'a\u202eb': '1' }, '/derive/a\u202eb'],
    ['a long name', { ['n'.repeat(129)]: '1' }, `/derive/${'n'.repeat(129)}`],
    ['a slash in a name', { 'a/b': 'oops' }, '/derive/a~1b'],
  ])('%s', async (_, derives, param) => {
    expect((await refusal(derives)).param).toBe(param)
  })

  it('reports everything that is wrong at once', async () => {
    const error = await refusal({ a: 'urgnt', b: 'cos(1)', c: 'urgent', urgent: '1' })
    expect(error.problems.map(({ param }) => param)).toEqual(['/derive/a', '/derive/b', '/derive/urgent'])
    expect(error.message).toBe('In derive "a": there is no question or derive "urgnt". Did you mean "urgent"?')
  })

  it('takes nothing at all', async () => {
    expect(await parseDerive(undefined, known)).toEqual({ steps: [] })
    expect(await parseDerive({}, known)).toEqual({ steps: [] })
  })

  it('keeps prototype names as plain names', async () => {
    const derives = JSON.parse('{"__proto__": "urgent", "toString": "1", "sum": "value(\\"__proto__\\") + toString"}')
    const results = evaluateDerive(await parseDerive(derives, known), answers)
    expect(Object.getPrototypeOf(results)).toBeNull()
    expect(Object.keys(results).sort()).toEqual(['__proto__', 'sum', 'toString'])
    expect(results.sum?.value).toBe(1.75)
  })

  it('either refuses or answers any text, quickly', async () => {
    const token = fc.constantFrom(
      ...'( ) [ ] { } . , ; : ? ! % \' " = == < > + - * / ^ and or not in to mod 1 0.5 1e9 urgent tab p has value max range __proto__ "Home" # \\ $ é 💥'.split(
        ' ',
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 90 }), async (tokens) => {
        const before = performance.now()
        const outcome = await derive(tokens.join(' ')).catch((error: EngineError) => error.code)
        expect(outcome === 'invalid_derive' || (typeof outcome === 'object' && outcome.type === 'derive')).toBe(true)
        expect(performance.now() - before).toBeLessThan(1000)
      }),
      { seed: 11, numRuns: 600 },
    )
  })
})

describe('what no answer can make right is refused before asking', () => {
  const questions: Questions = {
    urgent: { type: 'noul', instructions: 'It is urgent.' },
    'is-angry': { type: 'noul', instructions: 'The customer is angry.' },
    tone: { type: 'choice', options: ['calm', 'angry'] },
    size: { type: 'choice', options: ['1', '2', 'more'] },
    stars: { type: 'score', instructions: 'How good?', criteria: ['bad', 'fair', 'good'] },
    topics: { type: 'select', options: ['money', 'time'] },
    land: { type: 'fill', kind: 'enum', values: ['DE', 'FR'] },
    total: { type: 'fill', kind: 'number' },
    parts: { type: 'fill', kind: 'list' },
    name: { type: 'extract' },
    dates: { type: 'extract', kind: 'date', many: true },
    button: { type: 'extract', kind: 'coordinates' },
    sum: { type: 'extract', kind: 'money' },
    mail: { type: 'extract', kind: 'email' },
    came: { type: 'fill', kind: 'date' },
    quoted: { type: 'extract', kind: 'date' },
    term: { type: 'fill', kind: 'enum', values: ['2026-06-01', '2026-12-01'] },
    intent: {
      type: 'choice',
      options: [
        { value: 'refund', args: { amount: { type: 'fill', kind: 'number' }, why: { type: 'extract', kind: 'money' } } },
        { value: 'other', args: { team: { type: 'choice', options: ['billing', 'sales'] }, why: { type: 'noul', instructions: 'Why.' } } },
      ],
    },
  }
  const asked = checkRequest({ state: 'x', questions }, REQUEST_LIMITS, []).known as KnownQuestions
  const messageOf = (expression: string) =>
    parseDerive({ stats: 'urgent', it: expression }, asked).then(
      () => null,
      ({ message }: EngineError) => message,
    )

  it.each([
    ['not urgent', '"not" needs true or false, and "urgent" is a probability; compare it, for example urgent > 0.5'],
    ['not tone', '"tone" is one of its options, a text; compare it, for example tone == "calm"'],
    ['urgent and tone', '"and" needs true or false, and "urgent" is a probability'],
    ['stars ? 1 : 2', 'the part before "?" needs true or false, and "stars" is the expected level, a number from 0 to 2'],
    ['p(tone, "calm") or has(name)', 'compare it, for example p(…) > 0.5'],
    ['tone > 1', '">" needs a number, and "tone" is one of its options, a text; write tone == "calm", or p(tone, "calm") > 0.5'],
    ['tone == 1', 'a comparison with a number needs a number, and "tone" is one of its options'],
    ['land + 1', '"land" is one of its values, a text; write land == "DE"'],
    ['tone < "z"', '"<" compares numbers, and days such as "2026-03-25", which a fill of kind date writes; other texts'],
    ['sum > 50', '">" needs a number, and "sum" is an amount with its currency, a text; ask for a number by a fill of kind number'],
    ['not mail', '"mail" is an address, a text; compare it, for example has(mail)'],
    ['not came', '"came" is a day; compare it, for example came < "2026-03-25"'],
    ['came > 5', '">" needs a number, and "came" is a day; a day can be compared with a day, and not be calculated with'],
    ['came + 1', '"+" needs a number, and "came" is a day'],
    ['came < "soon"', '"<" compares numbers, and days such as "2026-03-25"'],
    ['came == "25 March 2026"', '"came" is a day, written as "2026-03-25", and never "25 March 2026"'],
    ['came < tone', '"<" compares numbers, and days'],
    ['urgent > "2026-03-20"', '">" needs a number, and "2026-03-20" is a text; a day can be compared with a day'],
    ['amount > 5', '"amount" is an argument; write value("intent/amount")'],
    ['intent.amount > 5', 'reading a property is (an argument is value("question/argument")) not allowed here'],
    ['value("intent/amuont") > 5', 'there is no question or derive "intent/amuont". Did you mean "intent/amount"?'],
    ['value("intent/team") > 5', '"intent/team" is one of its options, a text'],
    ['p("intent/team", "biling") > 0.5', '"intent/team" has no option "biling". Did you mean "billing"?'],
    ['stars == "good"', '"good" is the label of level 2; write round(stars) == 2, or p(stars, "good") > 0.5'],
    ['stars == "grand"', 'a comparison with a number needs a number, and "grand" is a text'],
    ['urgent == "yes"', 'a comparison with a number needs a number, and "yes" is a text'],
    ['p(tone, "0") > 0.5', '"tone" has no option "0". It has calm, angry.'],
    ['p(topics, 1) > 0.5', '"topics" has no option "1". It has money, time.'],
    ['p(land, "DE") > 0.5', '"land" is a read and has no probabilities'],
    ['p(name) > 0.5', '"name" is a read and has no probabilities'],
    ['land == "DEU"', '"land" has no option "DEU". Did you mean "DE"?'],
    ['count(tone)', 'count(tone) needs a list, and "tone" is one of its options, a text'],
    ['topics == "money"', '"topics" is a list; use count(topics) or has(topics)'],
    ['parts', '"parts" is a list'],
    ['dates', '"dates" is a list'],
    ['button', '"button" is a box; use has(button)'],
    ['is-angry > 0.5', '"is-angry" is no plain name; write value("is-angry")'],
    ['iit > 1', 'there is no question or derive "iit". There are urgent'],
  ])('%s', async (expression, message) => {
    expect(await messageOf(expression)).toContain(message)
  })

  it.each([
    'not (urgent > 0.5) and tone == "calm"',
    'size > 1 and size != 2',
    'stars == "2" or round(stars) == 2 or p(stars, 2) > 0.5',
    'p(size, 1) > 0.5',
    'total > 5 and name == "Ada" and name > 3',
    'land == "FR" ? count(topics) + count(dates) + count(parts) : p(stars, "good")',
    'value("is-angry") > 0.5 and has(button)',
    'stats > 1 and stats == "x"',
    'urgent == null',
    'came < "2026-04-01" and "2026-01-01" <= came and came == "2026-03-25"',
    'quoted < came and came < term and name < came and stats < came',
    'value("intent/amount") > 5 and has("intent/why") and p("intent/team", "sales") > 0.5',
    // Of two arguments of one name nothing is known.
    'value("intent/why") > 0.5 and value("intent/why") == "x"',
  ])('but not %s', async (expression) => {
    expect(await messageOf(expression)).toBeNull()
  })

  it('reads what stands deep in one another once', async () => {
    const deep = `${'('.repeat(60)}urgent${' == 1)'.repeat(60)}`
    expect(await messageOf(deep)).toBeNull()
  })
})
