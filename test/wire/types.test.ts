// The types of answers. `npm run check` is what can fail here (expectTypeOf and @ts-expect-error are compile-time); run
// by vitest, the file also holds that builders make the plain JSON they say they make.
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { choice, extract, fill, noul, score, select } from '../../src/questions/builders.ts'
import type {
  BoxAnswer,
  BoxManyAnswer,
  ChoiceAnswer,
  ExtractAnswer,
  ExtractManyAnswer,
  NoulAnswer,
  ScoreAnswer,
} from '../../src/questions/index.ts'
import type { AnswersOf, Ask, TypedRequest } from '../../src/wire/infer.ts'
import type { Answer, AskResponse, DeriveAnswer, Derives, Question, QuestionAnswer, Questions, State } from '../../src/wire/types.ts'

/** What `ask` would be typed as, without a model behind it. Called only inside functions that never run. */
declare const ask: Ask

const answersOf = <const Q extends Questions, const D extends Derives = Record<never, never>>(_questions: Q, _derive?: D) =>
  undefined as unknown as AnswersOf<Q, D>

type Never = () => Promise<void>

describe('answers typed by plain literals', () => {
  const answers = answersOf(
    {
      urgent: { type: 'noul', instructions: 'It is urgent.' },
      tone: { type: 'choice', criteria: ['calm', 'angry'] },
      tab: { type: 'choice', criteria: { Home: 'the first', Orders: null } },
      page: { type: 'choice', options: ['list', { value: 'form', description: 'to fill in' }] },
      level: { type: 'score', criteria: ['low', { label: 'high', description: 'very' }] },
      topics: { type: 'select', criteria: ['money', 'time'], max: 1 },
      count: { type: 'fill', kind: 'int' },
      note: { type: 'fill' },
      names: { type: 'fill', kind: 'list' },
      prices: { type: 'fill', kind: 'list', item: 'number' },
      sizes: { type: 'fill', kind: 'list', item: { kind: 'int' } },
      colour: { type: 'fill', kind: 'enum', values: ['red', 'blue'], self_check: true },
      order: { type: 'extract', self_check: true },
      emails: { type: 'extract', kind: 'email', many: true },
      save: { type: 'extract', kind: 'coordinates' },
      rows: { type: 'extract', kind: 'coordinates', many: true },
    },
    { loud: 'urgent > 0.5', sum: { expr: 'level + 1' } },
  )
  type Answers = typeof answers

  it('names the options of a choice, from an array, a map, or objects', () => {
    expectTypeOf<Answers['tone']['choice']>().toEqualTypeOf<'calm' | 'angry'>()
    expectTypeOf<Answers['tab']['choice']>().toEqualTypeOf<'Home' | 'Orders'>()
    expectTypeOf<Answers['page']['choice']>().toEqualTypeOf<'list' | 'form'>()
    expectTypeOf<Answers['tone']['probabilities']>().toEqualTypeOf<Readonly<Record<'calm' | 'angry', number>>>()
    const wrong = (): void => {
      // @ts-expect-error no such option
      void (answers.tone.choice === 'clam')
      // @ts-expect-error no such option
      void answers.tone.probabilities.clam
      // @ts-expect-error no args were asked
      void answers.tone.args
      // @ts-expect-error no such question
      void answers.tonne
    }
    expect(wrong).toBeTypeOf('function')
  })

  it('types noul, score and select', () => {
    expectTypeOf<Answers['urgent']>().toEqualTypeOf<NoulAnswer>()
    expectTypeOf<Answers['level']['score']>().toEqualTypeOf<number>()
    expectTypeOf<Answers['level']['legend'][1]>().toEqualTypeOf<'high'>()
    expectTypeOf<keyof Answers['level']['probabilities']>().toEqualTypeOf<'0' | '1'>()
    expectTypeOf<Answers['topics']['selected']>().toEqualTypeOf<readonly ('money' | 'time')[]>()
    expectTypeOf<Answers['topics']['probabilities']['money']>().toEqualTypeOf<number>()
  })

  it('types reads by kind, many and self_check', () => {
    expectTypeOf<Answers['count']['parsed']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Answers['note']['value']>().toEqualTypeOf<string>()
    expectTypeOf<Answers['note']>().not.toHaveProperty('parsed')
    expectTypeOf<Answers['note']>().not.toHaveProperty('check')
    expectTypeOf<Answers['names']['parsed']>().toEqualTypeOf<readonly string[] | undefined>()
    expectTypeOf<Answers['prices']['parsed']>().toEqualTypeOf<readonly number[] | undefined>()
    expectTypeOf<Answers['sizes']['parsed']>().toEqualTypeOf<readonly number[] | undefined>()
    expectTypeOf<Answers['colour']['value']>().toEqualTypeOf<'red' | 'blue'>()
    expectTypeOf<Answers['order']['value']>().toEqualTypeOf<string | null>()
    expectTypeOf<Answers['emails']['values']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<Answers['emails']>().not.toHaveProperty('value')
    expectTypeOf<Answers['save']>().toEqualTypeOf<BoxAnswer>()
    expectTypeOf<Answers['rows']>().toEqualTypeOf<BoxManyAnswer>()
  })

  it('has parsed and check for sure once a read is valid', () => {
    const use = ({ count, prices, colour, order }: Answers): void => {
      if (count.valid) expectTypeOf(count.parsed).toEqualTypeOf<number>()
      else expectTypeOf(count.parsed).toEqualTypeOf<number | undefined>()
      if (prices.valid) expectTypeOf(prices.parsed).toEqualTypeOf<readonly number[]>()
      if (colour.valid) expectTypeOf(colour.check).toEqualTypeOf<number>()
      else expectTypeOf(colour.error).toEqualTypeOf<string | undefined>()
      if (order.valid) expectTypeOf(order.check).toEqualTypeOf<number>()
      // @ts-expect-error a failed read has no parsed value
      void (count.parsed + 1)
    }
    expect(use).toBeTypeOf('function')
  })

  it('adds derives by name', () => {
    expectTypeOf<Answers['loud']>().toEqualTypeOf<DeriveAnswer>()
    expectTypeOf<Answers['sum']>().toEqualTypeOf<DeriveAnswer>()
    const wrong = (): void => {
      // @ts-expect-error no such derive
      void answers.lout
    }
    expect(wrong).toBeTypeOf('function')
  })

  it('is an answer everywhere a plain answer is expected', () => {
    expectTypeOf<Answers[keyof Answers]>().toExtend<Answer>()
  })
})

