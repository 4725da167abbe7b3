import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curlOf, quoted } from '../../../src/console/playground/curl.ts'
import { type Draft, draftOf, newDerive, newQuestion, requestOf } from '../../../src/console/playground/draft.ts'
import { EXAMPLES } from '../../../src/console/playground/examples.ts'
import { formsOf } from '../../../src/console/playground/kind-forms.ts'
import { openApiDocument } from '../../../src/service/openapi/document.ts'

const FORMS = formsOf(openApiDocument('systemone'))
const form = (type: string) => FORMS.get(type)!

const EMPTY: Draft = { model: '', isJson: false, text: 'Hello', images: [], questions: [], derives: [] }

describe('the form of the playground', () => {
  it.each(EXAMPLES.map(({ name, request, picture }) => [name, request, picture] as const))(
    'holds the example %s, and gives back the same request',
    (_name, request, picture) => {
      const draft = draftOf(request, picture === undefined ? [] : [picture], FORMS)
      expect(requestOf(draft!, FORMS).request).toEqual(request)
    },
  )

  it('writes every field of every type of question as the service takes it', () => {
    const request = {
      model: 'service-1-pro',
      state: [
        { type: 'json', value: { a: [1] } },
        { type: 'image', id: 'front', source: { type: 'part', name: 'a.png' } },
        { type: 'image', id: 'back', source: { type: 'part', name: 'b.png' } },
      ],
      questions: {
        n: { type: 'noul', instructions: 'It is so.', criteria: { true: 'yes', false: 'no' }, image: 'front' },
        c: { type: 'choice', criteria: ['a', { value: 'b', description: 'bee' }], args: { x: { type: 'noul' } } },
        s: { type: 'score', criteria: ['low', { label: 'high', description: 'very' }] },
        m: { type: 'select', criteria: ['a', 'b', 'c'], min: 1, max: 2, threshold: 0.4 },
        f: { type: 'fill', kind: 'list', item: 'int', self_check: true },
        e: { type: 'fill', kind: 'enum', values: ['x', 'y'] },
        x: { type: 'extract', kind: 'date', many: true, self_check: true },
      },
      derive: { d: 'n > 0.5' },
    }
    expect(requestOf(draftOf(request, ['a.png', 'b.png'], FORMS)!, FORMS).request).toEqual(request)
  })

  it('reads the other ways to list options, and writes them as criteria', () => {
    const question = (fields: object) =>
      requestOf(draftOf({ state: '', questions: { q: { type: 'choice', ...fields } } }, [], FORMS)!, FORMS).request
    expect(question({ options: ['a', { value: 'b' }] })?.questions).toEqual({ q: { type: 'choice', criteria: ['a', 'b'] } })
    expect(question({ criteria: { a: null, b: 'bee' } })?.questions).toEqual({
      q: { type: 'choice', criteria: ['a', { value: 'b', description: 'bee' }] },
    })
  })

  it.each([
    ['no object', null],
    ['no state', { questions: {} }],
    ['an unknown top-level field', { state: '', extra: 1 }],
    ['an unknown type', { state: '', questions: { q: { type: 'guess' } } }],
    ['an unknown field of a question', { state: '', questions: { q: { type: 'noul', weight: 2 } } }],
    ['instructions that are JSON', { state: '', questions: { q: { type: 'noul', instructions: { a: 1 } } } }],
    ['arguments of an option', { state: '', questions: { q: { type: 'choice', criteria: [{ value: 'a', args: {} }] } } }],
    ['a picture that is not attached', { state: [{ type: 'image', source: { type: 'part', name: 'gone.png' } }] }],
    ['a video', { state: [{ type: 'video', source: { type: 'part', name: 'a.mp4' } }] }],
    [
      'a text after a picture',
      {
        state: [
          { type: 'image', source: { type: 'part', name: 'a.png' } },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    ['derive as an object', { state: '', derive: { d: { expr: '1' } } }],
  ])('has no fields for %s, and says so', (_what, request) => {
    expect(draftOf(request, ['a.png'], FORMS)).toBeNull()
  })

  it('takes an array that is no parts for JSON', () => {
    const draft = draftOf({ state: [1, { type: 'lamp' }] }, [], FORMS)!
    expect(draft.isJson).toBe(true)
    expect(requestOf(draft, FORMS).request?.state).toEqual([1, { type: 'lamp' }])
  })

  it('says where JSON that is typed is broken', () => {
    const question = { ...newQuestion(form('choice'), []), id: 'a/b', texts: { args: '{' } }
    const made = requestOf({ ...EMPTY, isJson: true, text: '{"a":', questions: [question] }, FORMS)
    expect(made.problems?.map(({ param }) => param)).toEqual(['/state', '/questions/a~1b/args'])
  })

  it('says when two questions or two expressions have one name', () => {
    const same = [...FORMS.values()].slice(0, 2).map((one) => ({ ...newQuestion(one, []), id: 'q' }))
    const derives = [newDerive(), newDerive()].map((derive) => ({ ...derive, name: 'd', expression: '1' }))
    const made = requestOf({ ...EMPTY, questions: same, derives }, FORMS)
    expect(made.problems?.map(({ param }) => param)).toEqual(['/questions/q', '/derive/d'])
  })

  it('names new questions so that no two are alike', () => {
    const ids: string[] = []
    for (let i = 0; i < 4; i++) ids.push(newQuestion(form('noul'), ids).id)
    expect(ids).toEqual(['noul_1', 'noul_2', 'noul_3', 'noul_4'])
  })

  it('keeps ids that objects treat as their own', () => {
    const request = JSON.parse('{"state":"x","questions":{"__proto__":{"type":"noul"},"constructor":{"type":"noul"}}}')
    expect(Object.keys(requestOf(draftOf(request, [], FORMS)!, FORMS).request?.questions as object).sort()).toEqual([
      '__proto__',
      'constructor',
    ])
  })
})

describe('the command of a request', () => {
  /** What a POSIX shell makes of a word of single quotes and escaped quotes. */
  const unquoted = (word: string) => word.replace(/'([^']*)'|\\(.)/g, (_, plain?: string, escaped?: string) => plain ?? escaped ?? '')

  it('quotes whatever is in the request', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(unquoted(quoted(text))).toBe(text)
      }),
      { seed: 1 },
    )
  })

  it('sends JSON alone as the body, and with files as a form', () => {
    expect(curlOf('http://a', '{}', [])).toBe(
      "curl 'http://a/v1/ask' \\\n  -H 'authorization: Bearer service_sk_…' \\\n  -H 'content-type: application/json' \\\n  -d '{}'",
    )
    expect(curlOf('http://a', '{}', ['b.png'])).toContain("--form-string 'request={}' \\\n  -F 'b.png=@b.png'")
  })
})