describe('args', () => {
  const answers = answersOf({
    all: { type: 'choice', criteria: ['refund', 'ship'], args: { amount: { type: 'fill', kind: 'number' } } },
    each: {
      type: 'choice',
      options: [
        { value: 'refund', args: { amount: { type: 'fill', kind: 'number' } } },
        { value: 'ship', args: { fast: { type: 'noul' } } },
        'wait',
      ],
    },
    both: {
      type: 'choice',
      options: [{ value: 'refund', args: { amount: { type: 'fill', kind: 'number' } } }, 'wait'],
      args: { sure: { type: 'noul' } },
    },
  })
  type Answers = typeof answers

  it('of the question are there for every option', () => {
    expectTypeOf<Answers['all']['args']['amount']['parsed']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Answers['all']['choice']>().toEqualTypeOf<'refund' | 'ship'>()
  })

  it('of an option are there once the option is known', () => {
    type Refund = Extract<Answers['each'], { choice: 'refund' }>
    type Ship = Extract<Answers['each'], { choice: 'ship' }>
    type Wait = Extract<Answers['each'], { choice: 'wait' }>
    expectTypeOf<Refund['args']['amount']['parsed']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Ship['args']['fast']['noul']>().toEqualTypeOf<number>()
    expectTypeOf<keyof Wait['args']>().toEqualTypeOf<never>()
    expectTypeOf<Wait['probabilities']['ship']>().toEqualTypeOf<number>()
    const use = (answer: Answers['each']): number | undefined => {
      // @ts-expect-error not before the option is known
      void answer.args.amount
      return answer.choice === 'ship' ? answer.args.fast.noul : undefined
    }
    expect(use).toBeTypeOf('function')
  })

  it('of both are merged', () => {
    type Refund = Extract<Answers['both'], { choice: 'refund' }>
    expectTypeOf<keyof Refund['args']>().toEqualTypeOf<'amount' | 'sure'>()
    expectTypeOf<keyof Extract<Answers['both'], { choice: 'wait' }>['args']>().toEqualTypeOf<'sure'>()
  })
})

describe('ask', () => {
  it('infers from the request, with builders and literals side by side', () => {
    const run = async () => {
      const { answers } = await ask({
        state: 'Where is my parcel?!',
        questions: {
          urgent: noul('It is urgent.'),
          tone: choice('The tone', ['calm', 'angry']),
          plain: { type: 'choice', criteria: { a: null, b: null } },
        },
        derive: { act: 'urgent > 0.5 and tone == "angry"' },
      })
      return answers
    }
    type Answers = Awaited<ReturnType<typeof run>>
    expectTypeOf<Answers['tone']['choice']>().toEqualTypeOf<'calm' | 'angry'>()
    expectTypeOf<Answers['plain']['choice']>().toEqualTypeOf<'a' | 'b'>()
    expectTypeOf<Answers['urgent']['noul']>().toEqualTypeOf<number>()
    expectTypeOf<Answers['act']>().toEqualTypeOf<DeriveAnswer>()
    expectTypeOf<keyof Answers>().toEqualTypeOf<'urgent' | 'tone' | 'plain' | 'act'>()
  })

  it('takes wide questions and gives wide answers', () => {
    const run = async (questions: Questions, derive: Derives, question: Question) => {
      const wide = await ask({ state: null, questions })
      const derived = await ask({ state: null, questions: { a: { type: 'noul' } }, derive })
      const one = await ask({ state: null, questions: { a: question } })
      return { wide, derived, one }
    }
    type Result = Awaited<ReturnType<typeof run>>
    type Wide = Result['wide']['answers']
    expectTypeOf<Wide['x']>().toExtend<QuestionAnswer | undefined>()
    expectTypeOf<QuestionAnswer>().toExtend<NonNullable<Wide['x']>>()
    expectTypeOf<Result['derived']['answers']['a']>().toEqualTypeOf<NoulAnswer>()
    expectTypeOf<NonNullable<Result['derived']['answers']['x']>>().toEqualTypeOf<NoulAnswer | DeriveAnswer>()
    expectTypeOf<Result['one']['answers']['a']>().toExtend<QuestionAnswer>()
    expectTypeOf<Result['wide']>().toExtend<AskResponse>()
    expectTypeOf<ChoiceAnswer | ScoreAnswer | ExtractAnswer | ExtractManyAnswer>().toExtend<Result['one']['answers']['a']>()
  })

  it('takes lists of open length, parts, and JSON that only looks like a part', () => {
    const right = async (names: string[], descriptions: Record<string, string>) => {
      await ask({ state: 'x', questions: { a: { type: 'choice', criteria: names }, b: { type: 'select', criteria: descriptions } } })
      await ask({ state: 'x', questions: { a: choice('Which?', names), b: score('How?', names) } })
      await ask({
        state: [
          { type: 'image', source: { type: 'path', path: 'a.png' } },
          { type: 'text', text: 'x' },
        ],
        questions: { a: { type: 'noul' } },
      })
      await ask({ state: [{ type: 'lamp', watts: 60 }], questions: { a: { type: 'noul' } } })
      await ask({ state: { type: 'image', source: 1 }, questions: { a: { type: 'noul', image: null } } })
      await ask({ state: [1, 'two', null], questions: { a: { type: 'fill', kind: null } } })
    }
    expect(right).toBeTypeOf('function')
  })

  it('leaves lists to the engine whose names may differ', () => {
    const open = async (name: string, either: 'a' | 'b', prefixed: `x${string}`, more: readonly string[]) => {
      await ask({ state: 'x', questions: { a: choice('Which?', ['a', name, 'b', name, either, prefixed, 'xy', ...more]) } })
      await ask({ state: 'x', questions: { a: { type: 'choice', options: [{ value: 'c', args: { n: { type: 'noul' } } }, ...more] } } })
    }
    expect(open).toBeTypeOf('function')
  })

  it('takes questions through a function, and gives it their answers', () => {
    const request = async <const Q extends Questions>(asked: TypedRequest<Q>) => (await ask(asked)).answers
    const gate = async <const Q extends Questions>(questions: TypedRequest<Q>['questions'], state: string) =>
      (await ask<Q>({ state, questions })).answers
    const use = async () => {
      const first = await request({ state: 'x', questions: { a: noul('x'), b: { type: 'choice', criteria: ['p', 'q'] } } })
      expectTypeOf(first.b.choice).toEqualTypeOf<'p' | 'q'>()
      const second = await gate({ a: noul('x'), b: choice('y', ['p', 'q']) }, 'x')
      expectTypeOf(second.b.choice).toEqualTypeOf<'p' | 'q'>()
      // @ts-expect-error a typo is still one
      await gate({ a: { type: 'noul', instruction: 'x' } }, 'x')
    }
    expect(use).toBeTypeOf('function')
  })

  it('does not compile with what the wire would refuse', () => {
    const state = 'x'
    const wrong: readonly Never[] = [
      async () => {
        // @ts-expect-error unknown type
        await ask({ state, questions: { a: { type: 'nuol' } } })
      },
      async () => {
        // @ts-expect-error a typo in a field
        await ask({ state, questions: { a: { type: 'choice', critera: ['a', 'b'] } } })
      },
      async () => {
        // @ts-expect-error args on a noul
        await ask({ state, questions: { a: { type: 'noul', args: { b: { type: 'noul' } } } } })
      },
      async () => {
        // @ts-expect-error unknown kind
        await ask({ state, questions: { a: { type: 'fill', kind: 'integer' } } })
      },
      async () => {
        // @ts-expect-error coordinates are extracted, not filled in
        await ask({ state, questions: { a: { type: 'fill', kind: 'coordinates' } } })
      },
      async () => {
        // @ts-expect-error many is for extract
        await ask({ state, questions: { a: { type: 'fill', many: true } } })
      },
      async () => {
        // @ts-expect-error self_check is for reads
        await ask({ state, questions: { a: { type: 'score', criteria: ['a', 'b'], self_check: true } } })
      },
      async () => {
        // @ts-expect-error a score has an ordered array
        await ask({ state, questions: { a: { type: 'score', criteria: { low: null, high: null } } } })
      },
      async () => {
        const args = { c: { type: 'choice', criteria: ['x', 'y'], args: {} } } as const
        // @ts-expect-error an argument cannot have arguments
        await ask({ state, questions: { a: { type: 'choice', criteria: ['a', 'b'], args } } })
      },
      async () => {
        // @ts-expect-error a derive is an expression
        await ask({ state, questions: { a: { type: 'noul' } }, derive: { b: 3 } })
      },
      async () => {
        // @ts-expect-error no questions
        await ask({ state })
      },
      async () => {
        // @ts-expect-error unknown field in a builder
        noul('x', { args: {} })
      },
      async () => {
        // @ts-expect-error unknown kind in a builder
        extract('x', { kind: 'box' })
      },
      async () => {
        // @ts-expect-error many in the wrong builder
        fill('x', { many: true })
      },
      async () => {
        // @ts-expect-error an argument cannot have arguments, in a builder either
        choice('x', ['a', 'b'], { args: { c: { type: 'choice', criteria: ['x', 'y'], args: {} } } })
      },
      async () => {
        // @ts-expect-error fill of kind json is not in this version
        await ask({ state, questions: { a: { type: 'fill', kind: 'json', schema: {} } } })
      },
      async () => {
        // @ts-expect-error fill of kind pattern is not in this version
        await ask({ state, questions: { a: { type: 'fill', kind: 'pattern', pattern: 'a+' } } })
      },
      async () => {
        // @ts-expect-error values belong to kind enum
        await ask({ state, questions: { a: { type: 'fill', kind: 'int', values: ['1', '2'] } } })
      },
      async () => {
        // @ts-expect-error an enum needs its values
        await ask({ state, questions: { a: { type: 'fill', kind: 'enum' } } })
      },
      async () => {
        // @ts-expect-error item belongs to kind list
        await ask({ state, questions: { a: { type: 'fill', kind: 'int', item: 'int' } } })
      },
      async () => {
        // @ts-expect-error options are given once
        await ask({ state, questions: { a: { type: 'choice', options: ['a', 'b'], criteria: ['a', 'b'] } } })
      },
      async () => {
        // @ts-expect-error a choice has options
        await ask({ state, questions: { a: { type: 'choice' } } })
      },
      async () => {
        // @ts-expect-error one option is no choice
        await ask({ state, questions: { a: { type: 'choice', criteria: ['a'] } } })
      },
      async () => {
        // @ts-expect-error nor is one in a map
        await ask({ state, questions: { a: { type: 'select', criteria: { a: null } } } })
      },
      async () => {
        // @ts-expect-error one level is no scale
        await ask({ state, questions: { a: { type: 'score', criteria: ['low'] } } })
      },
      async () => {
        await ask({ state: [{ type: 'video', source: { type: 'path', path: 'a.mp4' }, fps: 2 }], questions: { a: { type: 'noul' } } })
        // @ts-expect-error a video has frames or a source
        await ask({ state: [{ type: 'video', fps: 2 }], questions: { a: { type: 'noul' } } })
      },
      async () => {
        // @ts-expect-error a misspelt source
        await ask({ state: [{ type: 'image', source: { pth: 'a.png' } }], questions: { a: { type: 'noul' } } })
      },
      async () => {
        // @ts-expect-error a source without its path
        await ask({ state: [{ type: 'image', source: { type: 'path' } }], questions: { a: { type: 'noul' } } })
      },
      async () => {
        // @ts-expect-error one option, in a builder
        await ask({ state, questions: { a: choice('x', ['a']) } })
      },
      async () => {
        // @ts-expect-error an option is given twice
        await ask({ state, questions: { a: { type: 'choice', options: ['a', 'b', { value: 'a' }] } } })
        // @ts-expect-error in builders, too
        await ask({ state, questions: { a: select('x', ['a', 'a', 'b']) } })
        // @ts-expect-error and levels
        await ask({ state, questions: { a: score('x', ['low', 'high', { label: 'low' }]) } })
      },
      async () => {
        const args = { c: { type: 'choice', criteria: ['x', 'y'], args: { d: { type: 'noul' } } } } as const
        // @ts-expect-error an argument of an option cannot have arguments either
        await ask({ state, questions: { a: { type: 'choice', options: [{ value: 'a', args }, 'b'] } } })
        // @ts-expect-error by builders
        await ask({ state, questions: { a: choice('x', [{ value: 'a', args: { b: choice('y', ['c', 'd'], { args }) } }, 'b']) } })
        // @ts-expect-error nor fields that its type does not have
        await ask({ state, questions: { a: choice('x', [{ value: 'a', args: { b: { type: 'extract', mny: true } } }, 'b']) } })
      },
      async () => {
        // @ts-expect-error no question
        await ask({ state, questions: {} })
      },
      async () => {
        // @ts-expect-error a derive with the name of a question
        await ask({ state, questions: { a: { type: 'noul' } }, derive: { a: 'a > 0.5' } })
      },
    ]
    expect(wrong).toHaveLength(33)
  })
})

describe('a state', () => {
  interface Customer {
    readonly name: string
    readonly friends?: readonly Customer[]
  }
  interface Ticket {
    readonly id: number
    readonly subject?: string | undefined
    readonly customer: Customer | null
    readonly tags: readonly string[]
  }
  const questions = { a: noul('x') }

  it('may be of any type that JSON can say, and of none that is known', () => {
    const right = async (ticket: Ticket, hook: Record<string, unknown>, body: unknown, thing: object, json: Json, state: State) => {
      await ask({ state: ticket, questions })
      await ask({ state: [ticket, ticket], questions })
      await ask({ state: { ticket, more: { at: new Date().toISOString(), none: undefined } }, questions })
      await ask({ state: hook, questions })
      await ask({ state: body, questions })
      await ask({ state: JSON.parse('{}'), questions })
      await ask({ state: thing, questions })
      await ask({ state: json, questions })
      await ask({ state, questions })
      await ask({
        state: [
          { type: 'json', value: ticket },
          { type: 'text', text: 'x' },
        ],
        questions,
      })
      await ask({
        state: [
          { type: 'json', value: { ticket, hook, body } },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array(1) },
        ],
        questions,
      })
    }
    expect(right).toBeTypeOf('function')
  })

  it('does not compile where JSON cannot say it', () => {
    const wrong = async (document: { readonly id: number; save(): void }, maybe: string | undefined) => {
      // @ts-expect-error a Date
      await ask({ state: { at: new Date() }, questions })
      // @ts-expect-error a Map
      await ask({ state: new Map([['a', 1]]), questions })
      // @ts-expect-error a Set
      await ask({ state: [{ tags: new Set(['a']) }], questions })
      // @ts-expect-error a bigint
      await ask({ state: { n: 1n }, questions })
      // @ts-expect-error a symbol
      await ask({ state: Symbol('x'), questions })
      // @ts-expect-error a function
      await ask({ state: () => 'x', questions })
      // @ts-expect-error a method
      await ask({ state: document, questions })
      // @ts-expect-error nobody waited
      await ask({ state: Promise.resolve('x'), questions })
      // @ts-expect-error bytes are read as a picture only
      await ask({ state: new Uint8Array(1), questions })
      // @ts-expect-error undefined
      await ask({ state: undefined, questions })
      // @ts-expect-error or perhaps undefined
      await ask({ state: maybe, questions })
      // @ts-expect-error in a part
      await ask({ state: [{ type: 'json', value: { n: 1n } }], questions })
    }
    expect(wrong).toBeTypeOf('function')
  })
})

describe('builders', () => {
  it('make the plain JSON question', () => {
    expect(noul('It is late.', { criteria: { true: 'past six' } })).toEqual({
      type: 'noul',
      instructions: 'It is late.',
      criteria: { true: 'past six' },
    })
    expect(choice('Which?', { a: 'first', b: null }, { image: 'image_1' })).toEqual({
      type: 'choice',
      instructions: 'Which?',
      criteria: { a: 'first', b: null },
      image: 'image_1',
    })
    expect(score('How?', ['low', 'high'])).toEqual({ type: 'score', instructions: 'How?', criteria: ['low', 'high'] })
    expect(select('What?', ['x', 'y'], { min: 1 })).toEqual({ type: 'select', instructions: 'What?', criteria: ['x', 'y'], min: 1 })
    expect(fill('Count', { kind: 'int' })).toEqual({ type: 'fill', instructions: 'Count', kind: 'int' })
    expect(extract('Save', { kind: 'coordinates', many: true })).toEqual({
      type: 'extract',
      instructions: 'Save',
      kind: 'coordinates',
      many: true,
    })
  })

  it('keep their literals', () => {
    const questions = {
      tone: choice('The tone', ['calm', 'angry'], { args: { why: extract('The reason') } }),
      level: score('Level', ['low', 'high']),
      topics: select('Topics', { money: null, time: 'of day' }),
      count: fill('Count', { kind: 'int', self_check: true }),
      rows: extract('Rows', { kind: 'coordinates', many: true }),
      plain: extract('Name'),
    }
    const answers = answersOf(questions)
    type Answers = typeof answers
    expectTypeOf(questions).toExtend<Questions>()
    expectTypeOf<Answers['tone']['choice']>().toEqualTypeOf<'calm' | 'angry'>()
    expectTypeOf<Answers['tone']['args']['why']['value']>().toEqualTypeOf<string | null>()
    expectTypeOf<Answers['level']['legend'][0]>().toEqualTypeOf<'low'>()
    expectTypeOf<Answers['topics']['order']>().toEqualTypeOf<readonly ('money' | 'time')[]>()
    expectTypeOf<Answers['count']['parsed']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Extract<Answers['count'], { valid: true }>['check']>().toEqualTypeOf<number>()
    expectTypeOf<Answers['rows']>().toEqualTypeOf<BoxManyAnswer>()
    expectTypeOf<Answers['plain']['value']>().toEqualTypeOf<string | null>()
    expect(JSON.parse(JSON.stringify(questions))).toEqual(questions)
  })
})
